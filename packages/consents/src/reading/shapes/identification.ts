import { account_number_scheme, card_number_scheme } from '@tallystick/accounts';
import { maskNumber } from '@tallystick/kernel';
import { maskedText, present } from './amount.ts';

/** An account as the standard names it (OBCashAccount). */
export interface ShownIdentification {
  readonly SchemeName: string;
  readonly Identification: string;
  readonly Name?: string | undefined;
  readonly SecondaryIdentification?: string | undefined;
}

/** The schemes whose identifications are no card numbers, though their digits can look like one. */
const account_schemes: readonly string[] = [
  'UK.OBIE.IBAN',
  'UK.OBIE.BBAN',
  'UK.OBIE.SortCodeAccountNumber',
  account_number_scheme,
];

/** Card numbers are always masked: ReadPAN is not supported (decision: consents). */
export function showIdentification({
  scheme_name,
  identification,
  name = null,
  secondary_identification = null,
}: {
  readonly scheme_name: string;
  readonly identification: string;
  readonly name?: string | null;
  readonly secondary_identification?: string | null;
}): ShownIdentification {
  return present({
    SchemeName: scheme_name,
    Identification: maskIdentification(scheme_name, identification),
    Name: maskedText(name, 350),
    SecondaryIdentification: maskedText(secondary_identification, 34),
  });
}

function maskIdentification(scheme_name: string, identification: string): string {
  if (scheme_name === card_number_scheme) return maskNumber(identification.slice(-4));
  return account_schemes.includes(scheme_name) ? identification : maskedText(identification, 256)!;
}
