import type { BankAccount } from '@tallystick/accounts';
import type { Consent, Permission } from '@tallystick/consents';
import { escapeHtml } from './layout.ts';

/** What a permission lets a third party see, in the words of its user. */
export const permission_wording: Readonly<Record<Permission, string>> = {
  ReadAccountsBasic: 'The currency, the kind and the nickname of your accounts',
  ReadAccountsDetail: 'The names, numbers and sort codes of your accounts (card numbers only in part)',
  ReadBalances: 'Your balances and credit lines',
  ReadTransactionsBasic: 'The amounts and dates of your transactions',
  ReadTransactionsDetail: 'Your transactions with their descriptions, merchants and balances',
  ReadTransactionsCredits: 'Money that you received',
  ReadTransactionsDebits: 'Money that you spent',
  ReadDirectDebits: 'Your direct debits',
  ReadStandingOrdersBasic: 'The amounts and dates of your standing orders',
  ReadStandingOrdersDetail: 'Your standing orders with who receives them',
  ReadScheduledPaymentsBasic: 'The amounts and dates of your scheduled payments',
  ReadScheduledPaymentsDetail: 'Your scheduled payments with who receives them',
};

/** An instant as people read it, in UTC. */
export function instantText(epoch_ms: number): string {
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat('en-GB', format).format(epoch_ms)} UTC`;
}

/** An instant that a third party wrote, as people read it. */
function writtenInstantText(date_time: string): string {
  const epoch_ms = Date.parse(date_time);
  return Number.isNaN(epoch_ms) ? date_time : instantText(epoch_ms);
}

/** Until when the third party has access, as HTML. */
export function endText({ expires_at_ms }: Consent): string {
  return expires_at_ms === null
    ? 'Until you withdraw it. You are asked to confirm it again after 90 days.'
    : `Until ${escapeHtml(instantText(expires_at_ms))}. You may be asked to confirm it again after 90 days.`;
}

/** The verb of what a consent grants. */
export function accessVerb({ kind }: Consent): 'see' | 'do' {
  return kind === 'account_access' ? 'see' : 'do';
}

export function accessText(consent: Consent): string {
  if (consent.kind === 'funds_confirmation') {
    return `<ul><li>Ask whether your account has enough money for a payment with a card. The answer is only yes or no: it does
not see your balance.</li></ul>`;
  }
  const items = consent.permissions.map((permission) => `<li>${escapeHtml(permission_wording[permission])}</li>`);
  return `<ul>\n${items.join('\n')}\n</ul>${rangeText(consent)}`;
}

function rangeText(consent: Extract<Consent, { kind: 'account_access' }>): string {
  const { transaction_from_date_time: from, transaction_to_date_time: to } = consent;
  if (!consent.permissions.some((permission) => permission.startsWith('ReadTransactions'))) return '';
  if (from === null && to === null) return '<p>Transactions of all dates that the bank provides.</p>';
  const parts = [
    ...(from === null ? [] : [`from ${escapeHtml(writtenInstantText(from))}`]),
    ...(to === null ? [] : [`to ${escapeHtml(writtenInstantText(to))}`]),
  ];
  return `<p>Only transactions ${parts.join(' ')}.</p>`;
}

/** An account as its holder knows it. Its number is the bank's, never that of a card. */
export function accountText({ number, name, currency, kind, profile }: BankAccount): string {
  const called = profile?.nickname ?? name ?? (kind === 'card' ? 'Card account' : 'Account');
  return `${called}, ${currency}, number ${number}`;
}
