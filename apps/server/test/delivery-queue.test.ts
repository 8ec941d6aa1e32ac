import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { machine_timers } from '@tallystick/kernel';
import { logOptions } from '@tallystick/koa';
import { own_servers_expected, refusing_port, startLocalRedis } from '@tallystick/test-support';
import { pino } from 'pino';
import { openDeliveryQueue } from '../src/delivery-queue.ts';

interface Trouble {
  readonly what: string;
  readonly reason: RegExp;
  /** Returns its address. */
  prepare(t: { after(cleanup: () => unknown): void }): Promise<string>;
}

const troubles: readonly Trouble[] = [
  {
    what: 'frozen',
    reason: /did not answer within/,
    async prepare(t) {
      const redis = await startLocalRedis();
      t.after(() => redis.stop());
      redis.freeze();
      return redis.url;
    },
  },
  {
    what: 'another password',
    reason: /WRONGPASS|NOAUTH/,
    async prepare(t) {
      const redis = await startLocalRedis();
      t.after(() => redis.stop());
      await redis.requirePassword('right');
      return redis.url.replace('redis://', 'redis://:wrong@');
    },
  },
  {
    what: 'down',
    reason: /ECONNREFUSED|unavailable|did not answer/,
    prepare: async () => `redis://127.0.0.1:${refusing_port}`,
  },
];

describe('the delivery queue on a Redis in trouble', () => {
  if (!own_servers_expected) return;

  for (const { what, reason, prepare } of troubles) {
    it(`logs once, and then once a minute with the number of the other faults: ${what}`, async (t) => {
      const redis_url = await prepare(t);
      const lines: {
        readonly msg: string;
        readonly suppressed?: number;
        readonly err: { readonly message: string };
      }[] = [];
      const sink = new Writable({
        write(chunk, _encoding, done) {
          for (const line of String(chunk).trim().split('\n')) lines.push(JSON.parse(line));
          done();
        },
      });
      let now_ms = 0;
      const queue = await openDeliveryQueue(
        { redis_url, redis_ca: null, webhooks: true },
        pino(logOptions('info'), sink),
        { ...machine_timers, monotonicNow: () => now_ms },
      );
      t.after(() => queue.close());
      const offer = () => queue.offer([{ delivery_id: 1, webhook_id: 1 }]);
      await Promise.all([offer(), offer(), offer(), offer(), offer()]);
      assert.equal(lines.length, 1, JSON.stringify(lines));
      assert.match(lines[0]!.msg, /the delivery queue on Redis failed/);
      assert.match(JSON.stringify(lines[0]!.err), reason);
      assert.equal(lines[0]!.suppressed, undefined);
      assert.ok(!JSON.stringify(lines).includes('wrong'), 'the password is not logged');
      now_ms = 60_000;
      await offer();
      assert.equal(lines.length, 2, JSON.stringify(lines));
      assert.ok(lines[1]!.suppressed! >= 4, JSON.stringify(lines[1]));
    });
  }
});
