import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { leftToFullRun } from './sizes.ts';
import type { Size } from './switches.ts';
import { type RecordedTimes, recordedSeconds } from './times.ts';

const folders = ['packages', 'adapters', 'apps', 'test'];

/**
 * Folders whose short files share processes: their tests take less time than the start of a
 * process, and they load much of the same code.
 */
const sharing: Readonly<Record<string, RegExp>> = {
  packages: /^packages\//,
  'mikro-orm': /^adapters\/mikro-orm\//,
  http: /^test\/http\//,
  'open-banking': /^test\/open-banking\//,
  adapters: /^adapters\/(clearing-files|embedded-queue|koa|mail|memory|oidc|statement-files|vault|webhook-client)\//,
  embedded: /^apps\/embedded\/test\/(background|composition|operations|sandbox)\//,
  embedding:
    /^test\/embedding\/(bad-input|host-handle-misuse|host-session|instances|inversify|operations.*|own-port|subscription-transaction)\.test/,
  importer: /^apps\/importer\/test\//,
  server: /^apps\/server\/test\/(background|configuration|devtools|sandbox)\//,
};

/** A file that takes as long, processor seconds, has a process of its own. */
const alone_from_s = 8;

/** The files that share a process take at most this together, processor seconds. */
const together_s_max = 40;

/**
 * A hook outside of every suite runs for the tests of all files in the process, so a file with such
 * a hook has a separate process.
 */
export const hook_of_the_process = /^(before|after)(Each)?\(/m;

/** The files of a run. Paths are relative to the root, with forward slashes. */
export interface TestFiles {
  /** Every `*.test.ts` of the project. */
  readonly all: readonly string[];
  /** The files of this run. */
  readonly chosen: readonly string[];
  /** The files that the short run leaves to the full run. */
  readonly left: readonly string[];
  /** The chosen files, by the process in which they run. The longest process is first. */
  readonly processes: readonly TestProcess[];
}

/** One or more test files that run in one process. */
export interface TestProcess {
  /** The path of the file, or a name for several files. */
  readonly name: string;
  readonly files: readonly string[];
  /** The recorded processor time, seconds. */
  readonly processor_s: number;
}

/**
 * Returns the test files under `root` with one of the texts in their path. Without texts, returns
 * all files that belong to the size of the run.
 */
export function testFiles(root: string, only: readonly string[], size: Size, recorded: RecordedTimes): TestFiles {
  const all = globSync(
    folders.map((folder) => `${folder}/**/*.test.ts`),
    { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist|data)$/.test(path) },
  )
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
  const left = size === 'short' && only.length === 0 ? all.filter(leftToFullRun) : [];
  const chosen = all.filter((path) =>
    only.length === 0 ? !left.includes(path) : only.some((text) => path.includes(text)),
  );
  return { all, chosen, left, processes: processesOf(root, chosen, size, recorded) };
}

function processesOf(
  root: string,
  chosen: readonly string[],
  size: Size,
  recorded: RecordedTimes,
): readonly TestProcess[] {
  const processes: TestProcess[] = [];
  const seconds = (path: string) => recordedSeconds(recorded, path, size);
  const open = new Map<string, { files: string[]; processor_s: number }>();
  const close = (folder: string) => {
    const { files, processor_s } = open.get(folder) as { files: string[]; processor_s: number };
    const name = files.length === 1 ? (files[0] as string) : `${folder}-${processes.length}`;
    processes.push({ name, files, processor_s });
    open.delete(folder);
  };
  for (const path of chosen) {
    const folder = Object.keys(sharing).find((name) => sharing[name]?.test(path));
    const processor_s = seconds(path);
    const is_alone = folder === undefined || processor_s >= alone_from_s;
    if (is_alone || hook_of_the_process.test(readFileSync(join(root, path), 'utf8'))) {
      processes.push({ name: path, files: [path], processor_s });
      continue;
    }
    if ((open.get(folder)?.processor_s ?? 0) + processor_s > together_s_max) close(folder);
    const process = open.get(folder) ?? { files: [], processor_s: 0 };
    process.files.push(path);
    process.processor_s += processor_s;
    open.set(folder, process);
  }
  for (const folder of [...open.keys()]) close(folder);
  return processes.toSorted((a, b) => b.processor_s - a.processor_s);
}
