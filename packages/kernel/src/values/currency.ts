/** An upper-case ISO 4217 code that is in use or was. */
export function isCurrency(text: string): boolean {
  return currencies.has(text);
}

/** The wording of what `isCurrency` allows. */
export const currency_expected = 'a three-letter ISO 4217 code in capitals, such as USD';

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
