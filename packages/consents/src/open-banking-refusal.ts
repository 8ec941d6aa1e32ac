/**
 * The error codes of the standard that this service uses, and its own ones where the standard has
 * none (decision: errors).
 */
export type OpenBankingErrorCode =
  | 'UK.OBIE.Field.Invalid'
  | 'UK.OBIE.Field.InvalidDate'
  | 'UK.OBIE.Field.Missing'
  | 'UK.OBIE.Field.Unexpected'
  | 'UK.OBIE.Header.Invalid'
  | 'UK.OBIE.Resource.ConsentMismatch'
  | 'UK.OBIE.Resource.InvalidConsentStatus'
  | 'UK.OBIE.Resource.InvalidFormat'
  | 'UK.OBIE.Resource.NotFound'
  | 'UK.OBIE.Unsupported.AccountIdentifier'
  | 'UK.OBIE.Unsupported.Currency'
  | 'UK.OBIE.Unsupported.Scheme'
  | 'UK.OBIE.UnexpectedError'
  | 'Tallystick.Consent.NotGranted'
  | 'Tallystick.Permission.Missing'
  | 'Tallystick.Access.NotEligible';

/** One problem of a request. Contains no card number and no secret. */
export interface OpenBankingProblem {
  readonly code: OpenBankingErrorCode;
  /** 1 to 500 characters. */
  readonly message: string;
  /** The place in the request, such as `Data.Permissions`; absent when there is none. */
  readonly path?: string;
}

/**
 * - `invalid`: the request itself is wrong
 * - `denied`: the consent, its permissions, or the bank do not allow it
 * - `unauthenticated`: the token is missing, expired, of another grant, or its consent has expired
 */
export type OpenBankingRefusalKind = 'invalid' | 'denied' | 'unauthenticated';

/** An expected error of Open Banking. Its problems are in the order of the request. */
export class OpenBankingRefusal extends Error {
  override readonly name = 'OpenBankingRefusal';
  readonly kind: OpenBankingRefusalKind;
  readonly problems: readonly OpenBankingProblem[];

  constructor(kind: OpenBankingRefusalKind, problems: readonly [OpenBankingProblem, ...OpenBankingProblem[]]) {
    super(problems[0].message);
    this.kind = kind;
    this.problems = problems;
  }
}

/** The refusal of what the consent, its permissions, or the bank do not allow. */
export function denied(code: OpenBankingErrorCode, message: string): OpenBankingRefusal {
  return new OpenBankingRefusal('denied', [{ code, message }]);
}
