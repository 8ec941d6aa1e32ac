import { account_number_scheme, isAccountNumber } from '@tallystick/accounts';
import { isIban, maskCardNumbers, showValue } from '@tallystick/kernel';
import type { DebtorAccount } from './consent.ts';
import type { Members, RequestBody } from './request-body.ts';

interface Scheme {
  readonly expected: string;
  fits(identification: string): boolean;
}

/**
 * The schemes by which a third party can name an account. A card number (`UK.OBIE.PAN`) is none of
 * them, because it would be stored unmasked. An identification that looks like a card number is
 * allowed only in a scheme whose form excludes card numbers.
 */
const schemes: ReadonlyMap<string, Scheme> = new Map(
  Object.entries({
    'UK.OBIE.SortCodeAccountNumber': {
      expected: '8 to 18 digits, a sort code of 6 and an account number, and no card number',
      // 14 digits are the form of the standard.
      fits: (text) => /^[0-9]{8,18}$/.test(text) && (text.length === 14 || !looksLikeCardNumber(text)),
    },
    'UK.OBIE.IBAN': { expected: 'an IBAN in capitals, without spaces, with valid check digits', fits: isIban },
    'UK.OBIE.BBAN': {
      expected: '1 to 30 letters and digits, and no card number',
      fits: (text) => /^[A-Za-z0-9]{1,30}$/.test(text) && !looksLikeCardNumber(text),
    },
    [account_number_scheme]: {
      expected: '1 to 34 letters and digits, and no card number',
      fits: (text) => isAccountNumber(text) && !looksLikeCardNumber(text),
    },
  } satisfies Record<string, Scheme>),
);

const members = ['SchemeName', 'Identification', 'Name', 'SecondaryIdentification'];

/** Reads `Data.DebtorAccount` of OBFundsConfirmationConsent1. Null when it has a problem. */
export function readDebtorAccount(body: RequestBody, data: Members): DebtorAccount | null {
  const account = body.readObject(data, 'Data', 'DebtorAccount', members);
  if (account === null) return null;
  const path = 'Data.DebtorAccount';
  const scheme_name = body.readText(account, path, 'SchemeName', 256);
  const identification = body.readText(account, path, 'Identification', 256, { is_secret: true });
  const optional = { is_optional: true, is_secret: true };
  const name = body.readText(account, path, 'Name', 350, optional);
  const secondary_identification = body.readText(account, path, 'SecondaryIdentification', 34, optional);

  const scheme = scheme_name === null ? null : schemes.get(scheme_name);
  if (scheme === undefined) {
    const supported = [...schemes.keys()].join(', ');
    const message = `${path}.SchemeName must be one of ${supported}, not ${showValue(scheme_name)}`;
    body.add('UK.OBIE.Unsupported.Scheme', `${path}.SchemeName`, message);
  } else if (scheme !== null && identification !== null && !scheme.fits(identification)) {
    const message = `${path}.Identification must be ${scheme.expected}`;
    body.add('UK.OBIE.Unsupported.AccountIdentifier', `${path}.Identification`, message);
  }
  for (const [member, value] of Object.entries({ Name: name, SecondaryIdentification: secondary_identification })) {
    if (value === null || !looksLikeCardNumber(value)) continue;
    body.add('UK.OBIE.Field.Invalid', `${path}.${member}`, `${path}.${member} must not contain a card number`);
  }
  if (scheme_name === null || identification === null) return null;
  return { scheme_name, identification, name, secondary_identification };
}

function looksLikeCardNumber(text: string): boolean {
  return maskCardNumbers(text) !== text;
}
