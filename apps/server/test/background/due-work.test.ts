import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createCompany } from '@tallystick/access';
import { createNetwork, normalizeAuthorization } from '@tallystick/cards';
import { createWebhook, recordForeignEvent, relayEvents } from '@tallystick/events';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import { database_names, readRows, scratchDatabase } from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';
import { dueWork } from '../../src/background/due-work.ts';

const day_ms = 24 * 60 * 60 * 1000;
const start_ms = Date.UTC(2026, 0, 1);

for (const name of database_names) {
  describe(`due work on ${name}`, async () => {
    const scratch = await scratchDatabase(name);
    let now_ms = start_ms;
    const clock = { now: () => Temporal.Instant.fromEpochMilliseconds(now_ms) };
    const persistence = await mikroOrmPersistence({ database_url: scratch.database_url, clock });
    await persistence.migrate();
    after(async () => {
      await persistence?.close();
      await scratch?.dispose();
    });
    const { unitOfWork, delivery_desk } = persistence;
    const { sealer, random } = createVault(parseKeyRing(Buffer.alloc(32, 'due work').toString('base64')));

    const jobOf = (name: string, unknown_numbers_kept_days: number) => {
      const jobs = dueWork({ unknown_numbers_kept_days }, persistence, clock, async () => undefined);
      const job = jobs.find((one) => one.name === name);
      assert.ok(job);
      return job;
    };

    it('deletes all messages for unknown numbers after their retention time, and no later ones', async () => {
      const { card_vault, sha256 } = createVault(parseKeyRing(Buffer.alloc(32, 'due work').toString('base64')));
      const ledger = createNetwork({ ledger: persistence.ledger, vault: card_vault, random, sealer, sha256 });
      const ask = (number: number) =>
        ledger.authorize(
          normalizeAuthorization(
            {
              card_number: '4111111111111111',
              message_type_indicator: '0100',
              trace_id: `T-${number}`,
              system_trace_audit_number: '1',
              transaction_date_time: '2026-01-01T00:00:00Z',
              billing_amount: 1,
              billing_currency: 'USD',
              merchant_amount: 1,
              merchant_currency: 'USD',
              mcc: '5812',
            },
            card_vault,
            null,
          ),
        );
      const kept = async () =>
        (
          await readRows<{ day: number }>(
            scratch,
            'select recorded_at_ms as day from unknown_number_messages order by id',
          )
        ).map(({ day }) => (day - start_ms) / day_ms);
      for (const day of [0, 1, 2]) {
        now_ms = start_ms + day * day_ms;
        const answers = await Promise.all(Array.from({ length: day === 0 ? 250 : 1 }, (_, number) => ask(number)));
        for (const answer of answers) assert.equal(answer.kind === 'answered' && answer.code, 'I');
      }
      const purge = jobOf('unknown number purge', 7);
      now_ms = start_ms + 7 * day_ms;
      await purge.run();
      assert.equal((await kept()).length, 252, 'on the seventh day all are still there');
      now_ms += 1;
      await purge.run();
      assert.deepEqual(await kept(), [1, 2]);
      now_ms += day_ms;
      await Promise.all([purge.run(), jobOf('unknown number purge', 400).run()]);
      assert.deepEqual(await kept(), [2]);
    });

    it('deletes all attempts and finished deliveries after 30 days, and never pending ones', async () => {
      now_ms = start_ms;
      const call = { actor: 'test', request_id: null, now_ms };
      await unitOfWork.run(async (tx) => {
        const { id } = await createCompany(tx, call, { name: 'Example Ltd', customer_number: '4711' });
        const own = { ...call, company_id: id };
        const parts = { sealer, random, callback_url_policy: () => null };
        await createWebhook(tx, parts, own, { callback_url: 'https://example.com/', event_type_ids: [1] });
        for (let number = 0; number < 250; number += 1)
          await recordForeignEvent(tx, own, { event_type: 'ach.status', payload: { id: number } });
      });
      await unitOfWork.run((tx) => relayEvents(tx, now_ms, 500));
      const offers = await delivery_desk.due(now_ms, now_ms, { per_webhook: 500, limit: 500, passed_over: [] });
      assert.equal(offers.length, 250);
      const webhook_id = offers[0]!.webhook_id;
      const pending_id = offers[0]!.delivery_id;
      const finished = offers.map((offer) => offer.delivery_id).filter((id) => id !== pending_id);
      const lease = { token: 'lease', machine_ms: now_ms, until_machine_ms: now_ms + 30_000 };
      const orders = await delivery_desk.claim([...finished, pending_id], now_ms, lease);
      await delivery_desk.record(
        orders.map(({ delivery, lease: token }) => {
          const is_pending = delivery.id === pending_id;
          return {
            delivery: {
              ...delivery,
              attempts: 1,
              round_started_at_ms: now_ms,
              round_attempts: 1,
              ...(is_pending ? {} : { state: 'succeeded' as const, due_at_ms: null, finished_at_ms: now_ms }),
            },
            attempt: {
              delivery_id: delivery.id,
              number: 1,
              at_ms: now_ms,
              status: is_pending ? 503 : 200,
              error: null,
              duration_ms: 1,
              excerpt: '',
              retry_after: null,
            },
            lease: token,
          };
        }),
      );

      const purge = jobOf('delivery purge', 400);
      const kept = async () => {
        let count = 0;
        let attempts = 0;
        for (let after_page: string | null | undefined; after_page !== null; ) {
          const page = await unitOfWork.read((tx) =>
            tx.deliveries.list(webhook_id, {}, { limit: 100, ...(after_page ? { after: after_page } : {}) }),
          );
          count += page.items.length;
          attempts += page.items.reduce((sum, item) => sum + item.attempts.length, 0);
          after_page = page.next;
        }
        return { count, attempts };
      };
      now_ms = start_ms + 30 * day_ms;
      await purge.run();
      assert.deepEqual(await kept(), { count: 250, attempts: 250 }, 'on the thirtieth day all are still listed');
      now_ms += 1;
      await purge.run();
      assert.deepEqual(await kept(), { count: 1, attempts: 0 });
      assert.ok(await unitOfWork.read((tx) => tx.deliveries.find(webhook_id, pending_id)));
    });
  });
}
