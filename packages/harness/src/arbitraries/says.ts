import fc from 'fast-check';
import type { AuthorizationWire, SayWire } from '../system.ts';

/** What the company says about a request, if it is asked. */
export interface SayPlan {
  readonly answer: SayWire['answer'];
  /** The part, in tenths of the amount. */
  readonly tenths: number;
  /** Whether the message allows a part. */
  readonly is_allowed: boolean;
}

export function sayPlan(): fc.Arbitrary<SayPlan> {
  return fc.record({
    answer: fc.constantFrom<SayWire['answer']>(
      'approve',
      'approve',
      'approve',
      'decline',
      'approve_part',
      'approve_part',
      'none',
    ),
    tenths: fc.integer({ min: 1, max: 11 }),
    is_allowed: fc.constantFrom(true, true, false),
  });
}

export function sayOf({ answer, tenths, is_allowed }: SayPlan, amount: number): Partial<AuthorizationWire> {
  if (answer !== 'approve_part') return { say: { answer } };
  const part = Math.max(1, Math.ceil((amount * tenths) / 10));
  return { say: { answer, amount: part }, ...(is_allowed ? { partial_approval: true } : {}) };
}

/**
 * The message with an answer that fits whatever comes before it: whether a part fits depends on when
 * the company is asked, and not on when the request is decided.
 */
export function withoutPart({ say, ...message }: AuthorizationWire): AuthorizationWire {
  if (say === undefined) return message;
  return { ...message, say: say.answer === 'approve_part' ? { answer: 'approve' } : say };
}
