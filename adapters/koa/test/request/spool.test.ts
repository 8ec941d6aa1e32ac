import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { glob, readFile, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Fault } from '@tallystick/kernel';
import { repeatableRandom } from '@tallystick/test-support';
import { spooled } from '../../src/request/spool.ts';

const random = repeatableRandom(1);

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
      await spooled(
        pieces(sent.subarray(0, 1_000), sent.subarray(1_000)),
        async (read) => {
          assert.ok(sent.equals(await whole(read())));
          assert.ok(sent.equals(await whole(read())));
        },
        random,
      );
    }
  });

  it('is in a file without a name, so that a killed process leaves nothing', async (t) => {
    const parent = scratchFolder(t);
    await spooled(pieces('a note'), async () => assert.deepEqual(readdirSync(parent), []), random, parent);
  });

  it('is not readable in its file', { skip: process.platform !== 'linux' }, async (t) => {
    const parent = scratchFolder(t);
    const look = async () => {
      const kept = await Array.fromAsync(glob('/proc/self/fd/*'), async (path) => {
        const target = await readlink(path).catch(() => '');
        return target.startsWith(parent) ? [await readFile(path)] : [];
      });
      assert.deepEqual(
        kept.flat().map((bytes) => [bytes.length, bytes.includes('note')]),
        [['a note of a person'.length, false]],
      );
    };
    await spooled(pieces('a note of a person'), look, random, parent);
  });

  it('cannot be kept in a folder that cannot be used, which is a fault of the service', async (t) => {
    const parent = join(scratchFolder(t), 'missing');
    await assert.rejects(
      spooled(pieces('a'), async () => assert.fail('nothing was kept'), random, parent),
      (error) => error instanceof Fault && error.retryable,
    );
  });

  it('leaves nothing when its sender disconnects, and when the work fails', async (t) => {
    const parent = scratchFolder(t);
    async function* cut(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw new Error('gone');
    }
    await assert.rejects(
      spooled(cut(), async () => assert.fail('the body is not whole'), random, parent),
      /gone/,
    );
    await assert.rejects(
      spooled(pieces('a'), () => Promise.reject(new Error('refused')), random, parent),
      /refused/,
    );
    assert.deepEqual(readdirSync(parent), []);
  });
});
