import { createHmac } from 'node:crypto';
import type { DeliveryDesk, EventHorizon } from '@tallystick/events';
import {
  type AuditMac,
  type Clock,
  type GiveWay,
  giveWayWith,
  type HostTransaction,
  machine_timers,
  type Timers,
  type UnitOfWork,
} from '@tallystick/kernel';
import { type StatementKeySetting, statement_key_default } from '@tallystick/reconciliation';
import { type MemoryLedger, memoryLedger } from './ledger/ledger.ts';
import { beginOwn, joinOwn, type OwnTransaction } from './storage/own-transaction.ts';
import type { State } from './storage/state.ts';
import { type MemoryStorage, memoryStorage, Transactions } from './storage/transactions.ts';
import { apiKeyStore, companyStore } from './stores/access/companies.ts';
import { idempotencyStore } from './stores/access/idempotency.ts';
import { consoleSessionStore, personStore } from './stores/access/people.ts';
import { portalLinkStore } from './stores/access/portal-links.ts';
import { accountStore } from './stores/bank/accounts.ts';
import { authorisationStore } from './stores/bank/authorisation.ts';
import { bankStore } from './stores/bank/bank.ts';
import { consentStore, thirdPartyStore } from './stores/bank/consents.ts';
import { activityStore } from './stores/cards/activity.ts';
import { backtestStore } from './stores/cards/backtests.ts';
import { cardStore } from './stores/cards/cards.ts';
import { consultationStore } from './stores/cards/consultations.ts';
import { decisionEndpointStore } from './stores/cards/decision-endpoints.ts';
import { quarantineStore, unknownNumberStore } from './stores/cards/quarantine.ts';
import { realCardStore } from './stores/cards/real-cards.ts';
import { templateStore } from './stores/cards/templates.ts';
import { eventStore, outbox } from './stores/events/events.ts';
import { eventHorizon, subscriptionStore } from './stores/events/subscriptions.ts';
import { importStore } from './stores/imports.ts';
import { mailboxStore, oneTimeLinkStore } from './stores/mail/mailbox.ts';
import { mailStore } from './stores/mail/mails.ts';
import { auditChainStore, auditLog } from './stores/operation/audit.ts';
import { backlogStore } from './stores/operation/backlog.ts';
import { installationStore } from './stores/operation/installation.ts';
import { retentionStore } from './stores/operation/retention.ts';
import { sandboxClockStore } from './stores/operation/sandbox-clock.ts';
import { reconciliationStore } from './stores/reconciliation/reconciliation.ts';
import { reconciliationReports } from './stores/reconciliation/reports.ts';
import { deliveryStore } from './stores/webhooks/deliveries.ts';
import { deliveryDesk } from './stores/webhooks/delivery-desk.ts';
import { webhookStore } from './stores/webhooks/webhooks.ts';

export type { MemoryLedger } from './ledger/ledger.ts';
export { type MemoryStorage, memoryStorage } from './storage/transactions.ts';

/** The stores of a transaction, for the use cases of every package. */
export type Tx = { readonly [Name in keyof typeof makers]: ReturnType<(typeof makers)[Name]> };

export interface MemoryPersistenceOptions {
  /** Shared with other processes; its own when absent. */
  readonly storage?: MemoryStorage;
  /** The ledger reads it at the beginning of each pass. */
  readonly clock: Clock;
  /** Hashes audit entries; when absent with a key that is no secret, as the storage ends soon. */
  readonly audit_mac?: AuditMac;
  /** How statement lines find their clearings; `bin+sequence` when absent. */
  readonly statement_key?: StatementKeySetting;
  /** Those of the machine when absent. */
  readonly timers?: Timers;
}

/**
 * One process on storage in memory. It has every member of the storage on a database, so that it can
 * take its place; what only a database needs does nothing.
 */
