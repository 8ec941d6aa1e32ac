/** Whether every database can keep the text as it is: no U+0000, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** The text as every database can keep it: U+FFFD stands where it could not be kept. For what strangers send and we log. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{FFFD}');
}
