import { maskCardNumbers } from '@tallystick/kernel';

/** The longest text of a line, in UTF-16 units. What a file states beyond it is left out. */
export const text_length_max = 4_000;

/**
 * The texts as one line, in their order and each only once: white space and control characters
 * become single blanks, so that a file that wraps its texts in another way states the same.
 */
export function oneLine(texts: readonly string[]): string {
  const lines = texts.map((text) => text.toWellFormed().replace(separators, ' ').trim());
  const line = lines.filter((text, place) => text !== '' && lines.indexOf(text) === place).join(' ');
  return line.length <= text_length_max ? line : line.slice(0, text_length_max).toWellFormed();
}

const separators = /[\s\p{Cc}]+/gu;

/**
 * A reference of the bank; null when the file only fills its place: with nothing, zeros, or a word
 * for none.
 */
export function referenceOf(text: string): string | null {
  const reference = oneLine([text]);
  return reference === '' || no_reference.test(reference) ? null : reference;
}

const no_reference = /^(?:0+|NONREF|NOTPROVIDED|NONE|N\/A)$/i;

/** The longest message of a problem, in UTF-16 units. It repeats values of the file. */
const message_length_max = 500;

/** What is wrong with a part of a file, in one line. Contains no card number. */
export function problemText(message: string): string {
  return oneLine([maskCardNumbers(message)])
    .slice(0, message_length_max)
    .toWellFormed();
}
