import { text } from '../agreement.ts';
import { type ClockMove, clockTarget } from '../arbitraries/clocks.ts';
import { pick } from '../arbitraries/picks.ts';
import { compareCard } from '../comparison.ts';
import type { ReferenceModel } from '../reference/model.ts';
import type { System } from '../system.ts';
import type { Command } from './command.ts';

export class AdvanceClock implements Command {
  readonly #move: ClockMove;

  constructor(move: ClockMove) {
    this.#move = move;
  }

  check(): boolean {
    return true;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const card_pick = 'card_pick' in this.#move ? this.#move.card_pick : 0;
    const card = pick(model.cards, card_pick);
    const to_ms = clockTarget(this.#move, model.now_ms, () => (card === undefined ? [] : model.boundaries(card)));
    model.advanceClock(to_ms);
    await system.advanceClock(to_ms);
    if (card !== undefined) await compareCard(model, system, card);
  }

  toString(): string {
    return `move the clock ${text(this.#move)}`;
  }
}
