import { after, before, describe, it } from 'node:test';
import type { Persistence } from '@tallystick/mikro-orm';
import { type DatabaseName, database_names, migratedDatabase, type ScratchDatabase, testAuditMac } from './database.ts';

const now_ms = Date.UTC(2026, 4, 20, 12);

type StatementKeySetting = 'bin+sequence' | 'whole';

/** Storage on a migrated database, as one process sees it. Its suite closes it. */
export interface TestStorage extends Pick<Persistence, 'unitOfWork' | 'ledger' | 'close'> {
  /** The time of its clock, which stands still, epoch milliseconds. */
  readonly now_ms: number;
  /** The same storage as another process sees it. */
  another(): Promise<TestStorage>;
  withStatementKey(setting: StatementKeySetting): Promise<TestStorage>;
}

/** A rule of a package that depends on what is stored. */
export interface StorageRule {
  readonly rule: string;
  /**
   * Whether the rule depends on locks, on concurrent transactions or on the types of the database.
   * Only these rules are also checked on Postgres.
   */
  readonly on_postgres?: boolean;
  check(open: () => Promise<TestStorage>, database: DatabaseName): Promise<void>;
}

/** Checks the rules on SQLite, and some of them on Postgres. They share one database. */
export function checkOnStorages(title: string, rules: readonly StorageRule[]): void {
  for (const name of database_names) {
    const its_rules = name === 'sqlite' ? rules : rules.filter(({ on_postgres }) => on_postgres === true);
    if (its_rules.length === 0) continue;
    describe(`${title}, on ${name}`, () => {
      const open: Persistence[] = [];
      let database: ScratchDatabase | undefined;
      let first: TestStorage | undefined;

      async function connect(statement_key?: StatementKeySetting): Promise<TestStorage> {
        // The adapters depend on this package, and few tests need one.
        const { mikroOrmPersistence } = await import('@tallystick/mikro-orm');
        const persistence = await mikroOrmPersistence({
          database_url: database!.database_url,
          clock: { nowMs: () => now_ms },
          audit_mac: testAuditMac,
          statement_key,
        });
        open.push(persistence);
        const { unitOfWork, ledger, close } = persistence;
        return { unitOfWork, ledger, close, now_ms, another: () => connect(), withStatementKey: connect };
      }

      before(async () => {
        database = await migratedDatabase(name);
        first = await connect();
      });

      after(async () => {
        for (const persistence of open) await persistence.close();
        await database?.dispose();
      });

      for (const { rule, check } of its_rules) it(rule, () => check(async () => first!, name));
    });
  }
}
