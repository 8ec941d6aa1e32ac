import { hasNumberAsName, maskJson, number_as_name_problem, type RequestFields, showValue } from '@tallystick/kernel';

/**
 * The fields of a card that no decision reads and that a client may change (service specification
 * 2.1).
 */
export interface Details {
  readonly emails: readonly string[] | null;
  readonly network_data: Readonly<Record<string, string>> | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export const emails_max = 5;
export const email_length_max = 254;
/** Bytes of the UTF-8 JSON text. */
export const metadata_bytes_max = 8_192;
/** Bytes of the UTF-8 JSON text. */
export const network_data_bytes_max = 8_192;
/**
 * Objects and lists within each other. The maximum exceeds the nesting of real data, and protects
 * readers that recurse.
 */
export const json_nesting_max = 100;

/** The details that a request may name; null removes one. */
export type DetailsRequest = Partial<Details>;

export const no_details: Details = { emails: null, network_data: null, metadata: null };

/**
 * Reads the details of a request. A detail that the request does not name stays as in `stored`, and
 * null removes it. `known_names` are the network_data names that the real card knows; null: any.
 * Adds every problem to `fields`; the result is valid only if there is none.
 */
export function readDetails(fields: RequestFields, stored: Details, known_names: readonly string[] | null): Details {
  return {
    emails: fields.carries('emails') ? readEmails(fields) : stored.emails,
    network_data: readNetworkData(fields, stored, known_names),
    metadata: fields.carries('metadata') ? readMetadata(fields) : stored.metadata,
  };
}

/** The card without its details. No decision reads them, so a pass does not load them. */
export function withoutDetails<Card extends Details>(card: Card): Omit<Card, keyof Details> {
  return Object.fromEntries(Object.entries(card).filter(([name]) => !Object.hasOwn(no_details, name))) as Omit<
    Card,
    keyof Details
  >;
}

/**
 * Whether the text is an address to which mail can be sent: one address with a dotted domain. It
 * contains nothing that a mail header could read as a second address.
 */
export function isEmail(text: string): boolean {
  return text.length <= email_length_max && email_form.test(text);
}

/** The wording of what `isEmail` allows. */
export const email_expected = `an email address of at most ${email_length_max} characters`;

const email_form =
  /^[^\s\p{C}@<>(),;:"\\[\]]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u;

function readEmails(fields: RequestFields): readonly string[] | null {
  const value = fields.readArray('emails', { min: 0, max: emails_max }, 'addresses');
  if (value === null) return null;
  const distinct = new Map<string, string>();
  for (const [index, email] of value.entries()) {
    if (typeof email !== 'string' || !isEmail(email)) {
      fields.addProblem(`emails[${index}]`, `must be ${email_expected}, not ${showValue(email)}`);
    } else if (!distinct.has(email.toLowerCase())) {
      distinct.set(email.toLowerCase(), email);
    }
  }
  return distinct.size === 0 ? null : [...distinct.values()];
}

function readMetadata(fields: RequestFields): Details['metadata'] {
  return readObject(fields, 'metadata', metadata_bytes_max);
}

/** `mastercard_data` is the old name of `network_data`. */
function readNetworkData(
  fields: RequestFields,
  stored: Details,
  known_names: readonly string[] | null,
): Details['network_data'] {
  const name = fields.has('mastercard_data') ? 'mastercard_data' : 'network_data';
  if (fields.has('network_data') && fields.has('mastercard_data')) {
    fields.addProblem('network_data', 'cannot be sent together with mastercard_data, its old name');
    fields.addProblem('mastercard_data', 'cannot be sent together with network_data, its new name');
    return null;
  }
  if (!fields.carries('network_data') && !fields.carries('mastercard_data')) return stored.network_data;
  const data = readObject(fields, name, network_data_bytes_max);
  if (data === null) return null;
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(data)) {
    if (typeof value !== 'string')
      fields.addProblem(name, `must contain text only; ${showValue(key)} holds ${showValue(value)}`);
    if (known_names?.includes(key) === false) unknown.push(key);
  }
  if (unknown.length > 0 && known_names !== null) {
    const allowed = known_names.map((known) => JSON.stringify(known)).join(', ');
    const first = unknown.slice(0, 3).map(showValue).join(', ');
    fields.addProblem(name, `must contain only names that the real card accepts (${allowed}), not ${first}`);
  }
  // An answer shows none as an empty object.
  return Object.keys(data).length === 0 ? null : (data as Readonly<Record<string, string>>);
}

/**
 * The escapes that JSON.stringify writes for U+0000 and for lone surrogates, behind an even number
 * of backslashes.
 */
const unstorable_escape = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/** Reads a JSON object of bounded size. Returns a copy in which card numbers are masked. */
function readObject(fields: RequestFields, name: string, bytes_max: number): Readonly<Record<string, unknown>> | null {
  const value = fields.get(name);
  if (value === null) return null;
  const text = toJsonText(value);
  if (text === null || !text.startsWith('{')) {
    fields.addProblem(name, `must be a JSON object, not ${showValue(value)}`);
    return null;
  }
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > bytes_max) {
    fields.addProblem(name, `must be at most ${bytes_max} bytes as UTF-8 JSON, not ${bytes}`);
    return null;
  }
  if (unstorable_escape.test(text)) {
    fields.addProblem(
      name,
      'must not contain the character U+0000 or half of a surrogate pair, which cannot be stored',
    );
    return null;
  }
  const copy = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (!isNestedWithin(json_nesting_max, copy)) {
    fields.addProblem(name, `must not nest deeper than ${json_nesting_max} levels`);
    return null;
  }
  if (hasLossyNumber(value)) {
    fields.addProblem(name, 'must not contain a number above 2^53, which would lose digits: write it as text');
    return null;
  }
  if (hasNumberAsName(copy)) {
    fields.addProblem(name, number_as_name_problem);
    return null;
  }
  return maskJson(copy) as Readonly<Record<string, unknown>>;
}

/** Returns null when the value has no JSON text: a cycle, a big integer, or too deep nesting. */
function toJsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}

/**
 * Whether a number in the value was, or would be, stored as a different number. An example is an id
 * of 19 digits that is sent as a number.
 */
function hasLossyNumber(value: unknown): boolean {
  if (typeof value === 'number') return !(Math.abs(value) <= Number.MAX_SAFE_INTEGER);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLossyNumber);
}

function isNestedWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isNestedWithin(levels - 1, inner));
}
