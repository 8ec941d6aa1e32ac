import { text } from '../agreement.ts';
import type { AskPlan } from '../arbitraries/asking.ts';
import { authorizationOf } from '../arbitraries/authorizations.ts';
import {
  type CardPlan,
  cardRequest,
  type Flaw,
  flawedRequest,
  type UpdatePlan,
  updateRequest,
} from '../arbitraries/cards.ts';
import { type ClockMove, clockTarget } from '../arbitraries/clocks.ts';
import type { FreezePlan } from '../arbitraries/freezes.ts';
import { pick, pickUsed } from '../arbitraries/picks.ts';
import { agreeAnswers, agreeOnCard, compareCard, compareEvents, create, moveClock, send } from '../comparison.ts';
import type { HoldDays, StandIn } from '../system.ts';
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

/** Freezes a card, sends messages to it, and seldom leaves it frozen. */
export const freezeCard = command('freeze card', {
  needs: ['setFrozen'],
  async run({ card_pick, messages, is_left }: FreezePlan, model, system) {
    const card = pickUsed(model.cards, card_pick);
    const set = async (frozen: boolean) => {
      const actual = await system.setFrozen(card.id, frozen);
      agreeAnswers(
        `${frozen ? 'freeze' : 'end of the freeze'} of card ${card.id}`,
        model.setFrozen(card, frozen),
        actual,
      );
      await compareCard(model, system, card);
    };
    await set(true);
    for (const plan of messages) await send(model, system, [authorizationOf(plan, model, card)]);
    if (!is_left) await set(false);
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

/** Asks the company about messages, and perhaps about later ones. */
export const askCompany = command('ask the company', {
  needs: ['askCompany'],
  async run({ card_pick, stand_in, messages, overtaken, is_left }: AskPlan, model, system) {
    const card = pickUsed(model.cards, card_pick);
    const ask = async (stand_in: StandIn | null) => {
      const actual = await system.askCompany(stand_in);
      model.stand_in = stand_in;
      agreeAnswers(`the stand-in ${stand_in} for the company`, { kind: 'done', value: null }, actual);
    };
    await ask(stand_in);
    for (const [at, plan] of messages.entries()) {
      const message = authorizationOf(plan, model, card);
      const { say: _say, incremental: _incremental, ...decided } = message;
      if (at === 0 && overtaken !== 'not') {
        await send(model, system, [{ ...decided, message_type_indicator: '0120' }]);
        if (overtaken !== 'by its advice') await send(model, system, [{ ...decided, message_type_indicator: '0400' }]);
      }
      await send(model, system, [message]);
    }
    if (!is_left) await ask(null);
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
