import type { Results } from '@tallystick/operations';
import { type Content, html } from '../look/html.ts';
import { badge, dash, date, foreign, instant, money } from '../look/values.ts';
import type { Visit } from '../visit.ts';

export type Card = Results['virtualCards.read'];

/** The words for the controls of a card, and for the facts of a decision. */
const names: Readonly<Record<string, string>> = {
  total_card_amount: 'Limit',
  per_transaction_min: 'At least per purchase',
  per_transaction_max: 'At most per purchase',
  per_transaction_max_defaulted: 'At most per purchase follows the limit',
  transactions_max: 'Uses per window',
  recurring: 'Window',
  valid_starting_on: 'Valid from',
  valid_ending_on: 'Valid until',
  template_id: 'Template',
  merchant_controls: 'Merchants',
  currency: 'Currency',
  status: 'Status',
  frozen_at: 'Frozen since',
  authorization_hold_days: 'Days of a hold',
  aging_velocity_time_zone: 'Time zone of holds',
  asked: 'Amount asked',
  increment_of: 'Approved before',
  held: 'Held',
  cleared: 'Cleared',
  available: 'Left',
  available_balance: 'Left',
  available_after: 'Left afterwards',
  uses: 'Uses',
  uses_left: 'Uses left',
  window_start: 'Window from',
  window_end: 'Window until',
  date: 'Date (UTC)',
  mcc: 'Merchant category',
  mcc_rule: 'Rule of the template',
  merchant_id: 'Merchant id',
  merchant_name: 'Merchant',
  merchant_country: 'Country',
  card_present: 'Card present',
  currency_expected: 'Currency of the card',
  currency_sent: 'Currency of the merchant',
  company_status: 'Company',
  expiry: 'Expiry',
  expiry_expected: 'Expiry of the card',
  expiry_sent: 'Expiry sent',
  code_failures: 'Wrong codes that day',
  code_failures_max: 'Wrong codes allowed',
  controls_of: 'Controls of the',
  broken_rule: 'Rule',
  decided_by: 'Decided by',
  consultation: 'Consultation',
  stand_in_rule: 'Stand-in rule',
};

const amounts: ReadonlySet<string> = new Set([
  'total_card_amount',
  'per_transaction_min',
  'per_transaction_max',
  'asked',
  'increment_of',
  'held',
  'cleared',
  'available',
  'available_after',
]);

export function nameOf(name: string): string {
  return names[name] ?? name.replaceAll('_', ' ');
}

/** The value of a control or a fact. Amounts are minor units of the currency of the card's limits. */
export function shownValue(name: string, value: unknown, currency: string): Content {
  if (value === null || value === undefined) return dash;
  if (typeof value === 'number' && amounts.has(name)) return money(value, currency);
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return instant(value);
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)) return date(value);
  return foreign(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** What a change gave another value. */
export function changesOf(
  changes: Results['virtualCards.versions.list']['items'][number]['changes'],
  currency: string,
): Content {
  const shown = (changes ?? []).filter(({ name }) => name !== 'per_transaction_max_defaulted');
  return html`${shown.map(
    ({ name, before, after }, at) =>
      html`${at === 0 ? '' : html`<br>`}${nameOf(name)}: ${shownValue(name, before, currency)} → ${shownValue(name, after, currency)}`,
  )}`;
}

export function statusOf({ status, frozen }: Pick<Card, 'status' | 'frozen'>): Content {
  if (status === 'Canceled') return badge('Canceled', 'bad');
  return frozen ? badge('Frozen', 'warn') : badge('Active', 'ok');
}

/** The currency of the limits: that of the card, else that in which its purchases are billed. */
export async function limitCurrency(
  visit: Visit,
  { currency, rcn_id }: Pick<Card, 'currency' | 'rcn_id'>,
): Promise<string> {
  return currency ?? (await visit.call('realCards.read', { parameters: { id: rcn_id } })).billing_currency;
}
