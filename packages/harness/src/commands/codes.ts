import { agree, text } from '../agreement.ts';
import { authorizationOf } from '../arbitraries/authorizations.ts';
import type { GuessPlan } from '../arbitraries/codes.ts';
import { pick } from '../arbitraries/picks.ts';
import { agreeAnswers, compareCard, send } from '../comparison.ts';
import type { ReferenceModel } from '../reference/model.ts';
import type { System } from '../system.ts';
import type { Command } from './command.ts';

/** Messages with wrong codes, then one with the right code, before and after a reset. */
export class GuessCode implements Command {
  readonly #plan: GuessPlan;

  constructor(plan: GuessPlan) {
    this.#plan = plan;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const { card_pick, guesses, together, right, reset } = this.#plan;
    const card = pick(model.cards, card_pick)!;
    if (together) {
      const messages = guesses.map((guess) => authorizationOf(guess, model));
      await send(model, system, messages);
    } else {
      for (const guess of guesses) await send(model, system, [authorizationOf(guess, model)]);
    }
    await send(model, system, [authorizationOf(right, model)]);
    if (!reset) return;
    const actual = await system.resetCodeFailures(card.id);
    agreeAnswers('a reset of the wrong codes', model.resetCodeFailures(card), actual, agree);
    await compareCard(model, system, card);
    await send(model, system, [authorizationOf(right, model)]);
  }

  toString(): string {
    return `guess a code ${text(this.#plan)}`;
  }
}
