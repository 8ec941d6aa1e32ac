import { type AuthorizationPlan, authorizationOf } from '../arbitraries/authorizations.ts';
import { type CardPlan, cardRequest } from '../arbitraries/cards.ts';
import { type ClearingFirstPlan, type ClearingPlan, clearingFirstOf, clearingOf } from '../arbitraries/clearings.ts';
import type { GuessPlan } from '../arbitraries/codes.ts';
import {
  type LateIncrementPlan,
  lateIncrementsOf,
  pickWindowed,
  type SpecialDayPlan,
  specialDayOf,
} from '../arbitraries/holds.ts';
import { pick } from '../arbitraries/picks.ts';
import { type AlmostRepeatedPlan, almostRepeated } from '../arbitraries/repeats.ts';
import { type EarlyReversalPlan, earlyReversalOf, type ReversalPlan, reversalOf } from '../arbitraries/reversals.ts';
import { agreeAnswers, compareCard, create, moveClock, replay, send, sendClearing } from '../comparison.ts';
import { words_of_type } from '../reference/authorization.ts';
import { windowOn } from '../reference/card.ts';
import { type AuthorizationWire, type ClearingWire, can } from '../system.ts';
import { command } from './command.ts';

interface EarlierMessage {
  readonly card_pick: number;
  readonly message_pick: number;
}

export const authorize = command('authorize', {
  run: (plan: AuthorizationPlan, model, system) => send(model, system, [authorizationOf(plan, model)]),
});

/**
 * Several messages submitted together, so that they may share a pass. Messages about one card are
 * decided in the order in which they were submitted.
 */
export const authorizeTogether = command('authorize together', {
  async run(plans: readonly AuthorizationPlan[], model, system) {
    const messages = plans.map((plan) => authorizationOf(plan, model));
    await send(model, system, messages);
  },
});

export const repeatAuthorization = command('repeat the message', {
  isPossible: ({ cards }, { card_pick }: EarlierMessage) => (pick(cards, card_pick)?.messages.length ?? 0) > 0,
  run({ card_pick, message_pick }: EarlierMessage, model, system) {
    const { message } = pick(pick(model.cards, card_pick)!.messages, message_pick)!;
    return send(model, system, [{ ...message, ...repeated_with[message_pick % repeated_with.length]!(message) }]);
  },
});

/** What may be different in a message that is the same by card, type, trace, audit number and time. */
const repeated_with: readonly ((message: AuthorizationWire) => Partial<AuthorizationWire>)[] = [
  () => ({}),
  ({ billing_amount, merchant_amount }) => ({
    billing_amount: Math.floor(billing_amount / 2),
    merchant_amount: Math.floor(merchant_amount / 2),
  }),
  ({ transaction_date_time }) => ({ transaction_date_time: transaction_date_time.replace(/Z$/, '+00:00') }),
  ({ message_type_indicator: type }) => ({ message_type_indicator: words_of_type[type] ?? type }),
];

/** A message that differs from an earlier one in one of the keys that tell messages apart. */
export const almostRepeat = command('almost repeat the message', {
  isPossible: ({ cards }, { card_pick }: AlmostRepeatedPlan) => (pick(cards, card_pick)?.messages.length ?? 0) > 0,
  run(plan: AlmostRepeatedPlan, model, system) {
    const { message } = pick(pick(model.cards, plan.card_pick)!.messages, plan.message_pick)!;
    return send(model, system, [almostRepeated(plan, message, model)]);
  },
});

/** Messages with wrong codes, then one with the right code, before and after a reset. */
export const guessCode = command('guess a code', {
  async run({ card_pick, guesses, together, right, reset }: GuessPlan, model, system) {
    const card = pick(model.cards, card_pick)!;
    if (together) {
      const messages = guesses.map((guess) => authorizationOf(guess, model));
      await send(model, system, messages);
    } else {
      for (const guess of guesses) await send(model, system, [authorizationOf(guess, model)]);
    }
    await send(model, system, [authorizationOf(right, model)]);
    if (!reset || !can(system, 'resetCodeFailures')) return;
    const actual = await system.resetCodeFailures(card.id);
    agreeAnswers('a reset of the wrong codes', model.resetCodeFailures(card), actual);
    await compareCard(model, system, card);
    await send(model, system, [authorizationOf(right, model)]);
  },
});

/** Purchases, the end of their window, and increments of the last one. */
export const increaseLate = command('increase after the end of the window', {
  needs: ['advanceClock'],
  async run(plan: LateIncrementPlan, model, system) {
    const card = pickWindowed(model, plan.card_pick);
    const card_pick = model.cards.indexOf(card);
    const requests = plan.requests.map((request) => authorizationOf({ ...request, card_pick }, model));
    for (const request of requests) await send(model, system, [request]);
    const { end_ms } = windowOn(card, model.now_ms);
    if (Number.isFinite(end_ms)) {
      await moveClock(model, system, end_ms + plan.offset_ms);
      await compareCard(model, system, card);
    }
    for (const increment of lateIncrementsOf(plan, model, card, requests.at(-1)!)) {
      await send(model, system, [increment]);
    }
  },
});

