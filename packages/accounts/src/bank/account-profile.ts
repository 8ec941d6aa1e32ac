/** The types of an account in the standard. */
export const account_types = ['Business', 'Personal'] as const;

export type AccountType = (typeof account_types)[number];

/** The sub types of a deposit account in the standard. */
export const deposit_sub_types = ['CurrentAccount', 'Savings'] as const;

export type DepositSubType = (typeof deposit_sub_types)[number];

/** The statuses of an account in the standard. */
export const profile_statuses = ['Enabled', 'Disabled', 'Deleted', 'Pending'] as const;

export type ProfileStatus = (typeof profile_statuses)[number];

/**
 * How third parties see an account, beside its number, currency and kind. An account without a
 * profile is identified by its number only.
 */
export interface AccountProfile {
  readonly account_id: number;
  /** The scheme of the identification, such as `UK.OBIE.IBAN`; null: the account's number. */
  readonly scheme_name: string | null;
  /** Null exactly when the scheme is. A card number has only its last 4 digits. */
  readonly identification: string | null;
  readonly secondary_identification: string | null;
  /** The holder, up to 350 characters; null: the company's name is not shown. */
  readonly holder_name: string | null;
  /** Up to 70 characters; null: the account's name. */
  readonly nickname: string | null;
  /** Up to 35 characters. */
  readonly description: string | null;
  readonly account_type: AccountType;
  /** Of a deposit account. A card account is a `ChargeCard`. */
  readonly deposit_sub_type: DepositSubType;
  /** YYYY-MM-DD. */
  readonly opened_on: string | null;
  readonly status: ProfileStatus;
  readonly status_updated_at_ms: number;
  readonly servicer_scheme_name: string | null;
  readonly servicer_identification: string | null;
}

/** The scheme of an account that is identified by its number. */
export const account_number_scheme = 'Tallystick.AccountNumber';
