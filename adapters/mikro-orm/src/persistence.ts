import { randomInt } from 'node:crypto';
import type { AccessTx } from '@tallystick/access';
import type { AccountStore, BankStore } from '@tallystick/accounts';
import type {
  ActivityStore,
  BacktestStore,
  CardsTx,
  ConsultationStore,
  DecisionEndpointTx,
  Ledger,
  MailTx,
  QuarantineStore,
  UnknownNumberStore,
} from '@tallystick/cards';
import type { AuthorisationStore, ConsentStore, ThirdPartyStore } from '@tallystick/consents';
import type {
  DeliveryDesk,
  EventHorizon,
  Outbox,
  OwnTransaction,
  SubscriptionStore,
  WebhooksTx,
} from '@tallystick/events';
import type { ImportStore } from '@tallystick/imports';
import {
  type AuditChainStore,
  type AuditMac,
  type BacklogStore,
  type Clock,
  type GiveWay,
  giveWayWith,
  type HostTransaction,
  type Random,
  type RetentionStore,
  type SandboxClockStore,
  type UnitOfWork,
} from '@tallystick/kernel';
import {
  type ReconciliationReports,
  type ReconciliationStore,
  type StatementKeySetting,
  statement_key_default,
} from '@tallystick/reconciliation';
import { connect } from './connection/connection.ts';
import type { ConnectionOptions } from './connection/connection-options.ts';
import { findNewerMigrations, migrate } from './connection/migrations/migrate.ts';
import type { MigrateOptions } from './connection/migrations/schema-version.ts';
import { findConnections, sharesOf } from './connection/postgres/connection-limit.ts';
import { type Connections, database_connections_max_default } from './connection/postgres/connections.ts';
import { restingOn } from './connection/resting.ts';
import type { Session } from './connection/session.ts';
import { unitOfWorkOn } from './connection/unit-of-work.ts';
import { writeCheckOn } from './connection/write-check.ts';
import { eventHorizonOn } from './event-index/event-horizon.ts';
import { eventIndexOn, type WrittenEventIndex } from './event-index/event-index.ts';
import type { EventIndex } from './event-index/indexing.ts';
import { ledgerKeepingUp } from './event-index/ledger-keeping-up.ts';
import { joinedUnitOfWork } from './host/joined-unit-of-work.ts';
import { beginOwn } from './host/own-transaction.ts';
import { ledgerOn } from './ledger/ledger.ts';
import { byte_columns } from './schema/entities.ts';
import { apiKeyStore } from './stores/access/api-keys.ts';
import { companyStore } from './stores/access/companies.ts';
import { consoleSessionStore } from './stores/access/console-sessions.ts';
import { idempotencyStore } from './stores/access/idempotency.ts';
import { personStore } from './stores/access/people.ts';
import { portalLinkStore } from './stores/access/portal-links.ts';
import { auditChainStore } from './stores/audit/audit-chain.ts';
import { auditLog } from './stores/audit/audit-log.ts';
import { accountStore } from './stores/bank/accounts.ts';
import { bankStore } from './stores/bank/bank.ts';
import { activityStore } from './stores/cards/activity.ts';
import { backtestStore } from './stores/cards/backtests.ts';
import { cardStore } from './stores/cards/cards.ts';
import { consultationStore } from './stores/cards/consultations.ts';
import { decisionEndpointStore } from './stores/cards/decision-endpoints.ts';
import { realCardStore } from './stores/cards/real-cards.ts';
import { templateStore } from './stores/cards/templates.ts';
import { unknownNumberStore } from './stores/cards/unknown-numbers.ts';
import { authorisationStore } from './stores/consents/authorisation.ts';
import { consentStore } from './stores/consents/consents.ts';
import { thirdPartyStore } from './stores/consents/third-parties.ts';
import { eventStore } from './stores/events/events.ts';
import { outbox } from './stores/events/outbox.ts';
import { subscriptionStore } from './stores/events/subscriptions.ts';
import { importStore } from './stores/imports/imports.ts';
import { quarantineStore } from './stores/imports/quarantine.ts';
import { backlogStore } from './stores/installation/backlog.ts';
import { installationStore, sandboxClockStore } from './stores/installation/installation.ts';
import { type InstallationStore, OtherStatementKey } from './stores/installation/installation-facts.ts';
import { retentionStore } from './stores/installation/retention.ts';
import { mailboxStore } from './stores/mail/mailbox.ts';
import { mailStore } from './stores/mail/mails.ts';
import { oneTimeLinkStore } from './stores/mail/one-time-links.ts';
import { reconciliationStore } from './stores/reconciliation/reconciliation.ts';
import { reconciliationReports } from './stores/reconciliation/reports.ts';
import { deliveryStore } from './stores/webhooks/deliveries.ts';
import { deliveryDesk } from './stores/webhooks/delivery-desk.ts';
import { webhookStore } from './stores/webhooks/webhooks.ts';

