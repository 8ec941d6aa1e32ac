import { type Mailer, type MailMessage, type MailOutcome, mailer_ms_max } from '@tallystick/cards';
import { machine_timers, type Timers } from '@tallystick/kernel';

/**
 * Returns the outcome of a message. If the promise is late or rejects, the message is not taken.
 */
export type MailAnswer = (message: MailMessage) => MailOutcome | Promise<MailOutcome>;

export interface MemoryMailerOptions {
  /** Takes every message when absent. */
  readonly answer?: MailAnswer;
  /**
   * The time limit of one message, milliseconds. The default and the maximum are `mailer_ms_max`.
   */
  readonly message_ms?: number;
  /** Those of the machine when absent. */
  readonly timers?: Timers;
}

export interface MemoryMailer extends Mailer {
  /**
   * The messages that were passed to `send`, taken or not, in that order. In plain text: for tests
   * only.
   */
  readonly messages: readonly MailMessage[];
}

/** A mailer that stores every message and sends none. For tests only. */
export function memoryMailer({
  answer = () => taken,
  message_ms = mailer_ms_max,
  timers = machine_timers,
}: MemoryMailerOptions = {}): MemoryMailer {
  const messages: MailMessage[] = [];
  const sending = new Set<Promise<MailOutcome>>();
  const time_ms = Math.min(message_ms, mailer_ms_max);
  let is_closed = false;
  return {
    messages,
    async send(message) {
      if (is_closed) return notTaken('closed');
      messages.push(message);
      const outcome = withinTime(timers, answerOf(answer, message), time_ms);
      sending.add(outcome);
      try {
        return await outcome;
      } finally {
        sending.delete(outcome);
      }
    },
    async close() {
      is_closed = true;
      await Promise.all(sending);
    },
  };
}

const taken: MailOutcome = { kind: 'taken' };

async function answerOf(answer: MailAnswer, message: MailMessage): Promise<MailOutcome> {
  try {
    return await answer(message);
  } catch {
    return notTaken('connection failed');
  }
}

async function withinTime({ after }: Timers, outcome: Promise<MailOutcome>, time_ms: number): Promise<MailOutcome> {
  const late = Promise.withResolvers<MailOutcome>();
  const cancel = after(time_ms, () => late.resolve(notTaken('timeout')));
  try {
    return await Promise.race([outcome, late.promise]);
  } finally {
    cancel();
  }
}

function notTaken(error: string): MailOutcome {
  return { kind: 'not_taken', error, for_good: false };
}
