import type { Payload } from '@tallystick/events';
import { countryOf, type Merchant } from '@tallystick/templates';

/** What a message or its record says of the merchant. */
export function merchantOf({
  merchant_id,
  details,
}: {
  readonly merchant_id: string | null;
  readonly details: Payload;
}): Merchant {
  return {
    merchant_id,
    merchant_name: (details.merchant_name as string | undefined) ?? null,
    merchant_country: merchantCountry(details),
    card_present: (details.card_present as boolean | undefined) ?? null,
  };
}

/**
 * The country as sent, else by the field for a state or a country: there three letters are a country.
 * Two are a state or a province, by which no country is known: DE is Delaware.
 */
function merchantCountry({ merchant_country, merchant_state_or_country_code }: Payload): string | null {
  if (typeof merchant_country === 'string') return merchant_country;
  const code = typeof merchant_state_or_country_code === 'string' ? merchant_state_or_country_code.trim() : '';
  return /^[A-Za-z]{3}$/.test(code) ? toCountry(code) : null;
}

/** The code of a country as it is compared: alpha-3, or as it was sent when it is no known code. */
export function toCountry(code: string): string {
  const letters = code.toUpperCase();
  return countryOf(letters) ?? letters;
}

export function isCountryCode(code: string): boolean {
  return /^[A-Za-z]{2,3}$/.test(code);
}

/** The wording of what `isCountryCode` allows. */
export const country_code_expected = 'the code of a country: two or three letters, such as DE or DEU';
