import type { Results } from '@tallystick/operations';
import { code_words } from '../decision/say-decision.ts';
import { type Content, html } from '../look/html.ts';
import { nameOf } from '../look/names.ts';
import { badge, dash, date, foreign, instant, money } from '../look/values.ts';
import type { Visit } from '../visit.ts';

export type Card = Results['virtualCards.read'];

/** The lists of the merchant controls. */
export const merchant_lists = (['merchant_names', 'merchant_ids', 'countries'] as const).flatMap((name) => {
  const words = name === 'countries' ? 'Countries' : name === 'merchant_ids' ? 'Merchant ids' : 'Merchants';
  return [
    { name, kind: 'allow', title: `${words} allowed` } as const,
    { name, kind: 'deny', title: `${words} denied` } as const,
  ];
});

/** Merchant controls as names with their values; empty lists are left out. */
export function merchantControls(controls: Card['merchant_controls']): readonly (readonly [string, Content])[] {
  if (controls === null) return [['Merchants', 'any']];
  const lists = merchant_lists.flatMap(({ name, kind, title }) => {
    const entries = controls[name]?.[kind] ?? [];
    const more = entries.length > 20 ? ` and ${entries.length - 20} more` : '';
    return entries.length === 0 ? [] : [[title, html`${foreign(entries.slice(0, 20).join(', '))}${more}`] as const];
  });
  const { card_present } = controls;
  return [...lists, ...(card_present === null ? [] : ([[nameOf('card_present'), card_present]] as const))];
}

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

/** The words of values that have others on the pages. */
const value_words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  status: { Approved: 'Active' },
  mcc_rule: { ALLOW: 'only the categories on its list', DENY: 'all categories but those on its list' },
};

/** The value of a control or a fact. Amounts are minor units of the currency of the card's limits. */
export function shownValue(name: string, value: unknown, currency: string): Content {
  if (value === null || value === undefined) return dash;
  if (typeof value === 'number' && amounts.has(name)) return money(value, currency);
  if (name === 'merchant_controls') {
    const parts = merchantControls(value as Card['merchant_controls']);
    return html`${parts.map(([title, shown], at) => html`${at === 0 ? '' : '; '}${title}: ${shown}`)}`;
  }
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return instant(value);
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)) return date(value);
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return foreign(value_words[name]?.[text] ?? text);
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

export function titleOf({ id, last4 }: { readonly id: string | number | null; readonly last4: string }): string {
  return `Card ${id}, ending in ${last4}`;
}

export function statusOf({ status, frozen }: Pick<Card, 'status' | 'frozen'>): Content {
  if (status === 'Canceled') return badge('Canceled', 'bad');
  return frozen ? badge('Frozen', 'warn') : badge('Active', 'ok');
}

/** How a message was decided, and why it was declined. */
export function outcomeOf(code: keyof typeof code_words): Content {
  return code === 'V' ? badge('Approved', 'ok') : html`${badge('Declined', 'bad')} ${code}, ${code_words[code]}`;
}

/** The active templates that a card with this control can have: ids and names. */
export async function templateChoices(
  visit: Visit,
  control: 'VELOCITY' | 'AGING_VELOCITY',
): Promise<readonly (readonly [id: string, name: string])[]> {
  const { items } = await visit.call('purchaseTemplates.list', { options: { limit: 100 } });
  return items
    .filter(({ required_control, status }) => required_control === control && status === 'ACTIVE')
    .map(({ id, name }) => [String(id), name] as const);
}

/** The currency of the limits: that of the card, else that in which its purchases are billed. */
export async function limitCurrency(
  visit: Visit,
  { currency, rcn_id }: Pick<Card, 'currency' | 'rcn_id'>,
): Promise<string> {
  return currency ?? (await visit.call('realCards.read', { parameters: { id: rcn_id } })).billing_currency;
}
