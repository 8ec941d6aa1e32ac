/**
 * Decisions beside a handler that waits in its transaction: `slow-handler.test.ts` of the adapter
 * has more.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { changeRows, database_names, migratedDatabase, readRows, type ScratchDatabase } from '@tallystick/test-support';
import { createTallystick, type Tallystick } from 'tallystick';

/** An instance, and a table of the host. */
async function withInstance(
  name: (typeof database_names)[number],
  work: (tally: Tallystick, scratch: ScratchDatabase) => Promise<void>,
): Promise<void> {
  const scratch = await migratedDatabase(name);
  try {
    await using tally = await createTallystick({ database: scratch.database_url, sandbox: true });
    await tally.migrate();
    await changeRows(scratch, 'create table effects (event_id bigint)');
    await work(tally, scratch);
  } finally {
    await scratch.dispose();
  }
}

async function effects(scratch: ScratchDatabase): Promise<readonly number[]> {
  const rows = await readRows<{ event_id: number }>(scratch, 'select event_id from effects');
  return rows.map(({ event_id }) => Number(event_id));
}

async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  const until_ms = performance.now() + 60_000;
  while (!(await isMet())) {
    assert.ok(performance.now() < until_ms, 'the condition is not met after a minute');
    await delay(5);
  }
}

const buy = (tally: Tallystick, vcn_id: string) => tally.company(1).sandbox.buy({ vcn_id, amount: 100 });

for (const name of database_names) {
  const insert = `insert into effects values (${name === 'sqlite' ? '?' : '$1'})`;

  describe(`a handler that waits after the first use of its transaction, on ${name}`, { timeout: 120_000 }, () => {
    test('makes progress under steady purchases, also with calls that take part in its transaction', async () => {
      await withInstance(name, async (tally, scratch) => {
        const { cards } = tally.company(1);
        await tally.subscribe('effects', ['virtualcard.created'], async (events, tx) => {
          for (const { id } of events) await tx.query(insert, [id]);
          await delay(2);
          await cards.read(String(events[0]!.payload.id), { tx: tx.host });
          await delay(2);
        });
        await tally.start();
        const card = await cards.issue({ total_card_amount: 1_000_000 });
        let is_over = false;
        const buying = (async () => {
          while (!is_over) await buy(tally, card.id);
        })();
        for (let issued = 1; issued < 10; issued += 1) await cards.issue({ total_card_amount: 1_000 });
        await until(async () => (await effects(scratch)).length >= 10);
        is_over = true;
        await buying;
        assert.equal(new Set(await effects(scratch)).size, 10);
        assert.equal((await effects(scratch)).length, 10);
      });
    });
  });
}
