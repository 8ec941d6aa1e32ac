import {
  type Authorization,
  type AuthorizationMessage,
  type Clearing,
  type ClearingMessage,
  type Fold,
  type FreezeMessage,
  type LedgerCard,
  type LedgerState,
  type MatchByHand,
  newAuthorization,
  no_changes,
  Pan,
  type ReleaseMessage,
  type RematchLookup,
  type RematchMessage,
  unmatchedClearing,
} from '@tallystick/cards';
import { assert, money, toHex } from '@tallystick/kernel';

/** 2026-05-20, noon UTC. */
const noon_ms = 1_779_278_400_000;

/** A request of 10 for the card with this number index. */
export function authorizationMessage(
  number_index: Uint8Array,
  fields: Partial<AuthorizationMessage> = {},
): AuthorizationMessage {
  return {
    kind: 'authorization',
    pan: new Pan('5555550000000000'),
    number_index,
    expiry: null,
    cvc: null,
    message_type: '0100',
    incremental: false,
    explain: false,
    trace_id: 'T1',
    system_trace_audit_number: '000001',
    transaction_date_time_ms: noon_ms,
    billing_amount: money(10),
    billing_currency: 'USD',
    merchant_amount: money(10),
    merchant_currency: 'USD',
    mcc: '5812',
    response_code: null,
    approval_code: null,
    card_holder_transaction_type_code: null,
    replacement_amounts: null,
    net_reference_number: 'MCC1234560520',
    merchant_id: 'M1',
    details: { merchant_name: 'Joe\'s "Diner" é\u{1f37d}', settlement_date: '0520', nested: { a: [1, null] } },
    suspects: [],
    request_id: 'request-1',
    ...fields,
  };
}

/** A release of the hold of an authorization, by the company of the card. */
export function releaseMessage(vcn_id: number, authorization_id: number): ReleaseMessage {
  return {
    kind: 'release',
    number_index: null,
    vcn_id,
    authorization_id,
    company_id: null,
    note: 'the merchant closed',
    actor: 'key:1',
    request_id: 'request-3',
  };
}

/** A freeze of a card, or its end, by an operator. */
export function freezeMessage(vcn_id: number, frozen: boolean): FreezeMessage {
  return {
    kind: 'freeze',
    number_index: null,
    vcn_id,
    frozen,
    company_id: null,
    note: null,
    actor: 'key:1',
    request_id: 'request-5',
  };
}

/** A match of a clearing by hand, by an operator. */
export function rematchMessage(
  vcn_id: number,
  clearing_id: number,
  authorization_id: number | null,
  fields: Partial<MatchByHand & Omit<RematchMessage, 'matches'>> = {},
): RematchMessage {
  const {
    is_confirmation = false,
    expected_authorization_id = null,
    expected_matched_by = 'rule',
    ...of_message
  } = fields;
  const match = { is_confirmation, expected_authorization_id, expected_matched_by };
  return {
    kind: 'rematch',
    number_index: null,
    matches: [{ vcn_id, clearing_id, authorization_id, ...match }],
    company_id: null,
    note: 'the receipt says so',
    reason: null,
    actor: 'key:1',
    act: null,
    request_id: 'request-4',
    ...of_message,
  };
}

/** What a ledger looks up for a match of a clearing by hand. */
export function rematchLookup(vcn_id: number, clearing_id: number, authorization_id: number | null): RematchLookup {
  return { kind: 'rematch', number_index: null, vcn_id, clearing_id, authorization_id };
}

/** A debit of 10 for the card with this number index. */
export function clearingMessage(number_index: Uint8Array, fields: Partial<ClearingMessage> = {}): ClearingMessage {
  return {
    kind: 'clearing',
    pan: null,
    number_index,
    vcn_id: null,
    network_financial_transaction_id: 'F1',
    cycle: 'first_presentment',
    clearing_type: 'DEBIT',
    partial: false,
    billing_amount: money(10),
    billing_currency: 'USD',
    merchant_amount: money(10),
    merchant_currency: 'USD',
    acquirer_reference_data: '12345678901234567',
    approval_code: 'A00001',
    net_reference_number: 'MCC1234560520',
    merchant_id: 'M1',
    mcc: '5812',
    settlement_date: '2026-05-20',
    authorization_date: null,
    details: { merchant_name: 'Diner' },
    synthetic_id: false,
    last4: null,
    place: null,
    suspects: [],
    request_id: null,
    ...fields,
  };
}

