import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import type { Mailer } from '@tallystick/cards';
import { database_names, migratedDatabase, type ScratchDatabase } from '@tallystick/test-support';
import pg from 'pg';
import { type AuthorizationMessage, createKeys, createTallystick } from 'tallystick';
import { runCommand } from '../../apps/embedded/src/command-line/command.ts';
import { default_settings } from '../../apps/embedded/src/composition/default-settings.ts';
import { openWithInversify } from './guide/inversify-host.ts';
import { createExpressApp } from './guide/mount-express.ts';
import { createFastifyApp } from './guide/mount-fastify.ts';
import { createHonoApp } from './guide/mount-hono.ts';
import { createKoaApp } from './guide/mount-koa.ts';
import { createNodeServer } from './guide/mount-node-http.ts';
import { openWithMailer, ownMailer } from './guide/own-mailer.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

const guide = read('../../docs/embedding.md');

const run = promisify(execFile);

/** The names in the first column of the first table of a section. */
function firstColumnOf(section: string): readonly string[] {
  const text = guide.split(/^## /m).find((part) => part.startsWith(`${section}\n`));
  const [table] = /^\|[^\n]*\n\|-[\s\S]*?(?=\n\n)/m.exec(text ?? '') ?? [];
  return [...(table ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!);
}

/** The names of the members of an interface in the options. */
function membersOf(type: string): readonly string[] {
  const [body] = new RegExp(`interface ${type} \\{[\\s\\S]*?\\n\\}`).exec(read('../../apps/embedded/src/options.ts'))!;
  return [...body.matchAll(/^ {2}readonly (\w+)/gm)].map(([, name]) => name!);
}

/** MikroORM does not start without an entity. */
const HostOrder = new EntitySchema<{ id: number }>({
  name: 'HostOrder',
  tableName: 'orders',
  properties: { id: { type: 'integer', primary: true } },
});

/** A message of the network for a purchase of 12.50 EUR. */
function purchaseWith(card_number: string): AuthorizationMessage {
  return {
    card_number,
    message_type_indicator: '0100',
    trace_id: 'MCC0000011124',
    system_trace_audit_number: '000001',
    transaction_date_time: new Date().toISOString(),
    billing_amount: 1_250,
    billing_currency: 'EUR',
    merchant_amount: 1_250,
    merchant_currency: 'EUR',
    mcc: '5411',
  };
}

/** The statements that make the two tables of the host. */
const hostTables = (): string => /^```sql\n([\s\S]*?)^```$/m.exec(guide)![1]!;

const skip = !database_names.includes('postgres') && 'there is no Postgres';

describe('docs/embedding.md', { timeout: 120_000, skip }, () => {
  let scratch: ScratchDatabase;
  let host: typeof import('./guide/tally.ts');

  before(async () => {
    scratch = await migratedDatabase('postgres');
    env.DATABASE_URL = scratch.database_url;
    env.TALLYSTICK_KEYS = await createKeys();
    host = await import('./guide/tally.ts');
    await host.pool.query(hostTables());
  });
  after(async () => {
    delete env.DATABASE_URL;
    delete env.TALLYSTICK_KEYS;
    await host?.tally.close();
    await host?.pool.end();
    await scratch?.dispose();
  });

  it('shows the programs of the folder guide, which the checks of this repository compile', () => {
    const blocks = [...guide.matchAll(/^```ts\n\/\/ ([\w.-]+\.ts)\n[\s\S]*?^```$/gm)];
    assert.equal(blocks.length, guide.match(/^```ts$/gm)!.length, 'the first line of each block names its file');
    for (const [block, file] of blocks) assert.equal(block, `\`\`\`ts\n${read(`guide/${file}`)}\`\`\``, file!);
    const files = readdirSync(new URL('guide', import.meta.url)).toSorted();
    assert.deepEqual(files, blocks.map(([, file]) => file!).toSorted());
  });

  it('prints keys that an instance takes', async () => {
    const program = fileURLToPath(new URL('guide/create-keys.ts', import.meta.url));
    const { stdout } = await run(process.execPath, ['--conditions=source', program]);
    await using tally = await createTallystick({ database: 'sqlite::memory:', keys: stdout.trim() });
    await tally.migrate();
  });

  it('has a first program that stores an order with its card, and ends', async (t) => {
    const { database_url, dispose } = await migratedDatabase('postgres');
    const pool = new pg.Pool({ connectionString: database_url, max: 1 });
    // A connection that is ending may still be there when the database is dropped.
    pool.on('error', () => {});
    t.after(async () => {
      await pool.end();
      await dispose();
    });
    await pool.query(hostTables());
    const program = fileURLToPath(new URL('guide/first-order.ts', import.meta.url));
    const environment = { ...env, DATABASE_URL: database_url };
    const { stdout } = await run(process.execPath, ['--conditions=source', program], {
      env: environment,
      signal: t.signal,
    });
    assert.match(stdout, /^card 1, number ending in \d{4}: Approved\n$/);
    const { rows } = await pool.query('select amount, card_id from orders');
    assert.deepEqual(rows, [{ amount: 50_000, card_id: '1' }]);
  });

  it('has a host whose cards and rows are there together', async () => {
    const { pool, tally } = host;
    const rowsOf = async (text: string) => (await pool.query(text)).rows;
    const { company_id } = await import('./guide/create-company.ts');
    const { placeOrder } = await import('./guide/place-order.ts');
    const { cancelOrder } = await import('./guide/cancel-order.ts');
    const { openCards } = await import('./guide/lists.ts');
    const { issueCard } = await import('./guide/issue-card.ts');
    const { withDrizzle, withKysely, withMikroOrm } = await import('./guide/transactions.ts');

    const card_id = await placeOrder(company_id, 5_000);
    await assert.rejects(placeOrder(company_id, -1), { code: 'validation_failed' });
    assert.deepEqual(await rowsOf('select id, card_id from orders'), [{ id: 1, card_id }]);
    assert.equal((await openCards(company_id)).length, 1);

    await cancelOrder(company_id, 1);
    assert.equal((await openCards(company_id)).length, 0);
    await withKysely(company_id);
    await withDrizzle(company_id);
    const orm = await MikroORM.init({ entities: [HostOrder], clientUrl: scratch.database_url });
    await withMikroOrm(orm.em.fork(), company_id).finally(() => orm.close());
    assert.equal((await rowsOf('select 1 from orders')).length, 1);
    assert.equal((await openCards(company_id)).length, 3);

    const issued = await issueCard(company_id, 500);
    assert.equal((await tally.company(company_id).cards.read(issued)).total_card_amount, 500);
    assert.match(await issueCard(company_id, -1), /^total_card_amount /);
  });

  it('has a host that decides, and keeps a ledger', async () => {
    const { pool, tally } = host;
    const { company_id } = await import('./guide/create-company.ts');
    const { authorize } = await import('./guide/authorize.ts');
    const { counted, keepLedger } = await import('./guide/ledger.ts');
    await keepLedger();
    const { cards } = tally.company(company_id);
    const { card_number } = await cards.issue({ total_card_amount: 2_000 }, { show_card_number: true });
    const { clear } = await import('./guide/clear.ts');
    const message = { ...purchaseWith(card_number), merchant_id: 'M1' };
    assert.equal(await authorize(message), '00');
    // A repeated message gets its first answer.
    const cleared = await clear(await tally.network.authorize(message), 'F1');
    assert.deepEqual([cleared.class, cleared.match_rule], ['exact', 5]);
    const rows = async () => (await pool.query('select company_id, amount from ledger')).rows;
    while ((await rows()).length === 0 || counted.decisions === 0);
    assert.deepEqual(await rows(), [{ company_id, amount: 1_250 }]);
    assert.match(await tally.metrics(), /tallystick_subscription_waiting_events\{subscription="ledger"\} 0/);
  });

  it('has a host that shares its SQLite file', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-guide-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const { onSqlite } = await import('./guide/transactions.ts');
    assert.equal(await onSqlite(join(folder, 'host.db')), 1);
  });

  it('mounts the interface in each framework', async (t) => {
    const { tally } = host;
    const { key } = await tally.operator.keys.create({ role: 'operator', name: 'guide' });
    const init = { method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` } };
    const create = (name: string) => ({
      ...init,
      body: JSON.stringify({ data: { name, customer_number: name } }),
    });
    const path = '/cards/operator/v1/companies';
    const listeners: Readonly<Record<string, { listen(port: number, host: string): Server }>> = {
      node: createNodeServer(tally),
      koa: createKoaApp(tally),
      express: createExpressApp(tally),
    };
    for (const [name, app] of Object.entries(listeners)) {
      const server = app.listen(0, '127.0.0.1');
      t.after(() => {
        server.closeAllConnections();
        server.close();
      });
      if (!server.listening) await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}${path}`, create(name));
      assert.equal(response.status, 200, `${name}: ${await response.text()}`);
    }
    const fastify = createFastifyApp(tally);
    t.after(() => fastify.close());
    const response = await fetch((await fastify.listen({ port: 0, host: '127.0.0.1' })) + path, create('fastify'));
    assert.equal(response.status, 200, `fastify: ${await response.text()}`);
    assert.equal((await createHonoApp(tally).request(path, create('hono'))).status, 200);
    assert.equal((await tally.fetch(new Request('https://host.example/v1/virtualcards'))).status, 401);
  });

  it('replaces a port by an option, and by rebinding a token', async () => {
    const options = { database: 'sqlite::memory:', sandbox: true };
    for (const open of [openWithMailer, (mailer: Mailer) => openWithInversify(options, mailer)]) {
      const handed_over: string[] = [];
      await using tally = await open(ownMailer(async (to) => void handed_over.push(to)));
      await tally.migrate();
      const { cards } = tally.company(1);
      const { id } = await cards.issue({ total_card_amount: 500 });
      await cards.email(id, { email: 'ann@example.com' });
      await tally.sandbox.clock.move({ advance: 'PT1S' });
      assert.deepEqual(handed_over, ['ann@example.com']);
    }
  });

  it('has commands that migrate, and print', async () => {
    const lines = [...guide.matchAll(/^npx tallystick (.+)$/gm)].map(([, words]) => words!.split(' > ')[0]!.split(' '));
    assert.equal(lines.length, 3);
    for (const words of lines) {
      const said: string[] = [];
      const output = { out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) };
      const own = words.map((word) => (word.startsWith('postgres://') ? scratch.database_url : word));
      assert.equal(await runCommand(own, {}, output), 0, said.join(''));
    }
  });

  it('lists every option and every port', () => {
    assert.deepEqual(firstColumnOf('Options'), membersOf('TallystickOptions'));
    assert.deepEqual(firstColumnOf('Ports'), membersOf('TallystickPorts'));
  });

  it('states the defaults of the code', () => {
    const stated = (option: string): string => new RegExp(`^\\| \`${option}\` \\| ([^|]+) \\|`, 'm').exec(guide)![1]!;
    const { kept_days, unknown_numbers_kept_days, bodies_bytes_max, bank_name, statement_key } = default_settings;
    for (const option of [
      'network_wait_ms_max',
      'decision_ms_max',
      'template_completion_delay_ms',
      'requests_max',
    ] as const) {
      assert.equal(stated(option), default_settings[option].toLocaleString('en'), option);
    }
    assert.equal(stated('bodies_bytes_max'), `${bodies_bytes_max / 1024 ** 2} MiB`);
    assert.equal(stated('bank_name'), `\`${bank_name}\``);
    assert.equal(stated('statement_key'), `\`${statement_key}\``);
    assert.equal(kept_days.deliveries, kept_days.mails);
    assert.equal(
      stated('kept_days'),
      `for ever; deliveries, mails ${kept_days.mails}; consents that nobody authorised ${kept_days.consents}; unknown numbers ${unknown_numbers_kept_days}`,
    );
  });
});
