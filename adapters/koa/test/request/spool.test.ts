import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { spooled } from '../../src/request/spool.ts';

async function* pieces(...texts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text as string);
}

async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(bytes));
}

/** A folder for the files of one test. */
function scratchFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-spool-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('a body that is kept to be read twice', () => {
  it('is the same each time, whatever its length', async () => {
    for (const length of [0, 1, 64 * 1024, 64 * 1024 + 1, 1_000_000]) {
      const sent = randomBytes(length);
      await spooled(pieces(sent.subarray(0, 1_000), sent.subarray(1_000)), async (read) => {
        assert.ok(sent.equals(await whole(read())));
        assert.ok(sent.equals(await whole(read())));
      });
    }
  });

  it('is not readable in its file, which is gone afterwards', async (t) => {
    const parent = scratchFolder(t);
    const look = async () => {
      const [folder] = readdirSync(parent);
      assert.ok(folder !== undefined);
      assert.ok(!readFileSync(join(parent, folder, 'body')).includes('note'));
    };
    await spooled(pieces('a note of a person'), look, parent);
    assert.deepEqual(readdirSync(parent), []);
  });

  it('leaves nothing when its sender disconnects, and when the work fails', async (t) => {
    const parent = scratchFolder(t);
    async function* cut(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw new Error('gone');
    }
    await assert.rejects(
      spooled(cut(), async () => assert.fail('the body is not whole'), parent),
      /gone/,
    );
    await assert.rejects(
      spooled(pieces('a'), () => Promise.reject(new Error('refused')), parent),
      /refused/,
    );
    assert.deepEqual(readdirSync(parent), []);
  });
});
