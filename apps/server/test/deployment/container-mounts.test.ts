import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { mounts_expected, sandbox_keys, startServer, withMounts } from '@tallystick/test-support';
import { readYaml } from './yaml.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const skip = !mounts_expected && 'a process cannot have file systems of its own here';

interface Service {
  readonly read_only?: string;
  readonly tmpfs?: readonly string[];
}

/**
 * Starts the server with the file systems that compose.yaml gives a service: the repository at
 * another place, a root that only reads, and its folders in memory.
 */
async function startContained({ read_only, tmpfs = [] }: Service) {
  const lines = ['mount -t tmpfs none /mnt', 'mkdir /mnt/app', `mount --bind "${repository}" /mnt/app`, 'cd /mnt/app'];
  if (read_only === 'true') {
    lines.push(...['/', '/mnt', '/mnt/app'].map((folder) => `mount -o remount,bind,ro ${folder}`));
    // Part of the root of a container; on this machine it may be a file system of its own.
    lines.push('mountpoint -q /tmp && mount -o remount,bind,ro /tmp || true');
  }
  for (const mount of tmpfs) {
    const [folder, options] = mount.split(':');
    lines.push(`mount -t tmpfs -o ${options} none ${folder}`);
  }
  return await startServer({
    database_url: 'sqlite::memory:',
    command: withMounts(lines.join('\n'), ['bin/node', '--conditions=source', 'apps/server/src/main.ts']),
    env: { NODE_COMPILE_CACHE: undefined },
  });
}

describe('the API in the file systems of its container', { skip, timeout: 120_000 }, () => {
  const { services } = readYaml(readFileSync(join(repository, 'compose.yaml'), 'utf8')) as unknown as {
    services: { readonly api: Service };
  };

  it('takes an upload', async (t) => {
    assert.equal(services.api.read_only, 'true');
    const server = await startContained(services.api);
    t.after(() => server.kill());
    const answer = await fetch(`${server.url}/bank/v1/records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox_keys.bank}`, 'content-type': 'application/x-ndjson' },
      body: '{}\n',
    });
    assert.equal(answer.status, 200, await answer.text());
  });

  it('does not start without its folder for uploads, and says which setting names it', async () => {
    await assert.rejects(
      startContained({ ...services.api, tmpfs: [] }),
      /status 1[\s\S]*SPOOL_FOLDER=\/tmp cannot be used: EROFS/,
    );
  });
});
