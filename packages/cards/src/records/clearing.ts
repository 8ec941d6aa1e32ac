import type { Payload } from '@tallystick/events';
import type { Money } from '@tallystick/kernel';
import type { Pan } from '../numbers/pan.ts';
import type { SuspectNumber } from '../numbers/suspect-number.ts';
import type { Authorization } from './authorization.ts';
import { isSameChoices, type MatchChoices } from './match-choice.ts';

export const clearing_types = ['DEBIT', 'CREDIT'] as const;

export type ClearingType = (typeof clearing_types)[number];

/**
 * The position of a clearing in the life of its transaction. All but a first presentment refer to
 * an earlier clearing: a reversal undoes it, a second presentment or a chargeback disputes it.
 */
export const clearing_cycles = ['first_presentment', 'second_presentment', 'chargeback', 'reversal'] as const;

export type ClearingCycle = (typeof clearing_cycles)[number];

/**
 * Whether the clearing is part of a dispute. A dispute is recorded against an earlier clearing and
 * does not change the balance.
 */
export function isDispute({ cycle }: { readonly cycle: ClearingCycle }): boolean {
  return cycle === 'second_presentment' || cycle === 'chargeback';
}

/**
 * One class per clearing, the first that applies (decision: matching). `dispute`: second
 * presentments and chargebacks.
 */
export const clearing_classes = [
  'reversal',
  'suspected_duplicate',
  'refund_linked',
  'refund_unlinked',
  'force_post',
  'late',
  'partial',
  'fx_drift',
  'exact',
  'tip',
  'over',
  'under',
  'dispute',
] as const;

export type ClearingClass = (typeof clearing_classes)[number];

/** The `match_rule` of a clearing that a person matched. The rules have lower numbers. */
export const match_rule_by_hand = 9;

/** The highest `match_rule`; the lowest is 1 (decision: matching). */
export const match_rule_max: number = match_rule_by_hand;

/** Who decides the match of a clearing: the rules, or a person who chose or confirmed it. */
export const match_makers = ['rule', 'person'] as const;

export type MatchMaker = (typeof match_makers)[number];

export function matchMakerOf({ match_rule }: Pick<Clearing, 'match_rule'>): MatchMaker {
  return match_rule === match_rule_by_hand ? 'person' : 'rule';
}

/** The record of a file that a clearing came in. */
export interface RecordOfFile {
  readonly import_id: number;
  /** From 1, header and trailer included. */
  readonly ordinal: number;
  /** Bytes from the start of the file to the record. */
  readonly position: number;
}

/** What a file says of a clearing beside its fields (clearing files: to the clearing object). */
export interface ClearingOrigin {
  /**
   * The file states no transaction id of the network: the id was made from the file and the record,
   * or of the content of the record.
   */
  readonly synthetic_id: boolean;
  /** The last four digits of a masked number beside `vcn_id`: they must be those of the card. */
  readonly last4: string | null;
  /** Null for a message of the network. */
  readonly place: RecordOfFile | null;
}

/** The origin of a message that the network sent itself. */
export const network_origin: ClearingOrigin = { synthetic_id: false, last4: null, place: null };

/** A clearing from the network or a file, validated and normalised. Amounts in minor units. */
export interface ClearingMessage extends ClearingOrigin {
  readonly kind: 'clearing';
  /** The number; null for a card named by its id. */
  readonly pan: Pan | null;
  /** Exactly one of `number_index` and `vcn_id` is set. */
  readonly number_index: Uint8Array | null;
  readonly vcn_id: number | null;
  readonly network_financial_transaction_id: string;
  readonly cycle: ClearingCycle;
  readonly clearing_type: ClearingType;
  /** More clearings of the same authorization follow. */
  readonly partial: boolean;
  readonly billing_amount: Money;
  readonly billing_currency: string;
  readonly merchant_amount: Money | null;
  readonly merchant_currency: string | null;
  readonly acquirer_reference_data: string | null;
  readonly approval_code: string | null;
  readonly net_reference_number: string | null;
  readonly merchant_id: string | null;
  readonly mcc: string | null;
  /** YYYY-MM-DD. */
  readonly settlement_date: string;
  /** YYYY-MM-DD, or null. */
  readonly authorization_date: string | null;
  /** The other fields of service specification 2.10, as sent. Contains no number. */
  readonly details: Payload;
  /** The numbers in its names and references that the pass looks up. */
  readonly suspects: readonly SuspectNumber[];
  readonly request_id: string | null;
}

/** What the message says, by the names of the fields that its authorization replaced. */
export type ReplacedFields = Partial<Pick<ClearingMessage, 'authorization_date' | 'net_reference_number'>>;

