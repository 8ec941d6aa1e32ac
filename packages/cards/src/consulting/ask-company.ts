/**
 * Asks companies about requests, each within its time.
 *
 *   question ──a place──> asked ──answered in time──> its answer
 *            │                  ├──no answer that counts──> the stand-in rules answer
 *            │                  └──time over──> the stand-in rules answer; a late answer is kept
 *            └──no place in its time──> the stand-in rules answer
 *
 * A company has at most a fair share of the questions in flight, `asked_max` in all. Beyond, a
 * question waits for its turn. It is asked early enough for the whole time-out of the company, and
 * for the second pass of its message to meet the deadline.
 */
import { type Clock, createFairShare, money, type Timers, type UnitOfWork } from '@tallystick/kernel';
import type { ConsultAnswer } from '../deciding/answer.ts';
import type { ConsultationFailure, Say } from '../records/say.ts';
import { keepLateAnswer } from './late-answer.ts';
import type { ClientReply, Consultation, ConsultationsTx, ConsultationTerms, DecisionMaker } from './ports.ts';
import { createQuestionPlaces } from './question-places.ts';
import { standIn } from './stand-in.ts';

export interface AskingPorts {
  readonly decision_maker: DecisionMaker;
  readonly unitOfWork: UnitOfWork<ConsultationsTx>;
  /** The clock of the service. */
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'monotonicNow' | 'after'>;
  readonly bounds: Pick<AskingBounds, 'asked_max'> & Partial<AskingBounds>;
  /** Receives errors that no caller sees, for the log. */
  readonly onFault?: (error: unknown) => void;
}

export interface AskingBounds {
  /**
   * The most questions in flight, of which each company has a fair share: fewer than the requests
   * that a process takes, so that slow companies leave room for the messages of others.
   */
  readonly asked_max: number;
  /** The most late answers that are waited for, likewise. */
  readonly late_max: number;
  /** How long a late answer is waited for after the time-out, milliseconds. */
  readonly late_ms_max: number;
}

const asking_bounds = { late_max: 256, late_ms_max: 30_000 };

export type Question = ConsultAnswer['consultation'];

/** When a question must have its answer, and how long it may wait for its turn. */
export interface QuestionTime {
  /** On the monotonic clock. */
  readonly until_ms: number;
  /** False: it waits for its turn only briefly, because it may keep a place from another sender. */
  readonly is_patient: boolean;
  /** Resolves when the request is decided. */
  readonly concluded: Promise<void>;
}

/** Asks companies. */
export interface Asking {
  /** What the company says about the question, or what stands in for it. Never rejects. */
  ask(question: Question, terms: ConsultationTerms, time: QuestionTime): Promise<Say>;
  /** Keeps an answer that did not count, once. Never rejects. */
  keepLate(question: Pick<Consultation, 'company_id' | 'id'>, reply: ClientReply, ms: number): Promise<void>;
  /** Waits for no further late answers, and resolves when none is being kept. */
  drain(): Promise<void>;
}

/** An answer that counts, or why there is none. */
type Heard = Pick<Say, 'respond_by_ms' | 'ms'> & { readonly reply: ClientReply };

/** How a company was asked when no question was sent. */
export const unasked = { respond_by_ms: null, ms: null } as const;

/** How long a question that is not patient waits for its turn, milliseconds. */
const brief_ms = 250;

