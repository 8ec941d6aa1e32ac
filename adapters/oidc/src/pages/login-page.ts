import { escapeHtml, type Leave, leaveForm, type Page } from './layout.ts';
import { type FailedLogIn, password_length_max, user_name_length_max } from './log-in.ts';

export interface LoginShown {
  readonly action: string;
  readonly form_token: string;
  /** Why the user logs in. Plain text. */
  readonly purpose: string;
  /** The attempt before; null: there was none. Its name is kept, its password is not. */
  readonly failed: FailedLogIn | null;
  /** Present if a third party sent the user. */
  readonly leave?: Leave;
  readonly leads_to?: readonly string[];
}

/** One message for an unknown name and a wrong password. */
function wrong({ pause_ms }: FailedLogIn): string {
  const seconds = Math.ceil(pause_ms / 1_000);
  const pause =
    seconds === 0
      ? 'After several failed attempts each further one takes longer.'
      : `Because of the failed attempts, the next one takes up to ${seconds} ${seconds === 1 ? 'second' : 'seconds'}. Press Log in once, and wait for the answer.`;
  return `We could not log you in. Check the user name and the password. ${pause}`;
}

export function loginPage({ action, form_token, purpose, failed, leave, leads_to = [] }: LoginShown): Page {
  const name = failed === null ? '' : ` value="${escapeHtml(failed.user_name.slice(0, user_name_length_max))}"`;
  return {
    status: failed === null ? 200 : 401,
    title: 'Log in to your bank',
    leads_to,
    content: `${failed === null ? '' : `<p class="problem" role="alert">${wrong(failed)}</p>`}
<p>${escapeHtml(purpose)}</p>
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="form_token" value="${escapeHtml(form_token)}">
<label class="text" for="user_name">User name</label>
<input type="text" id="user_name" name="user_name" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="${user_name_length_max}" required${name}>
<label class="text" for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" maxlength="${password_length_max}" required>
<button type="submit">Log in</button>
</form>
${leave === undefined ? '' : leaveForm(leave, 'second')}`,
  };
}