/** A clearing recorded on a card, with its effect and its match. */
export interface Clearing
  extends Omit<ClearingMessage, 'kind' | 'pan' | 'number_index' | 'vcn_id' | 'suspects' | keyof ClearingOrigin> {
  readonly id: number;
  /** Whether `network_financial_transaction_id` was made from a file (`ClearingOrigin`). */
  readonly synthetic_id: boolean;
  /**
   * The other id of a clearing that came both with a synthetic id and with one of the network: the
   * synthetic one. Null while it came with one id.
   */
  readonly paired_transaction_id: string | null;
  /** The fields in which the authorization replaced what the message says; null when none. */
  readonly sent: ReplacedFields | null;
  readonly company_id: number;
  readonly card_id: number;
  readonly recorded_at_ms: number;
  /** The event about it: its place in the history of its card (`CardAct`). */
  readonly event_id: number;
  /** When its retention time was over and it was reduced (`reduceClearing`); null before. */
  readonly reduced_at_ms: number | null;
  /** The root authorization it was matched to, or null. */
  readonly authorization_id: number | null;
  /** The earlier clearing that it reverses, disputes or refunds, or null. */
  readonly clearing_id: number | null;
  /**
   * The rule that matched it, 1 to 8 (decision: matching), or `match_rule_by_hand`. Rules 1 and 2
   * are final. The others are provisional: a later message may match the clearing again
   * (docs/adr/0033), but not away from the authorization that a person chose.
   */
  readonly match_rule: number;
  /**
   * Needs review by a person: an uncertain match (`Match`), an amount without a known rate, or a
   * credit above what its purchase cleared.
   */
  readonly review: boolean;
  readonly class: ClearingClass;
  /** Start of the window in which it counts; epoch milliseconds. */
  readonly window_start_ms: number;
  /** The change of the cleared amount of that window: negative for credits. */
  readonly cleared_effect: Money;
  /** The amount that it released from the hold of its authorization, 0 or more. */
  readonly hold_effect: Money;
  /** 1 when it counts as a use of its window: a debit without an authorization. */
  readonly uses: 0 | 1;
  /** What people chose of its authorization (docs/adr/0037); null when nobody did. */
  readonly choices: MatchChoices;
}

/** The clearing with the fields as its message sent them. The rules of matching read these. */
export function asSent(clearing: Clearing): Clearing {
  return clearing.sent === null ? clearing : { ...clearing, ...clearing.sent };
}

/** The `net_reference_number` of the message of a clearing. */
export function sentReferenceOf({
  sent,
  net_reference_number,
}: Pick<Clearing, 'sent' | 'net_reference_number'>): string | null {
  return sent?.net_reference_number === undefined ? net_reference_number : sent.net_reference_number;
}

/** The fields of a clearing that a later message may change: its ids, its match and its effect. */
export const changing_clearing_fields = [
  'network_financial_transaction_id',
  'synthetic_id',
  'paired_transaction_id',
  'net_reference_number',
  'authorization_date',
  'sent',
  'authorization_id',
  'clearing_id',
  'match_rule',
  'review',
  'class',
  'window_start_ms',
  'cleared_effect',
  'hold_effect',
  'uses',
  'choices',
] as const satisfies readonly (keyof Clearing)[];

export type ClearingChange = Pick<Clearing, 'id' | 'card_id' | (typeof changing_clearing_fields)[number]>;

export function clearingChangeOf(clearing: Clearing): ClearingChange {
  const { id, card_id } = clearing;
  const fields = changing_clearing_fields.map((name) => [name, clearing[name]]);
  return { id, card_id, ...Object.fromEntries(fields) };
}

/** Whether two states of a clearing differ in nothing that a pass may change. */
export function isSameClearing(one: Clearing, other: Clearing): boolean {
  return changing_clearing_fields.every((name) => {
    if (one[name] === other[name]) return true;
    if (name === 'sent') return JSON.stringify(one.sent) === JSON.stringify(other.sent);
    return name === 'choices' && isSameChoices(one.choices, other.choices);
  });
}

/** Clearings and the authorizations that they belong to, before or after they were settled. */
export interface Records {
  readonly roots: readonly Authorization[];
  readonly clearings: readonly Clearing[];
}

/** Whether the match of a clearing is never made again: rules 1 and 2. */
export function isFinal({ match_rule, clearing_id }: Pick<Clearing, 'match_rule' | 'clearing_id'>): boolean {
  return match_rule <= 2 && clearing_id !== null;
}
