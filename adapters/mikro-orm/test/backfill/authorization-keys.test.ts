import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createNetwork } from '@tallystick/cards';
import { look } from '@tallystick/harness';
import { money } from '@tallystick/kernel';
import { type DatabaseName, database_names, test_seed } from '@tallystick/test-support';
import { authorization_keys_step } from '../../src/backfill/authorization-keys-step.ts';
import { backfillsOn } from '../../src/backfill/backfills.ts';
import { migrate } from '../../src/connection/migrate.ts';
import { type Keyed, keysOf } from '../../src/schema/authorization-keys.ts';
import {
  authorizationMessage,
  clearingMessage,
  openLedger,
  plain_quarantine,
  run,
  seededDatabase,
} from '../ledger-fixture.ts';

const cards = 8;
const old_count = 240;
const kills = 2;

/** A database of the first release with open purchases of 1 on every card, migrated. */
async function oldDatabase(t: TestContext, name: DatabaseName) {
  const held = { held: old_count / cards, uses: old_count / cards };
  const database = await seededDatabase(name, cards, held, '0008-mails-page');
  t.after(() => database.dispose());
  const { connection, ledger, close } = await openLedger(database.database_url);
  t.after(close);
  const no = name === 'sqlite' ? '0' : 'false';
  for (let id = 1; id <= old_count; id += 1) {
    // References of any text, and some messages without them.
    const approval_code = id % 5 === 0 ? 'null' : `'A|${id}'`;
    const net_reference_number = id % 7 === 0 ? 'null' : `'MCC${String(id).padStart(6, '\\')}0520'`;
    await run(
      connection,
      `insert into authorizations (company_id, card_id, root_id, message_type, incremental, trace_id,
         system_trace_audit_number, transaction_date_time_ms, decided_at_ms, approval_code, net_reference_number,
         billing_amount, merchant_amount, merchant_currency, mcc, merchant_id, window_start_ms, status, authorized, held,
         cleared, uses, details)
       values (1, ${1 + (id % cards)}, ${id}, '0100', ${no}, '${traceOf(id)}', '1', ${id}, ${Date.UTC(2026, 4, 20)},
         ${approval_code}, ${net_reference_number}, 1, 1, 'USD', '5812', 'M1', 0, 'open', 1, 1, 0, 1, '{}')`,
    );
  }
  await migrate(connection);
  const sql = (text: string) => run(connection, text);
  return { database, connection, ledger, sql };
}

function traceOf(id: number): string {
  return `T|\\${id}\u{1f37d}`;
}

/** The keys that a database has, and those that its authorizations should have. */
async function keysIn(sql: (text: string) => Promise<Record<string, unknown>[]>) {
  const stored = await sql('select card_id, key, authorization_id from authorization_keys');
  const rows = (await sql('select * from authorizations')) as unknown as (Keyed & { readonly card_id: number })[];
  const sorted = (lines: readonly string[]) => lines.toSorted();
  return {
    stored: sorted(stored.map(({ card_id, key, authorization_id }) => `${card_id} ${key} ${authorization_id}`)),
    wanted: sorted(rows.flatMap((row) => keysOf(row).map((key) => `${row.card_id} ${key} ${row.id}`))),
  };
}

for (const name of database_names) {
  describe(`the keys of authorizations from before the tree, on ${name}`, () => {
    it('are complete after the copying process was killed at any point, with passes running beside it', async (t) => {
      const { database, connection, ledger, sql } = await oldDatabase(t, name);
      const network = createNetwork({
        ledger,
        ...plain_quarantine,
        vault: { cvcMatches: () => true },
        random: { below: () => 0, bytes: (count) => new Uint8Array(count) },
      });
      let ended = false;
      /** Purchases, and reversals and clearings of old purchases, in an order of the seed. */
      const passes = (async () => {
        for (let at = 0; !ended || at < old_count; at += 1) {
          const id = 1 + ((at * 7 + test_seed) % old_count);
          const card_id = 1 + (id % cards);
          const time = { system_trace_audit_number: `N${at}`, transaction_date_time_ms: at };
          await Promise.all([
            network.authorize(
              authorizationMessage(card_id, { trace_id: `N-${at}`, billing_amount: money(0), ...time }),
            ),
            network.authorize(
              authorizationMessage(card_id, {
                trace_id: traceOf(id),
                message_type: at % 2 === 0 ? '0400' : '0100',
                ...time,
              }),
            ),
            network.clear(
              clearingMessage(1 + ((id + 3) % cards), {
                network_financial_transaction_id: `F-${at}`,
                approval_code: `A|${id + 3}`,
                net_reference_number: null,
                partial: at % 3 === 0,
                billing_amount: money(1),
                merchant_amount: money(1),
              }),
            ),
          ]);
        }
      })();
      for (let kill = 1; kill <= kills; kill += 1) {
        const script = fileURLToPath(new URL('backfill-process.ts', import.meta.url));
        const copying = spawn(process.execPath, ['--conditions=source', script, database.database_url], {
          stdio: 'inherit',
        });
        const exited = once(copying, 'exit');
        const until = (old_count * kill) / (kills + 1) + (test_seed % 20);
        while (copying.exitCode === null && (await checkpoint(sql)) < until);
        copying.kill('SIGKILL');
        await exited;
      }
      const backfills = backfillsOn(connection, [{ ...authorization_keys_step, batch_max: 5 }]);
      while (!backfills.isCopied(authorization_keys_step.name)) await backfills.runBatches();
      ended = true;
      await passes;
      await network.drain();
      const { stored, wanted } = await keysIn(sql);
      assert.deepEqual(stored, wanted);
      assert.ok((await sql(`select 1 from authorizations where status <> 'open'`)).length > 50);
      assert.ok(stored.length > old_count * 3);
    });

    it('make the five indexes superfluous, which are dropped ten seconds later', async (t) => {
      const { connection, ledger, sql } = await oldDatabase(t, name);
      const indexes = () =>
        sql(
          name === 'sqlite'
            ? `select name from sqlite_schema where type = 'index' and tbl_name = 'authorizations'`
            : `select indexname as name from pg_indexes where tablename = 'authorizations' and indexname <> 'authorizations_pkey'`,
        );
      assert.equal((await indexes()).length, 5);
      const backfills = backfillsOn(connection, [authorization_keys_step]);
      await backfills.runBatches();
      assert.equal((await indexes()).length, 5);
      await sql(
        `update backfills set copied_at_ms = copied_at_ms - 10000 where name = '${authorization_keys_step.name}'`,
      );
      await backfills.runBatches();
      assert.deepEqual(await indexes(), []);
      const copy = authorizationMessage(1 + (9 % cards), {
        trace_id: traceOf(9),
        system_trace_audit_number: '1',
        transaction_date_time_ms: 9,
      });
      const { authorizations } = await ledger.pass([copy], look);
      assert.deepEqual(
        authorizations.map(({ id }) => id),
        [9],
      );
    });
  });
}

async function checkpoint(sql: (text: string) => Promise<Record<string, unknown>[]>): Promise<number> {
  return Number(
    (await sql(`select checkpoint from backfills where name = '${authorization_keys_step.name}'`))[0]?.checkpoint,
  );
}
