import type { CardStore, Network } from '@tallystick/cards';
import type { AuditLog, Call, UnitOfWork } from '@tallystick/kernel';
import type { ActSubject } from '../act.ts';
import { fingerprintOf, type Item } from '../item.ts';
import type { SeenItem } from '../items/read-items.ts';
import type { ReconciliationPorts, ReconciliationTx } from '../ports.ts';
import type { ClearedAmount } from '../records.ts';
import type { ActRequest } from './act-request.ts';
import type { KnownRecords } from './known-records.ts';

/** The parts of a transaction that acts of people need. */
export interface ActTx extends ReconciliationTx {
  readonly audit: AuditLog;
  /** Cards are locked, so that no pass changes their clearings at the same time. */
  readonly cards: Pick<CardStore, 'lock'>;
}

/** What acts of people need. Matches of the authorization side are made in passes of the network. */
export interface ActPorts extends Omit<ReconciliationPorts, 'unitOfWork'> {
  readonly unitOfWork: UnitOfWork<ActTx>;
  readonly network: Pick<Network, 'rematch'>;
}

/** What a request to act is decided from, read while the company is locked. */
export interface Situation extends SeenItem {
  readonly call: Call;
  readonly request: ActRequest;
  readonly known: KnownRecords;
  /** The clearings of the item. */
  readonly clearings: readonly ClearedAmount[];
  /**
   * Whether the act was planned before, and what it left to the rules came out otherwise: now it
   * decides against them.
   */
  readonly is_against_rules: boolean;
  /**
   * Whether a table is written of which this is a row. What the rules have matched meanwhile, they
   * matched because of other rows: the row keeps it.
   */
  readonly is_of_table: boolean;
}

/** A change of the match of a clearing with an authorization (cards: matches by hand). */
export interface Rematch {
  /** As it was when the act was planned. */
  readonly clearing: ClearedAmount;
  /** Null: it is taken from its authorization, or its confirmation is taken back. */
  readonly authorization_id: number | null;
  readonly is_confirmation: boolean;
}

/** What an act will do. */
export interface ActPlan {
  readonly subject: ActSubject;
  /**
   * Matches that cards make in the transaction that records the act: all, or none and no act.
   */
  readonly rematches: readonly Rematch[];
  /**
   * Whether items are as the act asked, once an act without rematches is recorded: `after` is every
   * item that has a record of the item or of the subject. Taking back an earlier act leaves the
   * decision to the rules, which may decide otherwise: then the act is planned again, against the
   * rules. Absent: they always are.
   */
  readonly isMet?: (after: readonly Item[]) => boolean;
}

/** The subject of an act that concerns no match. */
export function subjectOf(item: Item, changes: Partial<ActSubject> = {}): ActSubject {
  const nothing = {
    pairs: [],
    authorization: null,
    confirmed: [],
    rule: null,
    accepted: null,
    kept_line_id: null,
    approved: null,
  };
  return { fingerprint: fingerprintOf(item), ...nothing, ...changes };
}
