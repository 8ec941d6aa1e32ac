import { assert, type Random } from '@tallystick/kernel';
import { utcDateAt } from '@tallystick/velocity';
import type { CardVersion } from '../issuing/card-version.ts';
import { type ByNumberIndex, toNumberSet } from '../numbers/by-number-index.ts';
import type { CardVault } from '../numbers/card-vault.ts';
import type { RefusedRecord } from '../quarantine/quarantined-record.ts';
import type { QuarantinePorts } from '../quarantine/sealed-clearing.ts';
import type { CardAct } from '../records/card-act.ts';
import type { Clearing } from '../records/clearing.ts';
import type { ConsultationEntry } from '../records/consultation.ts';
import type { LedgerChanges, LedgerState } from '../records/ledger.ts';
import type { ReconciliationActRow } from '../records/match-by-hand.ts';
import type { UnknownNumberMessage } from '../records/unknown-number.ts';
import { WorkingCards } from './working-cards.ts';

/**
 * The dependencies of a pass: the vault checks codes, approval codes are drawn, and refused
 * clearings are sealed.
 */
export interface PassPorts extends QuarantinePorts {
  readonly vault: Pick<CardVault, 'cvcMatches'>;
  readonly random: Random;
  /** Every company is asked before a request is approved, as the host decides. */
  readonly consults_all?: boolean | undefined;
}

export interface Pass extends PassPorts {
  readonly now_ms: number;
  /** The GMT date of `now_ms`. */
  readonly today: string;
  readonly cards: WorkingCards;
  readonly events: LedgerChanges['events'][number][];
  readonly unknown_numbers: UnknownNumberMessage[];
  readonly audit_entries: LedgerChanges['audit_entries'][number][];
  readonly acts: ReconciliationActRow[];
  /** The consultations of the pass by their ids, each as it is last. */
  readonly consultations: Map<string, ConsultationEntry>;
  readonly card_acts: CardAct[];
  /** Refused clearings, by the hexadecimal form of their identity. */
  readonly quarantined: Map<string, RefusedRecord>;
  /**
   * Clearings of any card by their network_financial_transaction_id, also by the other id of a
   * pair.
   */
  readonly clearings: Map<string, Pick<Clearing, 'id' | 'card_id'>>;
  readonly overtaken_clearing_ids: ReadonlySet<number>;
  readonly known_numbers: ByNumberIndex<true>;
  nextAuthorizationId(): number;
  nextClearingId(): number;
  nextEventId(): number;
}

export function beginPass(state: LedgerState, ports: PassPorts): Pass {
  return {
    now_ms: state.now_ms,
    today: utcDateAt(state.now_ms),
    cards: new WorkingCards(state),
    events: [],
    unknown_numbers: [],
    audit_entries: [],
    acts: [],
    consultations: new Map(),
    card_acts: [],
    quarantined: new Map(),
    clearings: clearingsByTransaction(state.clearings),
    overtaken_clearing_ids: new Set(state.overtaken_clearing_ids),
    known_numbers: toNumberSet(state.known_numbers),
    nextAuthorizationId: idsOf(state.authorization_ids),
    nextClearingId: idsOf(state.clearing_ids),
    nextEventId: idsOf(state.event_ids),
    ...ports,
  };
}

function clearingsByTransaction(clearings: readonly Clearing[]): Pass['clearings'] {
  const known: Pass['clearings'] = new Map();
  for (const clearing of clearings) {
    known.set(clearing.network_financial_transaction_id, clearing);
    if (clearing.paired_transaction_id !== null) known.set(clearing.paired_transaction_id, clearing);
  }
  return known;
}

function idsOf(ids: readonly number[]): () => number {
  let used = 0;
  return () => {
    const id = ids[used];
    assert(id !== undefined, 'the ledger returned fewer ids than the messages need');
    used += 1;
    return id;
  };
}

/**
 * Returns the rows to write: the counters of a card and of each window at most once, each
 * authorization once in its final state.
 */
export function changesOf(
  pass: Pick<Pass, 'cards'> &
    Partial<
      Pick<
        Pass,
        'events' | 'unknown_numbers' | 'audit_entries' | 'acts' | 'card_acts' | 'consultations' | 'quarantined'
      >
    >,
): LedgerChanges {
  const counters: LedgerChanges['counters'][number][] = [];
  const cards_frozen: NonNullable<LedgerChanges['cards_frozen']>[number][] = [];
  const card_versions: CardVersion[] = [];
  const windows: LedgerChanges['windows'][number][] = [];
  const authorizations_inserted: LedgerChanges['authorizations_inserted'][number][] = [];
  const authorizations_changed: LedgerChanges['authorizations_changed'][number][] = [];
  const clearings_inserted: Clearing[] = [];
  const clearings_changed: LedgerChanges['clearings_changed'][number][] = [];
  for (const working of pass.cards.touchedCards()) {
    const changed = working.changedCounters();
    if (changed !== null) counters.push({ card_id: working.card.id, counters: changed });
    const { id, frozen_at_ms } = working.card;
    if (working.ended_versions.length > 0) cards_frozen.push({ id, frozen_at_ms });
    card_versions.push(...working.ended_versions);
    windows.push(...working.changedWindows());
    authorizations_inserted.push(...working.insertedAuthorizations());
    authorizations_changed.push(...working.changes());
    clearings_inserted.push(...working.insertedClearings());
    clearings_changed.push(...working.changedClearings());
  }
  const { events = [], unknown_numbers = [], audit_entries = [], acts = [], card_acts = [] } = pass;
  const { consultations = new Map(), quarantined = new Map() } = pass;
  // Rows are inserted in the order of their ids, which is the order of the messages.
  authorizations_inserted.sort((a, b) => a.id - b.id);
  clearings_inserted.sort((a, b) => a.id - b.id);
  return {
    counters,
    ...(cards_frozen.length === 0 ? {} : { cards_frozen, card_versions }),
    windows,
    authorizations_inserted,
    authorizations_changed,
    clearings_inserted,
    clearings_changed,
    events,
    unknown_numbers,
    audit_entries,
    ...(acts.length === 0 ? {} : { acts }),
    ...(card_acts.length === 0 ? {} : { card_acts }),
    ...(consultations.size === 0 ? {} : { consultations: [...consultations.values()] }),
    // In one order for all passes, so that two that keep the same messages do not lock each other.
    quarantined: [...quarantined].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record),
  };
}
