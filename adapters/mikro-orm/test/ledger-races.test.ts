import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { look, spend } from '@tallystick/harness';
import { Fault } from '@tallystick/kernel';
import { database_names, type ScratchDatabase } from '@tallystick/test-support';
import { sendTogether } from '../src/connection/postgres/send-together.ts';
import { authorizationsById, begin, lockByNumber } from '../src/ledger/postgres-ledger-statements.ts';
import { postgres_lookups } from '../src/ledger/postgres-lookups.ts';
import {
  authorizationMessage,
  clearingMessage,
  indexOf,
  noon_ms,
  type OpenLedger,
  openLedger,
  run,
  seededDatabase,
} from './ledger-fixture.ts';

for (const name of database_names) {
  describe(`a pass of the ledger on ${name}`, () => {
    let database: ScratchDatabase;
    let here: OpenLedger;

    before(async () => {
      database = await seededDatabase(name, 12);
      here = await openLedger(database.database_url);
    });
    after(async () => {
      await here?.close();
      await database?.dispose();
    });

    it('reads the clock only once the cards are locked', async (t) => {
      let now_ms = noon_ms;
      const clock = { nowMs: () => now_ms };
      const late = await openLedger(database.database_url, clock);
      t.after(() => late.close());
      const held = await holdCard(here, 12);
      // On SQLite a handle waits for the transaction of its own process, so there the waiting
      // ledger is the one that holds the card.
      const waiting = late.ledger.pass([authorizationMessage(12, { trace_id: 'T-clock' })], look);
      await untilWaiting(here);
      now_ms += 1;
      await held.release();
      assert.equal((await waiting).now_ms, noon_ms + 1);
    });
  });
}

