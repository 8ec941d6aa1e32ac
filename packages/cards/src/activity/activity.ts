/**
 * How many requests were approved, declined or left undecided in each hour, by company.
 *
 * A process counts the answers in memory, and stores what it has counted every few seconds, beside all
 * decisions (ADR 0089). The counts of all companies together have rows of their own, with the company 0.
 */
import { type Clock, daysBefore, type UnitOfWork } from '@tallystick/kernel';
import type { AuthorizationAnswer } from '../deciding/answer.ts';
import type { AuthorizationMessage, DeclineCode } from '../records/authorization.ts';
import type { ConsultationOutcome } from '../records/say.ts';

const hour_ms = 60 * 60 * 1_000;

/** The most counts that one transaction stores: SQLite holds the process for 3 ms meanwhile. */
const batch_max = 100;

/** V: approved. The letters of declines, and how a question to a company ended. */
export type CountedOutcome = DeclineCode | 'V' | ConsultationOutcome;

/** The company of the counts of all companies together, and of what belongs to no known company. */
export const all_companies = 0;

export interface ActivityCount {
  /** `all_companies`, or the company. */
  readonly company_id: number;
  /** The start of the hour in UTC, epoch milliseconds. */
  readonly at_ms: number;
  readonly outcome: CountedOutcome;
  readonly count: number;
}

/** Counts by company, hour and outcome, within a transaction. */
export interface ActivityStore {
  /** Adds to the stored counts. Each row is in the list only once. */
  add(counts: readonly ActivityCount[]): Promise<void>;
  /** The counts of hours from this instant on, in no order. */
  read(company_id: number, from_ms: number): Promise<readonly ActivityCount[]>;
  /** Deletes counts of hours before the instant, at most `limit`; returns how many. */
  purge(before_ms: number, limit: number): Promise<number>;
}

export interface ActivityTx {
  readonly activity: ActivityStore;
}

/** What a process has counted and not stored yet. It loses that when it dies. */
export interface Activity {
  /** Counts the first answer to a request. Repeats, advices and reversals are not counted. */
  answered(message: Pick<AuthorizationMessage, 'message_type'>, answer: AuthorizationAnswer): void;
  /** Counts a request that was refused before it was read. */
  unread(): void;
  /** Counts how a question to a company ended. */
  asked(company_id: number, outcome: ConsultationOutcome): void;
  /** Stores what was counted. Counts that a failed transaction did not store are stored later. */
  store(): Promise<void>;
}

export function createActivity(clock: Clock, unitOfWork: Pick<UnitOfWork<ActivityTx>, 'run'>): Activity {
  let counted = new Map<string, { count: number } & Omit<ActivityCount, 'count'>>();

  function add(company_id: number, at_ms: number, outcome: CountedOutcome, count: number): void {
    const key = `${company_id}:${at_ms}:${outcome}`;
    const known = counted.get(key);
    if (known === undefined) counted.set(key, { company_id, at_ms, outcome, count });
    else known.count += count;
  }

  function note(company_id: number | null, outcome: CountedOutcome): void {
    const at_ms = hourOf(clock.nowMs());
    add(all_companies, at_ms, outcome, 1);
    if (company_id !== null) add(company_id, at_ms, outcome, 1);
  }

  return {
    answered({ message_type }, answer) {
      if (message_type !== '0100' || answer.kind !== 'answered' || answer.duplicate) return;
      note(answer.item.company_id, answer.code);
    },
    unread: () => note(null, 'U'),
    asked: note,
    async store() {
      const taken = [...counted.values()].sort(byKey);
      counted = new Map();
      try {
        while (taken.length > 0) {
          await unitOfWork.run((tx) => tx.activity.add(taken.slice(0, batch_max)));
          taken.splice(0, batch_max);
        }
      } catch (error) {
        for (const { company_id, at_ms, outcome, count } of taken) add(company_id, at_ms, outcome, count);
        throw error;
      }
    },
  };
}

/** Transactions of several processes lock the rows in one order. */
function byKey(a: ActivityCount, b: ActivityCount): number {
  return a.company_id - b.company_id || a.at_ms - b.at_ms || (a.outcome < b.outcome ? -1 : 1);
}

function hourOf(at_ms: number): number {
  return Math.floor(at_ms / hour_ms) * hour_ms;
}

/** What a company's requests came to in one hour. */
export interface ActivityHour {
  /** Its start. */
  readonly at_ms: number;
  readonly counts: ReadonlyMap<CountedOutcome, number>;
}

/** The last hours of a company, or of all companies together, the present one last. */
export async function readActivity(
  { activity }: ActivityTx,
  company_id: number,
  hours: number,
  now_ms: number,
): Promise<readonly ActivityHour[]> {
  const first_ms = hourOf(now_ms) - (hours - 1) * hour_ms;
  const by_hour = Map.groupBy(await activity.read(company_id, first_ms), ({ at_ms }) => at_ms);
  return Array.from({ length: hours }, (_, at) => {
    const at_ms = first_ms + at * hour_ms;
    const counts = by_hour.get(at_ms) ?? [];
    return { at_ms, counts: new Map(counts.map(({ outcome, count }) => [outcome, count])) };
  });
}

/** Deletes the counts of hours that ended that many days ago, at most `limit`; returns how many. */
export function purgeActivity(
  { activity }: ActivityTx,
  kept_days: number,
  now_ms: number,
  limit: number,
): Promise<number> {
  return activity.purge(daysBefore(now_ms, kept_days), limit);
}
