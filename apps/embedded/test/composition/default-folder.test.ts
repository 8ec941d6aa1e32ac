import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';

it('the default folder is made for this user only, and no other folder is made', (t) => {
  const place = mkdtempSync(join(tmpdir(), 'tallystick-default-folder-'));
  t.after(() => rmSync(place, { recursive: true }));
  const source = new URL('../../src/composition/default-folder.ts', import.meta.url).href;
  const program = `import { makeDefaultFolder } from ${JSON.stringify(source)};
    for (const folder of ['data', './dta', '/data/of/another']) makeDefaultFolder(folder);`;
  const options = ['--conditions=source', '--input-type=module', '--eval', program];
  execFileSync(process.execPath, options, { cwd: place, stdio: 'pipe' });
  assert.deepEqual(readdirSync(place), ['data']);
  assert.equal(statSync(join(place, 'data')).mode & 0o777, 0o700);
});
