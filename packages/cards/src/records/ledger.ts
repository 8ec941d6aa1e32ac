import type { NewEvent } from '@tallystick/events';
import { type AuditEntry, type Deadline, Fault, type Lease } from '@tallystick/kernel';
import type { TemplateRule } from '@tallystick/templates';
import type { Controls, Counters, VirtualCard, WindowCounters } from '../issuing/card.ts';
import type { CardVersion } from '../issuing/card-version.ts';
import type { RefusedRecord } from '../quarantine/quarantined-record.ts';
import type { Authorization, AuthorizationMessage, AuthorizationStatus } from './authorization.ts';
import type { CardAct } from './card-act.ts';
import type { Clearing, ClearingChange, ClearingMessage } from './clearing.ts';
import type { ConsultationEntry } from './consultation.ts';
import type { FreezeMessage } from './freeze-message.ts';
import { type ReconciliationActRow, type RematchLookup, type RematchMessage, rematchLookups } from './match-by-hand.ts';
import type { ReleaseMessage } from './release-message.ts';
import type { UnknownNumberMessage } from './unknown-number.ts';

export type NetworkMessage = AuthorizationMessage | ClearingMessage | ReleaseMessage | FreezeMessage | RematchMessage;

/** A message as a ledger looks up its records. Each concerns one card. */
export type Lookup = AuthorizationMessage | ClearingMessage | ReleaseMessage | FreezeMessage | RematchLookup;

/** What a ledger looks up for a message: a match by hand may concern several cards. */
export function lookupsOf(message: NetworkMessage): readonly Lookup[] {
  return message.kind === 'rematch' ? rematchLookups(message) : [message];
}

/** A card as a pass sees it. */
export interface LedgerCard extends Controls {
  readonly id: number;
  readonly company_id: number;
  readonly rcn_id: number;
  readonly rcn_alias: string;
  readonly billing_currency: string;
  readonly status: VirtualCard['status'];
  readonly frozen_at_ms: VirtualCard['frozen_at_ms'];
  readonly last4: string;
  readonly expiry: string;
  readonly number_index: Uint8Array;
  readonly controls_version: number;
  readonly counters: Counters;
  readonly template: TemplateRule;
  /**
   * How long its company keeps a hold without a clearing, for cards without aging velocity. Null:
   * `hold_days_default`.
   */
  readonly hold_days: number | 'never' | null;
  /** The cards of a closed company decline. */
  readonly company_status: 'active' | 'closed';
  /** Of the decision endpoint of its company, which is asked before a request is approved if it is above 0. */
  readonly endpoint_version: number;
  /** How many clearings of the card have a match that is not final (rules 3 to 8). */
  readonly provisional_clearings: number;
  /** The latest settlement date of its clearings, YYYY-MM-DD; null when it has none. */
  readonly settled_through: string | null;
}

/** The counters of a window of a card that is over. */
export interface PastWindow extends WindowCounters {
  readonly card_id: number;
}

/**
 * What a pass has loaded, all of it read under locks on the cards. It may hold more than is
 * promised here; the fold selects.
 *
 * - For every card whose `next_hold_end_ms` has come: its open holds past their end, and of its
 *   other open holds the one that ends first.
 * - For every authorization message of a known card: that card, its recorded messages with the same
 *   trace_id, and their roots.
 * - For every clearing message: the clearing with its network_financial_transaction_id, of any
 *   card, also by the other id of a pair. When its card is known: that card and the candidates that
 *   `match-candidates.ts` describes.
 * - For every card that `needsNeighbours` names: what `NeighbourSearch` asks for.
 * - The counters of every past window that `pastWindowsOf` names for the loaded rows.
 * - For every release: its card, and the authorization of that card that it names.
 * - For every freeze: its card.
 * - For every match by hand: its card, the clearing and the authorization of that card that it
 *   names, the authorization that the clearing belongs to, the clearings of these two
 *   authorizations (of each `neighbours_max` and one more suffice), those that refer to the
 *   clearing, and those that refer to these.
 */
