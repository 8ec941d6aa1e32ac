/** The order of texts by their code units: negative when `a` comes first, 0 when they are equal. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
