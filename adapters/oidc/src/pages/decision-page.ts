import { accessEnd, type Consent, type Decidable, hasAccess, type UndecidableReason } from '@tallystick/consents';
import { escapeHtml, type Leave, leaveForm, type Page } from './layout.ts';
import { accessText, accessVerb, accountText, endText, instantText } from './wording.ts';

export interface DecisionShown {
  readonly action: string;
  readonly form_token: string;
  readonly leave: Leave;
  readonly decidable: Extract<Decidable, { kind: 'decidable' }>;
  /** Whether it is the answer to a form that could not be accepted. */
  readonly has_problem: boolean;
  readonly leads_to: readonly string[];
  readonly now_ms: number;
}

const problems = {
  no_account: { status: 400, text: 'Choose at least one account.' },
  // An older page let choose the accounts, or did not say what a refusal means.
  allowed_meanwhile: { status: 409, text: 'You allowed this access meanwhile, on another page. It goes on.' },
  ended_meanwhile: { status: 409, text: 'You allowed this access meanwhile, on another page. It has ended since.' },
} as const;

/** Shows who asks for what, until when and on which accounts. The user approves or refuses. */
export function decisionPage(shown: DecisionShown): Page {
  const { action, form_token, leave, decidable, has_problem, leads_to, now_ms } = shown;
  const { consent, user } = decidable;
  const { third_party_name } = leave;
  const name = escapeHtml(third_party_name);
  const is_again = consent.status === 'Authorised';
  const has_access = hasAccess(consent, now_ms);
  const meanwhile = has_access ? 'allowed_meanwhile' : 'ended_meanwhile';
  const problem = has_problem ? problems[is_again ? meanwhile : 'no_account'] : null;
  const title = is_again ? `Confirm access of ${third_party_name} again` : `Allow ${third_party_name}?`;
  return {
    status: problem?.status ?? 200,
    title,
    leads_to,
    content: `${problem === null ? '' : `<p class="problem" role="alert">${problem.text}</p>`}
<p>You are logged in as ${escapeHtml(user.name)}.</p>
<p><strong>${name}</strong> asks for access. It is not your bank, and it never sees your password.</p>
<h2>What ${name} can ${accessVerb(consent)}</h2>
${accessText(consent)}
<h2>For how long</h2>
<p>${endText(consent)}</p>
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="form_token" value="${escapeHtml(form_token)}">
${accountsOf(decidable)}
${is_again ? refusalText(consent, name, now_ms) : ''}<button type="submit" name="decision" value="approve">Allow access</button>
<button type="submit" name="decision" value="refuse" class="second" formnovalidate>Refuse</button>
${has_access ? withdraw_button : ''}</form>
<p>You can also go back without a decision. Nothing changes then.</p>
${leaveForm(leave, 'second')}
<p class="muted">You can withdraw the access at any time: <a href="/consents">list of your consents</a>.</p>`,
  };
}

const withdraw_button = `<button type="submit" name="decision" value="withdraw" class="second" formnovalidate>Withdraw access now</button>
`;

/**
 * What a refusal to confirm again does: nothing. The access ends by its own date or a withdrawal.
 */
function refusalText(consent: Consent, name: string, now_ms: number): string {
  if (!hasAccess(consent, now_ms)) return `<p>At present ${name} has no access. If you refuse, it stays so.</p>\n`;
  const at = escapeHtml(instantText(accessEnd(consent)!.at_ms));
  return `<p><strong>If you refuse, the access that ${name} has goes on</strong> as it is, until ${at} at the latest.
If you do not want that, withdraw it: it ends at once.</p>\n`;
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

export interface UndecidableShown {
  readonly reason: UndecidableReason;
  readonly leave: Leave;
  readonly leads_to: readonly string[];
}

/** Why the user cannot decide, and what the user can do. Only a user who is logged in sees it. */
export function undecidablePage({ reason, leave, leads_to }: UndecidableShown): Page {
  const name = escapeHtml(leave.third_party_name);
  const { why, what_next } = wordingOf(name)[reason];
  return {
    status: 403,
    title: 'You cannot decide about this request',
    leads_to,
    content: `<p><strong>${why}</strong></p>
<p>${what_next}</p>
<p>Nothing was shared with ${name} in this step, and it does not learn the reason.</p>
${leaveForm(leave, 'first')}`,
  };
}

type Wording = Readonly<Record<UndecidableReason, { readonly why: string; readonly what_next: string }>>;

function wordingOf(name: string): Wording {
  return {
    not_awaiting: {
      why: 'The request is no longer open.',
      what_next: `It was already answered or deleted, or it has expired. To give access, start again at ${name}.`,
    },
    other_user: {
      why: 'Another user allowed this access. Only that user can confirm it again.',
      what_next: `Ask that user to confirm it. To give access to your own accounts, start again at ${name}.`,
    },
    not_eligible: {
      why: 'You or your company cannot use this service of the bank at present.',
      what_next: 'Contact your bank. It can tell you what is missing.',
    },
    no_account: {
      why: 'No account that you may view fits this request.',
      what_next: `Check with ${name} which account it asks for, or ask your bank which accounts you may view.`,
    },
  };
}
