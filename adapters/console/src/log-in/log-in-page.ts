import { handle_length_max, type PersonRole, person_password_length_max, person_roles } from '@tallystick/access';
import { html, when } from '../look/html.ts';
import { narrowPage } from '../look/layout.ts';
import { field } from '../look/parts.ts';
import type { RequestFacts } from '../ports.ts';

const abouts: Readonly<Record<PersonRole, string>> = {
  viewer: 'reads everything and changes nothing',
  support: 'helps cardholders: freezes cards, changes limits, explains declines',
  risk: 'controls limits and merchants, and tries them on the past',
  finance: 'works through breaks, closes the month, brings in files',
  admin: 'does all of it, and manages people, keys and companies',
};

export interface LogInShown {
  /** A path of the console to which the log-in leads. */
  readonly back: string;
  readonly sandbox: boolean;
  /** The host of the OpenID provider; null: there is none. */
  readonly provider: string | null;
  /** The attempt before; null: there was none. */
  readonly failed: { readonly handle: string; readonly pause_ms: number } | null;
}

/** The page on which people log in. */
export function logInPage(facts: RequestFacts, { back, sandbox, provider, failed }: LogInShown): Promise<Response> {
  const to_here = html`<input type="hidden" name="back" value="${back}">`;
  const by_password = html`<form method="post" action="${facts.base}/log-in">${to_here}
${field({ name: 'handle', label: 'Name', value: failed?.handle, autocomplete: 'username', maxlength: handle_length_max, required: true })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', maxlength: person_password_length_max, required: true })}
${field({ name: 'code', label: 'Code', hint: 'The six digits that your app shows now. Each code works once.', autocomplete: 'one-time-code', inputmode: 'numeric', maxlength: 7, required: true })}
<button>Log in</button></form>`;
  const content = html`${when(failed, (attempt) => html`<div class="problem" role="alert"><p>${wrong(attempt.pause_ms)}</p></div>`)}
${when(
  sandbox,
  () => html`<p>This is a sandbox: choose who you are.</p>
<form method="post" action="${facts.base}/log-in/sandbox">${to_here}
<ul class="choices">${person_roles.map(
    (role) =>
      html`<li><button name="role" value="${role}"><strong>${role}</strong> <span>${abouts[role]}</span></button></li>`,
  )}</ul></form>`,
)}
${when(
  provider,
  (host) =>
    html`<p><a class="button" href="${facts.base}/log-in/openid?back=${encodeURIComponent(back)}">Log in with ${host}</a></p>`,
)}
${sandbox ? html`<details${failed === null ? '' : html` open`}><summary>A person with a password</summary>${by_password}</details>` : by_password}`;
  return narrowPage(facts, failed === null ? 200 : 401, 'Log in', content);
}

/** One sentence for an unknown person, a wrong password and a wrong code. */
function wrong(pause_ms: number): string {
  return `We could not log you in. Check the name, the password and the code. ${pauseBefore(pause_ms)}`;
}

/** How long the attempt after failed ones takes, for people. */
export function pauseBefore(pause_ms: number): string {
  const seconds = Math.ceil(pause_ms / 1_000);
  return seconds === 0
    ? 'After several failed attempts each further one takes longer.'
    : `Because of the failed attempts, the next one takes up to ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
}

/** The page for somebody who is logged in at the provider and is not registered here. */
export function unknownSubjectPage(
  facts: RequestFacts,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
): Promise<Response> {
  return narrowPage(
    facts,
    403,
    'You are not registered here',
    html`<p>Your log-in at the provider succeeded, but no active person of this console has your identity. An administrator has to register it:</p>
<dl class="facts"><div><dt>Issuer</dt><dd><code>${issuer}</code></dd></div><div><dt>Subject</dt><dd><code>${subject}</code></dd></div></dl>
<p><a href="${facts.base}/log-in">Back to the log-in</a></p>`,
  );
}

export function failedPage(facts: RequestFacts, status: 400 | 429 | 503, text: string): Promise<Response> {
  return narrowPage(
    facts,
    status,
    'The log-in failed',
    html`<p>${text}</p><p><a href="${facts.base}/log-in">Back to the log-in</a></p>`,
  );
}
