import fc from 'fast-check';
import { type AuthorizationPlan, authorizationPlan, plainPlan } from './authorizations.ts';
import { seldom } from './picks.ts';

/** Guesses at the code of a card. */
export interface GuessPlan {
  readonly card_pick: number;
  readonly guesses: readonly AuthorizationPlan[];
  /** Whether the guesses are submitted together, so that they may share a pass. */
  readonly together: boolean;
  /** A message with the right code. */
  readonly right: AuthorizationPlan;
  /** Whether the wrong codes are forgotten afterwards. */
  readonly reset: boolean;
}

/** About as many guesses as a card allows in a day, seldom fewer. */
export function guessPlan(): fc.Arbitrary<GuessPlan> {
  const kinds = fc.constantFrom('request', 'verification', 'advice', 'advice_of_decline', 'refund' as const);
  const guess = fc.tuple(authorizationPlan(), kinds);
  return fc
    .record({
      card_pick: fc.nat({ max: 5 }),
      guesses: fc.oneof(
        { withCrossShrink: true },
        { weight: 1, arbitrary: fc.array(guess, { minLength: 1, maxLength: 7 }) },
        { weight: 9, arbitrary: fc.array(guess, { minLength: 8, maxLength: 12 }) },
      ),
      together: fc.boolean(),
      right: plainPlan('request'),
      left: seldom(4),
    })
    .map(({ card_pick, guesses, together, right, left }) => ({
      card_pick,
      guesses: guesses.map(([plan, kind]) => {
        return { ...plan, kind, card_pick, cvc: 'wrong' as const, unknown_number: false, trace_pick: null };
      }),
      together,
      right: { ...right, card_pick, cvc: 'right' as const },
      reset: !left,
    }));
}
