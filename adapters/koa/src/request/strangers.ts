import { type LogInAttempt, too_many_log_ins } from '@tallystick/consents';
import { createFairShare } from '@tallystick/kernel';

/** How failures slow the next answer or attempt of the same owner. */
interface Pace {
  /** Before this many failures there is no pause. */
  readonly free: number;
  /** The first pause, milliseconds. It doubles with each further failure, up to `most_ms`. */
  readonly first_ms: number;
  readonly most_ms: number;
  /** After this time without a failure one is forgotten, milliseconds. */
  readonly forgotten_ms: number;
}

/** Answers to callers who are not known, by address. */
const answers: Pace = { free: 20, first_ms: 50, most_ms: 2_000, forgotten_ms: 1_000 };

/** Log-ins by address. Many users may share one, so nobody waits for long. */
const log_ins_of_address: Pace = { free: 20, first_ms: 250, most_ms: 8_000, forgotten_ms: 30_000 };

/**
 * Log-ins by user name of one address, and by step: 360 wrong passwords in an hour. The user of that
 * name may be at the same address, and waits as long.
 */
const log_ins: Pace = { free: 3, first_ms: 1_000, most_ms: 10_000, forgotten_ms: 60_000 };

/** Owners whose failures are remembered, for each pace. */
const owners_max = 10_000;

/** Answers and log-ins that pause at the same time, of which each address has a share. */
const pauses_max = 4_096;

/** Its multiples, without their whole part, are spread evenly between 0 and 1. */
const golden_ratio = (1 + Math.sqrt(5)) / 2;

/** Log-ins that wait for an earlier one with the same user name and address, or of the same step. */
const log_ins_waiting_max = 8;

/**
 * The bounds of callers who are not known (ADR 0059). They are answered as others are, because one of
 * them may be known in a moment, but their failures become slow: a caller who waits for each answer
 * sends few requests then, on however many connections. A success is never slowed.
 */
export interface Strangers {
  /**
   * Counts a failure of the address, and waits before it is answered: a half of the pause at least,
   * at most all of it. False: too many answers wait already. Then this one is due at once, and its
   * connection is to be closed.
   */
  slowDown(address: string): Promise<boolean>;
  /**
   * Logs somebody in; null: the password is wrong. Attempts with one user name from one address, and
   * those of one step, are made one after another, after a pause that grows with their failures.
   * When too many wait, the oldest of them ends: `too_many_log_ins`. So does one whose client is
   * `gone`. No failure of another address delays an attempt. `outside` runs the wait: a place that
   * the request has is free meanwhile.
   */
  logIn<Result>(
    address: string,
    attempt: LogInAttempt,
    outside: (wait: () => Promise<boolean>) => Promise<boolean>,
    work: () => Promise<Result | null>,
    gone: AbortSignal,
  ): Promise<Result | null | typeof too_many_log_ins>;
  /** The pause of the next attempt if it is made now, milliseconds. It shrinks with time. */
  logInPauseMs(address: string, attempt: LogInAttempt): number;
}

/** Resolves after so many milliseconds, or when the signal is aborted. */
export type Pause = (ms: number, gone?: AbortSignal) => Promise<void>;

