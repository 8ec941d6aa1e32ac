import type { Network } from '@tallystick/cards';
import type { UserLogin } from '@tallystick/consents';
import type { Formats, ImportPorts } from '@tallystick/imports';
import type { Clock } from '@tallystick/kernel';
import type { createHttpApp, Lifecycle, Metrics, OpenBankingPorts, Sandbox } from '@tallystick/koa';
import type { Persistence, SchemaMigration } from '@tallystick/mikro-orm';
import type { KeyRing, Vault } from '@tallystick/vault';
import type { ServiceIdentifier } from 'inversify';
import type { Logger } from 'pino';
import type { Deliveries } from './background/deliveries.ts';
import type { Jobs } from './background/jobs.ts';
import type { Mails } from './background/mails.ts';
import type { SchemaWatch } from './background/schema-watch.ts';
import type { Config } from './configuration/config.ts';
import type { LogOutput } from './log-output.ts';
import type { SharedClock } from './sandbox/shared-clock.ts';

/** The parts that the container provides, by name. */
export const tokens = {
  config: identifier<Config>('config'),
  log_output: identifier<LogOutput>('log_output'),
  logger: identifier<Logger>('logger'),
  clock: identifier<Clock>('clock'),
  /** Null outside the sandbox. */
  shared_clock: identifier<SharedClock | null>('shared_clock'),
  /** Refreshes the sandbox's clock; does nothing outside the sandbox. */
  refresh_clock: identifier<() => Promise<void>>('refresh_clock'),
  /** The migrations of this version. */
  migrations: identifier<readonly SchemaMigration[]>('migrations'),
  /** Whether the schema is migrated when the database is opened; else it is only checked. */
  migrates: identifier<boolean>('migrates'),
  /** Whether the items of the database may have been made with another statement key. */
  any_statement_key: identifier<boolean>('any_statement_key'),
  key_ring: identifier<KeyRing>('key_ring'),
  vault: identifier<Vault>('vault'),
  /** Migrated, and checked against the keys. */
  persistence: identifier<Persistence>('persistence'),
  network: identifier<Network>('network'),
  /** The formats of clearing files. */
  formats: identifier<Formats>('formats'),
  /** The ports of imports in a process that also delivers events. */
  imports: identifier<ImportPorts>('imports'),
  /** The same beside a server, which then delivers the events. */
  offline_imports: identifier<ImportPorts>('offline_imports'),
  deliveries: identifier<Deliveries>('deliveries'),
  /** The address at which the server listens, once it does. */
  listening: identifier<{ url: string | null }>('listening'),
  mails: identifier<Mails>('mails'),
  schema_watch: identifier<SchemaWatch>('schema_watch'),
  jobs: identifier<Jobs>('jobs'),
  /** Null outside the sandbox. */
  sandbox: identifier<Sandbox | null>('sandbox'),
  /** Authenticates the users of the bank. */
  user_login: identifier<UserLogin>('user_login'),
  /** Null: Open Banking is not served. */
  open_banking: identifier<OpenBankingPorts | null>('open_banking'),
  lifecycle: identifier<Lifecycle>('lifecycle'),
  metrics: identifier<Metrics>('metrics'),
  http_app: identifier<ReturnType<typeof createHttpApp>>('http_app'),
} as const;

function identifier<Service>(name: string): ServiceIdentifier<Service> {
  return Symbol.for(`tallystick.${name}`);
}
