import { after, before, describe } from 'node:test';
import type { Company } from '@tallystick/access';
import { companyRow } from '@tallystick/harness';
import { fixedClock } from '@tallystick/kernel';
import type { StatementKeySetting } from '@tallystick/reconciliation';
import {
  type DatabaseName,
  database_names,
  type ScratchDatabase,
  scratchDatabase,
  testAuditMac,
} from '@tallystick/test-support';
import { connect } from '../../src/connection/connection.ts';
import { migrate } from '../../src/connection/migrate.ts';
import { mikroOrmPersistence, type Persistence, type Tx } from '../../src/index.ts';

export const noon_ms = Date.UTC(2026, 4, 20, 12);

/** The subject of a suite: an empty, migrated database. Segments of its event log are small. */
export interface Fixture {
  readonly name: DatabaseName;
  readonly database: ScratchDatabase;
  /** The first process of the database. */
  readonly persistence: Persistence;
  run: Persistence['unitOfWork']['run'];
  /** Opens a further process on the same database. It is closed with the suite. */
  another(statement_key?: StatementKeySetting): Promise<Persistence>;
}

/**
 * Runs the suite on every database. The fixture exists when its tests run. `prepare` may change the
 * empty database before it is migrated.
 */
export function onEveryDatabase(
  title: string,
  suite: (fixture: () => Fixture, name: DatabaseName) => void,
  prepare?: (database: ScratchDatabase) => Promise<void>,
): void {
  for (const name of database_names) {
    describe(`${title}, on ${name}`, () => {
      let fixture: Fixture | undefined;
      const open: Persistence[] = [];

      before(async () => {
        const database = await scratchDatabase(name);
        await prepare?.(database);
        const another = async (statement_key?: StatementKeySetting) => {
          const persistence = await openPersistence(database, statement_key);
          open.push(persistence);
          return persistence;
        };
        await migrateWithSmallSegments(database);
        const persistence = await another();
        fixture = { name, database, persistence, run: (work) => persistence.unitOfWork.run(work), another };
      });

      after(async () => {
        for (const persistence of open) await persistence.close();
        await fixture?.database.dispose();
      });

      suite(() => {
        if (fixture === undefined) throw new Error('the fixture is used before the tests run');
        return fixture;
      }, name);
    });
  }
}

export async function migrateWithSmallSegments(database: ScratchDatabase): Promise<void> {
  const connection = await connect(database);
  try {
    await migrate(connection);
    const small = 'update event_index set segment_size = 16, volume_size = 64';
    if (connection.dialect === 'sqlite') await connection.immediately((client) => client.exec(small));
    else await connection.pool.query(small);
  } finally {
    await connection.close();
  }
}

export function openPersistence(
  { database_url }: ScratchDatabase,
  statement_key?: StatementKeySetting,
): Promise<Persistence> {
  const clock = fixedClock(noon_ms);
  return mikroOrmPersistence({ audit_mac: testAuditMac, database_url, clock, statement_key });
}

export function makeCompany(tx: Tx, name = 'Acme'): Promise<Company> {
  return tx.companies.insert(companyRow({ name, created_at_ms: noon_ms }));
}
