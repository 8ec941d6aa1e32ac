import type { Metrics } from '@tallystick/koa';
import type { Persistence } from '@tallystick/mikro-orm';
import type { Job } from './jobs.ts';

/** The job that indexes the filters of the event log, and the metric of what it has left to do. */
export function eventIndexJob(
  event_index: Persistence['event_index'],
  metrics: Pick<Metrics, 'watchUnindexedSegments'>,
): Job {
  metrics.watchUnindexedSegments(() => event_index.unindexedSegments());
  return { name: 'event index', every_ms: 250, run: () => event_index.run() };
}
