import { text } from '../agreement.ts';
import { type CardPlan, cardRequest } from '../arbitraries/cards.ts';
import { type ClearingPlan, clearingOf } from '../arbitraries/clearings.ts';
import { pick } from '../arbitraries/picks.ts';
import { create, replay, sendClearing } from '../comparison.ts';
import type { ReferenceModel } from '../reference/model.ts';
import type { System } from '../system.ts';
import type { Command } from './command.ts';

/**
 * A clearing that arrives before the system knows its card, then the card, then the replay of the
 * clearing. The id of the next card is a guess: a wrong one is refused again.
 */
export class ClearBeforeCard implements Command {
  readonly #clearing: ClearingPlan;
  readonly #card: CardPlan;

  constructor(clearing: ClearingPlan, card: CardPlan) {
    this.#clearing = clearing;
    this.#card = card;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const { card_number: _none, ...clearing } = clearingOf(
      { ...this.#clearing, flaw: null, synthetic_id: false },
      model,
    );
    const vcn_id = Math.max(...model.cards.map(({ id }) => id)) + 1;
    await sendClearing(model, system, { ...clearing, vcn_id });
    // Without a currency of its own, the card counts the amount that the clearing was billed.
    await create(model, system, cardRequest({ ...this.#card, currency: null }, model.now_ms, model.world));
    await replay(model, system, model.quarantine.at(-1)!);
  }

  toString(): string {
    return `clear before the creation ${text(this.#clearing)} of ${text(this.#card)}`;
  }
}

/** Replays a clearing of the quarantine, or sends it again. */
export class RepeatRefused implements Command {
  readonly #pick: number;
  readonly #is_replay: boolean;

  constructor(at: number, is_replay: boolean) {
    this.#pick = at;
    this.#is_replay = is_replay;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.quarantine.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const kept = pick(model.quarantine, this.#pick)!;
    if (this.#is_replay) await replay(model, system, kept);
    else await sendClearing(model, system, kept.message);
  }

  toString(): string {
    return `${this.#is_replay ? 'replay' : 'send again'} the refused clearing ${this.#pick}`;
  }
}
