import { type Money, money } from '@tallystick/kernel';
import { day_ms, utcDateAt } from '@tallystick/velocity';
import type { Outcome } from '../deciding/decline-reasons.ts';
import { outcomeOf, wasOvertaken } from '../deciding/explain-decision.ts';
import { Pan } from '../numbers/pan.ts';
import {
  type Authorization,
  type AuthorizationMessage,
  isStandingRoot,
  limitAmount,
} from '../records/authorization.ts';
import type { CardActKind, CopyFields } from '../records/card-act.ts';
import { asSent, type Clearing, type ClearingMessage, matchMakerOf } from '../records/clearing.ts';
import { PassInstant } from '../records/hold-lifetime.ts';
import type { NetworkMessage } from '../records/ledger.ts';
import type { Say } from '../records/say.ts';
import { reduceAuthorization } from '../settling/retention.ts';
import type { ReplayedCard, ReplayedState } from './replayed-state.ts';

/** The actor of replayed acts. Nothing that names it is kept. */
const actor = 'backtest';

/** A recorded message has no number. Nothing reads this one. */
const no_pan = new Pan('000000000000');

/** A code that is wrong. The vault of a replay accepts none. */
const wrong_code = '000';

/**
 * What a message of an authorization said, as far as its record shows. What only the message had is
 * chosen so that the recorded answer comes again: an expiry or a code that failed fails, and one
 * that passed is absent.
 */
export function messageOfAuthorization(
  row: Authorization,
  card: ReplayedCard,
  said_part: Money | null,
): AuthorizationMessage {
  // Without what no rule reads, so that a long history needs less memory.
  const { broken_reason: _broken, approved_amount: _approved, ...details } = reduceAuthorization(row, 0).details;
  const { code } = outcomeOf(row);
  return {
    kind: 'authorization',
    pan: no_pan,
    number_index: card.number_index,
    expiry: code === 'A' ? '0000-01' : null,
    cvc: code === 'C' ? wrong_code : null,
    message_type: row.message_type,
    incremental: row.incremental,
    trace_id: row.trace_id,
    system_trace_audit_number: row.system_trace_audit_number,
    transaction_date_time_ms: row.transaction_date_time_ms,
    billing_amount: row.billing_amount,
    billing_currency: card.billing_currency,
    merchant_amount: row.merchant_amount,
    merchant_currency: row.merchant_currency,
    mcc: row.mcc,
    response_code: (details.response_code as string | undefined) ?? null,
    // That of a request is drawn (`drawOf`). An advice sends what was recorded, even if it sent none.
    approval_code: row.message_type === '0100' ? null : row.approval_code,
    card_holder_transaction_type_code: (details.card_holder_transaction_type_code as string | undefined) ?? null,
    replacement_amounts: (details.replacement_amounts ?? null) as AuthorizationMessage['replacement_amounts'],
    net_reference_number: row.net_reference_number,
    merchant_id: row.merchant_id,
    details,
    suspects: [],
    request_id: null,
    say: sayOf(row, code, said_part),
    explain: false,
  };
}

/**
 * The part of its amount with which a request was decided, because its company said so; null: all of
 * it. That a request was declined nevertheless shows in its facts. So does an earlier reversal of a
 * part, which says the same.
 */
export function saidPartOf(row: Authorization, card: ReplayedCard): Money | null {
  const { approved_amount } = row.details;
  if (typeof approved_amount === 'number') return money(approved_amount);
  const is_decline = row.message_type === '0100' && row.decline_code !== null && !wasOvertaken(row);
  const asked = is_decline ? row.facts?.[2] : undefined;
  return asked !== undefined && asked < limitAmount(card, row) ? money(asked) : null;
}

/** What its company said about a request that it declined, or approved in part or after its advice. */
function sayOf(row: Authorization, code: Outcome['code'], part: Money | null): Say | undefined {
  const said = { consultation_id: '', by: 'client', note: null, outcome: 'answered' } as const;
  const unasked = { respond_by_ms: null, ms: null, stood_in: null } as const;
  if (code === 'P') return { ...said, ...unasked, answer: 'decline', amount: null };
  if (part !== null) return { ...said, ...unasked, answer: 'approve_part', amount: part };
  return wasOvertaken(row) ? { ...said, ...unasked, answer: 'approve', amount: null } : undefined;
}

