import { readFileSync } from 'node:fs';
import { type Argued, changeText, isArgued } from './argued.ts';
import type { Judgement } from './judge.ts';
import type { Mutant } from './mutants.ts';

/** One line of the file of results. */
export interface Result extends Mutant, Judgement {
  /** Names the change and the text of its file. */
  readonly key: string;
  /** Names the tests with all that they load. */
  readonly tests: string;
  /** The name of its theme. */
  readonly theme: string;
}

/** A run fails that kills a smaller share of the mutants that a test could kill. */
export const killed_share_min = 0.95;

export function resultText(mutant: Mutant): string {
  return `${mutant.path}:${mutant.line}\n    ${mutant.line_text}\n    ${changeText(mutant)}`;
}

/** Reads a file of results, by key. A line that was cut off is left out. */
export function readResults(file: string): Map<string, Result> {
  const results = new Map<string, Result>();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return results;
  }
  for (const line of text.split('\n').filter((one) => one.endsWith('}'))) {
    const result: Result = JSON.parse(line);
    results.set(result.key, result);
  }
  return results;
}

/** Returns the survivors, a table by theme, and the share that was killed of those that can be. */
export function reportText(
  results: readonly Result[],
  argued: readonly Argued[],
): { readonly text: string; readonly killed_share: number } {
  const isKilled = ({ verdict }: Result) => verdict === 'killed';
  const equivalent = new Set(results.filter((one) => !isKilled(one) && isArgued(one, argued)));
  const shareOf = (some: readonly Result[]) => {
    const possible = some.filter((one) => !equivalent.has(one));
    return possible.length === 0 ? 1 : possible.filter(isKilled).length / possible.length;
  };
  const row = (name: string, some: readonly Result[]) =>
    [
      name.padEnd(16),
      ...[
        some.length,
        some.filter(isKilled).length,
        some.filter((one) => equivalent.has(one)).length,
        some.filter((one) => !isKilled(one) && !equivalent.has(one)).length,
      ].map((count) => String(count).padStart(10)),
      `${(shareOf(some) * 100).toFixed(1)} %`.padStart(9),
    ].join('');
  const alive = results.filter((one) => !isKilled(one) && !equivalent.has(one));
  const names = [...new Set(results.map(({ theme }) => theme))];
  const head = [
    'theme'.padEnd(16),
    ...['mutants', 'killed', 'argued', 'alive'].map((one) => one.padStart(10)),
    '    share',
  ];
  const text = [
    ...alive.map((one) => `${one.verdict}: ${resultText(one)}`),
    '',
    head.join(''),
    ...names.map((name) =>
      row(
        name,
        results.filter(({ theme }) => theme === name),
      ),
    ),
    row('all', results),
  ].join('\n');
  return { text, killed_share: shareOf(results) };
}
