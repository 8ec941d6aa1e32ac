import type { TwoWayList } from '@tallystick/kernel';
import type { ThirdPartyService } from './bank-company.ts';

/** The statuses of a user. Only `active` allows a login to online or mobile banking. */
export const bank_user_statuses = [
  'active',
  'frozen',
  'disabled',
  'locked',
  'modified_pending',
  'deleted_pending',
  'pending',
  'partially_set_up',
] as const;

export type BankUserStatus = (typeof bank_user_statuses)[number];

/** A user of the bank's online channels, who authorises consents. */
export interface BankUser {
  /** The bank's own id of the user, 1 to 64 characters of `A-Za-z0-9._-`. No other user has it. */
  readonly user_id: string;
  readonly company_id: number;
  /** 1 to 255 printable characters. */
  readonly name: string;
  readonly status: BankUserStatus;
  readonly eligible_services: readonly ThirdPartyService[];
  readonly configured_services: readonly ThirdPartyService[];
  /** Whether the user may view direct debit mandates. */
  readonly may_view_direct_debits: boolean;
  /** The numbers of the accounts that the user may view, rising. */
  readonly viewable_accounts: readonly string[];
  readonly updated_at_ms: number;
}

export const user_id_form = /^[A-Za-z0-9._-]{1,64}$/;

/** What a user's id must be, in words. */
export const user_id_expected = '1 to 64 characters of A-Za-z0-9._-';

export function isUserId(text: string): boolean {
  return user_id_form.test(text);
}

/** The list of users. A place is a number that rises in the order in which they were put first. */
export const user_list: TwoWayList = { list: 'bank_users', parts: ['id'] };
