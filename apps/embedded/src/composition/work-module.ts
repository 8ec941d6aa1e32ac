import { createKeyUses } from '@tallystick/access';
import { ContainerModule } from 'inversify';
import { accountRangeJob } from '../background/account-ranges.ts';
import { openArchive } from '../background/archive-files.ts';
import { auditSealerJob } from '../background/audit-chain.ts';
import { backtestJob } from '../background/backtests.ts';
import { dueWork } from '../background/due-work.ts';
import { eventIndexJob } from '../background/event-index.ts';
import { importJob } from '../background/imports.ts';
import { createJobs, jobObserver } from '../background/jobs.ts';
import { reconciliationJob } from '../background/reconciliation.ts';
import { retentionJob } from '../background/retention.ts';
import { createSchemaWatch } from '../background/schema-watch.ts';
import { openSandbox } from '../sandbox/sandbox.ts';
import { tokens } from './tokens.ts';

/** The work in the background, and the sandbox, which does what is due when its clock is moved. */
export const work_module = new ContainerModule(({ bind }) => {
  bind(tokens.archive).toResolvedValue(openArchive, [tokens.settings, tokens.timers]);
  bind(tokens.key_uses).toResolvedValue(createKeyUses, [tokens.clock]);
  bind(tokens.schema_watch).toResolvedValue(createSchemaWatch, [tokens.persistence, tokens.metrics, tokens.log]);
  bind(tokens.jobs)
    .toResolvedValue(
      (
        settings,
        persistence,
        vault,
        clock,
        timers,
        refresh,
        deliveries,
        mails,
        metrics,
        logger,
        schema_watch,
        import_ports,
        lifecycle,
        archive,
        key_uses,
        activity,
        open_banking,
        person_log_in,
      ) =>
        createJobs(
          [
            ...dueWork(settings, persistence, clock, timers, refresh),
            { name: 'activity', every_ms: 5_000, run: activity.store },
            { name: 'key uses', every_ms: 10_000, run: () => key_uses.write(persistence.unitOfWork) },
            retentionJob({
              kept_days: settings.kept_days,
              persistence,
              archive,
              random: vault.random,
              clock,
              timers,
              metrics,
              logger,
              refresh,
            }),
            auditSealerJob({ persistence, audit_mac: vault.audit_mac, clock, timers, metrics }),
            ...deliveries.jobs,
            ...mails.jobs,
            eventIndexJob(persistence.event_index, metrics),
            reconciliationJob({ persistence, clock, timers, metrics, deliveries, refresh }),
            accountRangeJob(persistence, metrics, logger),
            schema_watch.job,
            importJob(import_ports, lifecycle, metrics, logger),
            backtestJob(
              {
                unitOfWork: persistence.long_work,
                clock,
                machine_clock: timers,
                random: vault.random,
                giveWay: persistence.giveWay,
              },
              lifecycle,
              logger,
              refresh,
            ),
            ...(open_banking === null
              ? []
              : [{ name: 'failed log-ins', every_ms: 300_000, run: open_banking.authorisation.writeFailedLogIns }]),
            ...(person_log_in === null
              ? []
              : [{ name: 'failed log-ins of people', every_ms: 300_000, run: person_log_in.writeFailedLogIns }]),
          ],
          jobObserver(metrics, logger, timers),
          timers,
        ),
      [
        tokens.settings,
        tokens.persistence,
        tokens.vault,
        tokens.clock,
        tokens.timers,
        tokens.refresh_clock,
        tokens.deliveries,
        tokens.mails,
        tokens.metrics,
        tokens.log,
        tokens.schema_watch,
        tokens.imports,
        tokens.lifecycle,
        tokens.archive,
        tokens.key_uses,
        tokens.activity,
        tokens.open_banking,
        tokens.person_log_in,
      ],
    )
    .onDeactivation((jobs) => jobs.stop());
  bind(tokens.sandbox).toResolvedValue(
    async (persistence, shared, jobs, deliveries, mails, logger) =>
      shared === null
        ? null
        : await openSandbox(persistence, shared, async () => {
            await jobs.runDue();
            const unsettled = await Promise.all([deliveries.settled(), mails.settled()]);
            const waiting = unsettled.filter((what) => what !== null).join('; ') || null;
            if (waiting !== null) logger.warn({ waiting }, 'the clock was moved, and some due work is not done yet');
            return waiting;
          }),
    [tokens.persistence, tokens.shared_clock, tokens.jobs, tokens.deliveries, tokens.mails, tokens.log],
  );
});
