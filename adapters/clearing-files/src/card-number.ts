/**
 * The 12 to 19 digits of a card number, without blanks and hyphens between its groups and zeros
 * before it. Null when it is masked, or none.
 */
export function cardNumberOf(text: string): string | null {
  return /^0*(\d{12,19})$/.exec(text.replace(/[ -]/g, ''))?.[1] ?? null;
}
