import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { full_run, startServer } from '@tallystick/test-support';
import { buildImage, contextFiles } from './image.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** It installs the packages again, from npm's cache or the registry. */
const skip = full_run ? false : 'only in the long run';

describe('the Dockerfile', () => {
  it('sends neither tests, nor secrets, nor data to the build', () => {
    const files = contextFiles(repository);
    assert.ok(files.includes('apps/server/src/main.ts') && files.includes('package-lock.json'));
    const unwanted = files.filter((path) => /\.test\.ts$|\.env|^docs\/|^data\/|^\.git\/|^deploy\//.test(path));
    assert.deepEqual(unwanted, []);
  });

  it('makes an image that serves as another user, answers its health check, and ends on SIGTERM', {
    skip,
  }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-image-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o755);
    const image = await buildImage(repository, folder);
    const app = join(image.root, 'app');
    for (const absent of ['typescript', 'turbo', '@biomejs/biome', 'playwright-core']) {
      assert.ok(!existsSync(join(app, 'node_modules', absent)), absent);
    }
    const [system_packages = ''] = image.not_run;
    assert.equal(image.not_run.length, 1);
    assert.match(system_packages, /apt-get install .*\blibatomic1\b.*\blibstdc\+\+6\b/);
    const node = join(app, 'bin/node');
    const { stdout: program } = spawnSync(node, ['-p', 'process.execPath'], { encoding: 'utf8' });
    assert.deepEqual(librariesOf(program.trim()), ['libatomic', 'libgcc_s', 'libstdc++']);

    const owner = image.setting('USER').split(':').map(Number) as [number, number];
    assert.ok(owner.every((id) => id > 0));
    const user = process.getuid?.() === 0 ? { uid: owner[0], gid: owner[1] } : {};
    const variables = Object.fromEntries(
      image
        .locate(image.setting('ENV').replace('$PATH', process.env.PATH ?? ''))
        .split(' ')
        .map((word) => {
          const [, name, value] = /^(\w+)=(.*)$/.exec(word) as unknown as [string, string, string];
          return [name, value];
        }),
    );
    const execute = (words: readonly string[], env: Record<string, string> = {}) =>
      new Promise<{ status: number; out: string; err: string }>((resolve) => {
        const [program, ...rest] = words as [string, ...string[]];
        const file = program === 'node' ? node : program;
        execFile(file, rest, { cwd: app, env: { ...variables, ...env }, ...user }, (error, out, err) =>
          resolve({ status: error === null ? 0 : Number(error.code), out, err }),
        );
      });
    const command = JSON.parse(image.setting('CMD')) as [string, ...string[]];

    const unconfigured = await execute(command);
    assert.equal(unconfigured.status, 2);
    assert.match(unconfigured.err, /the sandbox is refused when NODE_ENV is production/);

    const admin = ['node', '--conditions=source', 'apps/server/src/admin/main.ts'];
    const created = await execute([...admin, 'keys', 'create']);
    assert.equal(created.status, 0, created.err);
    const env = { DATABASE_URL: image.locate('sqlite:/data/tallystick.db'), TALLYSTICK_KEYS: created.out.trim() };
    const company = await execute([...admin, 'company', 'create', '--name', 'One', '--customer-number', '1'], env);
    assert.equal(company.status, 0, company.err);
    const server = await startServer({
      database_url: env.DATABASE_URL,
      command,
      folder: app,
      user,
      env: { ...variables, ...env, SANDBOX: undefined, PORT: '0', NODE_COMPILE_CACHE: undefined },
    });
    t.after(() => server.kill());
    const port = new URL(server.url).port;
    const health = () => execute(JSON.parse(image.setting('HEALTHCHECK').replace(/^.*CMD /, '')), { PORT: port });
    assert.deepEqual((await health()).status, 0);
    assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
    assert.equal(image.setting('STOPSIGNAL'), 'SIGTERM');
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
    assert.equal((await health()).status, 1);
  });
});

/** The shared libraries that a slim Debian may lack, as the program names them. */
function librariesOf(program: string): readonly string[] {
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8' });
  const names = [...stdout.matchAll(/^\s*(lib[\w+]+)\.so/gm)].map(([, name]) => name as string);
  return names.filter((name) => !['libc', 'libdl', 'libm', 'libpthread'].includes(name)).toSorted();
}
