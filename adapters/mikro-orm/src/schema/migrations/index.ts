import { Migration } from '@mikro-orm/migrations';
import { type Dialect, dialectOf } from '../dialect.ts';
import { companiesAndCards } from './0001-companies-and-cards.ts';
import { networkAndEvents } from './0002-network-and-events.ts';
import { webhooks } from './0003-webhooks.ts';
import { installation } from './0004-installation.ts';
import { mail } from './0005-mail.ts';
import { deliveryRounds } from './0006-delivery-rounds.ts';
import { claimsOnMachineTime } from './0007-claims-on-machine-time.ts';
import { mailsPage } from './0008-mails-page.ts';
import { cardWindows } from './0009-card-windows.ts';
import { holdLifetimes } from './0010-hold-lifetimes.ts';
import { quarantine } from './0011-quarantine.ts';
import { authorizationKeys } from './0012-authorization-keys.ts';
import { eventIndex } from './0013-event-index.ts';
import { outboxPositions } from './0014-outbox-positions.ts';
import { codeFailures } from './0015-code-failures.ts';
import { operatorViews } from './0016-operator-views.ts';
import { retention } from './0017-retention.ts';
import { mailLanes } from './0018-mail-lanes.ts';
import { orderOfArrival } from './0019-order-of-arrival.ts';
import { imports } from './0020-imports.ts';
import { profileOfImport } from './0021-profile-of-import.ts';
import { auditChain } from './0022-audit-chain.ts';
import { matchesByHand } from './0023-matches-by-hand.ts';
import { accounts } from './0024-accounts.ts';
import { reconciliation } from './0025-reconciliation.ts';
import { statementImports } from './0026-statement-imports.ts';
import { statementKey } from './0027-statement-key.ts';
import { bankData } from './0028-bank-data.ts';
import { consents } from './0029-consents.ts';
import { authorisation } from './0030-authorisation.ts';
import { unauthorisedConsents } from './0031-unauthorised-consents.ts';
import { subscriptions } from './0032-subscriptions.ts';
import { installationId } from './0033-installation-id.ts';
import type { Look } from './start-backfill.ts';

/**
 * What processes of the version before do when the migration is applied beside them
 * (docs/adr/0029-expand-and-contract.md):
 *
 * - `expand`: they continue to work, and nothing that they write is lost.
 * - `contract`: it removes what only older versions use. Those of the version before do not.
 * - `stop`: they must be stopped before, because they would fail or write what the new version
 *   misreads.
 */
export type MigrationKind = 'expand' | 'contract' | 'stop';

export interface SchemaMigration {
  readonly kind: MigrationKind;
  readonly name: string;
  readonly class: MigrationClass;
}

/** The statements of a migration, for a dialect and what it asks of the database. */
export type MigrationStatements = (dialect: Dialect, look: Look) => readonly string[] | Promise<readonly string[]>;

export interface MigrationClass {
  new (...arguments_: ConstructorParameters<typeof Migration>): Migration;
  readonly statements: MigrationStatements;
}

/**
 * Every migration, in order. One that was released is never changed again: what comes after it is a
 * new one.
 */
export const migrations: readonly SchemaMigration[] = [
  { kind: 'expand', name: '0001-companies-and-cards', class: migration(companiesAndCards) },
  { kind: 'expand', name: '0002-network-and-events', class: migration(networkAndEvents) },
  { kind: 'expand', name: '0003-webhooks', class: migration(webhooks) },
  { kind: 'expand', name: '0004-installation', class: migration(installation) },
  { kind: 'expand', name: '0005-mail', class: migration(mail) },
  { kind: 'stop', name: '0006-delivery-rounds', class: migration(deliveryRounds) },
  { kind: 'stop', name: '0007-claims-on-machine-time', class: migration(claimsOnMachineTime) },
  { kind: 'expand', name: '0008-mails-page', class: migration(mailsPage) },
  { kind: 'stop', name: '0009-card-windows', class: migration(cardWindows) },
  { kind: 'stop', name: '0010-hold-lifetimes', class: migration(holdLifetimes) },
  { kind: 'expand', name: '0011-quarantine', class: migration(quarantine) },
  { kind: 'stop', name: '0012-authorization-keys', class: migration(authorizationKeys) },
  { kind: 'stop', name: '0013-event-index', class: migration(eventIndex) },
  { kind: 'stop', name: '0014-outbox-positions', class: migration(outboxPositions) },
  { kind: 'expand', name: '0015-code-failures', class: migration(codeFailures) },
  { kind: 'stop', name: '0016-operator-views', class: migration(operatorViews) },
  { kind: 'expand', name: '0017-retention', class: migration(retention) },
  { kind: 'expand', name: '0018-mail-lanes', class: migration(mailLanes) },
  { kind: 'expand', name: '0019-order-of-arrival', class: migration(orderOfArrival) },
  { kind: 'expand', name: '0020-imports', class: migration(imports) },
  { kind: 'expand', name: '0021-profile-of-import', class: migration(profileOfImport) },
  { kind: 'expand', name: '0022-audit-chain', class: migration(auditChain) },
  { kind: 'expand', name: '0023-matches-by-hand', class: migration(matchesByHand) },
  { kind: 'expand', name: '0024-accounts', class: migration(accounts) },
  { kind: 'expand', name: '0025-reconciliation', class: migration(reconciliation) },
  { kind: 'expand', name: '0026-statement-imports', class: migration(statementImports) },
  { kind: 'expand', name: '0027-statement-key', class: migration(statementKey) },
  { kind: 'expand', name: '0028-bank-data', class: migration(bankData) },
  { kind: 'expand', name: '0029-consents', class: migration(consents) },
  { kind: 'expand', name: '0030-authorisation', class: migration(authorisation) },
  { kind: 'expand', name: '0031-unauthorised-consents', class: migration(unauthorisedConsents) },
  { kind: 'expand', name: '0032-subscriptions', class: migration(subscriptions) },
  { kind: 'expand', name: '0033-installation-id', class: migration(installationId) },
];

/**
 * How long a change of the schema waits for a table on Postgres, milliseconds. A decision waits
 * longer.
 */
export const lock_wait_ms_max = 2_000;

/** The migration that executes these statements. */
export function migration(statements: MigrationStatements): MigrationClass {
  return class extends Migration {
    static readonly statements = statements;

    override async up(): Promise<void> {
      const largest = async (table: string, column: string): Promise<number> => {
        const [row] = await this.execute(`select coalesce(max(${column}), 0) as largest from ${table}`);
        return Number(row?.largest ?? 0);
      };
      const dialect = dialectOf(this.driver.getPlatform());
      // Whoever needs the table waits behind a statement that waits for it, so decisions would wait
      // as long as, for example, a backup reads. `migrate` tries again.
      if (dialect === 'postgres') this.addSql(`set local lock_timeout = '${lock_wait_ms_max}ms'`);
      for (const statement of await statements(dialect, { largest })) {
        this.addSql(statement);
      }
    }
  };
}
