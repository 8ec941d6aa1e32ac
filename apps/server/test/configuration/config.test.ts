import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, readConfig } from '../../src/configuration/config.ts';

const key = Buffer.alloc(32, 7).toString('base64');

function problems(environment: Record<string, string>): Record<string, string> {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return Object.fromEntries(error.problems.map(({ variable, message }) => [variable, message]));
  }
  return {};
}

describe('configuration', () => {
  it('is the sandbox on loopback with an embedded database without any variable', () => {
    const config = readConfig({});
    assert.equal(config.sandbox, true);
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.port, 8080);
    assert.equal(config.database_url, 'sqlite:./data/tallystick.db');
    assert.equal(config.template_completion_delay_ms, 5000);
    assert.equal(config.rate_limit_per_minute, null);
    assert.equal(config.unknown_numbers_kept_days, 400);
    const { deliveries, delivery_attempts, mails, consents, ...others } = config.kept_days;
    assert.deepEqual([deliveries, delivery_attempts, mails, consents], [30, 30, 30, 90]);
    assert.ok(Object.values(others).every((days) => days === null));
    assert.equal(config.archive_folder, null);
    assert.equal(config.statement_key, 'bin+sequence');
  });

  it('reads the retention time of each kind', () => {
    const given = { EVENTS_KEPT_DAYS: '7', AUTHORIZATIONS_KEPT_DAYS: '400', DELIVERIES_KEPT_DAYS: '3' };
    const others = { MAILS_KEPT_DAYS: '4', CONSENTS_KEPT_DAYS: '5', AUDIT_KEPT_DAYS: '366' };
    assert.deepEqual(readConfig({ ...given, ...others }).kept_days, {
      delivery_attempts: 3,
      deliveries: 3,
      events: 7,
      clearings: 400,
      authorizations: 400,
      mails: 4,
      consents: 5,
      audit_entries: 366,
    });
  });

  it('asks Postgres for no more connections than a small plan gives, and for at least three', () => {
    assert.equal(readConfig({}).database_connections_max, 15);
    assert.equal(readConfig({ DATABASE_CONNECTIONS_MAX: '3' }).database_connections_max, 3);
    const too_few = problems({ DATABASE_CONNECTIONS_MAX: '2' });
    assert.match(too_few.DATABASE_CONNECTIONS_MAX ?? '', /must be an integer from 3 to 1000/);
  });

  it('reports every problem together', () => {
    const problem_texts = problems({
      PORT: '70000',
      DATABASE_URL: 'mysql://x',
      TALLYSTICK_KEYS: 'short',
      LOG_LEVEL: 'loud',
      SANDBOX: 'maybe',
      RATE_LIMIT_PER_MINUTE: '0',
      UNKNOWN_NUMBERS_KEPT_DAYS: '0',
      AUTHORIZATIONS_KEPT_DAYS: '59',
      EVENTS_KEPT_DAYS: '6',
      CONSENTS_KEPT_DAYS: '0',
      TALLYSTICK_KEY: 'x',
    });
    assert.deepEqual(Object.keys(problem_texts).sort(), [
      'AUTHORIZATIONS_KEPT_DAYS',
      'CONSENTS_KEPT_DAYS',
      'DATABASE_URL',
      'EVENTS_KEPT_DAYS',
      'LOG_LEVEL',
      'PORT',
      'RATE_LIMIT_PER_MINUTE',
      'SANDBOX',
      'TALLYSTICK_KEY',
      'TALLYSTICK_KEYS',
      'UNKNOWN_NUMBERS_KEPT_DAYS',
    ]);
    assert.equal(problem_texts.TALLYSTICK_KEY, 'no such variable; did you mean TALLYSTICK_KEYS?');
    assert.match(problem_texts.AUTHORIZATIONS_KEPT_DAYS ?? '', /"59".*60 to 36500/);
    assert.match(problem_texts.PORT ?? '', /"70000".*0 to 65535/);
  });

  it('names the settings of the statement key when it has another one', () => {
    assert.equal(readConfig({ STATEMENT_KEY: 'whole' }).statement_key, 'whole');
    assert.deepEqual(problems({ STATEMENT_KEY: 'Whole' }), {
      STATEMENT_KEY: 'is "Whole"; it must be bin+sequence or whole',
    });
  });

  it('announces the deprecation of v1 only when it is set: a date, then an end and a successor', () => {
    assert.equal(readConfig({}).v1_deprecation, null);
    const date = { V1_DEPRECATED_ON: '2031-01-01' };
    assert.deepEqual(readConfig(date).v1_deprecation, {
      deprecated_on: '2031-01-01',
      sunset_on: null,
      successor: null,
    });
    const V1_SUCCESSOR = 'https://cards.example/v2?a=<b c>';
    assert.deepEqual(readConfig({ ...date, V1_SUNSET_ON: '2031-01-01', V1_SUCCESSOR }).v1_deprecation, {
      deprecated_on: '2031-01-01',
      sunset_on: '2031-01-01',
      successor: 'https://cards.example/v2?a=%3Cb%20c%3E',
    });
    const needed = 'needs V1_DEPRECATED_ON: the date of the deprecation';
    assert.deepEqual(problems({ V1_SUNSET_ON: '2031-01-01', V1_SUCCESSOR }), {
      V1_SUNSET_ON: needed,
      V1_SUCCESSOR: needed,
    });
    assert.deepEqual(problems({ ...date, V1_SUNSET_ON: '2030-12-31' }), {
      V1_SUNSET_ON: 'is before V1_DEPRECATED_ON, 2031-01-01',
    });
    assert.deepEqual(problems({ V1_DEPRECATED_ON: '2031-02-30', V1_SUCCESSOR: 'http://cards.example' }), {
      V1_DEPRECATED_ON: 'is "2031-02-30"; it must be a date, YYYY-MM-DD',
      V1_SUCCESSOR: 'must be an https URL',
    });
  });

  it('never shows key material in a problem', () => {
    const secret = Buffer.alloc(31, 9).toString('base64');
    assert.throws(
      () => readConfig({ TALLYSTICK_KEYS: secret, DATABASE_URL: 'postgres://u:hunter2@h/d?x=1', PORT: 'x' }),
      (error: Error) => !error.message.includes(secret) && !error.message.includes('hunter2'),
    );
  });

  it('needs keys outside the sandbox', () => {
    assert.match(
      problems({ DATABASE_URL: 'postgres://a@b/c' }).TALLYSTICK_KEYS ?? '',
      /keys create, or set SANDBOX=on/,
    );
    assert.match(problems({ SANDBOX: 'off' }).TALLYSTICK_KEYS ?? '', /required outside the sandbox/);
    assert.equal(readConfig({ DATABASE_URL: 'postgres://a@b/c', TALLYSTICK_KEYS: key }).sandbox, false);
  });

  it('refuses the sandbox in production unless it is requested explicitly', () => {
    assert.match(problems({ NODE_ENV: 'production' }).SANDBOX ?? '', /refused when NODE_ENV is production/);
    assert.equal(readConfig({ NODE_ENV: 'production', SANDBOX: 'on' }).sandbox, true);
  });

  it('keeps a sandbox that was not requested explicitly on loopback', () => {
    assert.match(problems({ HOST: '0.0.0.0' }).HOST ?? '', /only on loopback unless SANDBOX=on/);
    assert.match(readConfig({ HOST: '0.0.0.0', SANDBOX: 'on' }).notices.join(), /keep it off public networks/);
    assert.deepEqual(problems({ HOST: '::1' }), {});
  });

  it('accepts a ring of several keys, the newest first, and no key twice', () => {
    const other = Buffer.alloc(32, 8).toString('base64');
    assert.equal(readConfig({ TALLYSTICK_KEYS: `k2:${key}, k1:${other}` }).key_ring?.newest_key_id, 'k2');
    assert.match(problems({ TALLYSTICK_KEYS: `k2:${key},k1:${key}` }).TALLYSTICK_KEYS ?? '', /two ids/);
  });

  it('notices a misspelt variable, and no variable of other programs', () => {
    const others = { HOME: '/', HOSTNAME: 'h', LOGNAME: 'l', NODE_PATH: 'p', LANGUAGE: 'en', npm_config_url: 'u' };
    assert.deepEqual(readConfig({ ...others, WEBHOKS: 'off' }).notices, [
      'WEBHOKS is not a variable of the server, and is ignored; did you mean WEBHOOKS?',
    ]);
  });

  it('counts an empty variable as absent', () => {
    assert.equal(readConfig({ PORT: '', DATABASE_URL: '', SANDBOX: '' }).port, 8080);
  });

  it('takes a port for messages of the network, on HOST unless NETWORK_HOST is set', () => {
    assert.equal(readConfig({}).network, null);
    assert.deepEqual(readConfig({ NETWORK_PORT: '8090' }).network, { host: '127.0.0.1', port: 8090 });
    const apart = { HOST: '::1', NETWORK_HOST: '127.0.0.1', PORT: '8090', NETWORK_PORT: '8090' };
    assert.deepEqual(readConfig(apart).network, { host: '127.0.0.1', port: 8090 });
    assert.deepEqual(problems({ NETWORK_HOST: '127.0.0.1' }), { NETWORK_HOST: 'needs NETWORK_PORT' });
    assert.deepEqual(problems({ NETWORK_PORT: '8080' }), { NETWORK_PORT: 'must differ from PORT' });
    assert.match(problems({ NETWORK_PORT: '1', NETWORK_HOST: '0.0.0.0' }).NETWORK_HOST ?? '', /only on loopback/);
    const worker = { ROLE: 'worker', REDIS_URL: 'redis://127.0.0.1', NETWORK_PORT: '1' };
    assert.match(problems(worker).NETWORK_PORT ?? '', /role worker/);
  });

  it('takes an OpenID provider with a client of it and PUBLIC_URL; without a secret the client is a public one', () => {
    const live = { DATABASE_URL: 'postgres://a@b/c', TALLYSTICK_KEYS: key, PUBLIC_URL: 'https://cards.example' };
    const provider = { CONSOLE_ISSUER: 'https://id.example', CONSOLE_CLIENT_ID: 'tally' };
    const settings = { issuer: 'https://id.example', client_id: 'tally', client_secret: null };
    assert.equal(readConfig(live).console_provider, null);
    assert.deepEqual(readConfig({ ...live, ...provider }).console_provider, settings);
    const with_secret = readConfig({ ...live, ...provider, CONSOLE_CLIENT_SECRET: 's' });
    assert.deepEqual(with_secret.console_provider, { ...settings, client_secret: 's' });
    const { PUBLIC_URL: _, ...nowhere } = live;
    const { CONSOLE_ISSUER, CONSOLE_CLIENT_ID, PUBLIC_URL } = problems({ ...nowhere, CONSOLE_CLIENT_SECRET: 's' });
    assert.deepEqual(
      [CONSOLE_ISSUER, CONSOLE_CLIENT_ID, PUBLIC_URL],
      Array.from({ length: 3 }, () => 'is required with CONSOLE_CLIENT_SECRET'),
    );
    assert.match(problems({ ...provider }).CONSOLE_ISSUER!, /no use in a sandbox/);
  });

  it('requires REDIS_URL for a separate API or worker, and uses another port for a worker', () => {
    for (const ROLE of ['api', 'worker']) {
      assert.throws(() => readConfig({ ROLE }), /REDIS_URL: is required for the role/);
    }
    const REDIS_URL = 'redis://127.0.0.1';
    assert.equal(readConfig({ ROLE: 'worker', REDIS_URL }).port, 8081);
    assert.equal(readConfig({ ROLE: 'api', REDIS_URL }).port, 8080);
    assert.equal(readConfig({ REDIS_URL }).role, 'all');
  });

  it('refuses TLS to Postgres and Redis that would check nothing, or that is not there', () => {
    const DATABASE_URL = 'postgres://a:hunter2@b/c?sslmode=require';
    assert.match(problems({ DATABASE_URL, TALLYSTICK_KEYS: key }).DATABASE_URL ?? '', /^must not have sslmode=require/);
    const plain = { DATABASE_URL: 'postgres://a@b/c', TALLYSTICK_KEYS: key };
    assert.match(problems({ ...plain, PGSSLMODE: 'require' }).PGSSLMODE ?? '', /write sslmode=/);
    const named = { ...plain, DATABASE_URL: 'postgres://a@b/c?sslmode=verify-full', PGSSLMODE: 'require' };
    assert.deepEqual(problems(named), {});
    const REDIS_CA = '/etc/tallystick/redis-ca.pem';
    assert.match(problems({ REDIS_URL: 'redis://r', REDIS_CA }).REDIS_CA ?? '', /rediss:/);
    assert.equal(readConfig({ REDIS_URL: 'rediss://r', REDIS_CA }).redis_ca, REDIS_CA);
  });

  it('lets webhooks reach loopback only in the sandbox, unless networks are named', () => {
    assert.deepEqual(readConfig({}).webhook_networks, ['127.0.0.0/8', '::1/128']);
    assert.deepEqual(readConfig({ WEBHOOK_NETWORKS: '10.1.0.0/16, fd00::/8' }).webhook_networks, [
      '10.1.0.0/16',
      'fd00::/8',
    ]);
    assert.throws(() => readConfig({ WEBHOOK_NETWORKS: '10.1.0.0' }), /WEBHOOK_NETWORKS: must be networks/);
  });
});
