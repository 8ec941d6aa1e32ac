import { createHash } from 'node:crypto';
import type { Mutant } from './mutants.ts';
import type { Theme } from './themes.ts';

export interface Chosen {
  readonly theme: Theme;
  readonly mutant: Mutant;
}

/**
 * Draws mutants from each theme: as many from each as there are, and from the larger ones more when
 * the smaller ones have fewer. The draw depends on the seed and on the text of each changed line,
 * so a change elsewhere in a file draws the same mutants.
 */
export function drawSample(
  by_theme: ReadonlyMap<Theme, readonly Mutant[]>,
  count: number,
  seed: number,
): readonly Chosen[] {
  const smallest_first = [...by_theme].toSorted(([, a], [, b]) => a.length - b.length);
  const chosen: Chosen[] = [];
  smallest_first.forEach(([theme, mutants], index) => {
    const share = Math.ceil((count - chosen.length) / (smallest_first.length - index));
    for (const mutant of shuffled(mutants, seed).slice(0, share)) chosen.push({ theme, mutant });
  });
  return chosen;
}

function shuffled(mutants: readonly Mutant[], seed: number): readonly Mutant[] {
  const seen = new Map<string, number>();
  const ranked = mutants.map((mutant) => {
    const name = [mutant.path, mutant.line_text, mutant.original, mutant.replacement].join('\n');
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return { mutant, rank: createHash('sha256').update(`${seed}\n${nth}\n${name}`).digest('hex') };
  });
  return ranked.toSorted((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ mutant }) => mutant);
}