/**
 * The card as it was for the message: what declined it with K is not kept otherwise (a closed
 * company, a canceled card).
 */
export function cardForMessage(row: Authorization, card: ReplayedCard): ReplayedCard {
  return {
    ...card,
    status: outcomeOf(row).code === 'K' ? 'Canceled' : 'Approved',
    frozen_at_ms: null,
    company_status: 'active',
    endpoint_version: 0,
  };
}

/** The number of possible approval codes. */
const codes = 36 ** 6;

/**
 * The draw that makes the approval code of the record, because clearings bear it. Of a message that
 * was declined: one that depends on its id, so that a replay always draws the same.
 */
export function drawOf({ id, approval_code }: Pick<Authorization, 'id' | 'approval_code'>): number {
  const drawn = /^[0-9A-Z]{6}$/.test(approval_code ?? '') ? Number.parseInt(approval_code!, 36) : codes - (id % codes);
  return Math.max(0, drawn - 1);
}

/** What the record of a purchase shows of its hold. */
export type RecordedHold = Pick<Authorization, 'id' | 'root_id' | 'status' | 'authorized' | 'held' | 'hold_end_ms'>;

/**
 * How many days its company kept holds when this one began; undefined when the hold does not show it.
 */
export function holdDaysOf(hold: RecordedHold, began_ms: number): number | 'never' | undefined {
  const { hold_end_ms, status } = hold;
  if (!isStandingRoot(hold) || hold.authorized === 0) return undefined;
  if (hold_end_ms === null) return hold.held > 0 ? 'never' : undefined;
  if (status === 'released' || status === 'reversed') return undefined;
  const days = (Date.parse(utcDateAt(hold_end_ms)) - Date.parse(utcDateAt(began_ms))) / day_ms;
  if (days < 1) return undefined;
  const aging = { authorization_hold_days: null, aging_velocity_time_zone: null };
  return new PassInstant(began_ms).holdEnd({ ...aging, hold_days: days }) === hold_end_ms ? days : undefined;
}

/** What a clearing said; `first` is what its first copy said when it came twice. */
export function messageOfClearing(
  row: Clearing,
  card: ReplayedCard,
  first: CopyFields = { ...asSent(row), synthetic_id: row.synthetic_id },
): ClearingMessage {
  const sent = asSent(row);
  return {
    kind: 'clearing',
    pan: null,
    number_index: null,
    vcn_id: card.id,
    network_financial_transaction_id: first.network_financial_transaction_id,
    cycle: row.cycle,
    clearing_type: row.clearing_type,
    partial: row.partial,
    billing_amount: row.billing_amount,
    billing_currency: row.billing_currency,
    merchant_amount: row.merchant_amount,
    merchant_currency: row.merchant_currency,
    acquirer_reference_data: row.acquirer_reference_data,
    approval_code: row.approval_code,
    net_reference_number: first.net_reference_number,
    merchant_id: row.merchant_id,
    mcc: row.mcc,
    settlement_date: row.settlement_date,
    authorization_date: sent.authorization_date,
    details: {},
    suspects: [],
    synthetic_id: first.synthetic_id,
    last4: null,
    place: null,
    request_id: null,
  };
}

/**
 * What a person did, or the second copy of a clearing, as a message to the replayed card; null when
 * the replay does not have what it is about.
 */
export function messageOfAct(act: CardActKind, card: ReplayedCard, state: ReplayedState): NetworkMessage | null {
  const by = { company_id: null, note: '', actor, request_id: null } as const;
  switch (act.kind) {
    case 'release': {
      const { authorization_id } = act;
      return { ...by, kind: 'release', number_index: null, vcn_id: card.id, authorization_id };
    }
    case 'rematch': {
      const matches = act.matches.flatMap((match) => {
        const clearing = state.clearing(match.clearing_id);
        if (clearing === undefined) return [];
        const expected_authorization_id = clearing.authorization_id;
        return { ...match, vcn_id: card.id, expected_authorization_id, expected_matched_by: matchMakerOf(clearing) };
      });
      if (matches.length === 0) return null;
      return { ...by, kind: 'rematch', number_index: null, matches, reason: null, act: null };
    }
    case 'pair': {
      const clearing = state.clearing(act.clearing_id);
      return clearing === undefined ? null : messageOfClearing(clearing, card, act.second);
    }
  }
}
