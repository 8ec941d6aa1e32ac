import assert from 'node:assert/strict';
import { it } from 'node:test';
import { database_names } from '@tallystick/test-support';
import { runSeeds } from '../workers.ts';

it('a seed breaks no invariant on SQLite, and has one hash in two processes', {
  skip: !database_names.includes('sqlite'),
}, async () => {
  const options = { seed: 4, days: 0.01, activities_max: 12, nodes: 2, database: 'sqlite' } as const;
  const hashes: string[] = [];
  await runSeeds([options, options], 2, ({ result }) => {
    assert.ok(result.messages > 0, 'no message was sent');
    assert.deepEqual(result.violations, []);
    hashes.push(result.hash);
  });
  assert.equal(hashes.length, 2);
  assert.equal(hashes[0], hashes[1]);
});
