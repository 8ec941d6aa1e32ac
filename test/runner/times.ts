import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import type { TestsStream } from 'node:test';
import { leftToFullRun } from './sizes.ts';
import type { Size } from './switches.ts';

export type RecordedSize = Exclude<Size, 'long'>;

/** The processor time of a test file, seconds, with that of its child processes, by the size of the run. */
export type FileRecord = Readonly<Partial<Record<RecordedSize, number>>>;

/** A whole run in which all tests passed. */
export interface RunRecord {
  readonly elapsed_s: number;
  readonly cores: number;
}

/** The content of `recorded-times.json`, which `--record` writes. Paths are relative to the root. */
export interface RecordedTimes {
  readonly runs: Readonly<Partial<Record<RecordedSize, RunRecord>>>;
  readonly files: Readonly<Record<string, FileRecord>>;
}

/** How long a test file took. */
export interface FileTime {
  /** Relative to the root. */
  readonly file: string;
  readonly elapsed_s: number;
  /** Null when its process was killed, or when it shared a process of which no test began. */
  readonly processor_s: number | null;
}

/** The assumed processor time of a file without a record, seconds. */
const unknown_s = 1;

const recorded_path = new URL('recorded-times.json', import.meta.url);

export function readRecordedTimes(): RecordedTimes {
  return JSON.parse(readFileSync(recorded_path, 'utf8'));
}

/** Returns the recorded processor time of a file, seconds. The long run has the times of the full one. */
export function recordedSeconds({ files }: RecordedTimes, file: string, size: Size): number {
  const { short, full } = files[file] ?? {};
  return (size === 'short' ? (short ?? full) : (full ?? short)) ?? unknown_s;
}

/**
 * Returns how long the files will probably take on this machine, seconds: their share of the
 * recorded run. Null for the long run, which has no record.
 */
export function estimatedSeconds(recorded: RecordedTimes, files: readonly string[], size: Size): number | null {
  const run = size === 'long' ? undefined : recorded.runs[size];
  if (run === undefined) return null;
  const sum = (paths: readonly string[]) =>
    paths.reduce((total, path) => total + recordedSeconds(recorded, path, size), 0);
  const whole = Object.keys(recorded.files).filter(
    (path) => recorded.files[path]?.[size as RecordedSize] !== undefined && !(size === 'short' && leftToFullRun(path)),
  );
  const cores = Math.min(availableParallelism(), 4);
  return whole.length === 0 ? null : (run.elapsed_s * sum(files) * run.cores) / (sum(whole) * cores);
}

/** Collects the times of a run in progress. Call the result when the run has ended. */
export function fileTimesOf(
  tests: TestsStream,
  root: string,
  shared: Readonly<Record<string, readonly string[]>>,
  folder: string,
): () => readonly FileTime[] {
  const elapsed = new Map<string, number>();
  const tests_of = new Map<string, number>();
  const add = (times: Map<string, number>, file: string, ms: number) =>
    times.set(file, (times.get(file) ?? 0) + ms / 1000);
  // The process of a file is reported as a test that has the name of the file.
  tests.on('test:complete', ({ name, file, nesting, details }) => {
    if (file === undefined) return;
    if (nesting === 0 && name === file) add(elapsed, file, details.duration_ms);
  });
  // Reported in the order of the files. In a shared process, a test with the name of a file precedes
  // its tests, which may be declared in another module.
  let current: string | null = null;
  tests.on('test:summary', () => {
    current = null;
  });
  for (const outcome of ['test:pass', 'test:fail'] as const) {
    tests.on(outcome, ({ name, file, nesting, details }) => {
      if (file === undefined || nesting !== 0) return;
      if (shared[file]?.includes(name)) current = join(root, name);
      else add(tests_of, current ?? file, details.duration_ms);
    });
  }
  return () => {
    const processor = readProcessorTimes(folder);
    return [...elapsed].flatMap(([path, elapsed_s]): FileTime[] => {
      const processor_s = processor.get(path) ?? null;
      const members = shared[path];
      if (members === undefined) return [{ file: relative(root, path), elapsed_s, processor_s }];
      // Files that share a process share its time as their tests do.
      const all_s = members.reduce((sum, member) => sum + (tests_of.get(join(root, member)) ?? 0), 0);
      return members.map((file) => {
        const its_s = tests_of.get(join(root, file)) ?? 0;
        return {
          file,
          elapsed_s: its_s,
          processor_s: processor_s === null || all_s === 0 ? null : (processor_s * its_s) / all_s,
        };
      });
    });
  };
}

function readProcessorTimes(folder: string): ReadonlyMap<string, number> {
  return new Map(
    readdirSync(folder).map((name) => {
      const { file, processor_s } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      return [file, processor_s];
    }),
  );
}

/**
 * Returns the recorded times with those of a run. Files that no longer exist are removed. `elapsed_s`
 * is null when only a part of the files ran.
 */
export function withTimes(
  { runs, files }: RecordedTimes,
  size: RecordedSize,
  times: readonly FileTime[],
  existing: readonly string[],
  elapsed_s: number | null,
): RecordedTimes {
  const measured = new Map(times.map(({ file, processor_s }) => [file, processor_s]));
  const updated = existing.map((path): [string, FileRecord] => {
    const seconds = measured.get(path) ?? files[path]?.[size];
    const merged = { ...files[path], ...(seconds === undefined ? {} : { [size]: Math.round(seconds * 10) / 10 }) };
    const { short, full } = merged;
    return [path, { ...(short === undefined ? {} : { short }), ...(full === undefined ? {} : { full }) }];
  });
  const run = elapsed_s === null ? runs[size] : { elapsed_s: Math.round(elapsed_s), cores: availableParallelism() };
  return { runs: { ...runs, ...(run === undefined ? {} : { [size]: run }) }, files: Object.fromEntries(updated) };
}

/** Writes `recorded-times.json`, with one line for each file. */
export function writeRecordedTimes({ runs, files }: RecordedTimes): void {
  const line = (value: object) => JSON.stringify(value).replace(/[{:,]/g, '$& ').replace('}', ' }');
  const lines = (values: Readonly<Record<string, object>>) =>
    Object.entries(values)
      .filter(([, value]) => Object.keys(value).length > 0)
      .map(([name, value]) => `    ${JSON.stringify(name)}: ${line(value)}`)
      .join(',\n');
  writeFileSync(recorded_path, `{\n  "runs": {\n${lines({ ...runs })}\n  },\n  "files": {\n${lines(files)}\n  }\n}\n`);
}
