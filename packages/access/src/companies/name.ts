import { isPrintable, type RequestFields } from '@tallystick/kernel';

/**
 * Reads a name or number that people give to something, without the blanks around it; required. It has 1 to `length_max`
 * UTF-16 code units, all printable, not all blank.
 */
export function readName(fields: RequestFields, path: string, length_max: number): string | null {
  fields.require(path);
  const rule = (text: string) => text.trim() !== '' && text.length <= length_max && isPrintable(text);
  const expected = `text of 1 to ${length_max} printable characters, not all of them blank`;
  return fields.readText(path, rule, expected)?.trim() ?? null;
}
