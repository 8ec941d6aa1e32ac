import assert from 'node:assert/strict';
import {
  type Authorization,
  type Clearing,
  type Fold,
  isFoundClearing,
  isFoundRoot,
  type Ledger,
  type LedgerCard,
  type LedgerChanges,
  type LedgerState,
  merchantSearch,
  type NetworkMessage,
  referenceKeys,
  type UnknownNumberMessage,
} from '../src/index.ts';

/**
 * The ledger in memory: one pass at a time, all or nothing. It loads everything that it knows of the cards concerned,
 * which the port allows, or only what the port promises; and refuses to write what a database would refuse.
 */
export class MemoryLedger implements Ledger {
  now_ms: number;
  loads: 'everything' | 'what is promised' = 'everything';
  readonly cards = new Map<number, LedgerCard>();
  readonly authorizations = new Map<number, Authorization>();
  readonly clearings = new Map<number, Clearing>();
  readonly events: LedgerChanges['events'][number][] = [];
  readonly unknown_numbers: UnknownNumberMessage[] = [];
  /** The messages of each pass that committed, by their number. */
  readonly passes: number[] = [];
  #last_pass: Promise<unknown> = Promise.resolve();

  constructor(now: string) {
    this.now_ms = Temporal.Instant.from(now).epochMilliseconds;
  }

  pass<Result>(messages: readonly NetworkMessage[], fold: Fold<Result>): Promise<Result> {
    return this.#inTurn(() => this.#run(this.#concerned(messages), messages, fold));
  }

