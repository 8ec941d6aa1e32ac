/** The rules of matching (decision: matching). */
export type SampleRule = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** The classes of clearings (decision: matching). */
export type SampleClass =
  | 'reversal'
  | 'suspected_duplicate'
  | 'refund_linked'
  | 'refund_unlinked'
  | 'force_post'
  | 'late'
  | 'partial'
  | 'fx_drift'
  | 'exact'
  | 'tip'
  | 'over'
  | 'under'
  | 'dispute';

/** The place of a clearing in the life of its transaction. */
export type SampleCycle = 'first_presentment' | 'second_presentment' | 'chargeback' | 'reversal';

/** What an authorization of a set can come to. */
export type SampleStatus = 'open' | 'cleared' | 'partially_cleared' | 'reversed' | 'declined';

/** What must become of one record of a file once everything has arrived. */
export interface ExpectedClearing {
  readonly kind: 'clearing';
  /** The number of the clearing in the set, from 1, in the order of the files. */
  readonly number: number;
  readonly scenario: string;
  /** The index of its card in the set, from 0; null for a card that does not exist. */
  readonly card: number | null;
  /** As the message has it; a format without transaction ids has another in its place. */
  readonly transaction_id: string;
  /** Null if the format has none. */
  readonly acquirer_reference_data: string | null;
  readonly settlement_date: string;
  readonly clearing_type: 'DEBIT' | 'CREDIT';
  readonly cycle: SampleCycle;
  /** The rule that finds what the clearing belongs to; 0 for a duplicate. */
  readonly rule: SampleRule | null;
  readonly class: SampleClass | null;
  readonly review: boolean;
  /** The trace id of its authorization, or null. */
  readonly authorization: string | null;
  /** The transaction id of the earlier clearing that it reverses, disputes or refunds, or null. */
  readonly earlier: string | null;
  /** The transaction id of the clearing that it repeats, or null. */
  readonly duplicate_of: string | null;
  /** The code of its quarantine, or null; then nothing was applied, and rule and class are null. */
  readonly quarantine: string | null;
  /** The same clearing is to come by message before the file, so that the file has a duplicate. */
  readonly sent_before: boolean;
}

/** What must have become of one authorization. Amounts in minor units. */
export interface ExpectedAuthorization {
  readonly kind: 'authorization';
  readonly scenario: string;
  readonly card: number;
  readonly trace_id: string;
  readonly status: SampleStatus;
  readonly held: number;
  readonly cleared: number;
  readonly uses: 0 | 1;
}

/** What a card must have come to. Amounts in minor units. */
export interface ExpectedCard {
  readonly kind: 'card';
  readonly card: number;
  readonly available_balance: number;
  readonly held: number;
  /** Debits less credits; may be below 0. */
  readonly cleared: number;
  readonly uses: number;
  /** How many of its authorizations have each status. */
  readonly statuses: Readonly<Partial<Record<SampleStatus, number>>>;
}