export interface LedgerState {
  /** The clock, read after the cards were locked; epoch milliseconds. */
  readonly now_ms: number;
  readonly cards: readonly LedgerCard[];
  readonly authorizations: readonly Authorization[];
  readonly clearings: readonly Clearing[];
  /**
   * The cards whose `NeighbourSearch` was cut. Their recorded clearings stay as they are, because
   * records that they may belong to are missing.
   */
  readonly cut_card_ids: readonly number[];
  /**
   * The clearings of matches by hand about which reconciliation has recorded an act, a closing or an
   * act that waits, which the person has not seen (`seen_acts`). Read while the cards are locked; absent: there are none.
   */
  readonly overtaken_clearing_ids?: readonly number[] | undefined;
  /** Those of the `suspects` of the messages that are the number of a card. */
  readonly known_numbers: readonly Uint8Array[];
  /** The counters of past windows. They are 0 for a window without a row. */
  readonly windows: readonly PastWindow[];
  /**
   * Unused ids in rising order, at least one of each kind per lookup, and as many of events as
   * `eventsNeeded` returns. Those that stay unused are gaps.
   */
  readonly authorization_ids: readonly number[];
  readonly clearing_ids: readonly number[];
  readonly event_ids: readonly number[];
}

/** How many ids of events these lookups may need: one each, and one more for a code. */
export function eventsNeeded(messages: readonly Lookup[]): number {
  return (
    messages.length + messages.filter((message) => message.kind === 'authorization' && message.cvc !== null).length
  );
}

/** The parts of an authorization that a later message may change. */
export interface AuthorizationChange {
  readonly id: number;
  readonly card_id: number;
  readonly status: AuthorizationStatus;
  readonly authorized: number;
  readonly held: number;
  readonly cleared: number;
  readonly uses: 0 | 1;
  readonly hold_end_ms: number | null;
  readonly uncleared_status: AuthorizationStatus | null;
  readonly uncleared_uses: 0 | 1 | null;
}

/** What a pass completes of an import of a file. */
export interface FileProgress {
  readonly import_id: number;
  /** The staged batch of the records that the pass has applied. */
  readonly batch_number: number;
  /** How many of its records earlier passes have applied. */
  readonly from: number;
  /** How many of its records are applied now; null: all of them. */
  readonly to: number | null;
  /** The claim of the import, which is renewed. */
  readonly lease: Pick<Lease, 'token' | 'until_machine_ms'>;
  /** How many records of the pass had which result; the counts of the import rise by these. */
  readonly applied: number;
  readonly duplicates: number;
  readonly quarantined: number;
  readonly matched: number;
  readonly breaks: number;
}

export interface LedgerChanges {
  readonly counters: readonly { readonly card_id: number; readonly counters: Counters }[];
  /** The cards that were frozen, or are no longer; absent: none. */
  readonly cards_frozen?: readonly Pick<VirtualCard, 'id' | 'frozen_at_ms'>[] | undefined;
  /** The past windows that changed or ended. A stored row is replaced. */
  readonly windows: readonly PastWindow[];
  readonly authorizations_inserted: readonly Authorization[];
  readonly authorizations_changed: readonly AuthorizationChange[];
  readonly clearings_inserted: readonly Clearing[];
  readonly clearings_changed: readonly ClearingChange[];
  readonly events: readonly (NewEvent & { readonly id: number })[];
  readonly unknown_numbers: readonly UnknownNumberMessage[];
  readonly audit_entries: readonly (AuditEntry & { readonly at_ms: number })[];
  /**
   * Refused messages, each once. A known one adds to its record: the count, the reason, the time.
   */
  readonly quarantined: readonly RefusedRecord[];
  /**
   * The records of a file that the pass applies: a batch, or consecutive ones of it. In the same
   * transaction the ledger counts them on their import, keeps how many of the batch are applied,
   * and removes the batch when all are. Rejects with `LeaseLost`, and writes nothing, when the
   * batch is gone, when another number of its records is applied than `from`, or when another
   * process has claimed the import. Absent for messages of the network.
   */
  readonly file_progress?: FileProgress | undefined;
  /**
   * The consultations that were begun and concluded. One that is known is written only when it is
   * concluded; absent: none.
   */
  readonly consultations?: readonly ConsultationEntry[] | undefined;
  /** What people did in reconciliation, in the order in which it was decided; absent: nothing. */
  readonly acts?: readonly ReconciliationActRow[] | undefined;
  /**
   * What happened to cards beside their authorizations and clearings; absent: nothing. Later passes
   * do not get their ids of events again, even when no event has them.
   */
  readonly card_acts?: readonly CardAct[] | undefined;
  /**
   * The states of cards that the pass ends. Each is kept, and the card gets the next number.
   * Absent: none.
   */
  readonly card_versions?: readonly CardVersion[] | undefined;
}