  passDue<Result>(limit: number, fold: Fold<Result>): Promise<Result> {
    return this.#inTurn(() => {
      const due = [...this.cards.values()].filter(
        ({ counters }) => counters.next_hold_end_ms !== null && counters.next_hold_end_ms <= this.now_ms,
      );
      return this.#run(due.slice(0, limit), [], fold);
    });
  }

  /** The pass itself, without waiting for a turn. */
  run<Result>(messages: readonly NetworkMessage[], fold: Fold<Result>): Result {
    return this.#run(this.#concerned(messages), messages, fold);
  }

  #inTurn<Result>(work: () => Result): Promise<Result> {
    const turn = this.#last_pass.then(work);
    this.#last_pass = turn.catch(() => {});
    return turn;
  }

  #concerned(messages: readonly NetworkMessage[]): LedgerCard[] {
    const cards = [...this.cards.values()];
    const named = messages.map(({ number_index, ...rest }) =>
      cards.find((card) =>
        number_index === null
          ? 'vcn_id' in rest && card.id === rest.vcn_id
          : card.number_index.toHex() === number_index.toHex(),
      ),
    );
    return [...new Set(named)].filter((card) => card !== undefined);
  }

  #run<Result>(cards: readonly LedgerCard[], messages: readonly NetworkMessage[], fold: Fold<Result>): Result {
    const ids = new Set(cards.map(({ id }) => id));
    const transactions = new Set(
      messages.map((m) => (m.kind === 'clearing' ? m.network_financial_transaction_id : '')),
    );
    const next = (last: number) => messages.map((_, offset) => last + 1 + offset);
    const everything = {
      authorizations: [...this.authorizations.values()].filter(({ card_id }) => ids.has(card_id)),
      clearings: [...this.clearings.values()].filter(
        ({ card_id, network_financial_transaction_id }) =>
          ids.has(card_id) || transactions.has(network_financial_transaction_id),
      ),
    };
    const state: LedgerState = {
      now_ms: this.now_ms,
      cards,
      ...(this.loads === 'everything' ? everything : this.#promised(cards, messages, everything)),
      authorization_ids: next(this.authorizations.size),
      clearing_ids: next(this.clearings.size),
      event_ids: next(this.events.length),
    };
    const { changes, result } = fold(state);
    this.#write(changes);
    this.passes.push(messages.length);
    return result;
  }

  /** What the port's contract says that a pass finds, and nothing beyond it. */
  #promised(
    cards: readonly LedgerCard[],
    messages: readonly NetworkMessage[],
    all: Pick<LedgerState, 'authorizations' | 'clearings'>,
  ): Pick<LedgerState, 'authorizations' | 'clearings'> {
    const authorizations = new Set<Authorization>();
    const clearings = new Set<Clearing>();
    for (const { id, counters } of cards) {
      if (counters.next_hold_end_ms === null || counters.next_hold_end_ms > this.now_ms) continue;
      const open = all.authorizations
        .filter(({ card_id, held, hold_end_ms }) => card_id === id && held > 0 && hold_end_ms !== null)
        .sort((a, b) => a.hold_end_ms! - b.hold_end_ms!);
      const due = open.filter(({ hold_end_ms }) => hold_end_ms! <= this.now_ms);
      for (const row of open.slice(0, due.length + 1)) authorizations.add(row);
    }
    for (const message of messages) {
      const [card] = this.#concerned([message]);
      if (message.kind === 'clearing') {
        for (const row of all.clearings) {
          if (row.network_financial_transaction_id === message.network_financial_transaction_id) clearings.add(row);
        }
      }
      if (card === undefined) continue;
      const own = all.authorizations.filter(({ card_id }) => card_id === card.id);
      if (message.kind === 'authorization') {
        for (const row of own) {
          if (row.trace_id !== message.trace_id) continue;
          authorizations.add(row);
          for (const root of own) if (root.id === row.root_id) authorizations.add(root);
        }
        continue;
      }
      const keys = new Set(referenceKeys(message));
      const hasKey = (row: Authorization | Clearing) => referenceKeys(row).some((key) => keys.has(key));
      const roots = own.filter((row) => row.root_id === row.id);
      const earlier = all.clearings.filter(({ card_id }) => card_id === card.id);
      const found = roots.filter(hasKey);
      for (const row of found) authorizations.add(row);
      for (const row of earlier) if (hasKey(row)) clearings.add(row);
      const has_authorization = messages.some(
        (other) => other.kind === 'authorization' && this.#concerned([other])[0] === card,
      );
      const search = merchantSearch(message, { roots: found, has_authorization, now_ms: this.now_ms });
      if (search === null) continue;
      for (const row of roots) if (isFoundRoot(search, row)) authorizations.add(row);
      for (const row of earlier) if (isFoundClearing(search, row)) clearings.add(row);
    }
    for (const { authorization_id } of clearings) {
      for (const row of all.authorizations) if (row.id === authorization_id) authorizations.add(row);
    }
    return { authorizations: [...authorizations].reverse(), clearings: [...clearings].reverse() };
  }

  #write(changes: LedgerChanges): void {
    assertDistinct(changes.counters.map(({ card_id }) => card_id));
    const inserted = changes.authorizations_inserted.map(({ id }) => id);
    assertDistinct([...inserted, ...changes.authorizations_changed.map(({ id }) => id)]);
    for (const { card_id, counters } of changes.counters) {
      this.cards.set(card_id, { ...this.cards.get(card_id)!, counters });
    }
    for (const row of changes.authorizations_inserted) {
      assert.equal(this.authorizations.has(row.id), false, 'an id is given once');
      this.authorizations.set(row.id, structuredClone(row));
    }
    for (const { card_id, ...change } of changes.authorizations_changed) {
      const row = this.authorizations.get(change.id);
      assert.equal(row?.card_id, card_id, 'what is changed was there');
      this.authorizations.set(change.id, { ...row, ...change } as Authorization);
    }
    for (const clearing of changes.clearings_inserted) {
      assert.equal(this.clearings.has(clearing.id), false, 'an id is given once');
      const same = [...this.clearings.values()].some(
        (other) => other.network_financial_transaction_id === clearing.network_financial_transaction_id,
      );
      assert.equal(same, false, 'a network_financial_transaction_id is unique');
      this.clearings.set(clearing.id, structuredClone(clearing));
    }
    this.events.push(...changes.events);
    this.unknown_numbers.push(...changes.unknown_numbers);
  }
}

function assertDistinct(ids: readonly number[]): void {
  assert.equal(new Set(ids).size, ids.length, 'a row is written once in a pass');
}
