import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of the tests that `npm test` leaves to `.ci/run`, because a commit rarely breaks it alone. */
export interface LeftPart {
  /** For the report. */
  readonly what: string;
  readonly files: RegExp;
}

/**
 * What the short run leaves to the full run. With `--only`, these files run in the short run too.
 * Each pattern must match a file that no earlier one matches.
 */
export const left_to_full_run: readonly LeftPart[] = [];

export function leftToFullRun(path: string): boolean {
  return left_to_full_run.some(({ files }) => files.test(path));
}

/** Returns the parts of which there are files, with their number. */
export function leftParts(paths: readonly string[]): readonly { readonly what: string; readonly count: number }[] {
  return left_to_full_run
    .map(({ what, files }) => ({ what, count: paths.filter((path) => files.test(path)).length }))
    .filter(({ count }) => count > 0);
}

/** A file that draws fewer random values in the short run, or has a smaller load. */
const depends_on_size = /\b(propertyParameters|testRuns)\(|\bfull_run\b/;

/** Returns the sentence about the files that draw fewer random values than in the full run, by folder. */
export function fewDrawsText(root: string, paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (!depends_on_size.test(readFileSync(join(root, path), 'utf8'))) continue;
    const folder = path.split('/').slice(0, 2).join('/');
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  if (counts.size === 0) return '';
  const folders = [...counts].map(([folder, count]) => `${folder} (${count})`);
  return `FEWER random values than --full, by number of files: ${folders.join(', ')}.`;
}
