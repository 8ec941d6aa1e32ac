import { EntityCaseNamingStrategy, type MetadataStorage, type Platform, Uint8ArrayType } from '@mikro-orm/core';
import { dialectOf } from './dialect.ts';
import { ApiKey, Company, ConsoleSession, IdempotencyRecord, Person, PortalLink } from './tables/access.ts';
import { Account, Statement, StatementLine } from './tables/accounts.ts';
import { Activity } from './tables/activity.ts';
import { AuditChain, AuditEntry } from './tables/audit.ts';
import { Backtest, BacktestDifference } from './tables/backtests.ts';
import {
  AccountBalance,
  AccountProfile,
  BankCompany,
  BankUser,
  DirectDebit,
  ScheduledPayment,
  ShownTransaction,
  StandingOrder,
} from './tables/bank.ts';
import {
  CardVersion,
  CardWindow,
  PurchaseTemplate,
  RealCard,
  TemplateVersion,
  VirtualCard,
  VirtualCardDetails,
  VirtualCardMetadata,
} from './tables/cards.ts';
import { AuthorisationRecord, Consent, ThirdParty } from './tables/consents.ts';
import { DecisionEndpoint } from './tables/decision-endpoints.ts';
import { Event, EventFilterBlock, EventIndexState, EventOutboxEntry, Subscription } from './tables/events.ts';
import { Import, ImportBatch, ImportStatement, Quarantined } from './tables/imports.ts';
import { Installation, Retention, SandboxClock } from './tables/installation.ts';
import { Mail, MailboxMessage, OneTimeLink } from './tables/mail.ts';
import {
  Authorization,
  AuthorizationKey,
  CardAct,
  Clearing,
  Consultation,
  UnknownNumberMessage,
} from './tables/network.ts';
import {
  ReconciliationAct,
  ReconciliationActRecord,
  ReconciliationApproval,
  ReconciliationApprovalRecord,
  ReconciliationBreakDay,
  ReconciliationCell,
  ReconciliationComment,
  ReconciliationCompany,
  ReconciliationEntry,
  ReconciliationInbox,
  ReconciliationItem,
  ReconciliationMatchCell,
  ReconciliationPeriod,
} from './tables/reconciliation.ts';
import { Delivery, DeliveryAttempt, Webhook, WebhookEventType } from './tables/webhooks.ts';

export const entities = [
  Company,
  ApiKey,
  PortalLink,
  RealCard,
  PurchaseTemplate,
  VirtualCard,
  VirtualCardDetails,
  VirtualCardMetadata,
  CardWindow,
  CardVersion,
  TemplateVersion,
  Authorization,
  AuthorizationKey,
  CardAct,
  Clearing,
  Consultation,
  Event,
  EventFilterBlock,
  EventIndexState,
  UnknownNumberMessage,
  Backtest,
  BacktestDifference,
  AuditEntry,
  IdempotencyRecord,
  SandboxClock,
  Installation,
  Webhook,
  WebhookEventType,
  DecisionEndpoint,
  EventOutboxEntry,
  Delivery,
  DeliveryAttempt,
  Mail,
  OneTimeLink,
  MailboxMessage,
  Quarantined,
  Import,
  ImportBatch,
  ImportStatement,
  Retention,
  Account,
  Statement,
  StatementLine,
  BankUser,
  BankCompany,
  AccountProfile,
  AccountBalance,
  ShownTransaction,
  DirectDebit,
  StandingOrder,
  ScheduledPayment,
  ReconciliationInbox,
  ReconciliationCompany,
  ReconciliationEntry,
  ReconciliationItem,
  ReconciliationCell,
  ReconciliationBreakDay,
  ReconciliationMatchCell,
  ReconciliationAct,
  ReconciliationActRecord,
  ReconciliationApproval,
  ReconciliationApprovalRecord,
  ReconciliationComment,
  ReconciliationPeriod,
  AuditChain,
  Consent,
  ThirdParty,
  AuthorisationRecord,
  Subscription,
  Person,
  ConsoleSession,
  Activity,
];

export const described_entities = {
  entities,
  namingStrategy: EntityCaseNamingStrategy,
  discovery: { afterDiscovered: adaptToDialect },
};

/**
 * Adapts the parts of a schema that differ between the databases. On SQLite a numeric primary key
 * is an `integer`, so that it is the rowid and needs no index. On Postgres text is compared by
 * bytes, as on SQLite, whatever the collation of the database: the order is the same everywhere,
 * and indexes are cheaper.
 */
function adaptToDialect(storage: MetadataStorage, platform: Platform): void {
  const dialect = dialectOf(platform);
  for (const meta of storage.getAll().values()) {
    for (const property of Object.values(meta.properties)) {
      const [column_type] = property.columnTypes ?? [];
      if (dialect === 'sqlite' && property.primary && !meta.compositePK && column_type === 'bigint') {
        property.columnTypes = ['integer'];
      }
      if (dialect === 'postgres' && column_type === 'text') property.collation = 'C';
    }
  }
}

/** The names of the columns that hold bytes. No text column has one of these names. */
export const byte_columns: ReadonlySet<string> = new Set(
  entities.flatMap(({ meta }) =>
    Object.entries(meta.properties)
      .filter(([, { type }]) => [type, Object(type).constructor].includes(Uint8ArrayType))
      .map(([name]) => name),
  ),
);
