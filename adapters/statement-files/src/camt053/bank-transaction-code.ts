import type { BookingSign } from '@tallystick/accounts';

/** How an entry states what it is (`BkTxCd`). Texts are empty when absent. */
export interface BankTransactionCode {
  readonly domain: string;
  readonly family: string;
  readonly sub_family: string;
  readonly proprietary: string;
  readonly issuer: string;
}

/** Of an entry that states no known code: miscellaneous. */
const fallback: Readonly<Record<BookingSign, string>> = { credit: '399', debit: '699' };

/**
 * BAI codes by the codes of ISO 20022 (external code sets of bank transactions), the most exact
 * first: domain, family and sub-family; then with `*` for any.
 */
const codes: Readonly<Record<string, Readonly<Record<BookingSign, string>>>> = {
  'PMNT/CCRD/CWDL': { debit: '595', credit: '295' },
  'PMNT/CCRD/XBCW': { debit: '595', credit: '295' },
  'PMNT/CCRD/FEES': { debit: '825', credit: '826' },
  'PMNT/CCRD/CHRG': { debit: '825', credit: '826' },
  'PMNT/CCRD/COMM': { debit: '825', credit: '826' },
  'PMNT/CCRD/RIMB': { debit: '821', credit: '824' },
  'PMNT/CCRD/*': { debit: '821', credit: '822' },
  '*/*/FEES': { debit: '698', credit: '398' },
  '*/*/CHRG': { debit: '698', credit: '398' },
  '*/*/COMM': { debit: '698', credit: '398' },
  '*/*/INTR': { debit: '654', credit: '354' },
  'PMNT/RCDT/ESCT': { debit: '552', credit: '827' },
  'PMNT/RCDT/XBCT': { debit: '552', credit: '208' },
  'PMNT/RCDT/BOOK': { debit: '552', credit: '206' },
  'PMNT/RCDT/*': { debit: '552', credit: '195' },
  'PMNT/ICDT/ESCT': { debit: '828', credit: '252' },
  'PMNT/ICDT/XBCT': { debit: '508', credit: '252' },
  'PMNT/ICDT/BOOK': { debit: '506', credit: '252' },
  'PMNT/ICDT/*': { debit: '495', credit: '252' },
  'PMNT/RDDT/*': { debit: '501', credit: '836' },
  'PMNT/ICHQ/*': { debit: '475', credit: '835' },
};

/**
 * The BAI code of an entry: three digits in the proprietary code, unless another issuer than BAI
 * has it in its own meaning (German banks have three digits there, too); else by the codes of ISO
 * 20022. Null when neither is known.
 */
function statedBaiCode(code: BankTransactionCode, sign: BookingSign): string | null {
  const { domain, family, sub_family, proprietary, issuer } = code;
  if (/^\d{3}$/.test(proprietary) && (issuer === '' || /\bBAI/i.test(issuer))) return proprietary;
  const keys = [`${domain}/${family}/${sub_family}`, `*/*/${sub_family}`, `${domain}/${family}/*`];
  const exact = keys.find((key) => Object.hasOwn(codes, key));
  return exact === undefined ? null : codes[exact]![sign];
}

/**
 * The BAI code of the first of the stated codes that is known; the miscellaneous one when none is.
 */
export function baiCodeOf(stated: readonly BankTransactionCode[], sign: BookingSign): string {
  for (const code of stated) {
    const found = statedBaiCode(code, sign);
    if (found !== null) return found;
  }
  return fallback[sign];
}
