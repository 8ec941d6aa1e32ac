import { type Content, html } from './html.ts';
import { table } from './parts.ts';

/** A part of each column of a picture. */
export interface Series {
  readonly title: string;
  /** The colours of the style sheet. */
  readonly color: 'c1' | 'c2' | 'c3' | 'c5';
}

export interface ColumnsOptions {
  /** What the picture shows, in a few words. */
  readonly caption: string;
  /** The title of the columns in the table. */
  readonly of: string;
  readonly series: readonly Series[];
  /** The columns from the left, with a number for each series. */
  readonly columns: readonly { readonly label: string; readonly values: readonly number[] }[];
  /** Every so many columns have their label below. */
  readonly label_every: number;
}

/** The columns are drawn on a ground of this height, which the style sheet stretches. */
const height = 100;

const counts = new Intl.NumberFormat('en-GB');

/** A count as people read it: `12,345`. */
export function countText(count: number): string {
  return counts.format(count);
}

/** Columns of stacked parts, with their numbers in a table that opens. */
export function columnsChart({ caption, of, series, columns, label_every }: ColumnsOptions): Content {
  const top = topOf(Math.max(0, ...columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0))));
  const bars = columns.map(({ values, label }, at) => {
    let y = height;
    return values.map((value, place) => {
      const bar = value === 0 ? 0 : Math.max(1.5, (value * height) / top);
      y -= bar;
      const { title, color } = series[place]!;
      return value === 0
        ? ''
        : html`<rect class="${color}" x="${at * 10 + 1}" y="${round(y)}" width="8" height="${round(bar)}"><title>${label}: ${title} ${countText(value)}</title></rect>`;
    });
  });
  const labels = columns.filter((_, at) => at % label_every === 0).map(({ label }) => html`<span>${label}</span>`);
  const rows = columns.filter(({ values }) => values.some((value) => value > 0));
  return html`<figure><figcaption>${caption}</figcaption>
${legend(series)}
<div class="plot"><span aria-hidden="true">${countText(top)}</span>
<svg viewBox="0 0 ${columns.length * 10} ${height}" preserveAspectRatio="none" role="img" aria-label="${caption}. The numbers are in the table below.">${bars}</svg>
<div aria-hidden="true">${labels}</div></div>
<details><summary>Numbers</summary>${table({
    caption,
    columns: [
      { title: of, cell: ({ label }) => label },
      ...series.map(({ title }, place) => ({
        title,
        kind: 'number' as const,
        cell: ({ values }: (typeof rows)[number]) => countText(values[place]!),
      })),
    ],
    rows,
    empty: 'There is nothing to count.',
    is_compact: true,
  })}</details></figure>`;
}

function legend(series: readonly Series[]): Content {
  return html`<p class="legend">${series.map(({ title, color }) => html`<span>${key(color)} ${title}</span> `)}</p>`;
}

/** A square in the colour of a part, beside its name. */
export function key(color: Series['color']): Content {
  return html`<svg class="key" viewBox="0 0 10 10" aria-hidden="true"><rect class="${color}" width="10" height="10"/></svg>`;
}

export interface BarRow {
  readonly title: Content;
  readonly count: number;
  readonly color?: Series['color'];
}

/** Counts with a bar beside each, which is the longest for the greatest. */
export function barTable({
  caption,
  of,
  rows,
  empty,
}: {
  readonly caption: string;
  readonly of: string;
  readonly rows: readonly BarRow[];
  readonly empty: string;
}): Content {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return table({
    caption,
    columns: [
      { title: of, cell: ({ title }) => title },
      { title: 'Count', kind: 'number', cell: ({ count }) => countText(count) },
      { title: 'Share', kind: 'bar', cell: ({ count, color = 'c1' }: BarRow) => bar(0, (count * 100) / most, color) },
    ],
    rows,
    empty,
    is_compact: true,
  });
}

/** A bar in a cell, from one per cent of its width to another. It repeats what the row says. */
export function bar(from: number, to: number, color: Series['color']): Content {
  return html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="${color}" x="${round(from)}" width="${round(to - from)}" height="10"/></svg>`;
}

/** The number at the top of the picture: 1, 2 or 5 with zeros. */
function topOf(most: number): number {
  if (most <= 5) return 5;
  const unit = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((factor) => factor * unit).find((top) => top >= most)!;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
