import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createNetwork, normalizeAuthorization } from '@tallystick/cards';
import { machine_timers } from '@tallystick/kernel';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import { database_names, migratedDatabase, readRows, testAuditMac } from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';
import { dueWork } from '../../src/background/due-work.ts';

const day_ms = 24 * 60 * 60 * 1000;
const start_ms = Date.UTC(2026, 0, 1);

for (const name of database_names) {
  describe(`due work on ${name}`, async () => {
    const scratch = await migratedDatabase(name);
    let now_ms = start_ms;
    const clock = { nowMs: () => now_ms };
    const persistence = await mikroOrmPersistence({
      audit_mac: testAuditMac,
      database_url: scratch.database_url,
      clock,
    });
    await persistence.migrate();
    after(async () => {
      await persistence?.close();
      await scratch?.dispose();
    });
    const { sealer, random } = createVault(parseKeyRing(Buffer.alloc(32, 'due work').toString('base64')));

    const jobOf = (name: string, unknown_numbers_kept_days: number) => {
      const kept_days = { authorizations: null, events: null };
      const jobs = dueWork(
        { unknown_numbers_kept_days, kept_days },
        persistence,
        clock,
        machine_timers,
        async () => undefined,
      );
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
            'select recorded_at_ms as day from tallystick_unknown_number_messages order by id',
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

    it('deletes the records of the authorisation server five minutes after their end', async () => {
      const { unitOfWork } = persistence;
      const put = (id_hash: string, expires_at_ms: number | null) =>
        unitOfWork.run((tx) =>
          tx.authorisation.put({
            model: 'AccessToken',
            id_hash,
            payload_sealed: new Uint8Array([1]),
            client_id: null,
            consent_id: null,
            user_id: null,
            grant_id: null,
            expires_at_ms,
            ends_by: 'service',
            consumed_at_ms: null,
          }),
        );
      const isKept = async (id_hash: string) =>
        (await unitOfWork.read((tx) => tx.authorisation.find('AccessToken', id_hash))) !== null;
      for (let number = 0; number < 150; number += 1) await put(`old ${number}`, start_ms);
      await put('young', start_ms + 1);
      await put('endless', null);
      now_ms = start_ms + 300_000;
      const purge = jobOf('authorisation purge', 7);
      await purge.run();
      assert.ok(await isKept('old 0'), 'the five minutes have not passed');
      now_ms += 1;
      await purge.run();
      const left = await Promise.all(['old 0', 'old 149', 'young', 'endless'].map(isKept));
      assert.deepEqual(left, [false, false, true, true]);
    });
  });
}
