/** What a handler of a subscription does with its transaction, through the library. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SubscriptionTx } from '@tallystick/events';
import { database_names, migratedDatabase } from '@tallystick/test-support';
import { createTallystick, isRefusal, type Tallystick, UnusableTransaction } from 'tallystick';

for (const name of database_names) {
  describe(`the transaction of a handler on ${name}`, { timeout: 120_000 }, () => {
    async function withInstance(work: (tally: Tallystick) => Promise<void>): Promise<void> {
      const scratch = await migratedDatabase(name);
      try {
        await using tally = await createTallystick({ database: scratch.database_url, sandbox: true });
        await tally.migrate();
        await work(tally);
      } finally {
        await scratch.dispose();
      }
    }

    /** Calls the handler once, for the event of a new card, and resolves as it does. */
    async function handleOne(tally: Tallystick, handler: (tx: SubscriptionTx) => Promise<void>): Promise<void> {
      let handled: Promise<void> | null = null;
      const called = Promise.withResolvers<void>();
      await tally.subscribe('first', ['virtualcard.created'], async (_events, tx) => {
        if (handled !== null) return;
        handled = handler(tx);
        called.resolve();
        await handled;
      });
      await tally.start();
      await tally.company(1).cards.issue({ total_card_amount: 1_000 });
      await called.promise;
      await handled;
    }

    test('begins with a call of the library, when that is its first use', async () => {
      await withInstance(async (tally) => {
        const { cards } = tally.company(1);
        await handleOne(tally, async (tx) => {
          const card = await cards.issue({ total_card_amount: 2_000 }, { tx: tx.host });
          assert.equal((await cards.read(card.id, { tx: tx.host })).id, card.id);
        });
        await tally.unsubscribe('first');
        assert.equal((await cards.list()).items.filter((card) => card.total_card_amount === 2_000).length, 1);
      });
    });

    test('stays, with its effect, when the handler asks to remove its own subscription', async () => {
      await withInstance(async (tally) => {
        const { cards } = tally.company(1);
        await handleOne(tally, async (tx) => {
          await cards.issue({ total_card_amount: 2_000 }, { tx });
          await assert.rejects(tally.unsubscribe('first'), (error) => isRefusal(error, 'conflict'));
        });
        assert.equal(await tally.unsubscribe('first'), true);
        assert.equal((await cards.list()).items.filter((card) => card.total_card_amount === 2_000).length, 1);
      });
    });

    test('cannot begin after the end of the handler', async () => {
      await withInstance(async (tally) => {
        const kept: SubscriptionTx[] = [];
        await handleOne(tally, async (tx) => void kept.push(tx));
        await tally.unsubscribe('first');
        await assert.rejects(
          kept[0]!.query('select 1'),
          (error) => error instanceof UnusableTransaction && /handler .* has ended/.test(error.message),
        );
      });
    });
  });
}
