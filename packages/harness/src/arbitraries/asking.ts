import fc from 'fast-check';
import type { StandIn } from '../system.ts';
import { type AuthorizationPlan, authorizationPlan, type MessageKind, plainPlan } from './authorizations.ts';
import { sayPlan } from './says.ts';

/** Messages about which the company is asked. */
export interface AskPlan {
  readonly card_pick: number;
  readonly stand_in: StandIn;
  readonly messages: readonly AuthorizationPlan[];
  /** What of the first message the network has decided elsewhere before it arrives. */
  readonly overtaken: 'not' | 'by its advice' | 'by its advice and a reversal';
  /** Whether it is asked about later messages, too. */
  readonly is_left: boolean;
}

export function askPlan(messages: readonly MessageKind[]): fc.Arbitrary<AskPlan> {
  const message = fc.oneof(plainPlan('request'), plainPlan('request'), authorizationPlan(messages));
  return fc.record({
    card_pick: fc.nat({ max: 5 }),
    stand_in: fc.constantFrom('decline', 'approve'),
    messages: fc.array(
      fc.tuple(message, sayPlan()).map(([plan, say]) => ({ ...plan, say })),
      { minLength: 1, maxLength: 4 },
    ),
    overtaken: fc.constantFrom('not', 'not', 'by its advice', 'by its advice and a reversal'),
    is_left: fc.boolean(),
  });
}
