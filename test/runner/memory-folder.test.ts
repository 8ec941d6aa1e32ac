import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { findMemoryFolder } from './memory-folder.ts';

test('databases are in memory where there is a folder for it with enough room', () => {
  const folder = tmpdir();
  assert.equal(findMemoryFolder(folder, 1), folder);
  assert.equal(findMemoryFolder(folder, Number.MAX_SAFE_INTEGER), null);
  assert.equal(findMemoryFolder(`${folder}/missing`, 1), null);
});
