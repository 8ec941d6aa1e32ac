import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { callAfterPass, createNetwork } from '@tallystick/cards';
import { tableSource } from '@tallystick/clearing-files';
import { type Clock, callAfterCommit } from '@tallystick/kernel';
import {
  createHttpApp,
  createLifecycle,
  createMetrics,
  logOptions,
  type Metrics,
  measureLedger,
} from '@tallystick/koa';
import { migrations, mikroOrmPersistence, type Persistence, type SchemaMigration } from '@tallystick/mikro-orm';
import { refuseOtherStatementKey } from '@tallystick/reconciliation';
import { createVault, type Vault } from '@tallystick/vault';
import { addressGuard, webhookClient } from '@tallystick/webhook-client';
import { Container, ContainerModule } from 'inversify';
import { type Logger, pino } from 'pino';
import { accountRangeJob } from './background/account-ranges.ts';
import { openArchive } from './background/archive-files.ts';
import { auditSealerJob } from './background/audit-chain.ts';
import { backfillJob } from './background/backfills.ts';
import { createDeliveries } from './background/deliveries.ts';
import { deliveryObserver } from './background/delivery-observer.ts';
import { openDeliveryQueue } from './background/delivery-queue.ts';
import { dueWork } from './background/due-work.ts';
import { eventIndexJob } from './background/event-index.ts';
import { importJob } from './background/imports.ts';
import { jobObserver } from './background/job-observer.ts';
import { createJobs } from './background/jobs.ts';
import { createMails } from './background/mails.ts';
import { createOverloadLogger } from './background/overload.ts';
import { reconciliationJob } from './background/reconciliation.ts';
import { retentionJob } from './background/retention.ts';
import { createSchemaWatch } from './background/schema-watch.ts';
import { type Config, isSqlite } from './configuration/config.ts';
import { loadFormats } from './configuration/formats.ts';
import { default_interface_url } from './configuration/http-address.ts';
import { sandboxKeyRing } from './configuration/keys-file.ts';
import { assertKeysFit } from './configuration/keys-fit.ts';
import { defaultPublicUrl } from './configuration/public-url.ts';
import { createImportPorts } from './import-ports.ts';
import { createLogOutput, type LogOutput, standardError } from './log-output.ts';
import { createOpenBanking, openUserLogin } from './open-banking.ts';
import { mirrorPurchases } from './sandbox/mirrored-purchases.ts';
import { openSandbox } from './sandbox/sandbox.ts';
import { createSharedClock, machine_clock, type SharedClock } from './sandbox/shared-clock.ts';
import { tokens } from './tokens.ts';
import { version } from './version.ts';

/** What differs between the programs that are composed of the same parts. */
export interface ContainerOptions {
  /** False: the database must have the schema of this version. True when absent: it is migrated. */
  readonly migrates?: boolean;
  /**
   * True: the database is also opened when its items of reconciliation were made with another
   * statement key, for programs that neither read nor write items, and for the one that rebuilds
   * them.
   */
  readonly any_statement_key?: boolean;
}

/**
 * The composition of the whole server, and the only place where adapters and domain meet. Each part
 * is opened on first use. `closeContainer` closes the opened parts.
 */
export function createContainer(
  config: Config,
  { migrates = true, any_statement_key = false }: ContainerOptions = {},
): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(tokens.migrates).toConstantValue(migrates);
  container.bind(tokens.any_statement_key).toConstantValue(any_statement_key);
  container.load(configuration(config), keys, time, storage, domain, imports, webhooks, mail, open_banking, http);
  return container;
}

/**
 * Closes the opened parts in the order of their dependencies: a caller before the parts that it
 * calls.
 */
export async function closeContainer(container: Container): Promise<void> {
  const logger = container.get(tokens.logger);
  for (const token of [tokens.jobs, tokens.network, tokens.deliveries, tokens.mails, tokens.persistence]) {
    // A part that could not be opened rejects here again. The reason is already logged.
    await container.unbindAsync(token).catch((err: unknown) => logger.debug({ err }, 'could not be closed'));
  }
  await container.get(tokens.log_output).close();
}

