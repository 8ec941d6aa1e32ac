import {
  type Clock,
  daysBefore,
  type PurgePorts,
  purgeRows,
  type Random,
  type RetentionKind,
  type RowArchive,
  retention_kinds,
  type Timers,
} from '@tallystick/kernel';
import type { Metrics } from '@tallystick/koa';
import type { Persistence } from '@tallystick/mikro-orm';
import type { Logger } from 'pino';
import type { Settings } from '../composition/settings.ts';
import type { Job } from './jobs.ts';

/** How long one run works. A stop of the process and a move of the sandbox clock wait for a run. */
const run_ms_max = 2_000;
const run_every_ms = 30_000;

export interface RetentionPorts {
  readonly kept_days: Settings['kept_days'];
  readonly persistence: Pick<Persistence, 'unitOfWork'>;
  readonly archive: RowArchive | null;
  readonly random: Random;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly metrics: Pick<Metrics, 'rowsPurged'>;
  readonly logger: Pick<Logger, 'info'>;
  /** Updates the clock before a run. */
  readonly refresh: () => Promise<void>;
}

/**
 * The job that archives and removes rows after their retention time. After each step it waits as
 * long as the step took, so that at least half of the time is left to requests. A run that has not
 * finished is continued by the next, with the kind at which it stopped.
 */
export function retentionJob(ports: RetentionPorts): Job {
  const { kept_days, persistence, archive, random, clock, metrics, logger, refresh } = ports;
  const { nowMs: machineNow, monotonicNow, pause } = ports.timers;
  let first = 0;
  return {
    name: 'retention',
    every_ms: run_every_ms,
    async run() {
      await refresh();
      const until_ms = monotonicNow() + run_ms_max;
      const purge: Omit<PurgePorts, 'afterStep'> = {
        unitOfWork: persistence.unitOfWork,
        archive,
        random,
        machineNow,
      };
      const began_with = first;
      for (let at = 0; at < retention_kinds.length; at += 1) {
        first = (began_with + at) % retention_kinds.length;
        const kind = retention_kinds[first]!;
        const bounds = boundsOf(kept_days, clock, kind);
        if (bounds === null) continue;
        const afterStep = async (removed: number, took_ms: number): Promise<boolean> => {
          metrics.rowsPurged(kind, removed);
          if (monotonicNow() + took_ms > until_ms) return false;
          await pause(took_ms);
          return true;
        };
        const removed = await purgeRows({ ...purge, afterStep }, kind, bounds);
        if (removed) logger.info({ kind, removed, archived: archive !== null }, 'rows were removed after their time');
        if (monotonicNow() > until_ms) return;
      }
      first = 0;
    },
  };
}

/** Which rows of a kind are due now; null when they are kept for ever. */
export function boundsOf(kept_days: Settings['kept_days'], clock: Clock, kind: RetentionKind) {
  const days = kept_days[kind];
  if (days === null) return null;
  const now_ms = clock.nowMs();
  return { before_ms: daysBefore(now_ms, days), now_ms };
}