/** The stores of a transaction, for the use cases of every package. */
export interface Tx extends Omit<CardsTx, 'mails'>, AccessTx, WebhooksTx, DecisionEndpointTx, Omit<MailTx, 'cards'> {
  readonly outbox: Outbox;
  readonly subscriptions: SubscriptionStore;
  readonly unknown_numbers: UnknownNumberStore;
  readonly consultations: ConsultationStore;
  readonly quarantine: QuarantineStore;
  readonly imports: ImportStore;
  readonly backtests: BacktestStore;
  readonly activity: ActivityStore;
  readonly accounts: AccountStore;
  readonly bank: BankStore;
  readonly consents: ConsentStore;
  readonly third_parties: ThirdPartyStore;
  readonly authorisation: AuthorisationStore;
  readonly reconciliation_reports: ReconciliationReports;
  readonly reconciliation: ReconciliationStore;
  readonly retention: RetentionStore;
  readonly backlog: BacklogStore;
  readonly sandbox_clock: SandboxClockStore;
  readonly installation: InstallationStore;
  readonly audit_chain: AuditChainStore;
}

export interface PersistencePorts extends ConnectionOptions {
  /** Read by the ledger after a pass has locked its cards. */
  readonly clock: Clock;
  /** Hashes audit entries. The same for every process, during the life of the database. */
  readonly audit_mac: AuditMac;
  /**
   * How statement lines find their clearings; `bin+sequence` when absent. The same for every process,
   * during the life of the database.
   */
  readonly statement_key?: StatementKeySetting | undefined;
  /** Spreads the retries of conflicts; that of the machine when absent. */
  readonly random?: Pick<Random, 'below'> | undefined;
}

export interface Persistence {
  readonly unitOfWork: UnitOfWork<Tx>;
  /** The same for long work of many transactions, each of which is followed by `rest`. */
  readonly long_work: UnitOfWork<Tx>;
  /**
   * For what a decision needs besides its pass, such as its API key. It has connections of
   * its own, except for writes on SQLite. On Postgres it ends within `decision_ms_max`.
   */
  readonly look_ups: UnitOfWork<Tx>;
  /**
   * Units of work inside an open transaction of the host. What they write is durable when the host
   * commits, and undone when it rolls back. A call that rejects leaves the transaction as it was
   * before the call. Nothing is tried again. Calls with one handle run one after another. Reads see
   * what the transaction sees. Rejects with `UnusableTransaction` when none is open, or when it is on
   * another database. The host should run no statement of its own while a call is in progress.
   */
  joining(host: HostTransaction): UnitOfWork<Tx>;
  /**
   * Begins a transaction that the caller ends. Calls take part in it by `joining(host)`, and the
   * code of a host by `native`. Holds a connection on Postgres; on SQLite every other writer waits
   * until its end. Whatever uses it after its end rejects with `UnusableTransaction`.
   */
  begin(): Promise<OwnTransaction>;
  /**
   * The connections that are wanted, and those that the server can give now; null on SQLite. To be
   * called before other work. Rejects with a `Fault` when it can never give the least number.
   */
  findConnections(): Promise<Connections | null>;
  /** The transactions outside the decision path that have connections at the same time; null on SQLite. */
  readonly others_max: number | null;
  readonly ledger: Ledger;
  /** Lets others use the database between two batches of a long work: `Resting.rest`. */
  rest(busy_ms: number): Promise<void>;
  /** Gives way in the event loop of this process. */
  readonly giveWay: GiveWay;
  readonly delivery_desk: DeliveryDesk;
  /**
   * Applies missing migrations. Two processes may do so at the same time: one of them waits.
   * Rejects with `NewerSchema` when a newer version has migrated the database, unless that is
   * accepted. The first call stores the statement key; it rejects with `OtherStatementKey` when the
   * database was made with another one.
   */
  migrate(options?: MigrateOptions): Promise<void>;
  /**
   * The names of migrations that a newer version has applied, in order; empty when there are none.
   * A host should look now and then: a newer version may migrate the database beside it.
   */
  findNewerMigrations(): Promise<readonly string[]>;
  /** The index of the event log's filters. A host should run it several times a second. */
  readonly event_index: EventIndex;
  /** How far the event log is final, for its subscriptions. */
  readonly event_horizon: EventHorizon;
  /**
   * Rejects with a `Fault` when the database does not answer, when it takes no writes, because its
   * disk is full or it only reads, or when the file of SQLite was deleted or replaced. Another
   * writer that holds the lock of SQLite does not matter. At most one call in five seconds writes.
   */
  ping(): Promise<void>;
  /**
   * Closes the connections after open transactions have ended. Rejects work that has not begun. May
   * be called twice.
   */
  close(): Promise<void>;
}

