import { exchange } from '../exchange.ts';
import type { OfferedFile } from '../history.ts';
import type { World } from '../world.ts';

/** A file as its sender has it. */
export interface SentFile extends Pick<OfferedFile, 'name' | 'format' | 'transaction_ids'> {
  readonly bytes: Uint8Array;
}

/** The import of a file as the answer shows it. */
export interface ImportInWorld {
  readonly id: string;
  readonly status: string;
  readonly applied: number;
  readonly duplicates: number;
  readonly quarantined: number;
}

const day_ms = 86_400_000;
/** What says nothing at the end of a file: blanks, fill and empty columns. */
const says_nothing: ReadonlySet<number> = new Set([0, 9, 10, 13, 32, 44, 64]);

/**
 * Delivers a file as files are delivered: late, cut at any byte before it comes whole, twice at a
 * time or later. Resolves with its import when it has ended.
 */
export async function deliver(world: World, file: SentFile): Promise<ImportInWorld | null> {
  const { random } = world;
  if (random.happens(0.3)) await world.pauseUntilQuiet(random.wait(2 * day_ms));
  if (random.happens(0.2)) {
    const length = random.below(file.bytes.length);
    const is_truncated = !file.bytes.subarray(length).every((byte) => says_nothing.has(byte));
    await offer(world, { ...file, name: `${file.name}.part`, bytes: file.bytes.subarray(0, length) }, is_truncated);
    await world.pauseUntilQuiet(random.wait(3_600_000));
  }
  if (random.happens(0.2)) {
    world.begin('file sent twice', async () => {
      await world.pauseUntilQuiet(random.pick([1, 500, 5_000, day_ms]));
      await offer(world, file, false);
    });
  }
  return await offer(world, file, false);
}

/** Sends a file until its import has ended. Null: it was refused as a request. */
export async function offer(world: World, file: SentFile, is_truncated: boolean): Promise<ImportInWorld | null> {
  const { name, format, transaction_ids, bytes } = file;
  world.history.files.push({ at_ms: world.time.now_ms, name, format, transaction_ids, is_truncated });
  const is_stream = world.random.happens(0.3);
  for (let wait_ms = 1_000; ; wait_ms = Math.min(60_000, wait_ms * 2)) {
    const outcome = await exchange(world, {
      operation: 'other',
      company_id: null,
      input: { name, format, bytes: bytes.length },
      perform: async (tally, options) => {
        const content = is_stream ? inChunks(bytes) : bytes;
        const found = await tally.operator.imports.create(content, { ...options, name });
        const { id, status, applied, duplicates, quarantined } = found;
        return { id, status, applied, duplicates, quarantined };
      },
    });
    world.time.stayFor(15_000);
    if (outcome?.kind === 'done') {
      const found = outcome.value as ImportInWorld;
      world.reach(`import of ${format}${is_truncated ? ', cut' : ''}: ${found.status}`);
      if (found.status !== 'running') return found;
    }
    // Other bytes are refused in their import; the same bytes are at work in another process.
    if (outcome?.kind === 'refused' && outcome.code !== 'conflict') {
      world.report('workload', `the file ${name} was refused: ${outcome.code}`);
      return null;
    }
    await world.time.pause(wait_ms);
  }
}

function* inChunks(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 500) yield bytes.subarray(from, from + 500);
}

/** Calls something of an import until it is done or refused. */
export async function actOnImport(world: World, id: string, action: 'replay' | 'release'): Promise<void> {
  await exchange(world, {
    operation: 'other',
    company_id: null,
    input: { import_id: id, action },
    perform: async ({ operator }, options) => {
      const { status, applied, quarantined } =
        action === 'replay'
          ? await operator.imports.replay(id, {}, options)
          : await operator.imports.release(id, { note: 'seen' }, options);
      return { status, applied, quarantined };
    },
  });
  world.time.stayFor(15_000);
}
