import { escapeHtml, type Leave, leaveForm, type Page } from './layout.ts';

export interface LoginShown {
  readonly action: string;
  readonly form_token: string;
  /** Why the user logs in. Plain text. */
  readonly purpose: string;
  readonly problem: 'wrong' | null;
  /** Present if a third party sent the user. */
  readonly leave?: Leave;
  readonly leads_to?: readonly string[];
}

/** One message for an unknown name and a wrong password. */
const wrong = `We could not log you in. Check the user name and the password. After several failed attempts each further
one takes longer.`;

export function loginPage({ action, form_token, purpose, problem, leave, leads_to = [] }: LoginShown): Page {
  return {
    status: problem === null ? 200 : 401,
    title: 'Log in to your bank',
    leads_to,
    content: `${problem === null ? '' : `<p class="problem" role="alert">${wrong}</p>`}
<p>${escapeHtml(purpose)}</p>
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="form_token" value="${escapeHtml(form_token)}">
<label class="text" for="user_name">User name</label>
<input type="text" id="user_name" name="user_name" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="255" required>
<label class="text" for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" maxlength="1024" required>
<button type="submit">Log in</button>
</form>
${leave === undefined ? '' : leaveForm(leave, 'second')}`,
  };
}
