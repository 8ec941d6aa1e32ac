/** One event for many subscriptions of a process, and the purchases beside it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { database_names, long_run, scratchDatabase } from '@tallystick/test-support';
import { createTallystick } from 'tallystick';

/** More than begin to handle an event in one turn. */
const count = long_run ? 1_000 : 200;

for (const name of database_names) {
  describe(`an event that ${count} subscriptions receive, on ${name}`, { timeout: 300_000 }, () => {
    test('reaches each once, and no purchase waits for their handlers', async (t) => {
      const scratch = await scratchDatabase(name);
      t.after(() => scratch.dispose());
      await using tally = await createTallystick({ database: scratch.database_url, sandbox: true });
      await tally.migrate();
      const { cards, sandbox } = tally.company(1);
      const { id } = await cards.issue({ total_card_amount: 1_000_000 });
      const buy = async () => (await sandbox.buy({ vcn_id: id, amount: 100 })).decline_reason;
      const names = Array.from({ length: count }, (_, place) => `subscription-${place}`);
      const called: string[] = [];
      const [first, last, bought] = [1, 2, 3].map(() => Promise.withResolvers<void>());
      let ended = 0;
      for (const its of names) {
        await tally.subscribe(its, ['virtualcard.created'], async () => {
          called.push(its);
          first!.resolve();
          if (called.length === count) last!.resolve();
          await bought!.promise;
          ended += 1;
        });
      }
      await tally.start();
      await cards.issue({ total_card_amount: 5_000 });
      await first!.promise;
      assert.equal(await buy(), null, 'while the event reaches them');
      await last!.promise;
      assert.equal(await buy(), null, 'while all of them handle it');
      assert.equal(ended, 0);
      bought!.resolve();
      while ((await tally.subscriptions()).some(({ waiting }) => waiting > 0)) assert.equal(called.length, count);
      assert.deepEqual([...called].sort(), names.sort());
    });
  });
}
