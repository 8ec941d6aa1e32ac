import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort, own_servers_expected, redisProblem, scratchFolder } from '@tallystick/test-support';
import { readConfig, variable_names } from '../../src/configuration/config.ts';
import { readYaml } from './yaml.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const { shutdown_ms_max } = readConfig({});

/** The lines `NAME=value` of a file of variables, also those that are commented out. */
function variablesOf(path: string): Record<string, string> {
  return Object.fromEntries(
    [...read(path).matchAll(/^(?:# )?([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
}

/** What docker stop, or systemd, waits before SIGKILL. */
function assertOutlastsShutdown(time: string): void {
  const seconds = Number(/^(\d+)s?$/.exec(time)?.[1]);
  assert.ok(seconds * 1_000 > shutdown_ms_max + 5_000, `${time} is not above ${shutdown_ms_max} ms`);
}

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly env_file?: string | readonly string[];
  readonly networks?: readonly string[];
  readonly read_only?: string;
  readonly user?: string;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly pids_limit?: string;
  readonly environment?: Record<string, string>;
  readonly command?: readonly string[];
  readonly depends_on?: Record<string, { readonly condition: string }>;
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

describe('compose.yaml', () => {
  const compose = readYaml(read('compose.yaml')) as unknown as {
    services: Record<string, Service>;
    volumes: Record<string, unknown>;
    networks: Record<string, unknown>;
  };
  const { services } = compose;
  const own = ['api', 'worker'].map((name) => ({ name, service: services[name] as Service }));

  it('starts an API and a worker on Postgres and Redis with variables that the server reads', () => {
    const { REDISCLI_AUTH: _, ...redis } = variablesOf('deploy/redis.env.example');
    const secrets = { ...variablesOf('deploy/tallystick.env.example'), ...redis };
    for (const { name, service } of own) {
      const variables = { ...secrets, ...service.environment };
      for (const variable of Object.keys(variables)) assert.ok(variable_names.includes(variable), variable);
      const keys = `index:${Buffer.alloc(32).toString('base64')},k1:${Buffer.alloc(32, 1).toString('base64')}`;
      const config = readConfig({
        ...variables,
        TALLYSTICK_KEYS: keys,
        TALLYSTICK_KEYS_FILE: '',
        TALLYSTICK_KEYS_COMMAND: '',
        NODE_ENV: 'production',
      });
      assert.equal(config.role, name);
      assert.ok(new URL(config.database_url).hostname in services);
      assert.ok(new URL(config.redis_url as string).hostname in services);
    }
  });

  it('limits the requests of each key', () => {
    const variables = { ...services.api?.environment, REDIS_URL: '', ROLE: '' };
    const { rate_limit_per_minute } = readConfig(variables);
    assert.ok(rate_limit_per_minute !== null, 'one key could take every place');
    assert.match(read('docs/deployment.md'), new RegExp(`RATE_LIMIT_PER_MINUTE=${rate_limit_per_minute}\\b`));
    assert.match(read('deploy/tallystick.env.example'), /RATE_LIMIT_PER_MINUTE/);
  });

  it('has no password, and reads them from files that Git ignores', () => {
    assert.doesNotMatch(read('compose.yaml'), /password|secret|KEYS|:\/\//i);
    const ignored = read('.gitignore').split('\n');
    for (const env_file of Object.values(services).flatMap(({ env_file = [] }) => env_file)) {
      assert.ok(existsSync(join(repository, `${env_file}.example`)), env_file);
      assert.ok(ignored.includes('deploy/*.env'));
    }
    const { POSTGRES_PASSWORD } = variablesOf('deploy/postgres.env.example');
    assert.equal(
      new URL(variablesOf('deploy/tallystick.env.example').DATABASE_URL as string).password,
      POSTGRES_PASSWORD,
    );
    const { REDIS_URL, REDISCLI_AUTH } = variablesOf('deploy/redis.env.example');
    assert.equal(new URL(REDIS_URL as string).password, REDISCLI_AUTH);
  });

  it('gives no service privileges, and Postgres and Redis no other network', () => {
    for (const [name, service] of Object.entries(services)) {
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
      assert.equal(service.read_only, 'true', name);
      assert.ok(Number(service.pids_limit) > 0, name);
      const { ports, networks, user } = service;
      if (service.build !== undefined || service.image === 'tallystick') continue;
      assert.deepEqual([ports, networks], [undefined, ['stores']], name);
      // The image would need capabilities to begin as root.
      assert.notEqual(user, undefined, name);
    }
    assert.deepEqual(compose.networks, { stores: { internal: 'true' } });
  });

  const skip = own_servers_expected ? false : 'no Redis can be started';
  it('starts a Redis that nobody uses without its password, and none without a password', { skip }, async (t) => {
    const [shell = '', flags = '', script = ''] = services.redis?.command ?? [];
    const port = await freePort();
    const words = [flags, script.replace('redis-server -', `redis-server - --port ${port}`).replaceAll('$$', '$')];
    const { PATH } = process.env;
    const folder = scratchFolder('tallystick-compose-redis-');
    // One that starts is ended, and has no status.
    const without = spawnSync(shell, words, { cwd: folder, env: { PATH }, timeout: 20_000, killSignal: 'SIGKILL' });
    assert.ok(without.status !== null && without.status > 0, 'it starts without a password');
    const redis = spawn(shell, words, { cwd: folder, env: { PATH, REDISCLI_AUTH: 'right' }, stdio: 'ignore' });
    const ended = once(redis, 'exit');
    t.after(async () => {
      redis.kill('SIGKILL');
      await ended;
    });
    while ((await redisProblem(`redis://127.0.0.1:${port}`)) !== null) assert.equal(redis.exitCode, null);
    const [program = '', ...check] = services.redis?.healthcheck?.test.slice(1) ?? [];
    const asks = (env: NodeJS.ProcessEnv) =>
      spawnSync(program, ['-p', String(port), ...check], { env: { PATH, ...env } }).status;
    assert.equal(asks({ REDISCLI_AUTH: 'right' }), 0);
    assert.notEqual(asks({}), 0);
  });

  it('waits for what a service needs, and longer for its end than a shutdown takes', () => {
    for (const { service } of own) {
      assertOutlastsShutdown(service.stop_grace_period as string);
      for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
        const { healthcheck, image } = services[needed] as Service;
        const has_check =
          healthcheck !== undefined || (image === 'tallystick' && /^HEALTHCHECK /m.test(read('Dockerfile')));
        assert.ok(condition !== 'service_healthy' || has_check, needed);
      }
    }
  });

  it('publishes only the API, and only on loopback', () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    assert.deepEqual(published, ['127.0.0.1:8080:8080']);
  });

  it('has only volumes that it declares', () => {
    const used = Object.values(services).flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0]));
    assert.deepEqual(used, Object.keys(compose.volumes));
  });
});