/** A fold that changes nothing and returns the loaded state. */
export const look: Fold<LedgerState> = (state) => ({ changes: no_changes, result: state });

/** The row that records a message on a card as approved, or as declined. */
export function recordedAuthorization(
  state: LedgerState,
  card: LedgerCard,
  message: AuthorizationMessage,
  { id, is_approved }: { readonly id: number; readonly is_approved: boolean },
): Authorization {
  return newAuthorization(message, card, {
    id,
    root_id: id,
    decided_at_ms: state.now_ms,
    decline_code: is_approved ? null : 'F',
    approval_code: is_approved ? `A${String(id).padStart(5, '0')}` : null,
    window_start_ms: 0,
    status: is_approved ? 'open' : 'declined',
    holds: is_approved ? message.billing_amount : money(0),
    hold_end_ms: null,
  });
}

/** The row that records a clearing on a card without an authorization. */
export function recordedClearing(
  state: LedgerState,
  card: Pick<LedgerCard, 'id' | 'company_id'>,
  message: ClearingMessage,
  id: number,
): Clearing {
  const unmatched = unmatchedClearing(message, card, { id, now_ms: state.now_ms, window_start_ms: 0 });
  return { ...unmatched, cleared_effect: money(10), uses: 1 };
}

/**
 * A decision with one rule: a message is approved while the holds of its card stay within the
 * total. A message that is recorded already changes nothing. The result states for each message
 * whether it was approved, or null for an unknown number.
 */
export function spend(messages: readonly AuthorizationMessage[]): Fold<readonly (boolean | null)[]> {
  return (state) => {
    const cards = new Map(state.cards.map((card) => [toHex(card.number_index), card]));
    const counters = new Map(state.cards.map((card) => [card.id, { ...card.counters }]));
    const seen = new Map(
      state.authorizations.map((row) => [`${row.card_id} ${row.trace_id}`, row.decline_code === null]),
    );
    const inserted: Authorization[] = [];
    const result = messages.map((message, at) => {
      const card = cards.get(toHex(message.number_index));
      const counter = card && counters.get(card.id);
      if (card === undefined || counter === undefined) return null;
      const known = seen.get(`${card.id} ${message.trace_id}`);
      if (known !== undefined) return known;
      const is_approved = counter.held + message.billing_amount <= card.total_card_amount;
      inserted.push(recordedAuthorization(state, card, message, { id: state.authorization_ids[at]!, is_approved }));
      seen.set(`${card.id} ${message.trace_id}`, is_approved);
      if (is_approved) {
        const held = money(counter.held + message.billing_amount);
        counters.set(card.id, { ...counter, held, uses: counter.uses + 1 });
      }
      return is_approved;
    });
    const events = inserted.map((row, at) => ({
      id: state.event_ids[at]!,
      company_id: row.company_id,
      event_type: 'virtualcard.realtime.auths',
      payload: { id: row.id, vcn_id: row.card_id, billing_amount: row.billing_amount, mcc: row.mcc },
      previous: null,
      created_at_ms: state.now_ms,
      request_id: row.request_id,
    }));
    const changed = [...counters].map(([card_id, now]) => ({ card_id, counters: now }));
    return { changes: { ...no_changes, counters: changed, authorizations_inserted: inserted, events }, result };
  };
}

/**
 * Records a clearing unless it is recorded already. The result states whether it was recorded now.
 */
export function recordOnce(message: ClearingMessage): Fold<boolean> {
  return (state) => {
    const is_known = state.clearings.some(
      (row) => row.network_financial_transaction_id === message.network_financial_transaction_id,
    );
    const [card] = state.cards;
    assert(card !== undefined, 'the card of the clearing was not loaded');
    const rows = is_known ? [] : [recordedClearing(state, card, message, state.clearing_ids[0]!)];
    return { changes: { ...no_changes, clearings_inserted: rows }, result: !is_known };
  };
}
