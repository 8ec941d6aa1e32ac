import { type ConsultationContent, consultationContent } from './ask-endpoint.ts';
import { readClientAnswer, type WrittenAnswer } from './client-answer.ts';
import type { ConsultationTerms, DecisionMaker } from './ports.ts';

/**
 * A function of the host that decides on requests in its own process: what a decision endpoint does
 * over HTTP. `signal` aborts when no answer is expected any more. A rejection counts as no answer.
 */
export type OnAuthorization = (
  consultation: ConsultationContent,
  signal: AbortSignal,
) => WrittenAnswer | Promise<WrittenAnswer>;

/** Asks the function, with the same terms for every company. */
export function hostDecisionMaker(
  onAuthorization: OnAuthorization,
  terms: ConsultationTerms,
  failed: (error: unknown) => void,
): DecisionMaker {
  return {
    termsOf: async () => terms,
    async ask(consultation, signal) {
      try {
        return readClientAnswer(await onAuthorization(consultationContent(consultation, false), signal));
      } catch (error) {
        failed(error);
        return { kind: 'failed', why: 'unreachable', note: 'the function of the host failed' };
      }
    },
  };
}
