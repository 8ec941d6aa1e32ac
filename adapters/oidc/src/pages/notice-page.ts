import { escapeHtml, type Page, renderPage } from './layout.ts';

const again = 'Start again from the app or the website that sent you here.';

const notices = {
  gone: { status: 400, title: 'This step is over', text: `It was finished, or it has expired. ${again}` },
  moved: {
    status: 400,
    title: 'This step is over',
    text: `The address to which it leads is not registered for the app any more. ${again}`,
  },
  400: { status: 400, title: 'This form cannot be read', text: again },
  403: { status: 403, title: 'This form is not valid', text: `It was not sent from our page. ${again}` },
  404: { status: 404, title: 'No such page', text: 'Check the address.' },
  413: { status: 413, title: 'This form is too long', text: again },
  415: { status: 415, title: 'This form cannot be read', text: again },
  429: { status: 429, title: 'Too many attempts at once', text: 'Nothing was changed. Try again in a minute.' },
  500: { status: 500, title: 'Something went wrong', text: 'Nothing was changed. Try again later.' },
  503: { status: 503, title: 'This does not work now', text: 'Nothing was changed. Try again in a moment.' },
} as const;

export function notice(kind: keyof typeof notices): Page {
  const { status, title, text } = notices[kind];
  return { status, title, content: `<p>${text}</p>` };
}

/**
 * The page of a request that cannot be answered, and whose error cannot be sent to the third party.
 * A user reads what to do. The code is for those who make the app, when the user passes it on.
 */
export function errorPage({ error, error_description }: ErrorShown, bank_name: string): string {
  const content = contentOf(error ?? 'server_error', error_description);
  return renderPage({ title: 'This does not work', content }, bank_name);
}

function contentOf(error: string, error_description = ''): string {
  const sender = 'The app or the website that sent you here';
  if (error === 'server_error' || error === 'temporarily_unavailable') {
    return `<p>We cannot answer now. Nothing was changed. ${again}</p>`;
  }
  if (error === 'invalid_client') {
    return `<p>${sender} is not registered with us, or may not send you at present. Nothing was changed.</p>
<p>You can do nothing about it here. Ask those who make the app, or use another app.</p>`;
  }
  return `<p>${sender} has sent a request that we cannot accept. Nothing was changed. ${again}</p>
<p>If this page comes again, send the next line to those who make the app.</p>
<p class="muted">${escapeHtml(error)}: ${escapeHtml(error_description)}</p>`;
}

export interface ErrorShown {
  readonly error?: string | undefined;
  readonly error_description?: string | undefined;
}
