import { day_ms } from '@tallystick/velocity';
import type { Authorization, AuthorizationMessage } from '../records/authorization.ts';
import { type Clearing, type ClearingMessage, isDispute, type Records, sentReferenceOf } from '../records/clearing.ts';
import type { LedgerCard, Lookup } from '../records/ledger.ts';
import { chosenOf } from '../records/match-choice.ts';
import { asRoot } from '../records/new-authorization.ts';
import { unmatchedClearing } from '../records/new-clearing.ts';
import { type CandidateKey, type MerchantSearch, referenceKeys, searchedSince } from './match-candidates.ts';
import { daysOf } from './match-case.ts';
import { Neighbourhood, withChoices } from './neighbours.ts';
import { networkReferenceOf } from './net-reference-number.ts';

/**
 * The most records that a pass reads around the messages of one card, beside those that it has to
 * load for the messages themselves.
 */
export const neighbours_max = 1_000;

/** What a ledger has to read of a card: the rows that meet any of these conditions. */
export interface NeighbourQuestions {
  readonly card_id: number;
  /**
   * So many clearings that meet one of the conditions suffice, whichever they are: with these the
   * search is cut.
   */
  readonly clearings_max: number;
  readonly root_ids: readonly number[];
  readonly root_keys: readonly CandidateKey[];
  /** Roots of a merchant with one of the amounts, whatever their status. */
  readonly roots_of_merchant: readonly MerchantSearch[];
  readonly clearing_ids: readonly number[];
  readonly clearing_keys: readonly CandidateKey[];
  /** Clearings that belong to one of these roots. */
  readonly clearings_of: readonly number[];
  /** Clearings whose `clearing_id` is one of these. */
  readonly referring_to: readonly number[];
  readonly clearings_of_merchant: readonly MerchantClearings[];
}

/**
 * The clearings of a merchant that no whole reference settled, and with `debits` all its debits.
 */
export interface MerchantClearings {
  readonly merchant_id: string;
  /** Recorded at this instant or later, epoch milliseconds. */
  readonly since_ms: number;
  readonly debits: boolean;
}

/** Several questions for clearings of a card, as one that finds what they find, and maybe more. */
export interface MerchantsClearings extends Pick<MerchantClearings, 'since_ms'> {
  readonly merchant_ids: readonly string[];
  /** Those of the merchants whose debits are asked for. */
  readonly debit_merchant_ids: readonly string[];
}

/** Joins questions about one card, so that a ledger goes through its clearings only once. */
export function joinMerchants(asked: readonly MerchantClearings[]): MerchantsClearings {
  return {
    merchant_ids: [...new Set(asked.map(({ merchant_id }) => merchant_id))],
    debit_merchant_ids: [...new Set(asked.filter(({ debits }) => debits).map(({ merchant_id }) => merchant_id))],
    since_ms: asked.reduce((first_ms, { since_ms }) => Math.min(first_ms, since_ms), Number.MAX_SAFE_INTEGER),
  };
}

/** Whether `clearings_of_merchant` asks for this clearing of the card. */
export function isOfMerchant({ merchant_id, since_ms, debits }: MerchantClearings, clearing: Clearing): boolean {
  return (
    clearing.merchant_id === merchant_id &&
    clearing.recorded_at_ms >= since_ms &&
    (clearing.match_rule > 3 || (debits && clearing.clearing_type === 'DEBIT'))
  );
}

/**
 * Whether a pass over these messages of a card has to read their neighbours (`NeighbourSearch`):
 * unless they all are clearings that come last in the canonical order by their settlement dates, or
 * authorizations and releases of a card without provisional clearings. A match by hand is about a
 * provisional one. `known` are the clearings that were found by the references of the messages: the
 * other copy of one of them does not come last, whatever its date, because the clearing is matched
 * again in its place.
 */
export function needsNeighbours(
  { provisional_clearings, settled_through }: Pick<LedgerCard, 'provisional_clearings' | 'settled_through'>,
  messages: readonly Lookup[],
  known: Iterable<CopyFields>,
): boolean {
  const copies = new Set<string>();
  for (const { synthetic_id, acquirer_reference_data } of known)
    copies.add(`${synthetic_id} ${acquirer_reference_data}`);
  let through = settled_through ?? '';
  let clearings = 0;
  let others = 0;
  for (const message of messages) {
    if (message.kind !== 'clearing') {
      others += 1;
      continue;
    }
    const { synthetic_id, acquirer_reference_data } = message;
    if (message.settlement_date <= through || copies.has(`${!synthetic_id} ${acquirer_reference_data}`)) return true;
    copies.add(`${synthetic_id} ${acquirer_reference_data}`);
    through = message.settlement_date;
    clearings += 1;
  }
  return others > 0 && provisional_clearings + clearings > 0;
}

