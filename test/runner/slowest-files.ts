import { relative } from 'node:path';
import type { TestsStream } from 'node:test';

/** How long the process of a test file took. */
export interface FileTime {
  /** Relative to the root. */
  readonly file: string;
  readonly duration_ms: number;
}

/** The most files that are listed. */
const listed_max = 12;

/** Collects the times of a run in progress. Read the list when the run has ended. */
export function fileTimesOf(tests: TestsStream, root: string): readonly FileTime[] {
  const times: FileTime[] = [];
  // The process of a file is reported as a test that has the name of the file.
  tests.on('test:complete', ({ name, file, details }) => {
    if (file !== undefined && name === file)
      times.push({ file: relative(root, file), duration_ms: details.duration_ms });
  });
  return times;
}

/** The lines about the files that took the longest, the longest first. */
export function slowestFilesText(times: readonly FileTime[]): string {
  const slowest = times.toSorted((a, b) => b.duration_ms - a.duration_ms).slice(0, listed_max);
  const lines = slowest.map(({ file, duration_ms }) => `${(duration_ms / 1000).toFixed(1).padStart(8)} s  ${file}`);
  return ['The slowest files:', ...lines].join('\n');
}
