import { type Call, isSameJson, money, RequestFields } from '@tallystick/kernel';
import type { MerchantControlsRequest } from '@tallystick/templates';
import type { VirtualCard } from './card.ts';
import { toCardEvent, toCardPayload } from './card-event.ts';
import { changeCard } from './change-card.ts';
import { assertControls, readChangedControls } from './controls.ts';
import { type DetailsRequest, readDetails } from './details.ts';
import type { CardsTx } from './ports.ts';
import { type CardReading, findCard, readBalance, readingOf, refuseCanceled } from './read-cards.ts';

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
  readonly merchant_controls?: MerchantControlsRequest | null;
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
  const { available } = await readBalance(tx, call, card);
  const fields = new RequestFields(request);
  const template_id = fields.readId('template_id');
  const template = template_id === null ? null : await tx.templates.find(call.company_id, template_id);
  const real_card = await tx.real_cards.find(call.company_id, card.rcn_id);
  const used = money(card.total_card_amount - available);
  const controls = readChangedControls(fields, card, { now_ms: call.now_ms, template, used, is_sent_back });
  const details = readDetails(fields, card, real_card?.network_data_names ?? null);
  fields.refuseInvalid();

  const wanted: VirtualCard = { ...card, ...controls, ...details };
  if (isSameJson(wanted, card)) return readingOf(tx, call, card);
  assertControls(wanted, wanted.expiry);
  const changed = await changeCard(tx, call, card, wanted);
  const reading = await readingOf(tx, call, changed);
  const payload = toCardPayload(changed, reading.balance.available);
  await tx.events.append([toCardEvent('virtualcard.updated', call, payload, toCardPayload(card, available))]);
  return reading;
}
