import { createReadStream, openSync, type Stats } from 'node:fs';
import { access, constants, glob, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { basename, isAbsolute, relative, resolve } from 'node:path';
import type { ImportSource } from '@tallystick/imports';
import { maskCardNumbers } from '@tallystick/kernel';

export interface FoundSource extends ImportSource {
  /** As the person wrote it, without card numbers and control characters. */
  readonly shown: string;
}

export class UnusableSources extends Error {
  override readonly name = 'UnusableSources';

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

const piece_bytes = 256 * 1024;

/**
 * The files of the words: paths, patterns (`*.ipm`, `2030-*`), and `-` for standard input. Paths
 * are relative to `folder`. The files of a pattern are in the order of their names, and a file that
 * several words name is found once. A pattern matches regular files only: a pipe without a writer
 * would never end. A path may name a pipe. A pattern without a file is a problem unless
 * `may_be_none`.
 * Rejects with `UnusableSources`, which lists every problem.
 */
export async function findSources(
  words: readonly string[],
  folder: string,
  standard_input: AsyncIterable<Uint8Array>,
  { may_be_none }: { readonly may_be_none: boolean },
): Promise<readonly FoundSource[]> {
  const sources = new Map<string, FoundSource>();
  const problems: string[] = [];
  for (const word of words) {
    try {
      const found = await findWord(word, folder, standard_input);
      if (found.length === 0 && !may_be_none) problems.push(`no file matches ${show(word)}`);
      for (const source of found) sources.set(source.key, source);
    } catch (error) {
      if (!(error instanceof UnusableSources)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new UnusableSources(problems);
  return [...sources.values()];
}

interface KeyedSource extends FoundSource {
  readonly key: string;
}

async function findWord(
  word: string,
  folder: string,
  standard_input: AsyncIterable<Uint8Array>,
): Promise<readonly KeyedSource[]> {
  if (word === '-') return [standardInput(standard_input)];
  const shown = show(word);
  const path = resolve(folder, word);
  const found = await statOf(path);
  if (found?.isDirectory()) throw problem(`${shown} is a directory; name its files, for example "${shown}/*"`);
  if (found !== null) return [await file(path, shown, found)];
  if (!/[*?[{]/.test(word)) throw problem(`there is no file ${shown}`);
  const paths = (await Array.fromAsync(glob(word, { cwd: folder }))).map((match) => resolve(folder, match)).sort();
  const files: KeyedSource[] = [];
  for (const match of paths) {
    const stats = await statOf(match);
    if (stats?.isFile()) {
      files.push(await file(match, show(isAbsolute(word) ? match : relative(folder, match)), stats));
    }
  }
  return files;
}

function standardInput(bytes: AsyncIterable<Uint8Array>): KeyedSource {
  return {
    key: '-',
    shown: 'standard input',
    name: 'standard input',
    open: () => bytes,
    is_repeatable: false,
    bytes_total: null,
  };
}

async function file(path: string, shown: string, stats: Stats): Promise<KeyedSource> {
  try {
    await access(path, constants.R_OK);
  } catch {
    throw problem(`${shown} cannot be read: this user has no permission`);
  }
  const is_regular = stats.isFile();
  return {
    key: path,
    shown,
    name: show(basename(path)),
    open: () =>
      stats.isFIFO() && process.platform === 'linux'
        ? openPipe(path)
        : createReadStream(path, { highWaterMark: piece_bytes }),
    // A pipe has its bytes once.
    is_repeatable: is_regular,
    bytes_total: is_regular ? stats.size : null,
  };
}

/**
 * Opens a pipe without waiting for its writer. Otherwise a thread waits for it, and the process
 * cannot end before that thread. Only Linux waits for the first writer when such a pipe is read.
 */
function openPipe(path: string): AsyncIterable<Uint8Array> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch {
    return null;
  }
}

/** A name comes from the sender of the file, and must not control the terminal of the operator. */
function show(name: string): string {
  return maskCardNumbers(name).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
}

function problem(message: string): UnusableSources {
  return new UnusableSources([message]);
}