/**
 * Storage on SQLite or Postgres by MikroORM. Opens the database immediately and creates no table:
 * `migrate` does. Rejects with a `Fault` when the database cannot be opened.
 */
export async function mikroOrmPersistence(ports: PersistencePorts): Promise<Persistence> {
  const { clock, audit_mac, statement_key = statement_key_default, random = { below: randomInt } } = ports;
  const connection = await connect(ports);
  const event_index = eventIndexOn(connection);
  const resting = restingOn(connection);
  const writes = writeCheckOn(connection);
  const storesOf = (session: Session) => storesOn(session, event_index, { audit_mac, statement_key });
  const stores = unitOfWorkOn(connection, random, storesOf);
  const unitOfWork: UnitOfWork<Tx> = {
    async run(work) {
      const result = await writes.noting(stores.run(work));
      await event_index.keepUp();
      return result;
    },
    read: stores.read,
  };
  const own_look_ups = unitOfWorkOn(connection, random, storesOf, connection.look_ups);
  const look_ups: UnitOfWork<Tx> = { ...own_look_ups, run: (work) => writes.noting(own_look_ups.run(work)) };
  const ledger = ledgerOn(connection, { clock, audit_mac });
  const noted_ledger: Ledger = {
    ...ledger,
    pass: (...given) => writes.noting(ledger.pass(...given)),
    passDue: (...given) => writes.noting(ledger.passDue(...given)),
  };
  return {
    unitOfWork,
    long_work: resting.after(unitOfWork),
    look_ups,
    async begin() {
      const begun = await beginOwn(connection);
      return {
        ...begun,
        async commit() {
          await begun.commit();
          await event_index.keepUp();
        },
      };
    },
    joining: (host) => joinedUnitOfWork(connection, storesOf, byte_columns, host),
    others_max:
      connection.dialect === 'sqlite'
        ? null
        : sharesOf(ports.connections_max ?? database_connections_max_default).others,
    findConnections: async () =>
      connection.dialect === 'sqlite' ? null : await findConnections(connection.limit, connection.long),
    ledger: resting.counting(ledgerKeepingUp(noted_ledger, event_index, connection.timers)),
    rest: resting.rest,
    giveWay: giveWayWith(connection.timers),
    delivery_desk: deliveryDesk(unitOfWorkOn(connection, random, (session) => session)),
    async migrate(options) {
      await migrate(connection, options);
      const made_with = await unitOfWork.run(({ installation }) => installation.statementKey(statement_key));
      if (made_with !== statement_key) throw new OtherStatementKey(made_with, statement_key);
    },
    findNewerMigrations: () => findNewerMigrations(connection),
    event_index,
    event_horizon: eventHorizonOn(connection),
    async ping() {
      if (connection.dialect === 'sqlite') await connection.assertFileInPlace();
      await look_ups.read((tx) => tx.sandbox_clock.read());
      await writes.check();
    },
    close: () => connection.close(),
  };
}

function storesOn(
  session: Session,
  event_index: WrittenEventIndex,
  { audit_mac, statement_key }: { readonly audit_mac: AuditMac; readonly statement_key: StatementKeySetting },
): Tx {
  return {
    activity: activityStore(session),
    backtests: backtestStore(session),
    cards: cardStore(session),
    real_cards: realCardStore(session),
    templates: templateStore(session),
    events: eventStore(session, event_index),
    mails: mailStore(session),
    one_time_links: oneTimeLinkStore(session),
    mailbox: mailboxStore(session),
    audit: auditLog(session, audit_mac),
    audit_chain: auditChainStore(session),
    companies: companyStore(session),
    api_keys: apiKeyStore(session),
    people: personStore(session),
    console_sessions: consoleSessionStore(session),
    portal_links: portalLinkStore(session),
    idempotency: idempotencyStore(session),
    sandbox_clock: sandboxClockStore(session),
    installation: installationStore(session),
    webhooks: webhookStore(session),
    decision_endpoints: decisionEndpointStore(session),
    deliveries: deliveryStore(session),
    outbox: outbox(session),
    subscriptions: subscriptionStore(session),
    unknown_numbers: unknownNumberStore(session),
    consultations: consultationStore(session),
    quarantine: quarantineStore(session),
    imports: importStore(session),
    accounts: accountStore(session),
    bank: bankStore(session),
    consents: consentStore(session),
    third_parties: thirdPartyStore(session),
    authorisation: authorisationStore(session),
    reconciliation_reports: reconciliationReports(session, statement_key),
    reconciliation: reconciliationStore(session, statement_key),
    retention: retentionStore(session, audit_mac),
    backlog: backlogStore(session),
  };
}
