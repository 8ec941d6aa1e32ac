import { showDecimal } from '@tallystick/kernel';
import { type Content, html } from './html.ts';

const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

/** An instant of ISO 8601 as people read it, to the minute in UTC; a dash for null. */
export function instant(text: string | null | undefined): Content {
  return timeOf(text, instantText);
}

/** The same where only text can stand. */
export function instantText(at: Date): string {
  return `${dateText(at)}, ${at.toISOString().slice(11, 16)}${hard_space}UTC`;
}

/** The same to the second, where messages and records are compared. */
export function exactInstant(text: string | null | undefined): Content {
  return timeOf(text, (at) => `${dateText(at)}, ${at.toISOString().slice(11, 19)}${hard_space}UTC`);
}

/** A date of ISO 8601 as people read it; a dash for null. */
export function date(text: string | null | undefined): Content {
  return timeOf(text, dateText);
}

/** Keeps a date on one line. */
const hard_space = '\u00a0';

export function dateText(at: Date): string {
  return dates.format(at).replaceAll(' ', hard_space);
}

function timeOf(text: string | null | undefined, show: (at: Date) => string): Content {
  if (text === null || text === undefined) return dash;
  return html`<time datetime="${text}">${show(new Date(text))}</time>`;
}

/** An amount in minor units with its currency: `1,250.00 EUR`; a dash for null. */
export function money(amount: number | null | undefined, currency: string | null | undefined): Content {
  if (amount === null || amount === undefined) return dash;
  const shown = currency ? moneyText(amount, currency) : String(amount);
  return html`<span class="amount">${shown}${currency ? html` <abbr>${currency}</abbr>` : ''}</span>`;
}

/** An amount in minor units without its currency: `1,250.00`. */
export function moneyText(amount: number, currency: string): string {
  return grouped(showDecimal(amount, currency));
}

/** The decimal text with a comma between each three digits. */
function grouped(decimal: string): string {
  const [whole = '', fraction] = decimal.replace(/^-/, '\u2212').split('.');
  const spaced = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? spaced : `${spaced}.${fraction}`;
}

/** The state of something in one word, with the tone in which it is shown. */
export function badge(text: string, tone: 'ok' | 'warn' | 'bad' | 'quiet' | 'info' = 'quiet'): Content {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** Nothing is there. */
export const dash: Content = html`<span class="quiet">–</span>`;

/** Text of others, which may be empty or run in another direction. */
export function foreign(text: string | null | undefined): Content {
  if (text === null || text === undefined || text === '') return dash;
  return html`<bdi class="foreign">${text}</bdi>`;
}

/** The beginning of a text of others, where a list has no room for all of it. */
export function beginning(text: string | null | undefined, length_max = 120): Content {
  const characters = [...(text ?? '')];
  return foreign(characters.length > length_max ? `${characters.slice(0, length_max).join('')}…` : text);
}
