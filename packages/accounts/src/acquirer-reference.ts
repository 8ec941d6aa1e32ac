const whole = /^(?:\d{17}|\d{23})$/;
const within = /(?<!\d)(?:\d{17}|\d{23})(?!\d)/;

/** Whether the text is an acquirer reference: 17 or 23 digits (decision: statement lines). */
export function isAcquirerReference(text: string): boolean {
  return whole.test(text);
}

/** The first number of 17 or 23 digits in the text; null when there is none. */
export function acquirerReferenceIn(text: string): string | null {
  return within.exec(text)?.[0] ?? null;
}
