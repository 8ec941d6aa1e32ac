import { endpointTester } from '@tallystick/cards';
import { tableSource } from '@tallystick/clearing-files';
import { callAfterCommit } from '@tallystick/kernel';
import {
  createHttpApp,
  createKeyAuthenticator,
  createLifecycle,
  createMetrics,
  transactions_max_default,
} from '@tallystick/koa';
import { ContainerModule } from 'inversify';
import { version } from '../version.ts';
import { console_path } from './create-console.ts';
import { createOpenBanking, openUserLogin } from './open-banking.ts';
import { publicUrl } from './public-url.ts';
import { isSqlite } from './settings.ts';
import { tokens } from './tokens.ts';

/** Open Banking with its authorisation server. */
export const open_banking_module = new ContainerModule(({ bind }) => {
  bind(tokens.bank_data).toConstantValue(null);
  bind(tokens.user_login).toResolvedValue(openUserLogin, [tokens.settings, tokens.persistence]);
  bind(tokens.open_banking)
    .toResolvedValue(
      async (settings, persistence, vault, clock, timers, refresh, users, logger, listening, bank, documents) =>
        settings.open_banking
          ? await createOpenBanking({
              settings,
              persistence,
              vault,
              clock,
              machine_clock: timers,
              refresh,
              users,
              bank,
              logger,
              documents,
              publicUrl: () => publicUrl(settings, listening.url),
            })
          : null,
      [
        tokens.settings,
        tokens.persistence,
        tokens.vault,
        tokens.clock,
        tokens.timers,
        tokens.refresh_clock,
        tokens.user_login,
        tokens.log,
        tokens.listening,
        tokens.bank_data,
        tokens.document_reader,
      ],
    )
    .onDeactivation((open_banking) => open_banking?.authorisation.writeFailedLogIns());
});

/** The HTTP interface, and the measures of the whole process. */
export const http_module = new ContainerModule(({ bind }) => {
  bind(tokens.lifecycle).toResolvedValue(createLifecycle);
  bind(tokens.metrics).toResolvedValue(
    ({ database_url, role, owns_process }) => {
      const database = isSqlite(database_url) ? 'sqlite' : 'postgres';
      return createMetrics({ build: { version, database, role }, process_metrics: owns_process });
    },
    [tokens.settings],
  );
  bind(tokens.http_ports).toResolvedValue(
    (
      settings,
      persistence,
      network,
      vault,
      clock,
      timers,
      log,
      metrics,
      lifecycle,
      deliveries,
      sandbox,
      schema_watch,
      import_ports,
      open_banking,
      events_committed,
      url_policy,
      key_uses,
      activity,
      poster,
      listening,
      portal,
    ) => ({
      // Calls in process also revoke keys.
      authenticator: createKeyAuthenticator({
        ...persistence,
        ...vault,
        sandbox,
        clock,
        timers,
        keyUsed: key_uses.note,
      }),
      open_banking: open_banking ?? undefined,
      imports: import_ports,
      readTable: tableSource,
      unitOfWork: callAfterCommit(persistence.unitOfWork, events_committed),
      look_ups: persistence.look_ups,
      webhooks: deliveries.webhooks,
      portalUrl: () =>
        portal.url ?? (settings.console ? `${publicUrl(settings, listening.url)}${console_path}/portal` : null),
      testEndpoint: endpointTester(
        { poster, sealer: vault.sealer, hmac: vault.hmacSha256, clock, machine_clock: timers },
        timers,
      ),
      consults_all: settings.consults_all,
      url_policy,
      serves_api: settings.role !== 'worker',
      network,
      vault: vault.card_vault,
      sealer: vault.sealer,
      random: vault.random,
      passwords: vault.passwords,
      audit_mac: vault.audit_mac,
      sha256: vault.sha256,
      hmacSha256: vault.hmacSha256,
      clock,
      timers,
      log,
      metrics: {
        ...metrics,
        undecided() {
          metrics.undecided();
          activity.unread();
        },
      },
      activity,
      lifecycle,
      ping: () => persistence.ping(),
      newerMigrations: schema_watch.newerMigrations,
      template_completion_delay_ms: settings.template_completion_delay_ms,
      sandbox,
      rate_limit_per_minute: settings.rate_limit_per_minute,
      trusted_proxies: settings.trusted_proxies,
      is_behind_https: settings.public_url?.startsWith('https:') === true,
      requests_max: settings.requests_max,
      transactions_max: persistence.others_max ?? transactions_max_default,
      bodies_bytes_max: settings.bodies_bytes_max,
      spool_folder: settings.spool_folder,
      v1_deprecation: settings.v1_deprecation,
      version,
    }),
    [
      tokens.settings,
      tokens.persistence,
      tokens.network,
      tokens.vault,
      tokens.clock,
      tokens.timers,
      tokens.log,
      tokens.metrics,
      tokens.lifecycle,
      tokens.deliveries,
      tokens.sandbox,
      tokens.schema_watch,
      tokens.imports,
      tokens.open_banking,
      tokens.events_committed,
      tokens.url_policy,
      tokens.key_uses,
      tokens.activity,
      tokens.decision_poster,
      tokens.listening,
      tokens.portal,
    ],
  );
  bind(tokens.http_app).toResolvedValue(
    (ports, console) => createHttpApp({ ...ports, console }),
    [tokens.http_ports, tokens.console],
  );
});
