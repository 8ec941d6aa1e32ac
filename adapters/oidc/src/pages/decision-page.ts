import type { Decidable } from '@tallystick/consents';
import { escapeHtml, type Page } from './layout.ts';
import { type Leave, leaveForm } from './leave-form.ts';
import { accessText, accessVerb, accountText, endText } from './wording.ts';

export interface DecisionShown {
  readonly action: string;
  readonly form_token: string;
  readonly leave: Leave;
  readonly decidable: Extract<Decidable, { kind: 'decidable' }>;
  readonly problem: 'no_account' | null;
  readonly leads_to: readonly string[];
}

/** Shows who asks for what, until when and on which accounts. The user approves or refuses. */
export function decisionPage(shown: DecisionShown): Page {
  const { action, form_token, leave, decidable, problem, leads_to } = shown;
  const { consent, user } = decidable;
  const { third_party_name } = leave;
  const name = escapeHtml(third_party_name);
  const is_again = consent.status === 'Authorised';
  const title = is_again ? `Confirm access of ${third_party_name} again` : `Allow ${third_party_name}?`;
  return {
    status: problem === null ? 200 : 400,
    title,
    leads_to,
    content: `${problem === null ? '' : '<p class="problem" role="alert">Choose at least one account.</p>'}
<p>You are logged in as ${escapeHtml(user.name)}.</p>
<p><strong>${name}</strong> asks for access. It is not your bank, and it never sees your password.</p>
<h2>What ${name} can ${accessVerb(consent)}</h2>
${accessText(consent)}
<h2>For how long</h2>
<p>${endText(consent)}</p>
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="form_token" value="${escapeHtml(form_token)}">
${accountsOf(decidable)}
<button type="submit" name="decision" value="approve">Allow access</button>
<button type="submit" name="decision" value="refuse" class="second" formnovalidate>Refuse</button>
</form>
<p>You can also go back without a decision. Nothing changes then.</p>
${leaveForm(leave, 'second')}
<p class="muted">You can withdraw the access at any time: <a href="/consents">list of your consents</a>.</p>`,
  };
}

function accountsOf({ consent, accounts, may_choose }: DecisionShown['decidable']): string {
  if (!may_choose) {
    const items = accounts.map((account) => `<li>${escapeHtml(accountText(account))}</li>`);
    return `<h2>${items.length === 1 ? 'Account' : 'Accounts'}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
  }
  const chosen = new Set(consent.account_numbers);
  const choices = accounts.map((account, at) => {
    const checked = chosen.has(account.number) || accounts.length === 1 ? ' checked' : '';
    const number = escapeHtml(account.number);
    return `<label class="choice" for="account-${at}"><input type="checkbox" id="account-${at}" name="account" value="${number}"${checked}>
<span>${escapeHtml(accountText(account))}</span></label>`;
  });
  return `<fieldset>\n<legend>Which accounts?</legend>\n${choices.join('\n')}\n</fieldset>`;
}
