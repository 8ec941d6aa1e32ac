import { isName, maskCardNumbers, type RequestFields } from '@tallystick/kernel';

/**
 * Reads a required name that a person chooses, without the blanks around it. It has 1 to
 * `length_max` characters (code points). All are printable, and not all are blank. Card numbers in
 * it are masked.
 */
export function readName(fields: RequestFields, path: string, length_max: number): string | null {
  const name = readPrintable(fields, path, length_max);
  return name === null ? null : maskCardNumbers(name);
}

/**
 * Reads a required number or key of another system, as it was sent but for the blanks around it.
 */
export function readPrintable(fields: RequestFields, path: string, length_max: number): string | null {
  fields.require(path);
  const rule = (text: string) => isName(text, length_max);
  const expected = `text of 1 to ${length_max} printable characters, not all of them blank`;
  return fields.readText(path, rule, expected)?.trim() ?? null;
}