export function createAsking(ports: AskingPorts): Asking {
  const { decision_maker, unitOfWork, clock, timers, onFault } = ports;
  const bounds = { ...asking_bounds, ...ports.bounds };
  const places = createQuestionPlaces(bounds.asked_max, timers);
  const late = createFairShare(bounds.late_max);
  /** Questions whose time is over, by what ends the wait for their answers. */
  const listening = new Map<AbortController, Promise<void>>();
  let is_draining = false;

  async function ask(question: Question, terms: ConsultationTerms, time: QuestionTime): Promise<Say> {
    const { company_id } = question;
    const leftMs = () => Math.floor(time.until_ms - timers.monotonicNow());
    const wait_ms = Math.max(0, leftMs() - terms.timeout_ms);
    const has_place = await places.take(company_id, time.is_patient ? wait_ms : Math.min(wait_ms, brief_ms));
    if (!has_place) return unsaid('busy');
    const begun_ms = timers.monotonicNow();
    try {
      const timeout_ms = Math.min(terms.timeout_ms, leftMs());
      if (timeout_ms <= 0) return unsaid('busy');
      return sayOf(question, terms, await hear(question, timeout_ms, time.concluded));
    } finally {
      places.release(company_id, timers.monotonicNow() - begun_ms);
    }

    function unsaid(why: ConsultationFailure): Say {
      return sayOf(question, terms, { ...unasked, reply: failed(why) });
    }
  }

  async function hear(question: Question, timeout_ms: number, concluded: Promise<void>): Promise<Heard> {
    const asked_at_ms = clock.nowMs();
    const begun_ms = timers.monotonicNow();
    const consultation: Consultation = { ...question, asked_at_ms, respond_by_ms: asked_at_ms + timeout_ms };
    const { respond_by_ms } = consultation;
    const ending = new AbortController();
    const replying = replyTo(consultation, ending.signal).then((reply) => {
      return { reply, respond_by_ms, ms: Math.ceil(timers.monotonicNow() - begun_ms) };
    });
    const heard = await within(timeout_ms, replying);
    if (heard !== null && heard.ms <= timeout_ms) return heard;
    listen(consultation, replying, ending, concluded);
    return { reply: failed('timeout'), respond_by_ms, ms: heard?.ms ?? timeout_ms };
  }

  /** What the company answers, if it fits the question. Never rejects. */
  async function replyTo(consultation: Consultation, signal: AbortSignal): Promise<ClientReply> {
    try {
      return checked(await decision_maker.ask(consultation, signal), consultation);
    } catch (error) {
      onFault?.(error);
      return failed('unreachable');
    }
  }

  /** The result, or null when it does not come in time. */
  function within<Result>(ms: number, result: Promise<Result>): Promise<Result | null> {
    const { promise, resolve } = Promise.withResolvers<Result | null>();
    const cancel = timers.after(ms, () => resolve(null));
    void result.then((value) => {
      cancel();
      resolve(value);
    });
    return promise;
  }

  /** Waits for an answer whose time is over, and keeps it once the request is decided without it. */
  function listen(
    consultation: Consultation,
    replying: Promise<{ readonly reply: ClientReply; readonly ms: number }>,
    ending: AbortController,
    concluded: Promise<void>,
  ): void {
    const { company_id } = consultation;
    const owner = String(company_id);
    if (is_draining || !late.mayTake(owner)) {
      ending.abort();
      return;
    }
    late.take(owner);
    const cancel = timers.after(bounds.late_ms_max, () => ending.abort());
    const { promise: aborted, resolve: give_up } = Promise.withResolvers<null>();
    ending.signal.addEventListener('abort', () => give_up(null));
    const heard = Promise.race([replying, aborted]).then(async (heard) => {
      cancel();
      late.release(owner);
      await concluded;
      if (heard !== null) await keepLate(consultation, heard.reply, heard.ms);
      listening.delete(ending);
    });
    listening.set(ending, heard);
  }

  async function keepLate(
    { company_id, id }: Pick<Consultation, 'company_id' | 'id'>,
    reply: ClientReply,
    ms: number,
  ): Promise<void> {
    if (reply.kind !== 'answered') return;
    const { answer, amount } = reply;
    try {
      const now_ms = clock.nowMs();
      const late = { late_answer: answer, late_amount: amount === null ? null : money(amount), late_ms: ms };
      await unitOfWork.run((tx) => keepLateAnswer(tx, { company_id, consultation_id: id, now_ms }, late));
    } catch (error) {
      onFault?.(error);
    }
  }

  return {
    ask,
    keepLate,
    async drain() {
      is_draining = true;
      for (const ending of listening.keys()) ending.abort();
      await Promise.all(listening.values());
    },
  };
}

function failed(why: ConsultationFailure, note: string | null = null): ClientReply {
  return { kind: 'failed', why, note };
}

/** The reply, or `garbage` when it does not fit the question. A part that is all of it approves. */
function checked(reply: ClientReply, { asked, partial_approval }: Consultation): ClientReply {
  if (reply.kind === 'failed') return reply;
  const { answer, amount } = reply;
  if (answer !== 'approve_part') return { ...reply, amount: null };
  if (!partial_approval) return failed('garbage', 'the message allows no part of the amount');
  if (amount === null || !Number.isSafeInteger(amount) || amount < 1 || amount > asked) {
    return failed('garbage', `a part must be a whole number from 1 to ${asked}`);
  }
  return amount === asked ? { ...reply, answer: 'approve', amount: null } : reply;
}

/** What is said about the question: the company's answer, else that of its stand-in rules. */
function sayOf(question: Question, { stand_in }: ConsultationTerms, { reply, respond_by_ms, ms }: Heard): Say {
  const { id: consultation_id, asked, currency, item } = question;
  const how = { consultation_id, respond_by_ms, ms, note: reply.note };
  if (reply.kind === 'answered') {
    const { answer, amount } = reply;
    return {
      ...how,
      answer,
      amount: amount === null ? null : money(amount),
      by: 'client',
      outcome: 'answered',
      stood_in: null,
    };
  }
  const { answer, rule } = standIn(stand_in, { ...item, amount: asked, currency });
  return { ...how, answer, amount: null, by: 'stand_in', outcome: reply.why, stood_in: rule };
}
