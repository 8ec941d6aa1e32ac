/** An upper-case ISO 4217 code that is in use or was. */
export function isCurrency(text: string): boolean {
  return currencies.has(text);
}

/** The wording of what `isCurrency` allows. */
export const currency_expected = 'a three-letter ISO 4217 code in capitals, such as USD';

/**
 * The decimals of the minor unit of a currency by ISO 4217; 2 for a currency that it does not list.
 * The data of `Intl` differ: they state how many decimals people write.
 */
export function decimalsOf(currency: string): number {
  return other_decimals.get(currency) ?? 2;
}

/** The currencies whose minor unit has other than two decimals. */
const other_decimals: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...decimals(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XDR XOF XPF XSU'),
    ...decimals(3, 'BHD IQD JOD KWD LYD OMR TND'),
  }),
);

function decimals(count: number, codes: string): Readonly<Record<string, number>> {
  return Object.fromEntries(codes.split(' ').map((code) => [code, count]));
}

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
