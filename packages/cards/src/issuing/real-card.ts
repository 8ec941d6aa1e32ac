import {
  auditEntry,
  type Call,
  currency_expected,
  isCurrency,
  isName,
  maskCardNumbers,
  type Page,
  type PageRequest,
  RequestFields,
  showValue,
} from '@tallystick/kernel';
import { account_range_form } from '../numbers/card-number.ts';
import type { RealCard } from './card.ts';
import type { CardsTx } from './ports.ts';

export const alias_length_max = 100;
export const network_data_names_max = 100;
export const network_data_name_length_max = 100;

/**
 * Creates a real card of the call's company, and writes the audit log. Refuses
 * (`validation_failed`) with every invalid field. Null counts as absent. A company's first real card
 * is its default unless the request says otherwise. A new default replaces the old one.
 */
export async function createRealCard(
  tx: Pick<CardsTx, 'real_cards' | 'audit'>,
  call: Call,
  request: Readonly<Record<string, unknown>>,
): Promise<RealCard> {
  const fields = new RequestFields(request);
  for (const name of ['alias', 'billing_currency', 'account_range']) fields.require(name);
  const isAlias = (text: string) => isName(text, alias_length_max);
  const alias = fields.readText('alias', isAlias, `text of 1 to ${alias_length_max} printable characters`);
  const billing_currency = fields.readText('billing_currency', isCurrency, currency_expected);
  const isAccountRange = (text: string) => account_range_form.test(text);
  const account_range = fields.readText(
    'account_range',
    isAccountRange,
    'the 6 to 12 leading digits of its card numbers',
  );
  const velocity_enabled = fields.readFlag('velocity_enabled') ?? true;
  const network_data_names = readNetworkDataNames(fields);
  const is_default = fields.readFlag('is_default') ?? (await tx.real_cards.findDefault(call.company_id)) === null;
  fields.refuseInvalid();

  const real_card = await tx.real_cards.insert({
    company_id: call.company_id,
    alias: maskCardNumbers(alias!),
    billing_currency: billing_currency!,
    account_range: account_range!,
    velocity_enabled,
    network_data_names,
    is_default,
    created_at_ms: call.now_ms,
  });
  const details = { alias: real_card.alias, is_default: real_card.is_default };
  await tx.audit.record(auditEntry(call, 'real_card.created', `realcard:${real_card.id}`, details), call.now_ms);
  return real_card;
}

/** Lists the company's real cards, newest first. */
export function listRealCards(
  tx: Pick<CardsTx, 'real_cards'>,
  call: Pick<Call, 'company_id'>,
  page: PageRequest,
): Promise<Page<RealCard>> {
  return tx.real_cards.list(call.company_id, page);
}

function readNetworkDataNames(fields: RequestFields): readonly string[] | null {
  const value = fields.readArray('network_data_names', { min: 1, max: network_data_names_max }, 'names');
  if (value === null) return null;
  for (const [index, name] of value.entries()) {
    const valid =
      typeof name === 'string' && isName(name, network_data_name_length_max) && maskCardNumbers(name) === name;
    if (valid && value.indexOf(name) === index) continue;
    const expected = `text of 1 to ${network_data_name_length_max} printable characters, each name once`;
    fields.addProblem(`network_data_names[${index}]`, `must be ${expected}, not ${showValue(name)}`);
  }
  return value as readonly string[];
}