if (database_names.includes('postgres')) {
  describe('the ledger on postgres, when others hold rows', () => {
    let database: ScratchDatabase;
    let open: OpenLedger;

    before(async () => {
      database = await seededDatabase('postgres', 8);
      open = await openLedger(database.database_url);
    });
    after(async () => {
      await open?.close();
      await database?.dispose();
    });

    it('sees an act that another transaction records when a pass with an act begins', async () => {
      assert(open.connection.dialect === 'postgres');
      const client = await open.connection.pool.connect();
      await client.query(`insert into tallystick_reconciliation_companies (company_id, coverage, tolerances)
        values (1, '{}', '{}')`);
      await client.query('begin; select 1 from tallystick_reconciliation_companies where company_id = 1 for update');
      await client.query(
        'insert into tallystick_reconciliation_act_records (company_id, record, act_id) values (1, 9, 5)',
      );
      const seen_acts = { company_id: 1, item_ids: [], records: [9], newest_id: 4, approval_id: null };
      const of_card = { kind: 'rematch', number_index: null, vcn_id: 1, authorization_id: null } as const;
      let is_ended = false;
      const pass = open.ledger.pass([{ ...of_card, clearing_id: 2, seen_acts }], look).finally(() => {
        is_ended = true;
      });
      await untilWaiting(open, () => is_ended);
      await client.query('commit');
      client.release();
      assert.deepEqual((await pass).overtaken_clearing_ids, [2]);
    });

    for (const [what, code] of [
      ['a deadlock', '40P01'],
      ['a serialization failure', '40001'],
      ['a row that another pass inserted first', '23505'],
    ] as const) {
      it(`begins a pass again after ${what}, five times at most`, async () => {
        const message = authorizationMessage(1, { trace_id: `T-${code}` });
        const once = await failing(open, code, 1);
        assert.deepEqual(await open.ledger.pass([message], spend([message])), [true]);
        assert.equal(await once.writes(), 2);
        await once.end();

        const always = await failing(open, code, 100);
        const next = authorizationMessage(1, { trace_id: `T-${code}-again` });
        const { retryable } = (await open.ledger.pass([next], spend([next])).catch((error: unknown) => error)) as Fault;
        assert.equal(retryable, code !== '23505');
        assert.equal(await always.writes(), 5);
        await always.end();
        assert.deepEqual(await open.ledger.pass([next], spend([next])), [true], 'nothing of it was stored');
      });
    }

    it('locks cards in the order of their ids, whatever the order of their numbers, their rows and the messages', async () => {
      assert(Buffer.compare(indexOf(8), indexOf(7)) < 0, 'by number, 8 comes before 7');
      // With another value in an index the row of 7 is written again, behind the row of 8.
      for (const end of [noon_ms + 1, 'null']) {
        await run(open.connection, `update tallystick_virtual_cards set next_hold_end_ms = ${end} where id = 7`);
      }
      for (const [at, order] of [
        [7, 8],
        [8, 7],
      ].entries()) {
        for (const by_id of [false, true]) {
          const messages = order.map((card_id) =>
            by_id
              ? { ...clearingMessage(7), number_index: null, vcn_id: card_id }
              : authorizationMessage(card_id, { trace_id: `T-locks-${at}` }),
          );
          const other = await holdCard(open, 8);
          const pass = open.ledger.pass(messages, look);
          await untilWaiting(open);
          const free = await run(
            open.connection,
            'select id from tallystick_virtual_cards where id = 7 for update skip locked',
          );
          await other.release();
          await pass;
          assert.deepEqual(free, [], `7 is locked before 8, by ${by_id ? 'id' : 'number'}, asked for ${order}`);
        }
      }
    });

    it('looks rows up by index even if its statements were planned when the tables were empty', async () => {
      const { connection } = open;
      assert(connection.dialect === 'postgres');
      const client = await connection.pool.connect();
      try {
        await client.query('analyze');
        await sendTogether(client, begin(5_000));
        for (const { text, values } of [
          lockByNumber([]),
          postgres_lookups.traces([], []),
          authorizationsById([]),
          postgres_lookups.holdsDueAndNext([], noon_ms),
          postgres_lookups.rootsByReference([]),
          postgres_lookups.rootsOfMerchants([]),
        ]) {
          const { rows } = await client.query(`explain (costs off, format json) ${text}`, values);
          assert.doesNotMatch(JSON.stringify(rows), /"Seq Scan"/, text);
        }
      } finally {
        client.release(true);
      }
    });

    it('skips due cards that another transaction holds', async () => {
      await run(
        open.connection,
        `update tallystick_virtual_cards set next_hold_end_ms = ${noon_ms} where id in (3, 4, 5)`,
      );
      const other = await holdCard(open, 4);
      const { cards } = await open.ledger.passDue(10, look);
      await other.release();
      assert.deepEqual(cards.map(({ id }) => id).toSorted(), [3, 5]);
    });

    it('ends in a retryable fault when its connection is lost, and continues with another connection', async () => {
      const message = authorizationMessage(6, { trace_id: 'T-lost' });
      const other = await holdCard(open, 6);
      const pass = open.ledger.pass([message], spend([message]));
      const lost = assert.rejects(pass, (error) => error instanceof Fault && error.retryable);
      await untilWaiting(open);
      await run(
        open.connection,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      await lost;
      await other.release();
      assert.deepEqual(await open.ledger.pass([message], spend([message])), [true]);
    });
  });
}

/**
 * Makes the first `times` writes of a card end their transaction with the error, as Postgres would.
 */
async function failing({ connection }: OpenLedger, code: string, times: number) {
  await run(
    connection,
    `create sequence writes;
     create function fail() returns trigger language plpgsql as $$ begin
       if nextval('writes') <= ${times} then raise exception 'planted' using errcode = '${code}'; end if;
       return new;
     end $$;
     create trigger planted before update on tallystick_virtual_cards for each row execute function fail()`,
  );
  return {
    writes: async () => Number((await run(connection, 'select last_value from writes'))[0]?.last_value),
    end: () =>
      run(connection, 'drop trigger planted on tallystick_virtual_cards; drop function fail(); drop sequence writes'),
  };
}

interface Held {
  release(): Promise<void>;
}

/** Holds a card like another transaction: its row on Postgres, the write lock on SQLite. */
async function holdCard({ connection }: OpenLedger, card_id: number): Promise<Held> {
  if (connection.dialect === 'sqlite') {
    const transaction = await connection.orm.driver.getConnection().getClient().startTransaction().execute();
    return { release: async () => await transaction.commit().execute() };
  }
  const client = await connection.pool.connect();
  await client.query('begin');
  await client.query('select id from tallystick_virtual_cards where id = $1 for update', [card_id]);
  return {
    release: async () => {
      await client.query('commit');
      client.release();
    },
  };
}

/**
 * Resolves when a pass waits for a row that another transaction holds, or has ended. On SQLite a
 * pass waits for the write lock, which it requests within a turn.
 */
async function untilWaiting({ connection }: OpenLedger, isEnded = () => false): Promise<void> {
  for (let turns = 0; !isEnded(); turns += 1) {
    await turn();
    if (connection.dialect === 'sqlite' && turns === 20) return;
    if (connection.dialect === 'sqlite') continue;
    const { rows } = await connection.pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
  }
}
