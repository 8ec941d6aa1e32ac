/** Whether the text has no control characters and no half of a surrogate pair. Every database and every receiver can hold it. */
export function isPrintable(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

/** Whether the text has at most so many characters (code points, of one or two units). */
export function isWithin(text: string, length_max: number): boolean {
  return text.length <= length_max || (text.length <= 2 * length_max && [...text].length <= length_max);
}

/**
 * Whether a reader sees nothing of the text: all of it is white space, or characters without a shape,
 * such as U+200B and the controls of writing direction.
 */
export function isBlank(text: string): boolean {
  // U+2800 is a Braille cell without dots, which Unicode counts as a symbol.
  return !/[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/u.test(text);
}

/** Whether the text can name something: 1 to `length_max` printable characters (code points), not all of them blank. */
export function isName(text: string, length_max: number): boolean {
  return isWithin(text, length_max) && !isBlank(text) && isPrintable(text);
}

/** Whether every database can store the text unchanged: no U+0000, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/**
 * The text with U+FFFD in place of characters that a database cannot store. For logged text of
 * unknown senders.
 */
export function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{FFFD}');
}

/** `toStorableText` of all texts of a JSON value and of the names of its properties, at any depth. */
export function toStorableJson(value: unknown): unknown {
  if (typeof value === 'string') return toStorableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toStorableJson);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [toStorableText(name), toStorableJson(inner)]),
  );
}