export const no_changes: LedgerChanges = {
  counters: [],
  windows: [],
  authorizations_inserted: [],
  authorizations_changed: [],
  clearings_inserted: [],
  clearings_changed: [],
  events: [],
  unknown_numbers: [],
  audit_entries: [],
  quarantined: [],
};

/** Computes the changes of a pass from the loaded state. Pure, except for randomness. */
export type Fold<Result> = (state: LedgerState) => { readonly changes: LedgerChanges; readonly result: Result };

export interface PassBounds {
  /**
   * How long the pass waits for cards that other transactions hold, milliseconds; as long as its
   * other bounds allow when absent.
   */
  readonly held_ms_max?: number;
  /**
   * The pass has settled by then, whatever the database does: with a retryable fault when it could
   * not commit. Nothing is written by a pass whose commit had not begun by then. A commit that was
   * in progress may succeed, and a repeated message then receives its outcome.
   */
  readonly deadline?: Deadline | undefined;
  /** The pass applies records of a file. `rest` does not count it as the work of others. */
  readonly is_of_file?: boolean;
  /**
   * Called when the pass begins to hold what others may wait for: on SQLite with the write lock, on
   * Postgres before its first card. Called again when the pass begins again. Must not throw.
   */
  readonly onHolding?: () => void;
}

/**
 * Other transactions hold cards of the pass, which has written nothing. The other messages of the
 * pass can be decided without these.
 */
export class CardsHeld extends Fault {
  /**
   * Whether the lookup concerns a card that was held. True for one lookup of the pass or more.
   */
  readonly concerns: (lookup: Lookup) => boolean;

  constructor(concerns: (lookup: Lookup) => boolean, cause: unknown) {
    super('another transaction holds the card', { retryable: true, cause });
    this.concerns = concerns;
  }
}

/**
 * Another process has claimed the import of a file, or has applied the records of the pass, which
 * has written nothing.
 */
export class LeaseLost extends Fault {
  constructor() {
    super('another process continues the import', { retryable: false });
  }
}

/**
 * The batch-first decision path (architecture: Transactions).
 *
 * A pass locks the cards concerned in id order, reads the clock, loads the state that the messages
 * need, calls `fold` once, writes the changes with a few multi-row statements and commits once.
 * When it resolves, the changes are durable. When it rejects, nothing was written, unless the
 * connection was lost or the deadline passed during the commit, and the error is a `Fault` (or the
 * `Violation` that `fold` threw). `CardsHeld` names the messages that it concerns. Any other
 * retryable fault concerns the whole database, and any other error may be caused by a single
 * message. After a conflict the pass starts again with fresh state and calls `fold` again. No two
 * passes hold the same card at the same time, in this or any other process.
 */
export interface Ledger {
  /**
   * How many passes over different cards are useful at the same time; 1 when absent, as with a
   * single writer.
   */
  readonly passes_at_once?: number;
  /** Whether a pass is one turn of the event loop, for which the whole process waits. */
  readonly blocks_process?: boolean;
  /** Lets messages that are in transit arrive before a pass takes the waiting ones. */
  readonly gather?: () => Promise<void>;
  /** Runs a pass over messages of the network, of which it loads what these lookups name. */
  pass<Result>(lookups: readonly Lookup[], fold: Fold<Result>, bounds?: PassBounds): Promise<Result>;
  /**
   * Runs a pass over up to `limit` cards that have holds whose end has come, with those holds
   * loaded. Skips cards that another process holds.
   */
  passDue<Result>(limit: number, fold: Fold<Result>): Promise<Result>;
}

/**
 * The ledger with a hook that is called after each pass that committed. The hook must return at
 * once and must not throw.
 */
export function callAfterPass(ledger: Ledger, hook: () => void): Ledger {
  return {
    ...ledger,
    async pass(messages, fold, bounds) {
      const result = await ledger.pass(messages, fold, bounds);
      hook();
      return result;
    },
    async passDue(limit, fold) {
      const result = await ledger.passDue(limit, fold);
      hook();
      return result;
    },
  };
}
