import {
  type Authorization,
  type Clearing,
  type ClearingMessage,
  type LedgerState,
  type Lookup,
  no_changes,
  type PastWindow,
} from '@tallystick/cards';
import { assert } from '@tallystick/kernel';
import { type CardStorage, makeCard, makeOwner, type newCard, sealedNumber } from '../storage/storage.ts';
import { uniqueNumber } from '../unique.ts';
import {
  authorizationMessage,
  clearingMessage,
  freezeMessage,
  look,
  recordedAuthorization,
  recordedClearing,
} from './network-messages.ts';

export const day_ms = 86_400_000;

/** A clearing that shares nothing with the records of the rules. */
export const nothing_in_common = {
  acquirer_reference_data: null,
  approval_code: null,
  net_reference_number: null,
  merchant_id: null,
  merchant_amount: null,
};

/** What an authorization or a clearing has of a merchant when nothing else identifies it. */
export const of_merchant = { approval_code: null, net_reference_number: null, merchant_id: 'M-recent' };

/** A network_financial_transaction_id that no other clearing has. */
export function freshTransaction(): string {
  return `F-fresh-${uniqueNumber()}`;
}

/** One card, with short methods to record on it and to read the state that a pass loads for it. */
export class CardUnderTest {
  readonly id: number;
  readonly company_id: number;
  readonly number_index: Uint8Array;
  readonly #storage: CardStorage;

  constructor(storage: CardStorage, card: { readonly id: number; readonly company_id: number }, index: Uint8Array) {
    this.#storage = storage;
    this.id = card.id;
    this.company_id = card.company_id;
    this.number_index = index;
  }

  authorization(fields: Parameters<typeof authorizationMessage>[1] = {}) {
    return authorizationMessage(this.number_index, fields);
  }

  clearing(fields: Partial<ClearingMessage> = {}): ClearingMessage {
    return clearingMessage(this.number_index, { network_financial_transaction_id: freshTransaction(), ...fields });
  }

  look(...messages: readonly Lookup[]): Promise<LedgerState> {
    return this.#storage.ledger.pass(messages, look);
  }

  /**
   * Records an authorization: a root unless the fields state otherwise. The card gets the end of
   * its hold.
   */
  recordAuthorization(trace_id: string, fields: Partial<Authorization> = {}): Promise<Authorization> {
    const message = this.authorization({ trace_id });
    return this.#storage.ledger.pass([message], (state) => {
      const [card] = state.cards;
      assert(card !== undefined, 'the card of a message was not loaded');
      const id = state.authorization_ids[0]!;
      const row = { ...recordedAuthorization(state, card, message, { id, is_approved: true }), ...fields };
      const counters = [{ card_id: card.id, counters: { ...card.counters, next_hold_end_ms: row.hold_end_ms } }];
      return { changes: { ...no_changes, counters, authorizations_inserted: [row] }, result: row };
    });
  }

  async recordClearing(fields: Partial<Clearing> = {}): Promise<Clearing> {
    const [row] = await this.recordClearings(1, fields);
    return row!;
  }

  /** Records so many clearings in one pass. */
  recordClearings(count: number, fields: Partial<Clearing>): Promise<readonly Clearing[]> {
    const messages = Array.from({ length: count }, () => this.clearing());
    return this.#storage.ledger.pass(messages, (state) => {
      const rows = messages.map((message, at) => {
        return { ...recordedClearing(state, this, message, state.clearing_ids[at]!), ...fields };
      });
      return { changes: { ...no_changes, clearings_inserted: rows }, result: rows };
    });
  }

  async setNextHoldEnd(next_hold_end_ms: number | null): Promise<void> {
    await this.#storage.ledger.pass([this.authorization({ trace_id: 'T-never-recorded' })], (state) => {
      const [card] = state.cards;
      assert(card !== undefined, 'the card of a message was not loaded');
      const counters = [{ card_id: card.id, counters: { ...card.counters, next_hold_end_ms } }];
      return { changes: { ...no_changes, counters }, result: null };
    });
  }

  /** Freezes the card at an instant, or unfreezes it (null). */
  async setFrozen(frozen_at_ms: number | null): Promise<void> {
    const cards_frozen = [{ id: this.id, frozen_at_ms }];
    await this.#storage.ledger.pass([freezeMessage(this.id, frozen_at_ms !== null)], () => ({
      changes: { ...no_changes, cards_frozen },
      result: null,
    }));
  }

  async writeWindows(...windows: readonly PastWindow[]): Promise<void> {
    await this.#storage.ledger.pass([], () => ({ changes: { ...no_changes, windows }, result: null }));
  }

  /** Returns the card's counters and its records, newest first. */
  read() {
    return this.#storage.unitOfWork.read(async (tx) => {
      const card = await tx.cards.find(this.company_id, this.id);
      const { items: authorizations } = await tx.cards.authorizations(this.company_id, this.id, { limit: 100 });
      const { items: clearings } = await tx.cards.clearings(this.company_id, this.id, { limit: 100 });
      return { card: card!, counters: card!.counters, authorizations, clearings };
    });
  }
}

export async function freshCards(
  storage: CardStorage,
  count: number,
  changes: Parameters<typeof newCard>[1] = {},
): Promise<readonly CardUnderTest[]> {
  return await storage.unitOfWork.run(async (tx) => {
    const owner = await makeOwner(tx);
    const cards: CardUnderTest[] = [];
    for (let at = 0; at < count; at += 1) {
      const number = sealedNumber();
      const card = await makeCard(tx, owner, changes, number);
      cards.push(new CardUnderTest(storage, card, number.number_index));
    }
    return cards;
  });
}

export async function freshCard(storage: CardStorage): Promise<CardUnderTest> {
  const [card] = await freshCards(storage, 1);
  return card!;
}
