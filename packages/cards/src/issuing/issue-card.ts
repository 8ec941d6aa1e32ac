import { type Call, type Random, RequestFields } from '@tallystick/kernel';
import type { MerchantControlsRequest } from '@tallystick/templates';
import { windowAt } from '@tallystick/velocity';
import type { CardVault } from '../numbers/card-vault.ts';
import type { Controls, RealCard, VirtualCard } from './card.ts';
import { toCardEvent, toCardPayload } from './card-event.ts';
import { assertControls, expiryOf, readNewControls } from './controls.ts';
import { type DetailsRequest, no_details, readDetails } from './details.ts';
import { takeFreeNumber } from './free-number.ts';
import type { CardsTx } from './ports.ts';
import { type CardReading, readBalance } from './read-cards.ts';

/**
 * The request of a client (service specification 2.1). Null counts as absent. Values are checked
 * here, whatever their static type.
 */
export type IssueCardRequest = { readonly total_card_amount: number } & {
  readonly [Name in
    | 'per_transaction_min'
    | 'per_transaction_max'
    | 'transactions_max'
    | 'authorization_hold_days'
    | 'valid_for'
    | 'rcn_id'
    | 'supplier_id']?: number | null;
} & {
  readonly [Name in 'recurring' | 'aging_velocity_time_zone' | 'currency' | 'valid_starting_on' | 'valid_ending_on']?:
    | string
    | null;
} & {
  readonly template_id?: number | string | null;
  readonly merchant_controls?: MerchantControlsRequest | null;
} & DetailsRequest;

/**
 * Issues a card. Writes a new number in the real card's account range, the event
 * virtualcard.created, and a mail to the addresses in `emails`, all in the transaction. Refuses
 * (`validation_failed`) with every invalid field; `account_range_used_up`.
 */
export async function issueCard(
  tx: CardsTx,
  ports: { readonly vault: CardVault; readonly random: Random },
  call: Call,
  request: Readonly<Record<string, unknown>>,
): Promise<CardReading> {
  const fields = new RequestFields(request);
  const real_card = await chooseRealCard(tx, call, fields);
  const template_id = fields.readId('template_id');
  const template = template_id === null ? null : await tx.templates.find(call.company_id, template_id);
  const controls = readNewControls(fields, { now_ms: call.now_ms, template, real_card });
  const details = readDetails(fields, no_details, real_card?.network_data_names ?? null);
  const supplier_id = fields.readInteger('supplier_id', { min: 0, max: Number.MAX_SAFE_INTEGER });
  fields.refuseInvalid();

  const card = await insertCard(tx, ports, real_card!, {
    ...controls,
    ...details,
    company_id: call.company_id,
    rcn_id: real_card!.id,
    status: 'Approved',
    expiry: expiryOf(call.now_ms),
    notified: details.emails !== null,
    supplier_id,
    created_at_ms: call.now_ms,
    canceled_at_ms: null,
    controls_version: 1,
    frozen_at_ms: null,
  });
  if (card.emails !== null) {
    await tx.mails.queue({
      company_id: card.company_id,
      card_id: card.id,
      kind: 'card_details',
      recipients: card.emails,
      created_at_ms: call.now_ms,
      queued_by: call.actor,
    });
  }
  const balance = await readBalance(tx, call, card);
  await tx.events.append([toCardEvent('virtualcard.created', call, toCardPayload(card, balance.available), null)]);
  return { card, balance, authorizations: [], clearings: [] };
}

/**
 * Returns the real card that the request names, or the company's default. Returns null after it has
 * added a problem.
 */
async function chooseRealCard(tx: CardsTx, call: Call, fields: RequestFields): Promise<RealCard | null> {
  const rcn_id = fields.readId('rcn_id');
  if (rcn_id !== null) {
    const named = await tx.real_cards.find(call.company_id, rcn_id);
    if (named === null) fields.addProblem('rcn_id', 'must be the id of a real card of the company');
    return named;
  }
  if (fields.has('rcn_id')) return null;
  const by_default = await tx.real_cards.findDefault(call.company_id);
  if (by_default === null) fields.addProblem('rcn_id', 'is required: the company has no default real card');
  return by_default;
}

async function insertCard(
  tx: CardsTx,
  { vault, random }: { readonly vault: CardVault; readonly random: Random },
  real_card: RealCard,
  card: Omit<VirtualCard, 'id' | 'counters' | 'rcn_alias' | 'billing_currency' | 'last4'> & Controls,
): Promise<VirtualCard> {
  assertControls(card, card.expiry);
  const window = windowAt(card.recurring, card.created_at_ms);
  return await takeFreeNumber(tx, { vault, random }, real_card, (pan) =>
    tx.cards.insert({ ...card, last4: pan.last4 }, vault.seal(pan), window.start_ms),
  );
}
