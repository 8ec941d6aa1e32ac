import { type Content, html } from './html.ts';
import { table } from './parts.ts';

/** A part of each column of a picture. */
export interface Series {
  readonly title: string;
  /** The colours of the style sheet. */
  readonly color: 'c1' | 'c2' | 'c3' | 'c4' | 'c5';
}

export interface ColumnsOptions {
  /** What the picture shows, in a few words. */
  readonly caption: string;
  /** The title of the columns in the table. */
  readonly of: string;
  readonly series: readonly Series[];
  /** The columns from the left, with a number for each series. */
  readonly columns: readonly { readonly title: Content; readonly label: string; readonly values: readonly number[] }[];
  /** Every so many columns have their label below. */
  readonly label_every: number;
}

const width = 720;
const height = 170;
const base = 140;
/** Room for the number at the top, which is larger on a phone. */
const ceiling = 20;
const left = 64;

const counts = new Intl.NumberFormat('en-GB');

/** A count as people read it: `12,345`. */
export function countText(count: number): string {
  return counts.format(count);
}

/** Columns of stacked parts, with their numbers in a table that opens. */
export function columnsChart({ caption, of, series, columns, label_every }: ColumnsOptions): Content {
  const most = Math.max(0, ...columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0)));
  const top = topOf(most);
  const step = (width - left) / Math.max(1, columns.length);
  const heightOf = (value: number) => (value * (base - ceiling)) / top;
  const bars = columns.map(({ values, label }, at) => {
    let y = base;
    const x = left + at * step + step * 0.12;
    return values.map((value, place) => {
      const bar = value === 0 ? 0 : Math.max(1.5, heightOf(value));
      y -= bar;
      const { title, color } = series[place]!;
      return value === 0
        ? ''
        : html`<rect class="${color}" x="${round(x)}" y="${round(y)}" width="${round(step * 0.76)}" height="${round(bar)}"><title>${label}: ${title} ${countText(value)}</title></rect>`;
    });
  });
  const labels = columns.map(({ label }, at) =>
    at % label_every === 0
      ? html`<text class="quiet" x="${round(left + (at + 0.5) * step)}" y="${base + 18}" text-anchor="middle">${label}</text>`
      : '',
  );
  const rows = columns.filter(({ values }) => values.some((value) => value > 0));
  return html`<figure><figcaption>${caption}</figcaption>
${legend(series)}
<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${caption}. The numbers are in the table below.">
<path class="axis" d="M${left} ${base}H${width} M${left} ${round(base - heightOf(top))}H${width}"/>
<text class="quiet" x="${left - 6}" y="${base + 4}" text-anchor="end">0</text>
<text class="quiet" x="${left - 6}" y="${round(base - heightOf(top)) + 4}" text-anchor="end">${countText(top)}</text>
${bars}${labels}</svg>
<details><summary>Numbers</summary>${table({
    caption,
    columns: [
      { title: of, cell: ({ title }) => title },
      ...series.map(({ title }, place) => ({
        title,
        kind: 'number' as const,
        cell: ({ values }: (typeof rows)[number]) => countText(values[place]!),
      })),
    ],
    rows,
    empty: 'There is nothing to count.',
  })}</details></figure>`;
}

function legend(series: readonly Series[]): Content {
  return html`<p class="legend">${series.map(
    ({ title, color }) =>
      html`<span><svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true"><rect class="${color}" width="10" height="10" rx="2"/></svg> ${title}</span> `,
  )}</p>`;
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
      {
        title: 'Share',
        cell: ({ count, color = 'c1' }: BarRow) =>
          html`<svg class="bar" viewBox="0 0 100 10" width="100" height="10" preserveAspectRatio="none" aria-hidden="true"><rect class="${color}" width="${round((count * 100) / most)}" height="10"/></svg>`,
      },
    ],
    rows,
    empty,
  });
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
