import { agree, text } from '../agreement.ts';
import { authorizationOf } from '../arbitraries/authorizations.ts';
import {
  type SharedReferencePlan,
  sharedReferenceClearing,
  sharedReferenceRequests,
} from '../arbitraries/clearings.ts';
import {
  type LateIncrementPlan,
  lateIncrementsOf,
  pickWindowed,
  type ReleasePlan,
  releasedPurchase,
} from '../arbitraries/holds.ts';
import { pick } from '../arbitraries/picks.ts';
import { fullReversalOf } from '../arbitraries/reversals.ts';
import { agreeAnswers, compareCard, send, sendClearing } from '../comparison.ts';
import { type ReferenceCard, windowOn } from '../reference/card.ts';
import type { ReferenceModel } from '../reference/model.ts';
import type { HoldDays, System } from '../system.ts';
import type { Command } from './command.ts';

/** Ends a hold by hand. */
export class ReleaseHold implements Command {
  readonly #plan: ReleasePlan;

  constructor(plan: ReleasePlan) {
    this.#plan = plan;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.some((card) => model.purchases(card).length > 0);
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const used = model.cards.filter((known) => model.purchases(known).length > 0);
    const card = pick(used, this.#plan.card_pick)!;
    await release(model, system, card, releasedPurchase(this.#plan, model, card)!.id!);
  }

  toString(): string {
    return `release ${text(this.#plan)}`;
  }
}

/** Changes the days after which later holds of the company end. */
export class SetHoldDays implements Command {
  readonly #hold_days: HoldDays;

  constructor(hold_days: HoldDays) {
    this.#hold_days = hold_days;
  }

  check(): boolean {
    return true;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const actual = await system.setHoldDays(this.#hold_days);
    agreeAnswers(`hold days ${this.#hold_days}`, model.setHoldDays(this.#hold_days), actual, agree);
  }

  toString(): string {
    return `set the hold days to ${this.#hold_days}`;
  }
}

/**
 * Purchases with one network reference, what becomes of them, and a clearing with the reference.
 */
export class ClearAmongSeveral implements Command {
  readonly #plan: SharedReferencePlan;

  constructor(plan: SharedReferencePlan) {
    this.#plan = plan;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const requests = sharedReferenceRequests(this.#plan, model);
    for (const request of requests) await send(model, system, [request]);
    const card = model.cards.find(({ card_number }) => card_number === requests[0]!.card_number)!;
    const made = model.purchases(card).filter(({ message }) => requests.includes(message));
    for (const [at, purchase] of made.entries()) {
      const fate = this.#plan.fates[at];
      if (fate === 'reversed') await send(model, system, [fullReversalOf(purchase, model)]);
      if (fate === 'released') await release(model, system, card, purchase.id!);
    }
    const end_ms = made.at(-1)?.hold_end_ms ?? null;
    if (this.#plan.holds_end && end_ms !== null) {
      model.advanceClock(end_ms);
      await system.advanceClock(end_ms);
    }
    await sendClearing(model, system, sharedReferenceClearing(this.#plan, model, requests[0]!));
  }

  toString(): string {
    return `clear among several ${text(this.#plan)}`;
  }
}

async function release(model: ReferenceModel, system: System, card: ReferenceCard, id: number): Promise<void> {
  const actual = await system.releaseHold(card.id, id, 'The merchant closed.');
  agreeAnswers(`release of authorization ${id}`, model.releaseHold(card, id), actual, agree);
  await compareCard(model, system, card);
}

/** Purchases, the end of their window, and increments of the last one. */
export class IncreaseLate implements Command {
  readonly #plan: LateIncrementPlan;

  constructor(plan: LateIncrementPlan) {
    this.#plan = plan;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const card = pickWindowed(model, this.#plan.card_pick);
    const card_pick = model.cards.indexOf(card);
    const requests = this.#plan.requests.map((plan) => authorizationOf({ ...plan, card_pick }, model));
    for (const request of requests) await send(model, system, [request]);
    const { end_ms } = windowOn(card, model.now_ms);
    if (Number.isFinite(end_ms)) {
      model.advanceClock(end_ms + this.#plan.offset_ms);
      await system.advanceClock(end_ms + this.#plan.offset_ms);
      await compareCard(model, system, card);
    }
    for (const increment of lateIncrementsOf(this.#plan, model, card, requests.at(-1)!)) {
      await send(model, system, [increment]);
    }
  }

  toString(): string {
    return `increase after the end of the window ${text(this.#plan)}`;
  }
}
