import type { Metrics } from '@tallystick/koa';
import type { Logger } from 'pino';
import type { JobObserver } from './jobs.ts';
import { createFaultReporter } from './repeated-faults.ts';

/** Counts the failed runs of each job, and logs them. */
export function jobObserver(
  metrics: Pick<Metrics, 'countJob' | 'jobFailed'>,
  logger: Pick<Logger, 'error'>,
): JobObserver {
  const report = createFaultReporter((fault, job: string) =>
    logger.error({ job, ...fault }, 'a job failed; it runs again at its next turn'),
  );
  return {
    known: ({ name }) => metrics.countJob(name),
    failed({ name }, error) {
      metrics.jobFailed(name);
      report(error, name);
    },
  };
}
