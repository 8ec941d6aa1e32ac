/**
 * Loaded first by each process of a test: replaces a part of one source file, without writing to it.
 * The environment variable `TALLYSTICK_MUTANT` has the change, and is inherited by the processes that
 * a test starts.
 */

import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/** A part of a file, by its offsets in UTF-16 code units, and the text in its place. */
export interface SourceChange {
  /** The absolute path. */
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

const given = process.env.TALLYSTICK_MUTANT;
if (given !== undefined) {
  const { file, start, end, replacement }: SourceChange = JSON.parse(given);
  const changed = pathToFileURL(file).href;
  registerHooks({
    load(url, context, nextLoad) {
      if (url !== changed) return nextLoad(url, context);
      const text = readFileSync(file, 'utf8');
      const source = text.slice(0, start) + replacement + text.slice(end);
      return { format: 'module-typescript', source, shortCircuit: true };
    },
  });
}