/** A purchase whose hold ends on a day that is unlike others, as it is just before the end and at it. */
export const holdToSpecialDay = command('hold to a special day', {
  needs: ['advanceClock'],
  async run(plan: SpecialDayPlan, model, system) {
    const { card, at_ms } = specialDayOf(plan, model);
    if (at_ms !== null) await moveClock(model, system, at_ms);
    const message = authorizationOf(plan.request, model, card);
    await send(model, system, [message]);
    const end_ms = model.purchases(card).find((purchase) => purchase.message === message)?.hold_end_ms ?? null;
    if (end_ms === null) return;
    for (const to_ms of [end_ms - 1, end_ms]) {
      await moveClock(model, system, to_ms);
      await compareCard(model, system, card);
    }
  },
});

export const reverse = command('reverse', {
  run: (plan: ReversalPlan, model, system) => send(model, system, [reversalOf(plan, model)]),
});

/** Reversals before their original, and then the original. */
export const reverseEarly = command('reverse before the original', {
  async run(plan: EarlyReversalPlan, model, system) {
    for (const message of earlyReversalOf(plan, model)) await send(model, system, [message]);
  },
});

export const clear = command('clear', {
  needs: ['clear'],
  run: (plan: ClearingPlan, model, system) => sendClearing(model, system, clearingOf(plan, model)),
});

/** A clearing before its authorization, and perhaps an increment after both. */
export const clearFirst = command('clear before the authorization', {
  needs: ['clear'],
  async run(plan: ClearingFirstPlan, model, system) {
    const { cleared, authorized } = clearingFirstOf(plan, model);
    await sendClearing(model, system, cleared);
    await send(model, system, [authorized]);
    if (plan.increment === null) return;
    const { card_number, trace_id } = authorized;
    const increment = authorizationOf(plan.increment, model);
    await send(model, system, [{ ...increment, card_number, incremental: true, trace_id }]);
  },
});

export const repeatClearing = command('repeat the clearing', {
  needs: ['clear'],
  isPossible: ({ cards }, { card_pick }: EarlierMessage) => (pick(cards, card_pick)?.clearings.length ?? 0) > 0,
  run: ({ card_pick, message_pick }: EarlierMessage, model, system) =>
    sendClearing(model, system, pick(pick(model.cards, card_pick)!.clearings, message_pick)!.message),
});

/** An earlier clearing of the run under a new id, and its reversal, which fits both. */
export const undoCopy = command('undo a copy of the clearing', {
  needs: ['clear'],
  isPossible: ({ cards }, { card_pick }: EarlierMessage) => (pick(cards, card_pick)?.clearings.length ?? 0) > 0,
  async run({ card_pick, message_pick }: EarlierMessage, model, system) {
    const { synthetic_id: _none, ...message } = pick(pick(model.cards, card_pick)!.clearings, message_pick)!.message;
    const again = (changes: Partial<ClearingWire>): ClearingWire => ({
      ...message,
      ...changes,
      network_financial_transaction_id: `${model.world.tag}C${model.fresh()}`,
    });
    await sendClearing(model, system, again({}));
    await sendClearing(model, system, again({ cycle: 'reversal' }));
  },
});

/**
 * A clearing that arrives before the system knows its card, then the card, then the replay of the
 * clearing. The id of the next card is a guess: a wrong one is refused again.
 */
export const clearBeforeCard = command('clear before the creation', {
  needs: ['clear', 'quarantine', 'replay'],
  async run(plan: { readonly clearing: ClearingPlan; readonly card: CardPlan }, model, system) {
    const of_clearing = { ...plan.clearing, flaw: null, synthetic_id: false };
    const { card_number: _none, ...clearing } = clearingOf(of_clearing, model);
    const vcn_id = Math.max(...model.cards.map(({ id }) => id)) + 1;
    await sendClearing(model, system, { ...clearing, vcn_id });
    // Without a currency of its own, the card counts the amount that the clearing was billed.
    await create(model, system, cardRequest({ ...plan.card, currency: null }, model.now_ms, model.world));
    await replay(model, system, model.quarantine.at(-1)!);
  },
});

/** Replays a clearing of the quarantine, or sends it again. */
export const repeatRefused = command('repeat a refused clearing', {
  needs: ['clear', 'quarantine', 'replay'],
  isPossible: ({ quarantine }) => quarantine.length > 0,
  async run({ at, is_replay }: { readonly at: number; readonly is_replay: boolean }, model, system) {
    const kept = pick(model.quarantine, at)!;
    if (is_replay) await replay(model, system, kept);
    else await sendClearing(model, system, kept.message);
  },
});
