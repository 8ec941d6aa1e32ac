import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { it, test } from 'node:test';
import { look } from '@tallystick/harness';
import { Fault, fixedClock, machine_timers } from '@tallystick/kernel';
import { database_names, migratedDatabase, propertyParameters, testAuditMac } from '@tallystick/test-support';
import fc from 'fast-check';
import pg from 'pg';
import { openPostgresPools } from '../src/connection/postgres/postgres-pools.ts';
import { mikroOrmPersistence, type Persistence } from '../src/index.ts';

/** Work of each kind, which succeeds on an open database. */
const works: Readonly<Record<string, (persistence: Persistence) => Promise<unknown>>> = {
  write: ({ unitOfWork }) => unitOfWork.run((tx) => tx.sandbox_clock.write({ offset_ms: 0, frozen_at_ms: null })),
  read: ({ unitOfWork }) => unitOfWork.read((tx) => tx.sandbox_clock.read()),
  'look-up': ({ look_ups }) => look_ups.read((tx) => tx.sandbox_clock.read()),
  ping: (persistence) => persistence.ping(),
  horizon: ({ event_horizon }) => event_horizon.now(),
  index: ({ event_index }) => event_index.run(),
  migrations: (persistence) => persistence.findNewerMigrations(),
  pass: ({ ledger }) => ledger.pass([], look),
  async transaction({ begin }) {
    const { rollback } = await begin();
    await rollback();
  },
};

const kind = fc.constantFrom(...Object.keys(works));

for (const name of database_names) {
  test(`work that a close meets ends with its result, or with a fault that names the close, on ${name}`, async (t) => {
    const scratch = await migratedDatabase(name);
    t.after(() => scratch.dispose());
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ kind, turns_before: fc.nat(2) }), { minLength: 1, maxLength: 40 }),
        fc.array(kind, { maxLength: 5 }),
        async (earlier, later) => {
          const { database_url } = scratch;
          const clock = fixedClock('2026-01-15T12:00:00Z');
          const persistence = await mikroOrmPersistence({ database_url, clock, audit_mac: testAuditMac });
          const begun: Promise<unknown>[] = [];
          for (const { kind, turns_before } of earlier) {
            // Not every work begins in the turn of the close.
            for (let turn = 1; turn < turns_before; turn += 1) await machine_timers.nextTurn();
            const work = works[kind]!(persistence);
            work.catch(() => {});
            begun.push(work);
          }
          const closing = persistence.close();
          begun.push(...later.map((kind) => works[kind]!(persistence)));
          for (const outcome of await Promise.allSettled(begun)) {
            if (outcome.status === 'rejected') assertClosed(outcome.reason);
          }
          await closing;
          for (const kind of Object.keys(works)) {
            await works[kind]!(persistence).then(() => assert.fail(`${kind} after the close`), assertClosed);
          }
        },
      ),
      propertyParameters({ short: 10, full: 30 }),
    );
  });
}

function assertClosed(error: unknown): void {
  assert.ok(error instanceof Fault, String(error));
  assert.equal(error.message, 'the database is closed');
}

it('close() ends a migration that waits for a table', {
  skip: !database_names.includes('postgres'),
}, async (t) => {
  const scratch = await migratedDatabase('postgres');
  const other = new pg.Client({ connectionString: scratch.database_url });
  await other.connect();
  t.after(async () => {
    await other.end();
    await scratch.dispose();
  });
  const persistence = await mikroOrmPersistence({
    database_url: scratch.database_url,
    clock: machine_timers,
    audit_mac: testAuditMac,
  });
  await other.query('begin');
  await other.query('lock table tallystick_migrations');
  const migrating = assert.rejects(persistence.migrate(), Fault);
  const waiting = `select from pg_locks join pg_database on datname = current_database() and database = pg_database.oid
    where relation = 'tallystick_migrations'::regclass and not granted`;
  while ((await other.query(waiting)).rowCount === 0);
  await persistence.close();
  await migrating;
});

it('pools are idle once a connection that was being opened when they were closed has failed', async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const pools = openPostgresPools({
    url: `postgres://someone@127.0.0.1:${port}/none`,
    schema: 'public',
    decision_ms_max: 5_000,
    timers: machine_timers,
  });
  const query = assert.rejects(pools.others.query('select 1'));
  await once(server, 'connection');
  const idle = pools.idle();
  await machine_timers.nextTurn();
  for (const socket of sockets) socket.destroy();
  await query;
  await idle;
  await pools.end();
});
