import { cardNumbersIn, isStorable, isWithin, type RequestFields, showValue } from '@tallystick/kernel';
import { countryOf } from './countries.ts';

/** The entries that a control allows or denies. A list that is present has an entry. */
export interface AllowAndDeny {
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[] | null;
}

export const card_presence_rules = ['required', 'forbidden'] as const;

/**
 * With which merchants a card may be used, where, and how: on the card, on its template, or both.
 *
 * A denied entry wins over an allowed one. An allow list and `required` decline what they cannot
 * check, because the message lacks the value. A deny list and `forbidden` let it pass.
 */
export interface MerchantControls {
  /** Compared as written. */
  readonly merchant_ids: AllowAndDeny | null;
  /**
   * Names, with `*` at the start or the end for any text. A merchant is allowed when its id or its
   * name is, and denied when either is.
   */
  readonly merchant_names: AllowAndDeny | null;
  /** ISO 3166-1 alpha-3. */
  readonly countries: AllowAndDeny | null;
  readonly card_present: (typeof card_presence_rules)[number] | null;
}

/** As a client sends them. An absent member is null. */
export type MerchantControlsRequest = {
  readonly [Name in 'merchant_ids' | 'merchant_names' | 'countries']?: Partial<AllowAndDeny> | null;
} & Partial<Pick<MerchantControls, 'card_present'>>;

/** What a message says of the merchant. Null: it does not say. */
export interface Merchant {
  readonly merchant_id: string | null;
  readonly merchant_name: string | null;
  /** ISO 3166-1 alpha-3. */
  readonly merchant_country: string | null;
  readonly card_present: boolean | null;
}

export const merchant_list_max = 100;
export const merchant_entry_length_max = 255;
/** Bytes of the UTF-8 JSON text of all controls. Every decision of the card reads and writes its row. */
export const merchant_controls_bytes_max = 8_192;

/** The rule of a control that a merchant breaks. */
export type BrokenRule = keyof AllowAndDeny | (typeof card_presence_rules)[number];

/** The rule that the id or the name of a merchant breaks; null: they are allowed. */
export function brokenByMerchant(
  { merchant_ids, merchant_names }: MerchantControls,
  { merchant_id, merchant_name }: Merchant,
): BrokenRule | null {
  if (merchant_ids === null && merchant_names === null) return null;
  const id = merchant_id?.trim() ?? null;
  const name = merchant_name === null ? null : comparedName(merchant_name);
  return brokenList(
    (list) =>
      (id !== null && merchant_ids?.[list]?.includes(id) === true) ||
      (name !== null && merchant_names?.[list]?.some((pattern) => matches(pattern, name)) === true),
    (merchant_ids?.allow ?? merchant_names?.allow ?? null) !== null,
  );
}

/** The rule that the country of a merchant breaks; null: it is allowed. */
export function brokenByCountry(
  { countries }: MerchantControls,
  { merchant_country: country }: Merchant,
): BrokenRule | null {
  if (countries === null) return null;
  return brokenList(
    (list) => country !== null && countries[list]?.includes(country) === true,
    countries.allow !== null,
  );
}

/** The rule that the presence of the card breaks; null: it is allowed. */
export function brokenByPresence(
  { card_present: rule }: MerchantControls,
  { card_present }: Merchant,
): BrokenRule | null {
  return (rule === 'required' && card_present !== true) || (rule === 'forbidden' && card_present === true)
    ? rule
    : null;
}

function brokenList(isListed: (list: keyof AllowAndDeny) => boolean, has_allow: boolean): BrokenRule | null {
  if (isListed('deny')) return 'deny';
  return has_allow && !isListed('allow') ? 'allow' : null;
}

/**
 * Reads `merchant_controls` of a request. Adds every problem to `fields`; the result is valid only if
 * there is none. Null: the request names no control.
 */
export function readMerchantControls(fields: RequestFields): MerchantControls | null {
  const sent = fields.get('merchant_controls');
  if (sent === null) return null;
  if (!isObject(sent)) {
    fields.addProblem('merchant_controls', `must be an object, not ${showValue(sent)}`);
    return null;
  }
  const controls: MerchantControls = {
    merchant_ids: readLists(fields, sent, 'merchant_ids', idOf, merchant_entry_expected),
    merchant_names: readLists(fields, sent, 'merchant_names', patternOf, pattern_expected),
    countries: readLists(fields, sent, 'countries', countryOf, country_expected),
    card_present: readPresence(fields, sent.card_present ?? null),
  };
  fields.within('merchant_controls', sent).refuseOthers(Object.keys(controls));
  const bytes = new TextEncoder().encode(JSON.stringify(controls)).length;
  if (bytes > merchant_controls_bytes_max) {
    const bound = `must be at most ${merchant_controls_bytes_max} bytes as UTF-8 JSON, not ${bytes}`;
    fields.addProblem('merchant_controls', bound);
  }
  return Object.values(controls).every((control) => control === null) ? null : controls;
}

