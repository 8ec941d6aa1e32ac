import { showAmount } from '@tallystick/kernel';
import { key } from './charts.ts';
import { type Content, html, when } from './html.ts';
import { money } from './values.ts';

/** What a limit is made of; minor units of one currency. */
export interface LimitParts {
  readonly limit: number;
  readonly cleared: number;
  readonly held: number;
  /** Negative when more cleared than the limit allows. */
  readonly available: number;
}

const width = 1_000;
const height = 28;

/** A limit as a bar with its parts: cleared, held and left. The amounts stand below it. */
export function limitBar({ limit, cleared, held, available }: LimitParts, currency: string): Content {
  const whole = Math.max(limit, cleared + held, 1);
  const parts = [
    ['Cleared', cleared, 'c1'],
    ['Held', held, 'c2'],
    ['Left', Math.max(0, available), 'c5'],
  ] as const;
  let from = 0;
  const bars = parts.map(([, amount, kind]) => {
    const x = from;
    const size = Math.round((amount / whole) * width);
    from += size;
    return size === 0 ? '' : html`<rect class="${kind}" x="${x}" y="0" width="${size}" height="${height}"/>`;
  });
  const label = `Of ${showAmount(limit, currency)}: ${parts.map(([name, amount]) => `${name.toLowerCase()} ${showAmount(amount, currency)}`).join(', ')}`;
  return html`<figure><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${bars}</svg>
<dl class="facts">${parts.map(
    ([name, amount, kind]) => html`<div><dt>${key(kind)} ${name}</dt><dd>${money(amount, currency)}</dd></div>`,
  )}<div><dt>Limit</dt><dd>${money(limit, currency)}</dd></div></dl>
${when(available < 0, () => html`<p class="warning">${money(-available, currency)} more than the limit cleared or is held.</p>`)}</figure>`;
}