/** `monotonicNow` returns milliseconds and never goes back. */
export function createStrangers(monotonicNow: () => number, pause: Pause): Strangers {
  const failed_answers = createFailures(answers, monotonicNow);
  const failed_of_address = createFailures(log_ins_of_address, monotonicNow);
  const failed_log_ins = createFailures(log_ins, monotonicNow);
  const pauses = createFairShare(pauses_max);
  const turns = createTurns(log_ins_waiting_max);
  let slowed = 0;

  /** False: too many pause, and this one does not. */
  async function pauseFor(address: string, ms: number, gone?: AbortSignal): Promise<boolean> {
    if (ms === 0) return true;
    if (!pauses.mayTake(address)) return false;
    pauses.take(address);
    await pause(ms, gone);
    pauses.release(address);
    return true;
  }

  function logInPauseMs(address: string, attempt: LogInAttempt): number {
    const pauses_ms = ownersOf(address, attempt).map((owner) => failed_log_ins.pauseOf(owner));
    return Math.max(failed_of_address.pauseOf(address), ...pauses_ms);
  }

  return {
    logInPauseMs,

    async slowDown(address) {
      const ms = failed_answers.pauseOf(address);
      failed_answers.note(address);
      slowed += 1;
      // Those that came together would come back together, as one burst that delays all others.
      return await pauseFor(address, ms * (1 - ((slowed * golden_ratio) % 1) / 2));
    },

    async logIn(address, attempt, outside, work, gone) {
      const owners = ownersOf(address, attempt);
      const taken: string[] = [];
      const wait = async (): Promise<boolean> => {
        for (const owner of owners) {
          if (!(await turns.take(owner, gone))) return false;
          taken.push(owner);
        }
        return (await pauseFor(address, logInPauseMs(address, attempt), gone)) && !gone.aborted;
      };
      try {
        if (!(await outside(wait))) return too_many_log_ins;
        const result = await work();
        for (const owner of owners) {
          if (result === null) failed_log_ins.note(owner);
          else failed_log_ins.forget(owner);
        }
        if (result === null) failed_of_address.note(address);
        return result;
      } finally {
        for (const owner of taken) turns.end(owner);
      }
    },
  };
}

/** Whose failures count for an attempt, beside those of the whole address. */
function ownersOf(address: string, { user_name, step }: LogInAttempt): readonly string[] {
  return [`name ${address} ${user_name}`, ...(step === null ? [] : [`step ${step}`])];
}

function createFailures({ free, first_ms, most_ms, forgotten_ms }: Pace, monotonicNow: () => number) {
  const by_owner = new Map<string, { readonly count: number; readonly at_ms: number }>();
  // More would only be forgotten later.
  const count_max = free + Math.ceil(Math.log2(most_ms / first_ms));

  function countOf(owner: string): number {
    const failures = by_owner.get(owner);
    return failures === undefined ? 0 : Math.max(0, failures.count - (monotonicNow() - failures.at_ms) / forgotten_ms);
  }

  return {
    /** How long the next one waits, milliseconds. */
    pauseOf(owner: string): number {
      const slowing = Math.floor(countOf(owner) - free);
      return slowing < 0 ? 0 : Math.min(most_ms, first_ms * 2 ** slowing);
    },
    note(owner: string): void {
      const count = Math.min(countOf(owner) + 1, count_max);
      // The first is then the one whose last failure is the oldest.
      by_owner.delete(owner);
      const [first] = by_owner.size >= owners_max ? by_owner.keys() : [];
      if (first !== undefined) by_owner.delete(first);
      by_owner.set(owner, { count, at_ms: monotonicNow() });
    },
    forget: (owner: string): void => void by_owner.delete(owner),
  };
}

/** One after another, for each owner. */
function createTurns(waiting_max: number) {
  const waiting = new Map<string, Set<(is_turn: boolean) => void>>();

  /** Lets the oldest go that waits: it is its turn, or it is one too many. */
  function release(owner: string, is_turn: boolean): boolean {
    const [oldest] = waiting.get(owner) ?? [];
    oldest?.(is_turn);
    return oldest !== undefined;
  }

  return {
    /** Resolves with true at the owner's turn, with false when it is one too many or gone. */
    async take(owner: string, gone: AbortSignal): Promise<boolean> {
      if (gone.aborted) return false;
      const others = waiting.get(owner);
      if (others === undefined) {
        waiting.set(owner, new Set());
        return true;
      }
      if (others.size >= waiting_max) release(owner, false);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const leave = (): void => go(false);
      const go = (is_turn: boolean): void => {
        others.delete(go);
        gone.removeEventListener('abort', leave);
        resolve(is_turn);
      };
      others.add(go);
      gone.addEventListener('abort', leave);
      return await promise;
    },
    end(owner: string): void {
      if (!release(owner, true)) waiting.delete(owner);
    },
  };
}