export const merchant_entry_expected = `text of 1 to ${merchant_entry_length_max} characters without a card number`;
const pattern_expected = `a name: ${merchant_entry_expected}, with * only at its start or end`;
const country_expected = 'the code of a country, as DEU or DE (ISO 3166-1)';

function readLists(
  fields: RequestFields,
  sent: Readonly<Record<string, unknown>>,
  name: 'merchant_ids' | 'merchant_names' | 'countries',
  parse: (text: string) => string | null,
  expected: string,
): AllowAndDeny | null {
  const lists = sent[name] ?? null;
  if (lists === null) return null;
  const path = `merchant_controls.${name}`;
  if (!isObject(lists)) {
    fields.addProblem(path, `must be an object with allow, deny or both, not ${showValue(lists)}`);
    return null;
  }
  fields.within(path, lists).refuseOthers(['allow', 'deny']);
  const readList = (list: keyof AllowAndDeny): readonly string[] | null => {
    const entries = lists[list] ?? null;
    if (entries === null) return null;
    const at = `${path}.${list}`;
    if (!Array.isArray(entries) || entries.length < 1 || entries.length > merchant_list_max) {
      const found = Array.isArray(entries) ? String(entries.length) : showValue(entries);
      fields.addProblem(at, `must be an array of 1 to ${merchant_list_max} entries, not ${found}; null: no list`);
      return null;
    }
    const read = entries.map((entry: unknown, index) => {
      const parsed = typeof entry === 'string' && isMerchantEntry(entry) ? parse(entry.trim()) : null;
      if (parsed === null) fields.addProblem(`${at}[${index}]`, `must be ${expected}, not ${showValue(entry)}`);
      return parsed ?? '';
    });
    return [...new Set(read)];
  };
  const controls = { allow: readList('allow'), deny: readList('deny') };
  return controls.allow === null && controls.deny === null ? null : controls;
}

function readPresence(fields: RequestFields, sent: unknown): MerchantControls['card_present'] {
  if (sent === null) return null;
  const rule = card_presence_rules.find((one) => one === sent);
  if (rule === undefined) {
    const expected = `must be one of ${card_presence_rules.join(', ')}, not ${showValue(sent)}`;
    fields.addProblem('merchant_controls.card_present', expected);
  }
  return rule ?? null;
}

/** Whether a text can name a merchant; one with a card number cannot, because entries are not encrypted. */
export function isMerchantEntry(text: string): boolean {
  return (
    isWithin(text, merchant_entry_length_max) &&
    isStorable(text) &&
    text.trim() !== '' &&
    cardNumbersIn(text).length === 0
  );
}

function idOf(text: string): string {
  return text;
}

/** Null for a `*` between other characters, which would mean itself, and for nothing but `*`. */
function patternOf(entry: string): string | null {
  const text = visible(entry);
  return /^\*?[^*]+\*?$/.test(text) && folded(text).replaceAll('*', '').trim() !== '' ? text : null;
}

const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** A name without characters that nobody sees, with which it could pass for another. */
function visible(name: string): string {
  return name.replace(invisible, '').trim();
}

export function comparedName(name: string): string {
  return folded(name).trim();
}

/** Whether a folded name is what a pattern names. */
function matches(pattern: string, name: string): boolean {
  const starts = pattern.endsWith('*');
  const ends = pattern.startsWith('*');
  const text = folded(pattern.slice(ends ? 1 : 0, starts ? -1 : undefined));
  if (starts && ends) return name.includes(text);
  if (starts) return name.startsWith(text.trimStart());
  return ends ? name.endsWith(text.trimEnd()) : name === text.trim();
}

/**
 * Text without the differences of case, width, composition and runs of white space, and without
 * characters that nobody sees; in no locale. In upper case, as networks send names: it is SS for ß,
 * and one for both forms of σ. It may begin or end with a blank where `text` does not: some characters
 * stand for a blank and a mark.
 */
function folded(text: string): string {
  // Most names need no more, and a decision may fold a hundred.
  if (/^[!-~]+(?: [!-~]+)*$/.test(text)) return text.toUpperCase();
  const letters = text.replace(invisible, '').normalize('NFKD');
  return letters.toLowerCase().toUpperCase().normalize('NFKC').replace(/\s+/g, ' ');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
