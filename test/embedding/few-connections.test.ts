import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { look } from '@tallystick/harness';
import { machine_timers } from '@tallystick/kernel';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import { database_names, postgres_url, scratchDatabase, startServer, testAuditMac } from '@tallystick/test-support';
import pg from 'pg';
import { createKeys, createTallystick, type Tallystick, UnusableDatabase } from 'tallystick';

const keys = await createKeys();

/** A database with a role of its own, as a small plan has it. */
interface Plan {
  readonly url: string;
  allow(connections: number): Promise<void>;
  /** Those that are open now. */
  open(): Promise<number>;
}

async function smallPlan(t: TestContext, connections: number): Promise<Plan> {
  const scratch = await scratchDatabase('postgres');
  const role = `tallystick_test_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: postgres_url });
  await admin.connect();
  const url = new URL(scratch.database_url);
  await admin.query(`create role ${role} login password 'small' connection limit ${connections}`);
  await admin.query(`alter database "${url.pathname.slice(1)}" owner to ${role}`);
  t.after(async () => {
    await scratch.dispose();
    await admin.query(`drop role ${role}`);
    await admin.end();
  });
  url.username = role;
  url.password = 'small';
  return {
    url: url.href,
    async allow(count) {
      await admin.query(`alter role ${role} connection limit ${count}`);
    },
    async open() {
      const { rows } = await admin.query('select count(*)::int as count from pg_stat_activity where usename = $1', [
        role,
      ]);
      return rows[0].count;
    },
  };
}

interface Line {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

/** Opens an instance. `refused` resolves when it logs that the server refuses connections. */
function opening(t: TestContext, url: string) {
  const lines: Line[] = [];
  const { promise: refused, resolve } = Promise.withResolvers<void>();
  const write = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
    if (level === 'warn') resolve();
  };
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const opened = (async () => {
    const tally = await createTallystick({ database: url, keys, sandbox: true, logger });
    t.after(() => tally.close());
    await tally.migrate();
    return { tally, lines };
  })();
  return { opened, refused };
}

const openOn = (t: TestContext, url: string) => opening(t, url).opened;

async function buyMany(tally: Tallystick, count: number): Promise<number> {
  const { cards, sandbox } = tally.company(1);
  const { id } = await cards.issue({ total_card_amount: 1_000_000 });
  const bought = await Promise.all(Array.from({ length: count }, () => sandbox.buy({ vcn_id: id, amount: 100 })));
  return bought.filter(({ decline_reason }) => decline_reason === null).length;
}

/** Other clients of the role. */
async function otherClients(t: TestContext, url: string, count: number): Promise<{ end(): Promise<void> }> {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }));
  for (const client of clients) await client.connect();
  const end = async () => {
    await Promise.all(clients.splice(0).map((client) => client.end()));
  };
  t.after(end);
  return { end };
}

const statements = (lines: readonly Line[]) => lines.filter(({ message }) => /connections/.test(message));

describe('an instance on a plan with few connections', { skip: !database_names.includes('postgres') }, () => {
  for (const limit of [14, 6, 3]) {
    it(`approves 40 purchases at once on a role with ${limit} connections`, async (t) => {
      const plan = await smallPlan(t, limit);
      const { tally } = await openOn(t, plan.url);
      await tally.start();
      assert.equal(await buyMany(tally, 40), 40);
    });
  }

  for (const limit of [14, 6, 3]) {
    it(`lets 20 handlers of events write at once on a role with ${limit} connections, and none fails`, async (t) => {
      const plan = await smallPlan(t, limit);
      const { tally, lines } = await openOn(t, plan.url);
      // Opens connections for every purpose.
      assert.equal(await buyMany(tally, 40), 40);
      const handlers = Array.from({ length: 20 }, (_, at) => ({
        name: `s${at}`,
        handled: Promise.withResolvers<void>(),
      }));
      for (const { name, handled } of handlers) {
        const handle = async (_: unknown, { query }: { query(text: string): Promise<unknown> }) => {
          await query('select 1');
          handled.resolve();
        };
        await tally.subscribe(name, ['virtualcard.created'], handle, { from: 'beginning' });
      }
      await tally.start();
      await Promise.all(handlers.map(({ handled }) => handled.promise));
      await tally.close();
      assert.deepEqual(
        lines.filter(({ level }) => level === 'error'),
        [],
      );
    });
  }

  it('logs at the start how many connections it wanted, and how many it can have', async (t) => {
    const plan = await smallPlan(t, 14);
    const few = await openOn(t, plan.url);
    const [warning, ...others] = statements(few.lines);
    assert.deepEqual(others, []);
    assert.equal(warning?.level, 'warn');
    assert.partialDeepStrictEqual(warning?.fields, { wanted: 15, got: 14 });
    await few.tally.close();
    await plan.allow(15);
    const enough = await openOn(t, plan.url);
    const [information] = statements(enough.lines);
    assert.equal(information?.level, 'info');
    assert.partialDeepStrictEqual(information?.fields, { wanted: 15, got: 15 });
  });

  it('is the server too, whose log begins with the connections that it wanted and can have', async (t) => {
    const plan = await smallPlan(t, 14);
    const start = async () => {
      const server = await startServer({ database_url: plan.url, env: { LOG_LEVEL: 'info' } });
      await server.stop();
      const lines = server.output().split('\n');
      return lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
    };
    const [few] = (await start()).filter(({ msg }) => /connections/.test(msg));
    assert.partialDeepStrictEqual(few, { level: 40, wanted: 15, got: 14 });
    await plan.allow(15);
    const [enough] = (await start()).filter(({ msg }) => /connections/.test(msg));
    assert.partialDeepStrictEqual(enough, { level: 30, wanted: 15, got: 15 });
  });

  it('never has more than 15 connections open, whatever it does', async (t) => {
    const plan = await smallPlan(t, -1);
    const { tally } = await openOn(t, plan.url);
    await tally.start();
    for (let each = 0; each < 30; each += 1) await tally.subscribe(`s${each}`, ['all'], async () => {});
    let most = 0;
    let is_over = false;
    const looking = (async () => {
      while (!is_over) most = Math.max(most, await plan.open());
    })();
    const reading = Array.from({ length: 40 }, () => tally.company(1).cards.list());
    assert.equal(await buyMany(tally, 100), 100);
    await Promise.all([...reading, tally.sandbox.clock.move({ advance: 'PT1H' }), tally.migrate()]);
    is_over = true;
    await looking;
    assert.ok(most > 3 && most <= 15, `${most} were open`);
  });

  it('is refused no connection by a server that gives 3, and opens one for each purpose', async (t) => {
    const plan = await smallPlan(t, 3);
    const pauses: number[] = [];
    const persistence = await mikroOrmPersistence({
      database_url: plan.url,
      clock: machine_timers,
      timers: {
        ...machine_timers,
        pause(ms, options) {
          pauses.push(ms);
          return machine_timers.pause(ms, options);
        },
      },
      audit_mac: testAuditMac,
    });
    t.after(() => persistence.close());
    await persistence.findConnections();
    await persistence.migrate();
    await persistence.look_ups.read((tx) => tx.sandbox_clock.read());
    await persistence.ledger.pass([], look);
    assert.equal(await plan.open(), 3);
    assert.deepEqual(pauses, []);
  });

  it('migrates on a role with 3 connections while each of them is open', async (t) => {
    const plan = await smallPlan(t, 3);
    const { tally } = await openOn(t, plan.url);
    assert.equal(await buyMany(tally, 40), 40);
    assert.equal(await plan.open(), 3);
    await tally.migrate();
    assert.equal(await buyMany(tally, 40), 40);
  });

  it('approves 40 purchases at once while other clients have all but two connections', async (t) => {
    const plan = await smallPlan(t, 14);
    const others = await otherClients(t, plan.url, 12);
    const { tally } = await openOn(t, plan.url);
    await tally.start();
    assert.equal(await buyMany(tally, 40), 40);
    await others.end();
  });

  it('is refused in one sentence when the role may never have 3', async (t) => {
    const plan = await smallPlan(t, 2);
    const sentence =
      'the database cannot be used: the server gives this role 2 connections and at least 3 are needed: raise the connection limit of the role or of the database';
    await assert.rejects(createTallystick({ database: plan.url, keys }), (error) => {
      assert.ok(error instanceof UnusableDatabase);
      assert.equal(error.message, sentence);
      return true;
    });
  });

  it('goes on with the connections that it has when the limit is lowered, and warns once', async (t) => {
    const plan = await smallPlan(t, 15);
    const { tally, lines } = await openOn(t, plan.url);
    await tally.start();
    await plan.allow(4);
    for (let round = 0; round < 3; round += 1) assert.equal(await buyMany(tally, 40), 40);
    const warnings = statements(lines).filter(({ level }) => level === 'warn');
    assert.equal(warnings.length, 1, JSON.stringify(warnings));
    assert.deepEqual(
      lines.filter(({ level }) => level === 'error'),
      [],
    );
  });

  it('warns once, however often it tries again', async (t) => {
    const plan = await smallPlan(t, 15);
    let passed_ms = 0;
    const warnings: object[] = [];
    const persistence = await mikroOrmPersistence({
      database_url: plan.url,
      clock: machine_timers,
      timers: { ...machine_timers, monotonicNow: () => machine_timers.monotonicNow() + passed_ms },
      audit_mac: testAuditMac,
      onFewerConnections: (connections) => void warnings.push(connections),
    });
    t.after(() => persistence.close());
    await persistence.migrate();
    await plan.allow(4);
    const readMany = () =>
      Promise.all(Array.from({ length: 40 }, () => persistence.unitOfWork.read((tx) => tx.sandbox_clock.read())));
    for (let round = 0; round < 4; round += 1) {
      await readMany();
      passed_ms += 6_000;
    }
    assert.equal(warnings.length, 1, JSON.stringify(warnings));
  });

  it('waits while other clients have all but three connections, and uses what they give back', async (t) => {
    const plan = await smallPlan(t, 14);
    const others = await otherClients(t, plan.url, 11);
    const { tally } = await openOn(t, plan.url);
    await tally.start();
    assert.equal(await buyMany(tally, 40), 40);
    await others.end();
    for (;;) {
      assert.equal(await buyMany(tally, 40), 40);
      if ((await plan.open()) > 3) break;
    }
  });

  it('waits for the first connection while other clients have all of them', async (t) => {
    const plan = await smallPlan(t, 14);
    const others = await otherClients(t, plan.url, 14);
    const { opened, refused } = opening(t, plan.url);
    await refused;
    await others.end();
    const { tally } = await opened;
    assert.equal(await buyMany(tally, 40), 40);
  });
});
