import fc from 'fast-check';
import { authorization, cancellation, clearing, freezing, type Operation, release, update } from '../operation.ts';
import type { ReferenceCard } from '../reference/card.ts';
import type { ReferenceModel } from '../reference/model.ts';
import { type AuthorizationWire, type ClearingWire, can, type System } from '../system.ts';
import {
  type AuthorizationPlan,
  authorizationOf,
  authorizationPlan,
  type MessageKind,
  message_kinds,
  plainPlan,
} from './authorizations.ts';
import { type UpdatePlan, updatePlan, updateRequest } from './cards.ts';
import { type ClearingPlan, clearingOf, clearingPlan } from './clearings.ts';
import { type ReleasePlan, releasedPurchase, releasePlan } from './holds.ts';
import { pickUsed, seldom } from './picks.ts';
import { type ReversalPlan, reversalOf, reversalPlan } from './reversals.ts';
import { withoutPart } from './says.ts';

/**
 * An operation about the card of a race. `of_raced`: about the first authorization of the race
 * itself, if there is one, and not about an earlier one.
 */
export type RacedPlan =
  | { readonly kind: 'authorize'; readonly plan: AuthorizationPlan }
  | { readonly kind: 'reverse'; readonly plan: ReversalPlan; readonly of_raced: boolean }
  | { readonly kind: 'clear'; readonly plan: ClearingPlan; readonly of_raced: boolean }
  | { readonly kind: 'update'; readonly plan: UpdatePlan }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'freeze'; readonly frozen: boolean }
  | { readonly kind: 'release'; readonly plan: ReleasePlan };

/** Operations on one card that are submitted without waiting in between. */
export interface RacePlan {
  readonly card_pick: number;
  readonly operations: readonly RacedPlan[];
}

const card_pick = fc.nat({ max: 5 });

function racedPlan(messages: readonly MessageKind[]): fc.Arbitrary<RacedPlan> {
  const of_raced = fc.boolean();
  const kind = <const Kind extends RacedPlan['kind']>(name: Kind) => fc.constant(name);
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: kind('authorize'),
        plan: fc.oneof(plainPlan('request'), authorizationPlan(messages)),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: kind('update'), plan: updatePlan() }) },
    { weight: 3, arbitrary: fc.record({ kind: kind('clear'), plan: clearingPlan(), of_raced }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('reverse'), plan: reversalPlan(), of_raced }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('release'), plan: releasePlan() }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('cancel') }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('freeze'), frozen: seldom(2) }) },
  );
}

export function racePlan(messages: readonly MessageKind[] = message_kinds): fc.Arbitrary<RacePlan> {
  return fc.record({ card_pick, operations: fc.array(racedPlan(messages), { minLength: 2, maxLength: 4 }) });
}

/** A race in which answers are lost. */
export interface LostAnswersPlan extends RacePlan {
  /** By the place of the operation. */
  readonly hearings: readonly Hearing[];
}

/** What happens to the answer of an operation. */
export type Hearing =
  | 'heard'
  /** It is lost, and the operation is sent again. */
  | 'lost'
  /** It comes too late: a message is sent again while it is in flight. */
  | 'late';

export function lostAnswersPlan(messages: readonly MessageKind[]): fc.Arbitrary<LostAnswersPlan> {
  const hearing = fc.constantFrom<Hearing>('lost', 'late', 'heard');
  return fc.record({
    card_pick,
    operations: fc.array(racedPlan(messages), { minLength: 1, maxLength: 3 }),
    hearings: fc.array(hearing, { minLength: 1, maxLength: 3 }),
  });
}

/** A race during which the service crashes. */
export interface CrashPlan extends RacePlan {
  /** How many of the operations are answered before the others are submitted. */
  readonly answered: number;
}

export function crashPlan(messages: readonly MessageKind[]): fc.Arbitrary<CrashPlan> {
  return fc.record({
    card_pick,
    operations: fc.array(racedPlan(messages), { minLength: 1, maxLength: 3 }),
    answered: fc.constantFrom(0, 0, 1, 2),
  });
}

/** The card of a plan, and the operations on it that the system is capable of. */
export function operationsOf(
  { card_pick, operations }: RacePlan,
  model: ReferenceModel,
  system: System,
): { readonly card: ReferenceCard; readonly operations: readonly Operation[] } {
  const card = pickUsed(model.cards, card_pick);
  const made: Operation[] = [];
  let raced: AuthorizationWire | undefined;
  for (const planned of operations) {
    if (planned.kind === 'authorize') {
      const message = withoutPart(authorizationOf(planned.plan, model, card));
      raced ??= message;
      made.push(authorization(message, system));
    } else if (planned.kind === 'reverse') {
      const message = reversalOf(planned.plan, model, card);
      const { trace_id } = planned.of_raced ? (raced ?? message) : message;
      made.push(authorization({ ...message, trace_id }, system));
    } else if (planned.kind === 'clear' && can(system, 'clear')) {
      const message = clearingOf(planned.plan, model, card);
      made.push(clearing(planned.of_raced && raced !== undefined ? clearingOfRaced(message, raced) : message, system));
    } else if (planned.kind === 'update' && can(system, 'updateCard')) {
      made.push(update(card.id, updateRequest(planned.plan, card, model), system));
    } else if (planned.kind === 'cancel' && can(system, 'cancelCard') && model.cards.length > 1) {
      // A canceled card shows few differences, so the only card is never canceled.
      made.push(cancellation(card.id, system));
    } else if (planned.kind === 'freeze' && can(system, 'setFrozen')) {
      made.push(freezing(card.id, planned.frozen, system));
    } else if (planned.kind === 'release' && can(system, 'releaseHold')) {
      const purchase = releasedPurchase(planned.plan, model, card);
      if (purchase !== undefined) made.push(release(card.id, purchase.id!, system));
    }
  }
  return { card, operations: made };
}

function clearingOfRaced(
  message: ClearingWire,
  { net_reference_number, merchant_id }: AuthorizationWire,
): ClearingWire {
  return {
    ...message,
    ...(net_reference_number === undefined ? {} : { net_reference_number }),
    ...(merchant_id === undefined ? {} : { merchant_id }),
  };
}
