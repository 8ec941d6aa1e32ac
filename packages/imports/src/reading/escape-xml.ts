const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML 1.0 has no way to write. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udfff]/u;

/**
 * Text as the content of an element or an attribute. Throws a `RangeError` for what XML cannot
 * contain.
 */
export function escapeXml(text: string): string {
  if (unwritable.test(text)) throw new RangeError('a text has a character that XML cannot contain');
  return text.replace(/[&<>"\r\n\t]/g, (character) => entities[character] ?? `&#${character.charCodeAt(0)};`);
}