function configuration(config: Config): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(tokens.config).toConstantValue(config);
    bind(tokens.log_output).toResolvedValue(openLogOutput, [tokens.metrics]);
    bind(tokens.logger).toResolvedValue(openLog, [tokens.config, tokens.log_output]);
  });
}

const keys = new ContainerModule(({ bind }) => {
  bind(tokens.key_ring).toResolvedValue(
    ({ key_ring, data_folder }) => key_ring ?? sandboxKeyRing(data_folder),
    [tokens.config],
  );
  bind(tokens.vault).toResolvedValue((ring) => createVault(ring), [tokens.key_ring]);
});

const time = new ContainerModule(({ bind }) => {
  bind(tokens.shared_clock).toResolvedValue(({ sandbox }) => (sandbox ? createSharedClock() : null), [tokens.config]);
  bind(tokens.clock).toResolvedValue((shared) => shared ?? machine_clock, [tokens.shared_clock]);
});

const storage = new ContainerModule(({ bind }) => {
  bind(tokens.migrations).toConstantValue(migrations);
  bind(tokens.persistence)
    .toResolvedValue(openPersistence, [
      tokens.config,
      tokens.clock,
      tokens.shared_clock,
      tokens.vault,
      tokens.migrations,
      tokens.migrates,
      tokens.any_statement_key,
    ])
    .onDeactivation((persistence) => persistence.close());
  bind(tokens.refresh_clock).toResolvedValue(
    (shared, { look_ups }) =>
      async () => {
        await shared?.refresh(look_ups);
      },
    [tokens.shared_clock, tokens.persistence],
  );
});

/** A pause does not keep a process alive that has nothing else to do. */
const timers = {
  monotonicNow: () => performance.now(),
  pause: (ms: number) => delay(ms, undefined, { ref: false }),
};

