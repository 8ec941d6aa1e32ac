/** Whether the text has no control characters and no half of a surrogate pair. Every database and every receiver can hold it. */
export function isPrintable(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

/** Whether the text can name something: 1 to `length_max` printable characters (code points), not all of them blank. */
export function isName(text: string, length_max: number): boolean {
  return text.trim() !== '' && [...text].length <= length_max && isPrintable(text);
}
