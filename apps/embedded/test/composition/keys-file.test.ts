import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { sandboxKeyRing } from '../../src/composition/keys-file.ts';

describe('the key file of the sandbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is created once, only for its owner, and read again unchanged', () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    const made = sandboxKeyRing(data);
    assert.equal(statSync(join(data, 'keys')).mode & 0o777, 0o600);
    assert.equal(sandboxKeyRing(data).reveal(), made.reveal());
    assert.deepEqual(readdirSync(data), ['keys']);
  });

  it('is refused in a folder that does not exist, which is not made', () => {
    const data = join(folder, 'misspelt');
    assert.throws(
      () => sandboxKeyRing(data),
      /misspelt\/keys, which cannot be used: the folder does not exist: make it, or correct its name$/,
    );
    assert.equal(existsSync(data), false);
  });

  it('is reported, not replaced, if it contains no ring', () => {
    const data = join(folder, 'broken');
    mkdirSync(data);
    sandboxKeyRing(data);
    writeFileSync(join(data, 'keys'), '');
    assert.throws(() => sandboxKeyRing(data), /broken\/keys, which cannot be used: TALLYSTICK_KEYS is empty/);
  });

  it('is made private if others may read it', () => {
    const data = join(folder, 'open');
    mkdirSync(data);
    sandboxKeyRing(data);
    chmodSync(join(data, 'keys'), 0o644);
    sandboxKeyRing(data);
    assert.equal(statSync(join(data, 'keys')).mode & 0o777, 0o600);
  });
});
