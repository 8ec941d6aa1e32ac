import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from '@tallystick/test-support';

const script = fileURLToPath(new URL('../../../bin/node', import.meta.url));

it('bin/node runs the Node that npm ci installed, without the link that npm 10 removes', () => {
  const folder = join(scratchFolder('tallystick-installed-node-'), 'a folder');
  const run = (code: string) =>
    spawnSync('bin/node', ['-e', code], { cwd: folder, env: { PATH: '/usr/bin:/bin' }, encoding: 'utf8' });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFileSync(script, join(folder, 'bin/node'));

  const without = run('');
  assert.equal(without.status, 1);
  assert.match(without.stderr, /run npm ci first/);

  const installed = join(folder, 'node_modules/node-any-platform/bin');
  mkdirSync(installed, { recursive: true });
  symlinkSync(process.execPath, join(installed, 'node'));
  assert.equal(run('console.log(process.version)').stdout.trim(), process.version);
  const of_child = run("console.log(require('child_process').execSync('node --version').toString())");
  assert.equal(of_child.stdout.trim(), process.version);
});