const domain = new ContainerModule(({ bind }) => {
  bind(tokens.network)
    .toResolvedValue(
      (config, { ledger, unitOfWork }, { card_vault, random, sealer, sha256 }, metrics, deliveries, logger) => {
        metrics.watchQuarantine(() => unitOfWork.read((tx) => tx.quarantine.countOpen()));
        return createNetwork({
          ledger: measureLedger(callAfterPass(ledger, deliveries.nudge), metrics),
          vault: card_vault,
          random,
          sealer,
          sha256,
          onFault: (err) => logger.error({ err }, 'messages of the network could not be recorded'),
          time_bounds: {
            ...timers,
            wait_ms_max: config.network_wait_ms_max,
            decision_ms_max: config.decision_ms_max,
          },
          onOverload: createOverloadLogger(metrics, logger),
        });
      },
      [tokens.config, tokens.persistence, tokens.vault, tokens.metrics, tokens.deliveries, tokens.logger],
    )
    .onDeactivation((network) => network.drain());
  bind(tokens.schema_watch).toResolvedValue(createSchemaWatch, [tokens.persistence, tokens.metrics, tokens.logger]);
  bind(tokens.jobs)
    .toResolvedValue(
      (
        config,
        persistence,
        vault,
        clock,
        refresh,
        deliveries,
        mails,
        metrics,
        logger,
        schema_watch,
        import_ports,
        lifecycle,
      ) =>
        createJobs(
          [
            ...dueWork(config, persistence, clock, refresh),
            retentionJob({
              config,
              persistence,
              archive: openArchive(config),
              random: vault.random,
              clock,
              metrics,
              logger,
              refresh,
            }),
            auditSealerJob({ persistence, audit_mac: vault.audit_mac, clock, metrics }),
            ...deliveries.jobs,
            ...mails.jobs,
            eventIndexJob(persistence.event_index, metrics),
            reconciliationJob({ persistence, clock, metrics, deliveries, refresh }),
            accountRangeJob(persistence, metrics, logger),
            backfillJob(persistence.backfills, logger),
            schema_watch.job,
            importJob(import_ports, lifecycle, metrics, logger),
          ],
          jobObserver(metrics, logger),
        ),
      [
        tokens.config,
        tokens.persistence,
        tokens.vault,
        tokens.clock,
        tokens.refresh_clock,
        tokens.deliveries,
        tokens.mails,
        tokens.metrics,
        tokens.logger,
        tokens.schema_watch,
        tokens.imports,
        tokens.lifecycle,
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
    [tokens.persistence, tokens.shared_clock, tokens.jobs, tokens.deliveries, tokens.mails, tokens.logger],
  );
});

const imports = new ContainerModule(({ bind }) => {
  bind(tokens.formats).toResolvedValue(loadFormats, [tokens.config]);
  bind(tokens.imports).toResolvedValue(
    (config, persistence, vault, clock, formats, metrics, deliveries) => {
      const ledger = measureLedger(callAfterPass(persistence.ledger, deliveries.nudge), metrics);
      return createImportPorts(config, { ...persistence, ledger }, vault, clock, formats);
    },
    [tokens.config, tokens.persistence, tokens.vault, tokens.clock, tokens.formats, tokens.metrics, tokens.deliveries],
  );
  bind(tokens.offline_imports).toResolvedValue(createImportPorts, [
    tokens.config,
    tokens.persistence,
    tokens.vault,
    tokens.clock,
    tokens.formats,
  ]);
});

const webhooks = new ContainerModule(({ bind }) => {
  bind(tokens.deliveries)
    .toResolvedValue(
      async (config, persistence, vault, clock, refresh, metrics, logger) => {
        const guard = addressGuard(config.webhook_networks);
        const queue = await openDeliveryQueue(config, logger);
        metrics.watchWebhooksOn(() => config.webhooks);
        if (!config.webhooks) logger.warn('WEBHOOKS is off: deliveries are made and wait, and none is sent');
        metrics.watchDeliveries(
          async () => ({
            ...(await persistence.delivery_desk.backlog()),
            queue_depth: await queue.depth().catch(() => Number.NaN),
          }),
          clock,
        );
        return createDeliveries({
          persistence,
          vault,
          clock,
          queue,
          guard,
          sender: webhookClient({ guard, trusts_loopback: config.sandbox }),
          observer: deliveryObserver(metrics, logger),
          refresh,
          sends: config.role !== 'api' && config.webhooks,
          is_off: !config.webhooks,
        });
      },
      [
        tokens.config,
        tokens.persistence,
        tokens.vault,
        tokens.clock,
        tokens.refresh_clock,
        tokens.metrics,
        tokens.logger,
      ],
    )
    .onDeactivation((deliveries) => deliveries.stop());
});

const mail = new ContainerModule(({ bind }) => {
  bind(tokens.listening).toConstantValue({ url: null });
  bind(tokens.mails)
    .toResolvedValue(
      (config, persistence, vault, clock, refresh, metrics, logger, listening) =>
        createMails({
          config,
          persistence,
          vault,
          clock,
          metrics,
          logger,
          refresh,
          publicUrl: () => publicUrl(config, listening.url),
        }),
      [
        tokens.config,
        tokens.persistence,
        tokens.vault,
        tokens.clock,
        tokens.refresh_clock,
        tokens.metrics,
        tokens.logger,
        tokens.listening,
      ],
    )
    .onDeactivation((mails) => mails.close());
});

const open_banking = new ContainerModule(({ bind }) => {
  bind(tokens.user_login).toResolvedValue(openUserLogin, [tokens.config, tokens.persistence]);
  bind(tokens.open_banking).toResolvedValue(
    async (config, persistence, vault, clock, refresh, users, logger, listening) =>
      config.open_banking
        ? await createOpenBanking({
            config,
            persistence,
            vault,
            clock,
            refresh,
            users,
            logger,
            publicUrl: () => publicUrl(config, listening.url),
          })
        : null,
    [
      tokens.config,
      tokens.persistence,
      tokens.vault,
      tokens.clock,
      tokens.refresh_clock,
      tokens.user_login,
      tokens.logger,
      tokens.listening,
    ],
  );
});

const http = new ContainerModule(({ bind }) => {
  bind(tokens.lifecycle).toResolvedValue(createLifecycle);
  bind(tokens.metrics).toResolvedValue(
    ({ database_url, role }) =>
      createMetrics({ build: { version, database: isSqlite(database_url) ? 'sqlite' : 'postgres', role } }),
    [tokens.config],
  );
  bind(tokens.http_app).toResolvedValue(
    (
      config,
      persistence,
      network,
      vault,
      clock,
      log,
      metrics,
      lifecycle,
      deliveries,
      sandbox,
      schema_watch,
      import_ports,
      open_banking,
    ) =>
      createHttpApp({
        open_banking: open_banking ?? undefined,
        imports: import_ports,
        readTable: tableSource,
        unitOfWork: callAfterCommit(persistence.unitOfWork, deliveries.nudge),
        look_ups: persistence.look_ups,
        webhooks: deliveries.webhooks,
        serves_api: config.role !== 'worker',
        network,
        vault: vault.card_vault,
        sealer: vault.sealer,
        random: vault.random,
        sha256: vault.sha256,
        hmacSha256: vault.hmacSha256,
        clock,
        machine_clock,
        log,
        metrics,
        lifecycle,
        ping: () => persistence.ping(),
        newerMigrations: schema_watch.newerMigrations,
        template_completion_delay_ms: config.template_completion_delay_ms,
        sandbox,
        rate_limit_per_minute: config.rate_limit_per_minute,
        requests_max: config.requests_max,
        transactions_max: persistence.others_max,
        bodies_bytes_max: config.bodies_bytes_max,
        version,
      }),
    [
      tokens.config,
      tokens.persistence,
      tokens.network,
      tokens.vault,
      tokens.clock,
      tokens.logger,
      tokens.metrics,
      tokens.lifecycle,
      tokens.deliveries,
      tokens.sandbox,
      tokens.schema_watch,
      tokens.imports,
      tokens.open_banking,
    ],
  );
});

/**
 * The start of links in mails, and the issuer of tokens. A worker does not know where the interface
 * listens, so in a sandbox it uses the default port.
 */
function publicUrl({ public_url, role }: Config, listens_on: string | null): string {
  if (public_url !== null) return public_url;
  return role === 'worker' || listens_on === null ? default_interface_url : defaultPublicUrl(listens_on);
}

/** Structured lines on standard error. Standard output is for the person who starts the server. */
function openLog(config: Config, output: LogOutput): Logger {
  const logger = pino(logOptions(config.log_level), output);
  output.onResume((dropped) => logger.warn({ dropped }, 'lines of the log were dropped: they could not be written'));
  return logger;
}

function openLogOutput(metrics: Metrics): LogOutput {
  return createLogOutput(standardError(), (lines) => metrics.logDropped(lines));
}

/**
 * Opens the database, migrates or checks its schema, and checks that the keys belong to the
 * database and that its items were made with the configured statement key.
 */
async function openPersistence(
  config: Config,
  clock: Clock,
  shared: SharedClock | null,
  vault: Vault,
  known_migrations: readonly SchemaMigration[],
  migrates: boolean,
  any_statement_key: boolean,
): Promise<Persistence> {
  const { database_url, accepts_newer_schema: accepts_newer, decision_ms_max, statement_key } = config;
  const persistence = await mikroOrmPersistence({
    database_url,
    clock,
    audit_mac: vault.audit_mac,
    decision_ms_max,
    statement_key,
    migrations: known_migrations,
  });
  try {
    await persistence.migrate({ accepts_newer, only_checks: !migrates });
    await shared?.refresh(persistence.unitOfWork);
    await assertKeysFit(persistence.unitOfWork, vault);
    if (!any_statement_key) {
      await persistence.unitOfWork.read(({ reconciliation }) => refuseOtherStatementKey(reconciliation));
    }
    if (shared === null) return persistence;
    const nowMs = () => clock.nowMs();
    return { ...persistence, unitOfWork: mirrorPurchases(persistence.unitOfWork, nowMs) };
  } catch (error) {
    await persistence.close();
    throw error;
  }
}
