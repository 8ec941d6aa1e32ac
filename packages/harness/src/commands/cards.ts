import { text } from '../agreement.ts';
import {
  type CardPlan,
  cardRequest,
  type Flaw,
  flawedRequest,
  type UpdatePlan,
  updateRequest,
} from '../arbitraries/cards.ts';
import { type ClockMove, clockTarget } from '../arbitraries/clocks.ts';
import { pick } from '../arbitraries/picks.ts';
import { agreeAnswers, agreeOnCard, compareCard, compareEvents, create, moveClock } from '../comparison.ts';
import type { HoldDays } from '../system.ts';
import { command } from './command.ts';

export const createCard = command('create card', {
  isPossible: () => true,
  run: (plan: CardPlan, model, system) => create(model, system, cardRequest(plan, model.now_ms, model.world)),
});

export const createFlawedCard = command('create flawed card', {
  isPossible: () => true,
  run: ({ plan, flaw }: { readonly plan: CardPlan; readonly flaw: Flaw }, model, system) =>
    create(model, system, flawedRequest(plan, flaw, model.now_ms, model.world)),
  show: ({ plan, flaw }) => `create card ${text(plan)} but ${text(flaw)}`,
});

export const updateCard = command('update card', {
  needs: ['updateCard'],
  async run({ card_pick, plan }: { readonly card_pick: number; readonly plan: UpdatePlan }, model, system) {
    const card = pick(model.cards, card_pick)!;
    const request = updateRequest(plan, card, model);
    const actual = await system.updateCard(card.id, request);
    const expected = model.updateCard(card, request);
    agreeOnCard(`update of card ${card.id} with ${text(request)}`, expected, actual);
    await compareCard(model, system, card);
  },
});

/** Never cancels the only card, because a canceled card shows few differences. */
export const cancelCard = command('cancel card', {
  needs: ['cancelCard'],
  isPossible: (model) => model.cards.length > 1,
  async run(card_pick: number, model, system) {
    const card = pick(model.cards, card_pick)!;
    const actual = await system.cancelCard(card.id);
    agreeAnswers(`cancellation of card ${card.id}`, model.cancelCard(card), actual);
    await compareCard(model, system, card);
  },
});

export const readCard = command('read events and card', {
  async run(card_pick: number, model, system) {
    await compareCard(model, system, pick(model.cards, card_pick)!);
    await compareEvents(model, system);
  },
});

export const setHoldDays = command('set hold days', {
  needs: ['setHoldDays'],
  isPossible: () => true,
  async run(hold_days: HoldDays, model, system) {
    const actual = await system.setHoldDays(hold_days);
    agreeAnswers(`hold days ${hold_days}`, model.setHoldDays(hold_days), actual);
  },
});

export const advanceClock = command('move the clock', {
  needs: ['advanceClock'],
  isPossible: () => true,
  async run(move: ClockMove, model, system) {
    const card = pick(model.cards, 'card_pick' in move ? move.card_pick : 0);
    const to_ms = clockTarget(move, model.now_ms, () => (card === undefined ? [] : model.boundaries(card)));
    await moveClock(model, system, to_ms);
    if (card !== undefined) await compareCard(model, system, card);
  },
});
