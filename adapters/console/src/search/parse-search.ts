/**
 * Reads what a person typed into the search: a text may be several things at once, and each is
 * looked for. A word before it names the kind: `card 45`, `webhook 7`.
 */
import { isCurrency, isStorable, maskCardNumbers } from '@tallystick/kernel';

export const kinds = ['card', 'authorization', 'clearing', 'item', 'line', 'webhook', 'import', 'consent'] as const;

export type Kind = (typeof kinds)[number];

/** A decimal number without its sign. */
interface Decimal {
  readonly whole: string;
  readonly fraction: string;
}

/** What a text may be. */
export interface Reading {
  /** As it was typed, without blanks around it and without the numbers of cards. */
  readonly text: string;
  /** Whether it had the number of a card, of which the last four digits are left. */
  readonly is_masked: boolean;
  /** The kind that was named; null: any. */
  readonly kind: Kind | null;
  readonly id: string | null;
  /** The last four digits of a card. */
  readonly last4: string | null;
  /** What it means as an amount: `1.250` has two meanings. */
  readonly decimals: readonly Decimal[];
  readonly is_negative: boolean;
  /** Part of the name of a merchant that was typed beside the amount; null: none. */
  readonly at: string | null;
  /** The currency beside the amount; null: none. */
  readonly currency: string | null;
  /** A name and a value of metadata: `order:4711` or `order=4711`. */
  readonly metadata: { readonly name: string; readonly value: string } | null;
  readonly approval_code: string | null;
  /** What declines are looked for: those of a reason, or `any`; null: none. */
  readonly declined: string | null;
  /** A text without blanks, long enough to name one thing. */
  readonly reference: string | null;
  /** How the name of a merchant may begin: in the cases in which networks write them. */
  readonly merchants: readonly string[];
}

/** The longest text that is searched for, in UTF-16 units. */
export const search_length_max = 200;

const words: ReadonlyMap<string, Kind> = new Map([
  ...kinds.map((kind) => [kind, kind] as const),
  ['purchase', 'authorization'],
  ['break', 'item'],
  ['file', 'import'],
]);

/** Reads a text; null when there is nothing to search for. */
export function parseSearch(typed: string): Reading | null {
  const masked = maskCardNumbers(typed);
  const all = masked.trim().slice(0, search_length_max).trim();
  if (all === '' || !isStorable(all)) return null;
  const [, word = '', rest = ''] = /^(\p{L}+)\s+#?(.+)$/su.exec(all) ?? [];
  const kind = words.get(word.toLowerCase()) ?? null;
  const text = kind === null ? all : rest;
  const amount = readAmount(text) ?? readAmountAt(text);
  return {
    text,
    is_masked: masked !== typed,
    kind,
    id: /^#?[1-9]\d{0,14}$/.test(text) ? text.replace('#', '') : null,
    last4: /^(?:end(?:ing|s) in |[*x•.…\s-]*)(\d{4})$/iu.exec(text)?.[1] ?? null,
    decimals: amount?.decimals ?? [],
    is_negative: amount?.is_negative ?? false,
    at: amount?.at ?? null,
    currency: amount?.currency ?? null,
    metadata: readMetadata(text),
    approval_code: /^[0-9A-Za-z]{6}$/.test(text) ? text : null,
    declined: readDeclined(text),
    reference: /^\S{5,}$/u.test(text) ? text : null,
    merchants: text.length >= 3 && /\p{L}/u.test(text) ? inEveryCase(text) : [],
  };
}

/** `declined`, or `declined F` by its reason. */
function readDeclined(text: string): string | null {
  const [is_declined, code] = /^declined(?: ([a-z]))?$/i.exec(text) ?? [];
  return is_declined === undefined ? null : (code?.toUpperCase() ?? 'any');
}

