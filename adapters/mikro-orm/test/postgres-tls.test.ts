import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Fault } from '@tallystick/kernel';
import {
  type LocalPostgres,
  own_servers_expected,
  scratchFolder,
  serverAuthority,
  startLocalPostgres,
} from '@tallystick/test-support';
import { connect } from '../src/connection/connection.ts';
import { faultOf } from '../src/connection/faults.ts';
import { readPostgresTls } from '../src/index.ts';

const file = (name: string, text: string): string => {
  const path = join(scratchFolder('tallystick-tls-'), name);
  writeFileSync(path, text);
  return path;
};

describe('what the URL of a database says about TLS', () => {
  const url = (parameters: string): string => `postgres://u:secret@db.bank.example/d?${parameters}`;

  it('is nothing, none, or TLS that checks the server', () => {
    assert.equal(readPostgresTls(url('application_name=x')), undefined);
    assert.equal(readPostgresTls(url('sslmode=disable')), false);
    assert.deepEqual(readPostgresTls(url('sslmode=verify-full')), {
      host: 'db.bank.example',
      rejectUnauthorized: true,
    });
  });

  const empty = file('empty.pem', 'nothing');
  for (const [parameters, problem] of [
    ['sslmode=require', /^must not have sslmode=require: write sslmode=verify-full, .*sslrootcert=<path>/],
    ['sslmode=prefer', /^must not have sslmode=prefer/],
    ['sslmode=verify-ca', /^must not have sslmode=verify-ca/],
    ['sslmode=no-verify', /^must not have sslmode=no-verify/],
    ['ssl=true', /^must not have ssl=true/],
    ['sslmode=verify-full&uselibpqcompat=true', /^must not have uselibpqcompat=true/],
    ['sslmode=verify-full&sslnegotiation=direct', /^must not have sslnegotiation=direct/],
    ['sslrootcert=/ca.pem', /^has sslrootcert without sslmode=verify-full$/],
    ['sslmode=disable&sslcert=/c.pem', /^has sslcert without sslmode=verify-full$/],
    ['sslmode=verify-full&sslrootcert=/none/ca.pem', /^has sslrootcert: there is no file \/none\/ca\.pem$/],
    [`sslmode=verify-full&sslrootcert=${empty}`, /^has sslrootcert: .*empty\.pem contains no certificate in PEM$/],
    [`sslmode=verify-full&sslkey=${empty}`, /^must have both sslcert and sslkey$/],
  ] as const) {
    it(`is refused: ${parameters.replace(empty, 'a file without a certificate')}`, () => {
      assert.throws(
        () => readPostgresTls(url(parameters)),
        (error: { readonly fields: readonly { readonly message: string }[] }) => {
          assert.match(error.fields[0]?.message ?? '', problem);
          return !JSON.stringify(error.fields).includes('secret');
        },
      );
    });
  }
});

/** Whether the connections of each pool are encrypted. */
async function encryption(database_url: string): Promise<readonly boolean[]> {
  const connection = await connect({ database_url });
  assert.ok(connection.dialect === 'postgres');
  try {
    const text = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
    const encrypted: boolean[] = [];
    for (const pool of [connection.pool, connection.passes, connection.long]) {
      const { rows } = await pool.query<{ readonly ssl: boolean }>(text);
      encrypted.push(rows[0]?.ssl === true);
    }
    return encrypted;
  } finally {
    await connection.close();
  }
}

async function assertRefused(database_url: string, reason: RegExp): Promise<void> {
  await assert.rejects(encryption(database_url), (error) => {
    const fault = faultOf(error);
    assert.ok(fault instanceof Fault && fault.retryable, String(error));
    assert.match(`${fault.message}: ${(fault.cause as Error).message}`, reason);
    return true;
  });
}

describe('a Postgres with TLS', {
  skip: !own_servers_expected && 'no Postgres can be started',
  timeout: 300_000,
}, () => {
  let postgres: LocalPostgres;
  let ca: string;
  let other_ca: string;

  before(async () => {
    const [authority, other] = await Promise.all([serverAuthority(), serverAuthority()]);
    ca = file('ca.pem', authority.ca);
    other_ca = file('other.pem', other.ca);
    postgres = await startLocalPostgres(await authority.issue('localhost'));
  });
  after(() => postgres?.stop());

  const at = (host: string, parameters: string): string => `${postgres.url.replace('127.0.0.1', host)}?${parameters}`;

  it('is used with TLS when its certificate is of the authority and has its name', async () => {
    assert.deepEqual(await encryption(at('localhost', `sslmode=verify-full&sslrootcert=${ca}`)), [true, true, true]);
    assert.deepEqual(await encryption(at('127.0.0.1', 'sslmode=disable')), [false, false, false]);
  });

  it('is refused when its certificate is of another authority, even when Node is told to accept all', async (t) => {
    t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
    for (const all of ['1', '0']) {
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = all;
      await assertRefused(
        at('localhost', `sslmode=verify-full&sslrootcert=${other_ca}`),
        /certificate is not accepted/,
      );
    }
    await assertRefused(at('localhost', 'sslmode=verify-full'), /certificate is not accepted/);
  });

  it('is refused when its certificate has another name', async () => {
    await assertRefused(
      at('127.0.0.1', `sslmode=verify-full&sslrootcert=${ca}`),
      /certificate is not accepted .*IP: 127\.0\.0\.1 is not in the cert's list/,
    );
  });

  it('is refused when it has no TLS', async (t) => {
    const plain = await startLocalPostgres();
    t.after(() => plain.stop());
    const url = `${plain.url}?sslmode=verify-full&sslrootcert=${ca}`;
    await assertRefused(url, /cannot be reached .*The server does not support SSL connections/);
  });
});