/** The fields in which the two copies of a clearing differ and agree. */
type CopyFields = Pick<ClearingMessage, 'synthetic_id' | 'acquirer_reference_data'>;

/**
 * Asks step by step for the records of a card that the messages of a pass concern: their
 * neighbours, and theirs in turn. The search is cut when more than `neighbours_max` were read.
 *
 * A ledger keeps what it has read for the messages, asks `next`, reads the answer and keeps it,
 * until `next` returns null. Then it knows whether the search was cut.
 */
export class NeighbourSearch {
  readonly card_id: number;
  readonly #neighbourhood: Neighbourhood;
  readonly #trace_ids: ReadonlySet<string>;
  /** The trace ids whose authorization the pass may change: others of their messages are known. */
  readonly #changing = new Set<string>();
  /** The authorizations that releases and matches by hand name. */
  readonly #named_roots: ReadonlySet<number>;
  /** The clearings that matches by hand name. */
  readonly #named_clearings: ReadonlySet<number>;
  readonly #seeds: { readonly roots: Authorization[]; readonly clearings: Clearing[] };
  readonly #asked: AskedQuestions = new Map();
  readonly #asked_about = new Set<Authorization | Clearing>();
  readonly #root_ids = new Set<number>();
  readonly #clearing_ids = new Set<number>();
  /** Whether records were kept since the last question. */
  #has_new = true;
  /** With more records than this the search is cut; unknown before the first question. */
  #records_max = Number.POSITIVE_INFINITY;
  readonly #now_ms: number;

