import { type ClearingAnswer, type ClearingMessage, isBreak, type LedgerChanges } from '@tallystick/cards';
import type { ReadyRecord } from '../applying/fold-batch.ts';
import type { RecordPlace } from '../formats/record-place.ts';

/** What an import would do with one record. */
export interface PreviewedRecord {
  readonly ordinal: number;
  readonly offset: number;
  readonly outcome: 'applied' | 'duplicate' | 'quarantined' | 'other';
  /** The card; null when it is unknown. */
  readonly vcn_id: number | null;
  readonly last4: string | null;
  readonly clearing_type: string | null;
  /** The account, the booking date and the BAI code of a line of a statement; else null. */
  readonly account_number: string | null;
  readonly booking_date: string | null;
  readonly bai_code: string | null;
  /** The billing amount in minor units, or the signed amount of a line. */
  readonly amount: number | null;
  readonly currency: string | null;
  readonly settlement_date: string | null;
  /** The rule that matches it, and its class; null unless applied or a duplicate. */
  readonly match_rule: number | null;
  readonly class: string | null;
  readonly authorization_id: number | null;
  /** Its match is not certain. */
  readonly review: boolean;
  /** It would count to `breaks`. */
  readonly is_break: boolean;
  /**
   * What it releases of the hold, and adds to the cleared amount of its card; null unless applied.
   */
  readonly hold_effect: number | null;
  readonly cleared_effect: number | null;
  /** Of a quarantined record: why. Contains no card number. Of another record: its type. */
  readonly reason: string | null;
  readonly explanation: string | null;
}

/**
 * What the fold of a batch would do with each record. The answers are to its messages, in their
 * order.
 */
export function previewedRecords(
  ready: readonly ReadyRecord[],
  answers: readonly ClearingAnswer[],
  { clearings_inserted, quarantined }: LedgerChanges,
): readonly PreviewedRecord[] {
  const inserted = new Map(clearings_inserted.map((clearing) => [clearing.id, clearing]));
  const reasons = new Map(quarantined.map(({ ordinal, reason }) => [ordinal, reason]));
  const remaining = answers[Symbol.iterator]();
  return ready.map((record) => {
    if (record.kind === 'refused') {
      const { reason, explanation } = record.refused;
      return { ...previewedRecord(record), outcome: 'quarantined', reason, explanation };
    }
    const { ordinal, message } = record;
    const answer = remaining.next().value!;
    const sent = { ...previewedRecord(record), ...amountsOf(message), vcn_id: message.vcn_id };
    if (answer.kind === 'refused') {
      const reason = reasons.get(ordinal) ?? null;
      return { ...sent, outcome: 'quarantined', reason, explanation: answer.refusal.message };
    }
    const { item, duplicate: is_duplicate } = answer;
    const recorded = is_duplicate ? undefined : inserted.get(item.id);
    return {
      ...sent,
      outcome: is_duplicate ? 'duplicate' : 'applied',
      vcn_id: item.vcn_id,
      last4: item.card_number.slice(-4),
      match_rule: item.match_rule,
      class: item.class,
      authorization_id: item.authorization_id,
      review: item.review,
      is_break: !is_duplicate && isBreak(item),
      hold_effect: recorded?.hold_effect ?? null,
      cleared_effect: recorded?.cleared_effect ?? null,
    };
  });
}

function amountsOf({ clearing_type, billing_amount, billing_currency, settlement_date }: ClearingMessage) {
  return { clearing_type, amount: billing_amount, currency: billing_currency, settlement_date };
}

/** What is shown of every record. */
export function previewedRecord({ ordinal, offset }: RecordPlace): PreviewedRecord {
  return {
    ordinal,
    offset,
    outcome: 'other',
    vcn_id: null,
    last4: null,
    clearing_type: null,
    account_number: null,
    booking_date: null,
    bai_code: null,
    amount: null,
    currency: null,
    settlement_date: null,
    match_rule: null,
    class: null,
    authorization_id: null,
    review: false,
    is_break: false,
    hold_effect: null,
    cleared_effect: null,
    reason: null,
    explanation: null,
  };
}
