import type { Timers } from '@tallystick/kernel';
import type { Metrics } from '@tallystick/koa';
import type { Logger } from 'pino';
import { createFaultReporter } from './repeated-faults.ts';

/** Work that becomes due automatically. */
export interface Job {
  readonly name: string;
  /** The time between the end of a run and the beginning of the next, in machine time. */
  readonly every_ms: number;
  /** Does all work that is due now. Safe while another process does the same. */
  run(): Promise<void>;
}

export interface Jobs {
  /** Runs each job now, and then repeatedly. */
  start(): void;
  /**
   * Resolves when everything that was due at the time of the call is done. Rejects with the first
   * failure.
   */
  runDue(): Promise<void>;
  /**
   * No run begins from now on. Resolves when the runs in progress have ended. May be called without
   * `start`.
   */
  stop(): Promise<void>;
}

/** Receives what happens to jobs, for metrics and logs. */
export interface JobObserver {
  /** Called for each job before any runs. */
  known(job: Job): void;
  failed(job: Job, error: unknown): void;
}

/**
 * Runs the jobs; this process never runs a job twice at the same time. A run that fails is reported
 * to the observer and tried again at its next turn.
 */
export function createJobs(jobs: readonly Job[], observer: JobObserver, { after }: Timers): Jobs {
  for (const job of jobs) observer.known(job);
  const waits = new Map<Job, () => void>();
  const running = new Map<Job, Promise<void>>();
  let stopped = false;

  const runAfterCurrent = (job: Job): Promise<void> => {
    const current = running.get(job) ?? Promise.resolve();
    const run = current
      .catch(() => undefined)
      .then(() => (stopped ? undefined : job.run()))
      .finally(() => {
        if (running.get(job) === run) running.delete(job);
      });
    running.set(job, run);
    return run;
  };

  const turn = async (job: Job): Promise<void> => {
    await runAfterCurrent(job).catch((error: unknown) => observer.failed(job, error));
    if (!stopped)
      waits.set(
        job,
        after(job.every_ms, () => void turn(job)),
      );
  };

  return {
    start() {
      for (const job of jobs) void turn(job);
    },
    async runDue() {
      await Promise.all(jobs.map(runAfterCurrent));
    },
    async stop() {
      stopped = true;
      for (const cancel of waits.values()) cancel();
      await Promise.allSettled(running.values());
    },
  };
}

/** Counts the failed runs of each job, and logs them. */
export function jobObserver(
  metrics: Pick<Metrics, 'countJob' | 'jobFailed'>,
  logger: Pick<Logger, 'error'>,
  { monotonicNow }: Pick<Timers, 'monotonicNow'>,
): JobObserver {
  const report = createFaultReporter(
    (fault, job: string) => logger.error({ job, ...fault }, 'a job failed; it runs again at its next turn'),
    monotonicNow,
  );
  return {
    known: ({ name }) => metrics.countJob(name),
    failed({ name }, error) {
      metrics.jobFailed(name);
      report(error, name);
    },
  };
}
