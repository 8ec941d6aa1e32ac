import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { database_names } from '@tallystick/test-support';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** What a process of its own prints about a seed, without the processor time. */
async function simulatedOnSqlite(): Promise<string> {
  const args = ['--conditions=source', main, '--days', '0.01', '--activities', '12', '--nodes', '2'];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, '--seed', '4', '--database', 'sqlite']);
  return stdout.replace(/ in [\d.]+ s;/, ';');
}

describe('the simulation on a database', () => {
  it('prints one hash for a seed in two processes on SQLite, and breaks no invariant', {
    skip: !database_names.includes('sqlite'),
  }, async () => {
    const [first, second] = await Promise.all([simulatedOnSqlite(), simulatedOnSqlite()]);
    assert.match(first, /^seed 4: passed; [1-9]/);
    assert.equal(second, first);
  });
});
