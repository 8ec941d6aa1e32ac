import { agree, text } from '../agreement.ts';
import {
  type CardPlan,
  cardRequest,
  type Flaw,
  flawedRequest,
  type UpdatePlan,
  updateRequest,
} from '../arbitraries/cards.ts';
import { pick } from '../arbitraries/picks.ts';
import { agreeAnswers, agreeCards, compareCard, compareEvents, create } from '../comparison.ts';
import type { ReferenceModel } from '../reference/model.ts';
import type { System } from '../system.ts';
import type { Command } from './command.ts';

export class CreateCard implements Command {
  readonly #plan: CardPlan;

  constructor(plan: CardPlan) {
    this.#plan = plan;
  }

  check(): boolean {
    return true;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    await create(model, system, cardRequest(this.#plan, model.now_ms, model.world));
  }

  toString(): string {
    return `create ${text(this.#plan)}`;
  }
}

export class CreateFlawedCard implements Command {
  readonly #plan: CardPlan;
  readonly #flaw: Flaw;

  constructor(plan: CardPlan, flaw: Flaw) {
    this.#plan = plan;
    this.#flaw = flaw;
  }

  check(): boolean {
    return true;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    await create(model, system, flawedRequest(this.#plan, this.#flaw, model.now_ms, model.world));
  }

  toString(): string {
    return `create ${text(this.#plan)} but ${text(this.#flaw)}`;
  }
}

export class UpdateCard implements Command {
  readonly #card_pick: number;
  readonly #plan: UpdatePlan;

  constructor(card_pick: number, plan: UpdatePlan) {
    this.#card_pick = card_pick;
    this.#plan = plan;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const card = pick(model.cards, this.#card_pick)!;
    const request = updateRequest(this.#plan, model.now_ms, model.world);
    const actual = await system.updateCard(card.id, request);
    const expected = model.updateCard(card, request);
    agreeAnswers(`update of card ${card.id} with ${text(request)}`, expected, actual, agreeCards);
    await compareCard(model, system, card);
  }

  toString(): string {
    return `update card ${this.#card_pick} ${text(this.#plan)}`;
  }
}

/** Never cancels the only card, because a canceled card shows few differences. */
export class CancelCard implements Command {
  readonly #card_pick: number;

  constructor(card_pick: number) {
    this.#card_pick = card_pick;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 1;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    const card = pick(model.cards, this.#card_pick)!;
    const actual = await system.cancelCard(card.id);
    agreeAnswers(`cancellation of card ${card.id}`, model.cancelCard(card), actual, agree);
    await compareCard(model, system, card);
  }

  toString(): string {
    return `cancel card ${this.#card_pick}`;
  }
}

export class ReadCard implements Command {
  readonly #card_pick: number;

  constructor(card_pick: number) {
    this.#card_pick = card_pick;
  }

  check(model: Readonly<ReferenceModel>): boolean {
    return model.cards.length > 0;
  }

  async run(model: ReferenceModel, system: System): Promise<void> {
    await compareCard(model, system, pick(model.cards, this.#card_pick)!);
    await compareEvents(model, system);
  }

  toString(): string {
    return `read card ${this.#card_pick} and the events`;
  }
}
