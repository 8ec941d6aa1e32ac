import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './mutants.ts';
import { runTests } from './run-tests.ts';

/** What a test file runs when nothing is changed. */
export interface Reach {
  readonly processor_s: number;
  /** The hash of the texts of `loaded`. */
  readonly hash: string;
  /** Every file of the project that it loads, itself included, relative to the root. */
  readonly loaded: readonly string[];
  /**
   * By path, the offsets at which code that runs begins and ends, in turn: `[0, 40, 60, 90]` is 0 up
   * to 40 and 60 up to 90.
   */
  readonly ran: Readonly<Record<string, readonly number[]>>;
}

/** The reach of each test file, by path. Kept in a file, because measuring takes seconds for each. */
export class ReachMap {
  readonly #root: string;
  readonly #file: string;
  readonly #known: Record<string, Reach>;
  readonly #hashes = new Map<string, string>();

  constructor(root: string, file: string) {
    this.#root = root;
    this.#file = file;
    this.#known = readJson(file) ?? {};
  }

  /** Returns null when a file that the test loads has changed, or the test was never measured. */
  find(test: string): Reach | null {
    const reach = this.#known[test];
    return reach !== undefined && this.#hashOf(reach.loaded) === reach.hash ? reach : null;
  }

  /** Runs the test and keeps what it reaches. Throws when the test fails. */
  async measure(test: string, environment: Readonly<Record<string, string>>): Promise<Reach> {
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-reach-'));
    try {
      const outcome = await runTests({
        root: this.#root,
        files: [test],
        processor_s_max: 600,
        // With compiled sources that are kept, V8 counts less exactly.
        environment: { ...environment, NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: '1' },
      });
      if (!outcome.passed) throw new Error(`${test} fails although nothing is changed: ${outcome.failed}`);
      const reach = this.#read(folder, outcome.processor_s);
      this.#known[test] = reach;
      mkdirSync(dirname(this.#file), { recursive: true });
      writeFileSync(this.#file, JSON.stringify(this.#known));
      return reach;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  #read(folder: string, processor_s: number): Reach {
    const counts = new Map<string, Uint8Array>();
    for (const name of readdirSync(folder)) {
      const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage;
      for (const script of result) {
        if (!script.url.startsWith('file://')) continue;
        const path = fileURLToPath(script.url).replaceAll('\\', '/').slice(this.#root.length);
        const is_ours = fileURLToPath(script.url).startsWith(this.#root) && !path.includes('node_modules/');
        if (is_ours) counts.set(path, union(counts.get(path), countsOf(script)));
      }
    }
    const loaded = [...counts.keys()].sort();
    const sources = loaded.filter((path) => /^packages\/[^/]+\/src\//.test(path) || path.includes('/fixtures/'));
    const ran = Object.fromEntries(sources.map((path) => [path, rangesOf(counts.get(path) as Uint8Array)]));
    return { processor_s, loaded, hash: this.#hashOf(loaded), ran };
  }

  #hashOf(paths: readonly string[]): string {
    const hash = createHash('sha256');
    for (const path of paths) hash.update(`${path} ${this.#hashOfFile(path)}\n`);
    return hash.digest('hex').slice(0, 16);
  }

  #hashOfFile(path: string): string {
    const known = this.#hashes.get(path);
    if (known !== undefined) return known;
    const text = readText(join(this.#root, path));
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    this.#hashes.set(path, hash);
    return hash;
  }
}

export function reaches({ ran }: Reach, { path, reached_at }: Mutant): boolean {
  const offsets = ran[path] ?? [];
  return offsets.filter((offset) => offset <= reached_at).length % 2 === 1;
}

/** What V8 writes into the folder of `NODE_V8_COVERAGE`. */
interface Coverage {
  readonly result: readonly Script[];
}

interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** For each offset 1 if it ran. The innermost range counts. */
function countsOf({ functions }: Script): Uint8Array {
  const ranges = functions.flatMap((one) => one.ranges);
  const counts = new Uint8Array(Math.max(0, ...ranges.map(({ endOffset }) => endOffset)));
  const outer_first = ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { startOffset, endOffset, count } of outer_first) counts.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return counts;
}

function union(one: Uint8Array | undefined, other: Uint8Array): Uint8Array {
  return one === undefined ? other : other.map((count, offset) => count | (one[offset] ?? 0));
}

function rangesOf(counts: Uint8Array): readonly number[] {
  const offsets: number[] = [];
  counts.forEach((count, offset) => {
    if (count !== (offset === 0 ? 0 : counts[offset - 1])) offsets.push(offset);
  });
  return counts.at(-1) === 1 ? [...offsets, counts.length] : offsets;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readJson(path: string): Record<string, Reach> | null {
  const text = readText(path);
  return text === '' ? null : JSON.parse(text);
}
