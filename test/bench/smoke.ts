import { readFileSync, writeFileSync } from 'node:fs';
import type { Row } from './measure.ts';

/** The ratios of a smoke run, by the names of their rows. */
export type Figures = Readonly<Record<string, number>>;

const path = new URL('figures.json', import.meta.url);
/** A ratio may be this many times worse than its figure: noise is not, a lost mechanism is. */
const worse_max = 2;

/** The committed figures. */
export function readFigures(): Figures {
  return JSON.parse(readFileSync(path, 'utf8'));
}

export function writeFigures(figures: Figures): void {
  writeFileSync(path, `${JSON.stringify(figures, null, 2)}\n`);
}

/**
 * The ratios of the rows that have a target, without latencies, which noise disturbs most. Throws
 * when two rows have one name.
 */
export function figuresOf(rows: readonly Row[]): Figures {
  const figures: Record<string, number> = {};
  for (const { name, unit, ratio, target } of rows) {
    if (target === null || unit === 'ms') continue;
    if (name in figures) throw new Error(`two rows are named ${name}`);
    figures[name] = Number(ratio.toPrecision(2));
  }
  return figures;
}

/**
 * The rows with targets that the figures set: half of the figure where more is better, twice where
 * less is. A row without a figure has no target.
 */
export function againstFigures(rows: readonly Row[], figures: Figures): Row[] {
  return rows.map((row) => {
    const figure = figures[row.name];
    if (row.target === null || figure === undefined) return { ...row, target: null, ok: null };
    const { kind } = row.target;
    const ratio = Number((kind === 'at_least' ? figure / worse_max : figure * worse_max).toPrecision(2));
    return { ...row, target: { kind, ratio }, ok: kind === 'at_least' ? row.ratio >= ratio : row.ratio <= ratio };
  });
}
