import { escapeHtml, renderPage } from './layout.ts';

/** The page of a request that cannot be answered, and whose error cannot be sent to the third party. */
export function errorPage({ error, error_description }: ErrorShown, bank_name: string): string {
  const known = error === 'server_error' ? undefined : error_description;
  const content = `<p>The request cannot be answered. Nothing was changed. Start again from the app or the website that sent you here.</p>
<p class="muted">${escapeHtml(error ?? 'server_error')}${known === undefined ? '' : `: ${escapeHtml(known)}`}</p>`;
  return renderPage({ title: 'This does not work', content }, bank_name);
}

export interface ErrorShown {
  readonly error?: string | undefined;
  readonly error_description?: string | undefined;
}
