import { isPrintable, type RequestFields } from '@tallystick/kernel';

/**
 * Reads a required name or number that a person chooses, without the blanks around it. It has 1 to
 * `length_max` UTF-16 code units. All are printable, and not all are blank.
 */
export function readName(fields: RequestFields, path: string, length_max: number): string | null {
  fields.require(path);
  const rule = (text: string) => text.trim() !== '' && text.length <= length_max && isPrintable(text);
  const expected = `text of 1 to ${length_max} printable characters, not all of them blank`;
  return fields.readText(path, rule, expected)?.trim() ?? null;
}
