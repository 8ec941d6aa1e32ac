import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe } from 'node:test';
import type { Company } from '@tallystick/access';
import { createSubscriber, type Subscriber } from '@tallystick/events';
import { companyRow } from '@tallystick/harness';
import { fixedClock, machine_timers, type Timers } from '@tallystick/kernel';
import type { StatementKeySetting } from '@tallystick/reconciliation';
import {
  changeRows,
  type DatabaseName,
  database_names,
  migratedDatabase,
  readRows,
  type ScratchDatabase,
  scratchDatabase,
  testAuditMac,
} from '@tallystick/test-support';
import { connect } from '../../src/connection/connection.ts';
import { migrate } from '../../src/connection/migrations/migrate.ts';
import { mikroOrmPersistence, type Persistence, type Tx } from '../../src/index.ts';

export const noon_ms = Date.UTC(2026, 4, 20, 12);

/** Where the tables are: nothing for the default, or a schema on Postgres. */
export interface Place {
  readonly schema?: string;
}

/** Beside tables of a host that have our names. */
export const schema_beside_a_host: Readonly<Partial<Record<DatabaseName, Place>>> = { postgres: { schema: 'tally' } };

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
  places?: Readonly<Partial<Record<DatabaseName, Place>>>,
): void {
  for (const name of database_names) {
    if (places !== undefined && places[name] === undefined) continue;
    const place = places?.[name] ?? {};
    const words = place.schema === undefined ? '' : ' in a schema';
    describe(`${title}, on ${name}${words}`, () => {
      let fixture: Fixture | undefined;
      const open: Persistence[] = [];

      before(async () => {
        const is_usual = prepare === undefined && places === undefined;
        const database = await (is_usual ? migratedDatabase(name) : scratchDatabase(name));
        await prepare?.(database);
        if (places !== undefined) for (const table of tables_of_host) await changeRows(database, table);
        const another = async (statement_key?: StatementKeySetting) => {
          const persistence = await openPersistence(database, statement_key, place);
          open.push(persistence);
          return persistence;
        };
        await migrateWithSmallSegments(database, place);
        const persistence = await another();
        fixture = { name, database, persistence, run: (work) => persistence.unitOfWork.run(work), another };
      });

      after(async () => {
        for (const persistence of open) await persistence.close();
        if (places !== undefined && fixture !== undefined) await assertHostUntouched(fixture.database);
        await fixture?.database.dispose();
      });

      suite(() => {
        if (fixture === undefined) throw new Error('the fixture is used before the tests run');
        return fixture;
      }, name);
    });
  }
}

const names_of_host = ['migrations', 'events', 'virtual_cards', 'clearings', 'companies'].map(
  (name) => `tallystick_${name}`,
);

const tables_of_host = names_of_host.flatMap((name) => [
  `create table ${name} (id bigint, own text)`,
  `insert into ${name} values (1, 'of the host')`,
]);

async function assertHostUntouched(database: ScratchDatabase): Promise<void> {
  for (const name of names_of_host) {
    assert.deepEqual(await readRows(database, `select * from ${name}`), [{ id: 1, own: 'of the host' }], name);
  }
}

export async function migrateWithSmallSegments({ database_url }: ScratchDatabase, place: Place = {}): Promise<void> {
  const connection = await connect({ database_url, ...place });
  try {
    await migrate(connection);
    const small = 'update tallystick_event_index set segment_size = 16, volume_size = 64';
    if (connection.dialect === 'sqlite') await connection.immediately((client) => client.exec(small));
    else await connection.pool.query(small);
  } finally {
    await connection.close();
  }
}

export function openPersistence(
  { database_url }: ScratchDatabase,
  statement_key?: StatementKeySetting,
  place: Place = {},
): Promise<Persistence> {
  const clock = fixedClock(noon_ms);
  return mikroOrmPersistence({ audit_mac: testAuditMac, database_url, clock, statement_key, ...place });
}

export function makeCompany(tx: Tx, name = 'Acme'): Promise<Company> {
  return tx.companies.insert(companyRow({ name, created_at_ms: noon_ms }));
}

/** The subscriber of a process. */
export function openSubscriber(
  persistence: Persistence,
  dialect: DatabaseName,
  failures: unknown[],
  after: Timers['after'] = machine_timers.after,
): Subscriber {
  return createSubscriber({
    ...persistence,
    dialect,
    after,
    clock: fixedClock(noon_ms),
    monotonicNow: machine_timers.monotonicNow,
    machineNow: machine_timers.nowMs,
    random: { below: () => 0, bytes: (count) => new Uint8Array(randomBytes(count)) },
    failed: (failure) => failures.push(failure),
    removed() {},
    listenerFailed() {},
  });
}

/** Appends events of one company, and returns their ids. */
export async function appendEvents({ events }: Pick<Tx, 'events'>, count = 1): Promise<readonly number[]> {
  const event = {
    company_id: 1,
    event_type: 'virtualcard.created',
    payload: {},
    previous: null,
    created_at_ms: noon_ms,
    request_id: null,
  };
  return (await events.append(Array.from({ length: count }, () => event))).map(({ id }) => id);
}
