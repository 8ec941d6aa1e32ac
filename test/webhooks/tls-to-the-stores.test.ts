import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  own_servers_expected,
  scratchFolder,
  serverAuthority,
  startLocalPostgres,
  startLocalRedis,
  startServer,
  tlsReceiver,
} from '@tallystick/test-support';
import { Company } from './company.ts';

const skip = own_servers_expected ? false : 'no Postgres and Redis can be started';

describe('an API and a worker with TLS to Postgres and to Redis', { skip, timeout: 300_000 }, () => {
  it('deliver when the certificates are right, and do not start on another Postgres', async (t) => {
    const folder = scratchFolder('tallystick-tls-');
    const [authority, other] = await Promise.all([serverAuthority(), serverAuthority()]);
    const fileOf = (name: string, { ca }: { readonly ca: string }): string => {
      writeFileSync(join(folder, name), ca);
      return join(folder, name);
    };
    const right = fileOf('ca.pem', authority);
    const wrong = fileOf('other.pem', other);
    const certificate = await authority.issue('localhost');
    const postgres = await startLocalPostgres(certificate);
    t.after(() => postgres.stop());
    const redis = await startLocalRedis(certificate);
    t.after(() => redis.stop());
    await redis.requirePassword('right');

    const REDIS_URL = `rediss://:right@localhost:${redis.tls_port}`;
    const start = (ROLE: string, ca: string, host = 'localhost') =>
      startServer({
        database_url: `${postgres.url.replace('127.0.0.1', host)}?sslmode=verify-full&sslrootcert=${ca}`,
        env: { ROLE, REDIS_URL, REDIS_CA: right },
      });

    await assert.rejects(
      start('api', wrong),
      /The database \S+ does not have the certificate that DATABASE_URL asks for: [\s\S]*sslrootcert/,
    );
    await assert.rejects(start('api', right, '127.0.0.1'), /127\.0\.0\.1 is not in the\s+cert's list/);
    await assert.rejects(start('api', join(folder, 'none.pem')), /status 2[\s\S]*there is no file/);

    const api = await start('api', right);
    t.after(() => api.stop());
    const worker = await start('worker', right);
    t.after(() => worker.stop());
    const arrived = Promise.withResolvers<void>();
    const receiver = await tlsReceiver((_request, response) => {
      response.end();
      arrived.resolve();
    });
    t.after(() => receiver.close());
    const company = await Company.found(api.url, 'encrypted');
    await company.registers(`${receiver.origin}/hooks`);
    await company.hears({ id: 1 });
    await arrived.promise;
    assert.doesNotMatch(api.output() + worker.output(), /delivery queue on Redis failed/);
  });
});
