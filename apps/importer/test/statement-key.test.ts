import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ScratchDatabase, scratchDatabase, send, serverEnvironment, startServer } from '@tallystick/test-support';
import { runHere, runPeople, runReconcile } from './run-command.ts';

const whole = { STATEMENT_KEY: 'whole' };

/** Sends a clearing without authorization to the sandbox. Returns the status of the answer. */
async function clear(url: string, vcn_id: number, id: string): Promise<number> {
  const data = {
    vcn_id,
    network_financial_transaction_id: id,
    acquirer_reference_data: '74123456061000000000017',
    billing_amount: 700,
    billing_currency: 'USD',
    clearing_type: 'DEBIT',
    settlement_date: '2030-03-16',
  };
  return (await send(url, 'POST', '/network/v1/clearings', { key: 'network', body: { data } })).status;
}

async function items(url: string) {
  return await send(url, 'GET', '/v1/reconciliation/items');
}

/** A sandbox with one item, made with the default setting. */
async function withDatabase(work: (database: ScratchDatabase, vcn_id: number) => Promise<void>): Promise<void> {
  const database = await scratchDatabase('sqlite');
  try {
    const server = await startServer(database);
    const card = { data: { total_card_amount: 100_000 } };
    const { id } = (await send(server.url, 'POST', '/v1/virtualcards', { body: card })).json.data;
    assert.equal(await clear(server.url, Number(id), 'TX-1'), 200);
    assert.equal((await items(server.url)).json.data.length, 1);
    await server.stop();
    await work(database, Number(id));
  } finally {
    await database.dispose();
  }
}

describe('another setting of the statement key', () => {
  it('is refused at the start in one sentence until a rebuild has made the items with it', async () => {
    await withDatabase(async (database) => {
      const [before, env] = [serverEnvironment(database), { ...serverEnvironment(database), ...whole }];
      const sentence =
        /items of reconciliation in the database sqlite:\S+ were made with STATEMENT_KEY=bin\+sequence, and now it is whole: "npm run reconcile -- rebuild" with STATEMENT_KEY=whole makes the items with it, or set STATEMENT_KEY=bin\+sequence again\.\n/;
      const refused = [
        await runReconcile(['report'], env),
        await runReconcile(['breaks'], env),
        await runPeople(['list'], env),
        await runHere([import.meta.filename], env),
      ];
      for (const { status, err } of refused) {
        assert.equal(status, 1, err);
        assert.match(err, sentence);
      }
      await assert.rejects(startServer({ ...database, env: whole }), sentence);
      const checked = await runReconcile(['rebuild', '--check'], env);
      assert.deepEqual([checked.status, /bin\+sequence, and the setting is whole/.test(checked.err)], [1, true]);
      const rebuilt = await runReconcile(['rebuild', '--quiet'], env);
      assert.deepEqual([rebuilt.status, rebuilt.out.includes('2 entries')], [0, true], rebuilt.out + rebuilt.err);
      assert.equal((await runReconcile(['rebuild', '--check'], env)).status, 0);
      assert.equal((await runReconcile(['report'], env)).status, 0);
      assert.match((await runReconcile(['report'], before)).err, /made with STATEMENT_KEY=whole, and now it is bin/);
    });
  });

  it('is refused when there is no such setting', async () => {
    const { status, err } = await runReconcile(['report'], { STATEMENT_KEY: 'bin' });
    assert.deepEqual([status, err.includes('STATEMENT_KEY: is "bin"; it must be bin+sequence or whole\n')], [2, true]);
  });

  it('can be changed beside a server, which goes on but for reconciliation until it starts again', async () => {
    await withDatabase(async (database, vcn_id) => {
      const server = await startServer(database);
      const env = { ...serverEnvironment(database), ...whole };
      assert.equal((await runReconcile(['rebuild', '--quiet'], env)).status, 0);
      assert.equal((await items(server.url)).status, 503);
      assert.equal(await clear(server.url, vcn_id, 'TX-2'), 200);
      await server.stop();
      const restarted = await startServer({ ...database, env: whole });
      const { status, json } = await items(restarted.url);
      assert.deepEqual([status, json.data.length], [200, 2]);
      await restarted.stop();
    });
  });
});