/** The amounts that a reading means, in minor units of a currency with so many decimals. */
export function minorUnits({ decimals, is_negative }: Reading, of_currency: number): readonly number[] {
  return decimals.flatMap(({ whole, fraction }) => {
    if (fraction.length > of_currency) return [];
    const units = Number(whole + fraction.padEnd(of_currency, '0'));
    return Number.isSafeInteger(units) ? [is_negative ? 0 - units : units] : [];
  });
}

const symbols: Readonly<Record<string, string>> = { '€': 'EUR', $: 'USD', '£': 'GBP' };

interface Amount extends Pick<Reading, 'decimals' | 'is_negative' | 'at' | 'currency'> {}

function readAmount(text: string): Amount | null {
  const form = /^([A-Za-z]{3}|[€$£])?\s*([-\u2212+]?)\s*(\d[\d.,'\u00a0\u202f ]*)\s*([A-Za-z]{3}|[€$£])?$/u.exec(text);
  if (form === null) return null;
  const [, before, sign = '', digits = '', after] = form;
  const named = before ?? after;
  const currency = named === undefined ? null : (symbols[named] ?? named.toUpperCase());
  if (currency !== null && !isCurrency(currency)) return null;
  const plain = digits.trim().replace(/['\u00a0\u202f ]/g, '');
  return { currency, is_negative: /[-\u2212]/.test(sign), at: null, decimals: readDecimals(plain) };
}

/** The most words of an amount: `- 1 250 000,00 EUR`. */
const amount_words_max = 5;

/**
 * An amount before or after the name of a merchant: `115.50 at Grand Hotel`, `Grand Hotel 115.50 USD`.
 * A number without decimals, currency or `at` belongs to the name: `Merchant 7`.
 */
function readAmountAt(text: string): Amount | null {
  const words = text.split(/\s+/u);
  for (let count = Math.min(words.length - 1, amount_words_max); count > 0; count -= 1) {
    for (const [some, others] of [
      [words.slice(0, count), words.slice(count)],
      [words.slice(-count), words.slice(0, -count)],
    ] as const) {
      const typed = some.join(' ');
      const amount = two_numbers.test(typed) ? null : readAmount(typed);
      const [, joint, at = ''] = /^(at (?:the )?|@ ?)?(.*)$/isu.exec(others.join(' ')) ?? [];
      if (amount === null || amount.decimals.length === 0 || !/\p{L}/u.test(at)) continue;
      if (amount.currency !== null || joint !== undefined || /[.,]/.test(typed)) return { ...amount, at };
    }
  }
  return null;
}

/** Two numbers: digits after a blank that are no thousands. */
const two_numbers = /\d (?!\d{3}(?!\d))\d/;

/** A point or a comma is before the decimals when nothing like it comes later; else it groups. */
function readDecimals(digits: string): readonly Decimal[] {
  const [, whole = '', mark = '', fraction = ''] = /^(.*?)(?:([.,])(\d*))?$/.exec(digits) ?? [];
  const ungrouped = whole.replace(/[.,]/g, '');
  const meanings: Decimal[] = [];
  const is_grouped = whole === ungrouped || /^\d{1,3}([.,])\d{3}(?:\1\d{3})*$/.test(whole);
  if (is_grouped && fraction.length <= 4 && !whole.includes(mark || '\0'))
    meanings.push({ whole: ungrouped, fraction });
  if (mark !== '' && /^\d{1,3}(?:([.,])\d{3})*$/.test(digits))
    meanings.push({ whole: digits.replace(/[.,]/g, ''), fraction: '' });
  return meanings;
}

/** A name and a value of metadata: `order: 4711` or `order=4711`. The time is linear in the length. */
export function readMetadata(text: string): Reading['metadata'] {
  const at = text.search(/[:=]/);
  const [name, value] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()];
  return name === '' || value === '' ? null : { name, value };
}

function inEveryCase(text: string): readonly string[] {
  const titled = text.toLowerCase().replace(/(^|[^\p{L}\p{M}\d'])(\p{L})/gu, (letter) => letter.toUpperCase());
  return [...new Set([text, text.toUpperCase(), titled])];
}
