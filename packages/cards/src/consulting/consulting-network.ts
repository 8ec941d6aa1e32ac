/**
 * Asks companies with a decision endpoint before their requests are approved.
 *
 *   message ──pass──> decided                           the answer
 *           └───────> to be asked ──ask──> said ──pass──> decided
 *
 * Nothing is held while a company thinks: no place in a lane, no lock, no transaction, no money. The
 * message is then decided again on the newest state, with what was said in hand, so that no answer
 * takes a limit from a card. The same message meanwhile gets the answer of the first. `ask-company.ts`
 * asks.
 */
import { createPhase } from '@tallystick/kernel';
import { type AuthorizationAnswer, faultAnswer } from '../deciding/answer.ts';
import { type DecidingNetwork, decision_ms_max_default, type Network } from '../network/network.ts';
import type { AuthorizationMessage } from '../records/authorization.ts';
import type { ConsultationOutcome, Say } from '../records/say.ts';
import { type AskingBounds, type AskingPorts, createAsking, type Question, unasked } from './ask-company.ts';
import type { ConsultationTerms } from './ports.ts';

export interface ConsultingPorts extends AskingPorts {
  readonly network: DecidingNetwork;
  /** As for the network. */
  readonly decision_ms_max?: number | undefined;
  readonly bounds: Pick<ConsultingBounds, 'asked_max'> & Partial<ConsultingBounds>;
  /** Called with how each question ended, and how long it was with the company; for metrics. */
  readonly onConcluded?: (outcome: ConsultationOutcome, ms: number | null, company_id: number) => void;
  /** Called with each answer. */
  readonly onAnswered?: (message: AuthorizationMessage, answer: AuthorizationAnswer) => void;
}

export interface ConsultingBounds extends AskingBounds {
  /** What is left of the time of a message for its second pass, milliseconds; at most half of it. */
  readonly second_pass_ms: number;
}

const second_pass_ms_default = 1_000;

/** The network that asks companies first. Drain it in place of the network that it is made of. */
export function createConsultingNetwork(ports: ConsultingPorts): Network {
  const { network, decision_maker, timers, onFault } = ports;
  const decision_ms_max = ports.decision_ms_max ?? decision_ms_max_default;
  const second_pass_ms = Math.min(ports.bounds.second_pass_ms ?? second_pass_ms_default, decision_ms_max / 2);
  const phase = createPhase('the consulting network', 'open', {
    open: ['draining'],
    draining: ['drained'],
    drained: [],
  });
  const asking = createAsking(ports);
  /** The answers that repeated messages get, by the ids of the consultations in progress. */
  const in_progress = new Map<string, Promise<AuthorizationAnswer>>();
  let running = 0;
  let onIdle: (() => void) | null = null;

  async function answer(
    message: AuthorizationMessage,
    arrived_ms: number,
    is_patient: boolean,
  ): Promise<AuthorizationAnswer> {
    const first = await network.decide(message, arrived_ms);
    if (first.kind !== 'consult') return first;
    const { consultation } = first;
    const same = in_progress.get(consultation.id);
    if (same !== undefined) return repeated(await same);
    const answer = consult(message, consultation, arrived_ms, is_patient);
    in_progress.set(consultation.id, answer);
    try {
      return await answer;
    } finally {
      in_progress.delete(consultation.id);
    }
  }

  async function consult(
    message: AuthorizationMessage,
    question: Question,
    arrived_ms: number,
    is_patient: boolean,
  ): Promise<AuthorizationAnswer> {
    let terms: ConsultationTerms | null;
    try {
      terms = await decision_maker.termsOf(question);
    } catch (error) {
      onFault?.(error);
      return faultAnswer(message);
    }
    const { promise: concluded, resolve: conclude } = Promise.withResolvers<void>();
    try {
      const time = { until_ms: arrived_ms + decision_ms_max - second_pass_ms, is_patient, concluded };
      const say = terms === null ? sayOfNone(question) : await asking.ask(question, terms, time);
      ports.onConcluded?.(say.outcome, say.ms, question.company_id);
      const second = await network.decide({ ...message, say }, arrived_ms);
      if (second.kind === 'consult') return faultAnswer(message);
      const is_unheard = second.kind === 'answered' && second.duplicate && say.by === 'client';
      // Another process has decided the same message with another answer.
      if (is_unheard) await asking.keepLate(question, { kind: 'answered', ...say }, say.ms ?? 0);
      return second;
    } finally {
      conclude();
    }
  }

  return {
    ...network,
    async authorize(message, arrived_ms = timers.monotonicNow(), { is_patient = false } = {}) {
      if (!phase.is('open')) return faultAnswer(message);
      running += 1;
      try {
        const answered = await answer(message, arrived_ms, is_patient);
        ports.onAnswered?.(message, answered);
        return answered;
      } finally {
        running -= 1;
        if (running === 0) onIdle?.();
      }
    },
    async drain() {
      phase.enter('draining');
      const idle = new Promise<void>((resolve) => {
        onIdle = resolve;
      });
      const no_late_answers = asking.drain();
      if (running > 0) await idle;
      await no_late_answers;
      await network.drain();
      phase.enter('drained');
    },
  };
}

/** A company without an endpoint any more decides nothing: only the limits of its card decide. */
function sayOfNone({ id: consultation_id }: Question): Say {
  const approval = { consultation_id, answer: 'approve', amount: null, by: 'stand_in', outcome: 'removed' } as const;
  return { ...approval, ...unasked, note: null, stood_in: null };
}

/** The answer to a message that came again before the first was answered. */
function repeated(answer: AuthorizationAnswer): AuthorizationAnswer {
  return answer.kind === 'answered' && !answer.fault ? { ...answer, duplicate: true } : answer;
}