export interface MemoryPersistence {
  readonly unitOfWork: UnitOfWork<Tx>;
  /** The same: memory has no connections. */
  readonly long_work: UnitOfWork<Tx>;
  /** The same. */
  readonly look_ups: UnitOfWork<Tx>;
  /** Null: no connections. */
  findConnections(): Promise<null>;
  /** Null: any number of transactions. */
  readonly others_max: null;
  readonly ledger: MemoryLedger;
  readonly delivery_desk: DeliveryDesk;
  /** How far the event log is final, for its subscriptions. */
  readonly event_horizon: EventHorizon;
  /** Begins a transaction that the caller ends. Other writers wait for its end. */
  begin(): Promise<OwnTransaction>;
  /** A unit of work within such a transaction. A call that rejects leaves no trace in it. */
  joining(host: HostTransaction): UnitOfWork<Tx>;
  /**
   * The committed state. A test may read it, and may write rows to it that other use cases would
   * have written.
   */
  committed(): State;
  /** Lets other work of the process run: `ImportPorts.rest`. */
  rest(): Promise<void>;
  /** Gives way in the event loop of this process. */
  readonly giveWay: GiveWay;
  /**
   * Creates no tables: there are none. The first call stores the statement key. It rejects when the
   * storage was made with another one.
   */
  migrate(options?: object): Promise<void>;
  /** Empty: there are no migrations. */
  findNewerMigrations(): Promise<readonly string[]>;
  /** Does nothing: the event log is searched whole. */
  readonly event_index: { run(): Promise<void>; unindexedSegments(): Promise<number> };
  /** Rejects with a `Fault` after the storage was closed. */
  ping(): Promise<void>;
  /**
   * Resolves after all open transactions of this process have ended. Its transactions that have not
   * begun are rejected. Other processes on the storage go on. May be called twice.
   */
  close(): Promise<void>;
}

/** Opens storage in memory for one process. It meets the contract suites of the harness. */
export function memoryPersistence({
  storage = memoryStorage(),
  clock,
  audit_mac = (text) => createHmac('sha256', 'memory').update(text).digest('hex'),
  statement_key = statement_key_default,
  timers = machine_timers,
}: MemoryPersistenceOptions): MemoryPersistence {
  const transactions = new Transactions(storage);
  const stores = (state: State) => storesOn(state, { audit_mac, statement_key });
  const unitOfWork: UnitOfWork<Tx> = {
    run: (work) => transactions.write((state) => work(stores(state))),
    read: (work) => transactions.read((state) => work(stores(state))),
  };
  return {
    unitOfWork,
    long_work: unitOfWork,
    look_ups: unitOfWork,
    findConnections: async () => null,
    others_max: null,
    ledger: memoryLedger(transactions, clock, audit_mac, timers),
    delivery_desk: deliveryDesk(transactions),
    event_horizon: eventHorizon(transactions),
    begin: () => beginOwn(transactions),
    joining: (host) => joinOwn(host, stores),
    committed: () => transactions.committed,
    rest: timers.nextTurn,
    giveWay: giveWayWith(timers),
    async migrate() {
      const made_with = await unitOfWork.run(({ installation }) => installation.statementKey(statement_key));
      if (made_with !== statement_key) throw new Error(`the storage was made with the statement key ${made_with}`);
    },
    findNewerMigrations: async () => [],
    event_index: { run: async () => {}, unindexedSegments: async () => 0 },
    ping: () => transactions.ping(),
    close: () => transactions.close(),
  };
}

type Keys = Required<Pick<MemoryPersistenceOptions, 'audit_mac' | 'statement_key'>>;

const makers = {
  cards: cardStore,
  real_cards: realCardStore,
  templates: templateStore,
  events: eventStore,
  webhooks: webhookStore,
  decision_endpoints: decisionEndpointStore,
  deliveries: deliveryStore,
  outbox,
  subscriptions: subscriptionStore,
  mails: mailStore,
  one_time_links: oneTimeLinkStore,
  activity: activityStore,
  backtests: backtestStore,
  mailbox: mailboxStore,
  audit: (state, { audit_mac }) => auditLog(state, audit_mac),
  audit_chain: auditChainStore,
  companies: companyStore,
  api_keys: apiKeyStore,
  people: personStore,
  console_sessions: consoleSessionStore,
  portal_links: portalLinkStore,
  idempotency: idempotencyStore,
  sandbox_clock: sandboxClockStore,
  installation: installationStore,
  unknown_numbers: unknownNumberStore,
  consultations: consultationStore,
  quarantine: quarantineStore,
  imports: importStore,
  accounts: accountStore,
  bank: bankStore,
  consents: consentStore,
  third_parties: thirdPartyStore,
  authorisation: authorisationStore,
  reconciliation: (state, { statement_key }) => reconciliationStore(state, statement_key),
  reconciliation_reports: (state, { statement_key }) => reconciliationReports(state, statement_key),
  backlog: backlogStore,
  retention: (state, { audit_mac }) => retentionStore(state, audit_mac),
} satisfies Readonly<Record<string, (state: State, keys: Keys) => unknown>>;

/** The stores of one transaction. Each is made when it is used first. */
function storesOn(state: State, keys: Keys): Tx {
  const made: Partial<Record<string | symbol, unknown>> = {};
  const get = (stores: typeof makers, name: string | symbol): unknown => {
    made[name] ??= stores[name as keyof Tx]?.(state, keys);
    return made[name];
  };
  return new Proxy(makers, { get }) as unknown as Tx;
}
