import { type Call, money, RequestFields } from '@tallystick/kernel';
import type { VirtualCard } from './card.ts';
import { toCardEvent, toCardPayload } from './card-event.ts';
import { assertControls, readChangedControls } from './controls.ts';
import { type DetailsRequest, readDetails } from './details.ts';
import type { CardsTx } from './ports.ts';
import { balanceOf, type CardReading, findCard, readingOf, refuseCanceled } from './read-cards.ts';

/**
 * The fields that a change may name. A null resets the field to its default (decision: null): no
 * maximum of its own, a minimum of 0, unlimited uses, the dates and the template of a new card, no
 * detail. `total_card_amount` has no default.
 */
export type UpdateCardRequest = {
  readonly [Name in 'per_transaction_min' | 'per_transaction_max' | 'transactions_max']?: number | null;
} & {
  readonly total_card_amount?: number;
  readonly valid_starting_on?: string | null;
  readonly valid_ending_on?: string | null;
  readonly template_id?: number | string | null;
} & DetailsRequest;

/**
 * Changes a card. The result must meet all rules of a new card. Writes the event
 * virtualcard.updated, unless nothing changes. Refuses `not_found`, and `validation_failed` with
 * every invalid field or for a Canceled card. `is_sent_back`: the request is the whole card as an
 * answer showed it, with changes.
 */
export async function updateCard(
  tx: CardsTx,
  call: Call,
  id: number,
  request: Readonly<Record<string, unknown>>,
  { is_sent_back = false }: { readonly is_sent_back?: boolean | undefined } = {},
): Promise<CardReading> {
  const card = await findCard(tx, call, id, { for_update: true });
  refuseCanceled(card, 'changed');
  const balance = await balanceOf(tx, call, card);
  const fields = new RequestFields(request);
  const template_id = fields.readId('template_id');
  const template = template_id === null ? null : await tx.templates.find(call.company_id, template_id);
  const real_card = await tx.real_cards.find(call.company_id, card.rcn_id);
  const used = money(card.total_card_amount - balance);
  const controls = readChangedControls(fields, card, { now_ms: call.now_ms, template, used, is_sent_back });
  const details = readDetails(fields, card, real_card?.network_data_names ?? null);
  fields.refuseInvalid();

  const changed: VirtualCard = { ...card, ...controls, ...details };
  if (isSameJson(changed, card)) return readingOf(tx, call, card);
  assertControls(changed, changed.expiry);
  await tx.cards.update(changed);
  const reading = await readingOf(tx, call, changed);
  const payload = toCardPayload(changed, reading.available_balance);
  await tx.events.append([toCardEvent('virtualcard.updated', call, payload, toCardPayload(card, balance))]);
  return reading;
}

/** Whether two JSON values are equal, in any order of names. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name]))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
