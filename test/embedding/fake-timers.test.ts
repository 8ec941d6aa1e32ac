import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { database_names, scratchDatabase, tlsReceiver } from '@tallystick/test-support';
import { createTallystick } from 'tallystick';

/**
 * Replaces the timers and the time of the process, as `vi.useFakeTimers()` does. Nothing moves them
 * on.
 */
function useFakeTimers(): void {
  mock.timers.enable();
  mock.method(performance, 'now', () => 0);
}

function useRealTimers(): void {
  mock.timers.reset();
  mock.restoreAll();
}

for (const name of [...database_names, 'memory'] as const) {
  test(`fake timers in the tests of a host stop nothing, on ${name}`, async (t) => {
    const scratch = name === 'memory' ? null : await scratchDatabase(name);
    t.after(() => scratch?.dispose());
    const receiver = await tlsReceiver((_request, response) => response.end());
    t.after(() => receiver.close());
    t.after(useRealTimers);
    useFakeTimers();
    const database = scratch?.database_url ?? 'sqlite::memory:';
    const tally = await createTallystick({ database, sandbox: true });
    t.after(() => tally.close());
    await tally.migrate();
    await tally.start();
    const handled: number[] = [];
    const all_handled = Promise.withResolvers<void>();
    await tally.subscribe('purchases', ['virtualcard.realtime.auths'], async (events, tx) => {
      await tx.query('select 1');
      handled.push(...events.map(({ id }) => id));
      all_handled.resolve();
    });
    const { cards, sandbox, webhooks } = tally.company(1);
    await webhooks.create({ callback_url: receiver.origin, event_type_ids: [2] });
    const card = await cards.issue({ total_card_amount: 50_000 });
    const bought = await sandbox.buy({ vcn_id: card.id, amount: 1_250 });
    assert.equal(bought.decline_reason, null);
    await all_handled.promise;
    const { now } = await tally.sandbox.clock.move({ advance: 'P31D' });
    assert.ok(Date.parse(now) > 30 * 86_400_000);
    assert.equal((await cards.read(card.id)).available_balance, 50_000);
    assert.ok(receiver.received.length > 0);
    await tally.close();
  });
}
