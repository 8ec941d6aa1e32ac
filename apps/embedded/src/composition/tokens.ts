import type { KeyUses } from '@tallystick/access';
import type { BankData } from '@tallystick/accounts';
import type { Activity, CardVault, DecisionMaker, DecisionPoster, Ledger, Mailer, Network } from '@tallystick/cards';
import type { UserLogin } from '@tallystick/consents';
import type { PersonLogIn } from '@tallystick/console';
import type { DeliveryQueue, Subscriber, WebhookSender } from '@tallystick/events';
import type { Formats, ImportPorts } from '@tallystick/imports';
import type { Clock, Random, RowArchive, Timers, UrlPolicy } from '@tallystick/kernel';
import type { ConsoleEndpoint, HttpApp, HttpAppPorts, Lifecycle, Metrics } from '@tallystick/koa';
import type { Persistence, SchemaMigration } from '@tallystick/mikro-orm';
import type { Calls, Sandbox } from '@tallystick/operations';
import type { KeyRing, Vault } from '@tallystick/vault';
import type { AddressGuard, DocumentReader } from '@tallystick/webhook-client';
import type { ServiceIdentifier } from 'inversify';
import type { Logger } from 'pino';
import type { Deliveries } from '../background/deliveries.ts';
import type { Jobs } from '../background/jobs.ts';
import type { Mails } from '../background/mails.ts';
import type { SchemaWatch } from '../background/schema-watch.ts';
import type { SharedClock } from '../sandbox/shared-clock.ts';
import type { CreateConsole } from './create-console.ts';
import type { OpenBanking } from './open-banking.ts';
import type { Settings } from './settings.ts';

/** The parts that the modules provide, by name. A host replaces a part by rebinding its token. */
export const tokens = {
  settings: identifier<Settings>('settings'),
  /** Bound by the app. */
  logger: identifier<Logger>('logger'),
  /** The same for the modules, which say what to do when it is not bound. */
  log: identifier<Logger>('log'),
  /** Those of the machine. */
  timers: identifier<Timers>('timers'),
  /** That of the machine. */
  random: identifier<Random>('random'),
  clock: identifier<Clock>('clock'),
  /** Null outside the sandbox. */
  shared_clock: identifier<SharedClock | null>('shared_clock'),
  /** Refreshes the sandbox's clock; does nothing outside the sandbox. */
  refresh_clock: identifier<() => Promise<void>>('refresh_clock'),
  migrations: identifier<readonly SchemaMigration[]>('migrations'),
  /** Whether the schema is migrated when the database is opened; else it is only checked. */
  migrates: identifier<boolean>('migrates'),
  key_ring: identifier<KeyRing>('key_ring'),
  vault: identifier<Vault>('vault'),
  /** Seals card numbers and derives their codes; null: with the key ring. */
  card_vault: identifier<CardVault | null>('card_vault'),
  /** Open, and neither migrated nor checked. */
  database: identifier<Persistence>('database'),
  /** Migrated, and checked against the keys. */
  persistence: identifier<Persistence>('persistence'),
  /** That of the database, measured; its passes deliver the events that they write. */
  ledger: identifier<Ledger>('ledger'),
  /** Asks companies about requests that their cards would approve. */
  decision_maker: identifier<DecisionMaker>('decision_maker'),
  decision_poster: identifier<DecisionPoster>('decision_poster'),
  network: identifier<Network>('network'),
  /** The same beside a server, which then delivers the events. */
  offline_network: identifier<Network>('offline_network'),
  formats: identifier<Formats>('formats'),
  /** The ports of imports in a process that also delivers events. */
  imports: identifier<ImportPorts>('imports'),
  /** The same beside a server, which then delivers the events. */
  offline_imports: identifier<ImportPorts>('offline_imports'),
  /** Carries due deliveries to the processes that send them. */
  delivery_queue: identifier<DeliveryQueue>('delivery_queue'),
  /** The addresses to which webhooks may be sent, and from which documents are read. */
  address_guard: identifier<AddressGuard>('address_guard'),
  /** The same for the text of a URL. */
  url_policy: identifier<UrlPolicy>('url_policy'),
  document_reader: identifier<DocumentReader>('document_reader'),
  webhook_sender: identifier<WebhookSender>('webhook_sender'),
  deliveries: identifier<Deliveries>('deliveries'),
  /** Hands events to the handlers of this process. */
  subscriber: identifier<Subscriber>('subscriber'),
  /** To be called after each commit that may have written events. Returns immediately. */
  events_committed: identifier<() => void>('events_committed'),
  /** The address at which the interface is served, once it is. */
  listening: identifier<{ url: string | null }>('listening'),
  /** The page that opens portal links; null: there is none. */
  portal: identifier<{ url: string | null }>('portal'),
  /** Null: mails wait. */
  mailer: identifier<Mailer | null>('mailer'),
  mails: identifier<Mails>('mails'),
  /** Where rows go before they are removed; null: nowhere. */
  archive: identifier<RowArchive | null>('archive'),
  schema_watch: identifier<SchemaWatch>('schema_watch'),
  jobs: identifier<Jobs>('jobs'),
  /** Null outside the sandbox. */
  sandbox: identifier<Sandbox | null>('sandbox'),
  user_login: identifier<UserLogin>('user_login'),
  /** The bank's data for Open Banking; null: as the bank has reported it to the database. */
  bank_data: identifier<BankData | null>('bank_data'),
  /** Null: Open Banking is not served. */
  open_banking: identifier<OpenBanking | null>('open_banking'),
  lifecycle: identifier<Lifecycle>('lifecycle'),
  key_uses: identifier<KeyUses>('key_uses'),
  /** What the network side of this process has answered, counted. */
  activity: identifier<Activity>('activity'),
  metrics: identifier<Metrics>('metrics'),
  /** The parts of the HTTP interface, for `createHttpApp`. */
  http_ports: identifier<HttpAppPorts>('http_ports'),
  /** Every operation as a call within the process. */
  calls: identifier<Calls>('calls'),
  /** Null: the console is not served beside the interface. */
  person_log_in: identifier<PersonLogIn | null>('person_log_in'),
  createConsole: identifier<CreateConsole>('createConsole'),
  /** Null: the console is not served beside the interface. */
  console: identifier<ConsoleEndpoint | null>('console'),
  http_app: identifier<HttpApp>('http_app'),
} as const;

function identifier<Service>(name: string): ServiceIdentifier<Service> {
  return Symbol.for(`tallystick.${name}`);
}
