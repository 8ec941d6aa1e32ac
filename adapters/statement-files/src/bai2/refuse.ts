import { FileProblem } from '@tallystick/imports';
import { maskCardNumbers } from '@tallystick/kernel';

/**
 * Refuses the file for what is wrong with one of its records. The message repeats no card number.
 */
export function refuse(
  { number, offset }: { readonly number: number; readonly offset: number },
  code: string,
  message: string,
): never {
  const text = maskCardNumbers(`record ${number} at offset ${offset} ${message}`);
  throw new FileProblem('refused', code, text, offset);
}