  constructor(card: Pick<LedgerCard, 'id' | 'company_id' | 'currency'>, messages: readonly Lookup[], now_ms: number) {
    this.card_id = card.id;
    this.#now_ms = now_ms;
    this.#neighbourhood = new Neighbourhood(({ trace_id }) => this.#changing.has(trace_id));
    // Negative ids are of no record.
    const roots = messages.flatMap((message, at) =>
      message.kind === 'authorization' && mayBeRoot(message) ? [asRoot(message, card, -1 - at)] : [],
    );
    const clearings = messages.flatMap((message, at) =>
      message.kind === 'clearing'
        ? [unmatchedClearing(message, card, { id: -1 - at, now_ms: 0, window_start_ms: 0 })]
        : [],
    );
    this.#seeds = { roots, clearings };
    for (const root of roots) this.#neighbourhood.keepRoot(root);
    for (const clearing of clearings) this.#neighbourhood.keepClearing(clearing);
    this.#named_roots = new Set(
      messages.flatMap((message) =>
        message.kind === 'release' || message.kind === 'rematch' ? (message.authorization_id ?? []) : [],
      ),
    );
    this.#named_clearings = new Set(
      messages.flatMap((message) => (message.kind === 'rematch' ? message.clearing_id : [])),
    );
    const trace_ids = new Set<string>();
    for (const message of messages) {
      if (message.kind !== 'authorization') continue;
      const { trace_id } = message;
      if (trace_ids.has(trace_id)) this.#changing.add(trace_id);
      else trace_ids.add(trace_id);
    }
    this.#trace_ids = trace_ids;
  }

  /** Adds records of the card that were read; known ones have no effect. */
  keep({ roots, clearings }: Partial<Records>): void {
    for (const root of roots ?? []) {
      if (root.card_id !== this.card_id || this.#root_ids.has(root.id)) continue;
      this.#root_ids.add(root.id);
      this.#has_new = true;
      this.#neighbourhood.keepRoot(root);
      const is_traced = this.#trace_ids.has(root.trace_id);
      if (is_traced) this.#changing.add(root.trace_id);
      if (is_traced || this.#named_roots.has(root.id)) this.#seeds.roots.push(root);
    }
    for (const clearing of clearings ?? []) {
      if (clearing.card_id !== this.card_id || this.#clearing_ids.has(clearing.id)) continue;
      this.#clearing_ids.add(clearing.id);
      this.#has_new = true;
      const is_named = this.#named_clearings.has(clearing.id);
      this.#neighbourhood.keepClearing(is_named ? withChoices(clearing) : clearing);
      if (is_named) this.#seeds.clearings.push(clearing);
    }
  }

  /** Whether the card has more neighbours than a pass reads: then some are missing. */
  get is_cut(): boolean {
    return this.#records > this.#records_max;
  }

  get #records(): number {
    return this.#root_ids.size + this.#clearing_ids.size;
  }

  /**
   * Whether nothing was asked about the record. Nothing more is asked about it later: a further
   * authorization may settle a clearing, and none unsettles one.
   */
  #isNew(record: Authorization | Clearing): boolean {
    if (this.#asked_about.has(record)) return false;
    this.#asked_about.add(record);
    return true;
  }

  next(): NeighbourQuestions | null {
    if (this.#asked.size === 0) this.#records_max = this.#records + neighbours_max;
    if (this.is_cut || !this.#has_new) return null;
    this.#has_new = false;
    const { roots, clearings } = this.#neighbourhood.around(this.#seeds);
    const questions = new Questions(this.#asked);
    for (const root of roots) if (this.#isNew(root)) askAboutRoot(questions, root, this.#now_ms);
    for (const clearing of clearings) {
      if (this.#isNew(clearing)) askAboutClearing(questions, clearing, this.#neighbourhood, this.#now_ms);
    }
    if (questions.is_empty) return null;
    return { card_id: this.card_id, clearings_max: this.#records_max + 1, ...questions.lists };
  }
}

/** Whether it is a request or an advice: a reversal belongs to an authorization of its trace id. */
function mayBeRoot({ message_type }: AuthorizationMessage): boolean {
  return message_type === '0100' || message_type === '0120';
}

function askAboutRoot(questions: Questions, root: Authorization, now_ms: number): void {
  for (const key of referenceKeys(root)) questions.ask('clearing_keys', key);
  const has_clearings = root.cleared !== 0 || root.uncleared_status !== null;
  if (root.id > 0 && has_clearings) questions.ask('clearings_of', root.id);
  const { merchant_id, transaction_date_time_ms } = root;
  if (merchant_id === null) return;
  const since_ms = searchedSince(transaction_date_time_ms, now_ms);
  questions.ask('clearings_of_merchant', { merchant_id, since_ms, debits: false });
}

function askAboutClearing(
  questions: Questions,
  clearing: Clearing,
  neighbourhood: Neighbourhood,
  now_ms: number,
): void {
  const { acquirer_reference_data, approval_code, merchant_id, authorization_id, clearing_id } = clearing;
  const chosen_id = chosenOf(clearing.choices);
  if (authorization_id !== null) questions.ask('root_ids', authorization_id);
  if (chosen_id !== null) questions.ask('root_ids', chosen_id);
  if (clearing_id !== null) questions.ask('clearing_ids', clearing_id);
  if (clearing.id > 0) questions.ask('referring_to', clearing.id);
  if (acquirer_reference_data !== null) {
    questions.ask('clearing_keys', `acquirer_reference_data ${acquirer_reference_data}`);
  }
  if (isDispute(clearing)) return;
  const reference = networkReferenceOf(sentReferenceOf(clearing));
  if (reference !== null) questions.ask('root_keys', `network_reference ${reference}`);
  const is_unsettled = neighbourhood.isUnsettled(clearing);
  const is_credit = clearing.clearing_type === 'CREDIT';
  if (is_credit && !is_unsettled) return;
  if (approval_code !== null) {
    questions.ask('clearing_keys', `approval_code ${approval_code}`);
    if (is_unsettled) questions.ask('root_keys', `approval_code ${approval_code}`);
  }
  if (merchant_id === null) return;
  const since_ms = searchedSince(daysOf(clearing.settlement_date) * day_ms, now_ms);
  questions.ask('clearings_of_merchant', { merchant_id, since_ms, debits: is_credit });
  if (is_unsettled) questions.ask('roots_of_merchant', searchOf(clearing, merchant_id, since_ms));
}

/** Searches as for a credit: an authorization may be done in its present state only. */
function searchOf(
  { merchant_amount, billing_amount }: Pick<ClearingMessage, 'merchant_amount' | 'billing_amount'>,
  merchant_id: string,
  since_ms: number,
): MerchantSearch {
  return { merchant_id, since_ms, merchant_amount, billing_amount, is_credit: true };
}

type Lists = Omit<NeighbourQuestions, 'card_id' | 'clearings_max'>;

/** The questions that were asked, by their names. Those that are objects are texts. */
type AskedQuestions = Map<keyof Lists, Set<string | number>>;

function textOf(question: string | number | object): string | number {
  return typeof question === 'object' ? Object.values(question).join(' ') : question;
}

/** Questions that were not asked before. */
class Questions {
  readonly #asked: AskedQuestions;
  readonly lists: { readonly [Name in keyof Lists]: Lists[Name][number][] } = {
    root_ids: [],
    root_keys: [],
    roots_of_merchant: [],
    clearing_ids: [],
    clearing_keys: [],
    clearings_of: [],
    referring_to: [],
    clearings_of_merchant: [],
  };
  is_empty = true;

  constructor(asked: AskedQuestions) {
    this.#asked = asked;
  }

  ask<Name extends keyof Lists>(name: Name, question: Lists[Name][number]): void {
    const text = textOf(question);
    const asked = this.#asked.get(name);
    if (asked === undefined) this.#asked.set(name, new Set([text]));
    else if (asked.has(text)) return;
    else asked.add(text);
    (this.lists[name] as Lists[Name][number][]).push(question);
    this.is_empty = false;
  }
}
