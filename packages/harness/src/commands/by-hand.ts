import { agree, text } from '../agreement.ts';
import { type ByHandPlans, byHandOf } from '../arbitraries/by-hand.ts';
import { pickOf } from '../arbitraries/picks.ts';
import { agreeAnswers, compareCard } from '../comparison.ts';
import type { ReferenceCard } from '../reference/card.ts';
import type { ReferenceModel } from '../reference/model.ts';
import type { RematchWire, System } from '../system.ts';
import type { Command } from './command.ts';

/**
 * Matches clearings of a card by hand, takes them from their purchases, confirms their matches, and
 * perhaps undoes all of it. Then the card is as it was.
 */
export class MatchByHand implements Command {
  readonly #plans: ByHandPlans;

  constructor(plans: ByHandPlans) {
    this.#plans = plans;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.some((card) => card.clearings.length > 0 && model.purchases(card).length > 0);
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const { card_pick, plans, is_undone } = this.#plans;
    const hasBoth = (card: ReferenceCard) => card.clearings.length > 0 && model.purchases(card).length > 0;
    const card = pickOf(model.cards, card_pick, hasBoth)!;
    const before = text(model.view(card));
    const done: Done[] = [];
    for (const plan of plans) {
      const request = byHandOf(plan, model, card);
      const was = request.expected_authorization_id;
      if (await rematch(model, system, card, request)) done.push({ request, was });
    }
    if (!is_undone) return;
    for (const { request, was } of done.toReversed()) {
      const { answer } = card.clearings.find((clearing) => clearing.answer.id === request.clearing_id)!;
      const undo = {
        ...request,
        authorization_id: request.authorization_id === null ? was : null,
        expected_authorization_id: answer.authorization_id,
        expected_matched_by: answer.match_rule === 9 ? 'person' : 'rule',
      } as const;
      agree(`undoing ${text(request)}`, true, await rematch(model, system, card, undo));
    }
    agree(`card ${card.id} after all is undone`, before, text(model.view(card)));
  }

  toString(): string {
    return `match by hand ${text(this.#plans)}`;
  }
}

/** A request that was done, and the purchase that the clearing had before. */
interface Done {
  readonly request: RematchWire;
  readonly was: number | null;
}

/** Sends the request to both. Returns whether it was done. */
async function rematch(
  model: ReferenceModel,
  system: System,
  card: ReferenceCard,
  request: RematchWire,
): Promise<boolean> {
  const actual = await system.rematch(request);
  agreeAnswers(`match by hand ${text(request)}`, model.rematch(card, request), actual, agree);
  await compareCard(model, system, card);
  return actual.kind === 'done';
}
