import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { DeliveryOffer } from '@tallystick/events';
import {
  type LocalRedis,
  own_servers_expected,
  type ServerAuthority,
  serverAuthority,
  startLocalRedis,
} from '@tallystick/test-support';
import { bullQueue } from '../src/index.ts';

describe('a Redis with TLS', { skip: !own_servers_expected && 'no Redis can be started', timeout: 120_000 }, () => {
  let authority: ServerAuthority;
  let redis: LocalRedis;

  before(async () => {
    authority = await serverAuthority();
    redis = await startLocalRedis(await authority.issue('localhost'));
    await redis.requirePassword('right');
  });
  after(() => redis?.stop());

  const at = (host: string): string => `rediss://:right@${host}:${redis.tls_port}`;

  it('carries offers when its certificate is of the authority and has its name', async (t) => {
    const errors: unknown[] = [];
    const queue = bullQueue({
      redis_url: at('localhost'),
      ca: authority.ca,
      prefix: randomUUID(),
      onError: (error) => errors.push(error),
    });
    t.after(() => queue.close());
    const taken = Promise.withResolvers<readonly DeliveryOffer[]>();
    await queue.consume(taken.resolve);
    await queue.offer([{ delivery_id: 1, webhook_id: 2 }]);
    assert.deepEqual(await taken.promise, [{ delivery_id: 1, webhook_id: 2 }]);
    assert.deepEqual(errors, []);
  });

  /** Offers once, and returns the errors. */
  async function errorsAt(redis_url: string, ca?: string): Promise<string> {
    const errors: unknown[] = [];
    const queue = bullQueue({ redis_url, ca, onError: (error) => errors.push(error) });
    await queue.offer([{ delivery_id: 1, webhook_id: 1 }]);
    await queue.close();
    return errors.map(String).join('\n');
  }

  it('is refused when its certificate is of another authority, even when Node is told to accept all', async (t) => {
    t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
    const other = await serverAuthority();
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    assert.match(await errorsAt(at('localhost'), other.ca), /certificate/);
  });

  it('is refused when its certificate has another name', async () => {
    assert.match(await errorsAt(at('127.0.0.1'), authority.ca), /IP: 127\.0\.0\.1 is not in the cert's list/);
  });

  it('gets no offer when it has no TLS', async () => {
    const plain = redis.url.replace('redis://127.0.0.1', 'rediss://:right@localhost');
    assert.match(await errorsAt(plain, authority.ca), /SSL routines|did not answer/);
  });
});
