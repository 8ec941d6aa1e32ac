import { text } from '../agreement.ts';
import { type AuthorizationPlan, authorizationOf } from '../arbitraries/authorizations.ts';
import { type ClearingFirstPlan, type ClearingPlan, clearingFirstOf, clearingOf } from '../arbitraries/clearings.ts';
import { pick } from '../arbitraries/picks.ts';
import { type EarlyReversalPlan, earlyReversalOf, type ReversalPlan, reversalOf } from '../arbitraries/reversals.ts';
import { send, sendClearing } from '../comparison.ts';
import type { ReferenceModel } from '../reference/model.ts';
import type { System } from '../system.ts';
import type { Command } from './command.ts';

export class Authorize implements Command {
  readonly #plan: AuthorizationPlan;

  constructor(plan: AuthorizationPlan) {
    this.#plan = plan;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    await send(model, system, [authorizationOf(this.#plan, model)]);
  }

  toString(): string {
    return `authorize ${text(this.#plan)}`;
  }
}

/**
 * Several messages submitted together, so that they may share a pass. Messages about one card are
 * decided in the order in which they were submitted.
 */
export class Burst implements Command {
  readonly #plans: readonly AuthorizationPlan[];

  constructor(plans: readonly AuthorizationPlan[]) {
    this.#plans = plans;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    await send(
      model,
      system,
      this.#plans.map((plan) => authorizationOf(plan, model)),
    );
  }

  toString(): string {
    return `authorize together ${this.#plans.map(text).join(' and ')}`;
  }
}

export class RepeatAuthorization implements Command {
  readonly #card_pick: number;
  readonly #message_pick: number;

  constructor(card_pick: number, message_pick: number) {
    this.#card_pick = card_pick;
    this.#message_pick = message_pick;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return (pick(model.cards, this.#card_pick)?.messages.length ?? 0) > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const card = pick(model.cards, this.#card_pick)!;
    await send(model, system, [pick(card.messages, this.#message_pick)!.message]);
  }

  toString(): string {
    return `repeat message ${this.#message_pick} of card ${this.#card_pick}`;
  }
}

export class Reverse implements Command {
  readonly #plan: ReversalPlan;

  constructor(plan: ReversalPlan) {
    this.#plan = plan;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    await send(model, system, [reversalOf(this.#plan, model)]);
  }

  toString(): string {
    return `reverse ${text(this.#plan)}`;
  }
}

/** Reversals before their original, and then the original. */
export class ReverseEarly implements Command {
  readonly #plan: EarlyReversalPlan;

  constructor(plan: EarlyReversalPlan) {
    this.#plan = plan;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    for (const message of earlyReversalOf(this.#plan, model)) await send(model, system, [message]);
  }

  toString(): string {
    return `reverse before the original ${text(this.#plan)}`;
  }
}

export class Clear implements Command {
  readonly #plan: ClearingPlan;

  constructor(plan: ClearingPlan) {
    this.#plan = plan;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    await sendClearing(model, system, clearingOf(this.#plan, model));
  }

  toString(): string {
    return `clear ${text(this.#plan)}`;
  }
}

/** A clearing before its authorization, and perhaps an increment after both. */
export class ClearFirst implements Command {
  readonly #plan: ClearingFirstPlan;

  constructor(plan: ClearingFirstPlan) {
    this.#plan = plan;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const { cleared, authorized } = clearingFirstOf(this.#plan, model);
    await sendClearing(model, system, cleared);
    await send(model, system, [authorized]);
    const { increment } = this.#plan;
    if (increment === null) return;
    const { card_number, trace_id } = authorized;
    await send(model, system, [{ ...authorizationOf(increment, model), card_number, incremental: true, trace_id }]);
  }

  toString(): string {
    return `clear before the authorization ${text(this.#plan)}`;
  }
}

export class RepeatClearing implements Command {
  readonly #card_pick: number;
  readonly #clearing_pick: number;

  constructor(card_pick: number, clearing_pick: number) {
    this.#card_pick = card_pick;
    this.#clearing_pick = clearing_pick;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return (pick(model.cards, this.#card_pick)?.clearings.length ?? 0) > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const card = pick(model.cards, this.#card_pick)!;
    await sendClearing(model, system, pick(card.clearings, this.#clearing_pick)!.message);
  }

  toString(): string {
    return `repeat clearing ${this.#clearing_pick} of card ${this.#card_pick}`;
  }
}
