import { purgeIdempotencyKeys, purgePortalLinks, purgeSessions } from '@tallystick/access';
import { type Ledger, purgeActivity, purgeConsultations, purgeUnknownNumbers, sweepHolds } from '@tallystick/cards';
import type { Clock } from '@tallystick/kernel';
import type { Persistence } from '@tallystick/mikro-orm';
import { templateStatusPath } from '@tallystick/operations';
import { completeDueTemplates } from '@tallystick/templates';
import type { Settings } from '../composition/settings.ts';
import type { Job } from './jobs.ts';

/** The most items that one transaction of a job processes. */
const batch_max = 100;

/**
 * How long a record of the authorisation server is kept after its end: a node whose clock is behind
 * still accepts the assertion that the record forbids to use again.
 */
const authorisation_kept_ms = 300_000;

/** Consultations are kept as long as what was decided with them, and counts as long as their events. */
interface KeptDays {
  readonly kept_days: Pick<Settings['kept_days'], 'authorizations' | 'events'>;
}

/**
 * The jobs for all work that becomes due automatically. `refresh` updates the clock before each
 * run.
 */
export function dueWork(
  { unknown_numbers_kept_days, kept_days }: Pick<Settings, 'unknown_numbers_kept_days'> & KeptDays,
  persistence: Persistence,
  clock: Clock,
  machine: Clock,
  refresh: () => Promise<void>,
): readonly Job[] {
  const { unitOfWork, ledger } = persistence;
  const nowMs = (): number => clock.nowMs();
  return [
    job('template completion', 1_000, () => {
      const ports = { statusUrlOf: templateStatusPath };
      return unitOfWork.run((tx) => completeDueTemplates(tx, ports, nowMs(), batch_max));
    }),
    job('hold sweep', 5_000, () => sweepDueHolds(ledger)),
    job('idempotency purge', 600_000, () => {
      const machine_ms = machine.nowMs();
      return unitOfWork.run((tx) => purgeIdempotencyKeys(tx, nowMs(), machine_ms, batch_max));
    }),
    job('console session purge', 600_000, () => {
      return unitOfWork.run((tx) => purgeSessions(tx, machine.nowMs(), batch_max));
    }),
    job('portal link purge', 600_000, () => unitOfWork.run((tx) => purgePortalLinks(tx, nowMs(), batch_max))),
    job('authorisation purge', 600_000, () => {
      const before = {
        service: nowMs() - authorisation_kept_ms,
        machine: machine.nowMs() - authorisation_kept_ms,
      };
      return unitOfWork.run((tx) => tx.authorisation.purge(before, batch_max));
    }),
    job('unknown number purge', 600_000, () => {
      return unitOfWork.run((tx) => purgeUnknownNumbers(tx, unknown_numbers_kept_days, nowMs(), batch_max));
    }),
    job('consultation purge', 600_000, async () => {
      const { authorizations: days } = kept_days;
      if (days === null) return 0;
      return await unitOfWork.run((tx) => purgeConsultations(tx, days, nowMs(), batch_max));
    }),
    job('activity purge', 600_000, async () => {
      const { events: days } = kept_days;
      if (days === null) return 0;
      return await unitOfWork.run((tx) => purgeActivity(tx, days, nowMs(), batch_max));
    }),
  ];

  function job(name: string, every_ms: number, batch: () => Promise<number>): Job {
    return {
      name,
      every_ms,
      async run() {
        await refresh();
        while ((await batch()) >= batch_max);
      },
    };
  }
}

function sweepDueHolds(ledger: Ledger): Promise<number> {
  return sweepHolds(ledger, batch_max);
}
