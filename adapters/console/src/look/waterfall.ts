import { type Content, html } from './html.ts';

/** A step from one total to the next. */
export interface WaterfallStep {
  readonly title: string;
  /** What the step adds. Of a total: null. */
  readonly amount: number | null;
  /** What is reached with it. */
  readonly total: number;
  /** The amount as it is shown. */
  readonly shown: string;
}

const width = 360;
const row_height = 38;
const bar_height = 10;

/**
 * Draws how one total leads to another, from top to bottom. The scale covers the totals that are
 * reached and not 0, so that small steps of a large balance are seen. A table beside it says the same.
 */
export function waterfall(title: string, steps: readonly WaterfallStep[]): Content {
  const reached = steps.flatMap(({ total, amount }) => [total, total - (amount ?? 0)]);
  const [least, high] = [Math.min(...reached), Math.max(...reached)];
  const low = least - (high - least) * 0.08;
  const xOf = (value: number) => (high === low ? 0 : ((value - low) / (high - low)) * (width - 8)) + 4;
  const height = steps.length * row_height + 4;
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">${steps.map(
    ({ title: name, amount, total, shown }, at) => {
      const y = at * row_height;
      const [from, to] = [total - (amount ?? 0), total];
      const [left, right] = [Math.min(xOf(from), xOf(to)), Math.max(xOf(from), xOf(to))];
      const tone = amount === null ? 'c1' : amount < 0 ? 'c2' : 'c5';
      const next =
        at === steps.length - 1
          ? ''
          : html`<line class="axis" x1="${xOf(total)}" x2="${xOf(total)}" y1="${y + 18}" y2="${y + row_height + 18}"/>`;
      return html`<text x="4" y="${y + 14}">${name}</text><text x="${width - 4}" y="${y + 14}" text-anchor="end">${shown}</text>${next}<rect class="${tone}" x="${left.toFixed(1)}" y="${y + 20}" width="${Math.max(right - left, 3).toFixed(1)}" height="${bar_height}"/>`;
    },
  )}</svg>`;
}
