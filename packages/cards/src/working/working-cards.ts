import { Refusal } from '@tallystick/kernel';
import { ByNumberIndex } from '../numbers/by-number-index.ts';
import type { Authorization } from '../records/authorization.ts';
import type { Clearing } from '../records/clearing.ts';
import { PassInstant } from '../records/hold-lifetime.ts';
import type { LedgerCard, LedgerState } from '../records/ledger.ts';
import type { PersonMessage } from '../records/release-message.ts';
import { type PassWork, WorkingCard } from './working-card.ts';

/** The cards of a pass, by number and by id. Cards without a message are never copied. */
export class WorkingCards {
  readonly work: PassWork = { examined: 0 };
  readonly #now: PassInstant;
  readonly #by_index = new ByNumberIndex<LedgerCard>();
  readonly #by_id = new Map<number, LedgerCard>();
  readonly #authorizations: ReadonlyMap<number, readonly Authorization[]>;
  readonly #clearings: ReadonlyMap<number, readonly Clearing[]>;
  readonly #windows: ReadonlyMap<number, LedgerState['windows']>;
  readonly #cut_card_ids: ReadonlySet<number>;
  readonly #working = new Map<number, WorkingCard>();

  constructor(state: LedgerState) {
    this.#now = new PassInstant(state.now_ms);
    for (const card of state.cards) {
      this.#by_index.add(card.number_index, card);
      this.#by_id.set(card.id, card);
    }
    this.#authorizations = Map.groupBy(state.authorizations, ({ card_id }) => card_id);
    this.#clearings = Map.groupBy(state.clearings, ({ card_id }) => card_id);
    this.#windows = Map.groupBy(state.windows, ({ card_id }) => card_id);
    this.#cut_card_ids = new Set(state.cut_card_ids);
  }

  ofNumber(number_index: Uint8Array): WorkingCard | null {
    return this.#of(this.#by_index.get(number_index));
  }

  ofId(card_id: number): WorkingCard | null {
    return this.#of(this.#by_id.get(card_id));
  }

  /** The card that a person names; a refusal (`not_found`) when it is unknown or of another company. */
  ofPerson({ company_id }: Pick<PersonMessage, 'company_id'>, vcn_id: number): WorkingCard | Refusal {
    const working = this.ofId(vcn_id);
    if (working !== null && (company_id ?? working.card.company_id) === working.card.company_id) return working;
    return new Refusal('not_found', `there is no virtual card ${vcn_id}`);
  }

  /** The cards that were requested in this pass. */
  touchedCards(): Iterable<WorkingCard> {
    return this.#working.values();
  }

  #of(card: LedgerCard | undefined): WorkingCard | null {
    if (card === undefined) return null;
    let working = this.#working.get(card.id);
    if (working === undefined) {
      const authorizations = this.#authorizations.get(card.id) ?? [];
      const clearings = this.#clearings.get(card.id) ?? [];
      const windows = this.#windows.get(card.id) ?? [];
      const is_cut = this.#cut_card_ids.has(card.id);
      const history = { authorizations, clearings, windows, is_cut };
      working = new WorkingCard(card, history, { now: this.#now, work: this.work });
      this.#working.set(card.id, working);
    }
    return working;
  }
}