describe('deploy/tallystick.service', () => {
  it('has its settings read by systemd for commands too, because a shell reads other values', () => {
    const page = read('docs/deployment.md');
    assert.match(page, /--property=EnvironmentFile=\/etc\/tallystick\/tallystick\.env/);
    assert.doesNotMatch(page, /(?:\.|source) \S*tallystick\.env/);
  });

  const unit = new Map(
    [...read('deploy/tallystick.service').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value ?? '']),
  );
  const setting = (name: string): string => unit.get(name) ?? '';

  /** The most that `systemd-analyze security` may rate it, times ten; docs/deployment.md has the figure. */
  const exposure_max = 15;

  it('leaves the process only what the server needs', () => {
    for (const name of ['NoNewPrivileges', 'PrivateTmp', 'PrivateDevices', 'ProtectHome', 'RestrictNamespaces'])
      assert.equal(setting(name), 'true', name);
    assert.equal(setting('ProtectSystem'), 'strict');
    assert.equal(setting('CapabilityBoundingSet'), '');
    assert.ok(unit.has('CapabilityBoundingSet'));
    assert.equal(setting('RestrictAddressFamilies'), 'AF_INET AF_INET6 AF_UNIX');
    assert.equal(setting('SystemCallErrorNumber'), 'EPERM');
    assert.match(read('deploy/tallystick.service'), /^SystemCallFilter=@system-service$/m);
    assert.match(read('deploy/tallystick.service'), /^SystemCallFilter=~@privileged @resources$/m);
    assert.notEqual(setting('MemoryDenyWriteExecute'), 'true', 'V8 could not compile');
    assert.ok(read('docs/deployment.md').includes(`--threshold=${exposure_max} `));
  });

  const without = spawnSync('systemd-analyze', ['--version']).error !== undefined && 'systemd-analyze is not here';
  it('is rated by the checker of systemd as the documentation says', { skip: without }, () => {
    const words = ['security', '--offline=true', `--threshold=${exposure_max}`, 'deploy/tallystick.service'];
    const { status, stdout } = spawnSync('systemd-analyze', words, { cwd: repository, encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  });

  it('starts the server as npm start does, without a shell between', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } };
    const [program = '', ...words] = setting('ExecStart').split(' ');
    assert.equal(program, `${setting('WorkingDirectory')}/bin/node`);
    assert.equal(`exec bin/node ${words.join(' ')}`, scripts.start);
    assert.notEqual(setting('User'), '');
  });

  it('waits longer for its end than a shutdown takes, and does not restart with a wrong configuration', () => {
    assertOutlastsShutdown(setting('TimeoutStopSec'));
    assert.equal(setting('RestartPreventExitStatus'), '2');
  });
});

it('an installation names no registry: the one that npm is configured with is used', () => {
  assert.doesNotMatch(read('.npmrc'), /registry/);
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { resolved?: string }> };
  assert.deepEqual(
    Object.values(packages).filter(({ resolved }) => resolved?.includes('://')),
    [],
  );
});
