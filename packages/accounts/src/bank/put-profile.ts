import { auditEntry, Refusal } from '@tallystick/kernel';
import type { AccountProfile } from './account-profile.ts';
import { type BankCaller, type BankTx, servedAccount } from './bank-caller.ts';
import type { BankAccount } from './bank-data.ts';
import { BankFields, card_number_scheme } from './bank-fields.ts';

/** The fields of a profile. */
export const profile_fields = [
  'scheme_name',
  'identification',
  'secondary_identification',
  'holder_name',
  'nickname',
  'description',
  'account_type',
  'deposit_sub_type',
  'opened_on',
  'status',
  'status_updated_at',
  'servicer_scheme_name',
  'servicer_identification',
] as const;

/**
 * Sets how third parties see an account, and writes the audit log. Refuses `not_found`,
 * `validation_failed` with every invalid field, and `conflict` for an identification that another
 * account has.
 */
export async function putAccountProfile(
  tx: BankTx,
  call: BankCaller,
  number: string,
  request: Readonly<Record<string, unknown>>,
): Promise<AccountProfile> {
  const account = await servedAccount(tx, call, number);
  const fields = new BankFields(request);
  const profile = readProfile(fields, account, call.now_ms);
  fields.refuseInvalid();
  await storeProfile(tx, profile);
  const { status, scheme_name } = profile;
  const entry = auditEntry(
    { ...call, company_id: account.company_id },
    'account_profile.changed',
    `account:${account.id}`,
    { status, scheme_name },
  );
  await tx.audit.record(entry, call.now_ms);
  return profile;
}

/** The profile that the fields describe. It is only complete when they have no problem. */
export function readProfile(fields: BankFields, account: BankAccount, now_ms: number): AccountProfile {
  const identified = fields.readIdentification('scheme_name', 'identification', 256);
  const servicer = fields.readIdentification('servicer_scheme_name', 'servicer_identification', 35);
  const status = fields.readChoice('status', ['Enabled', 'Disabled', 'Deleted', 'Pending']) ?? 'Enabled';
  const before = account.profile?.status === status ? account.profile.status_updated_at_ms : null;
  return {
    account_id: account.id,
    ...identified,
    secondary_identification: fields.readWords('secondary_identification', 34),
    holder_name: fields.readWords('holder_name', 350),
    nickname: fields.readWords('nickname', 70),
    description: fields.readWords('description', 35),
    account_type: fields.readChoice('account_type', ['Business', 'Personal']) ?? 'Business',
    deposit_sub_type: fields.readChoice('deposit_sub_type', ['CurrentAccount', 'Savings']) ?? 'CurrentAccount',
    opened_on: fields.readDay('opened_on'),
    status,
    status_updated_at_ms: fields.readInstant('status_updated_at') ?? before ?? now_ms,
    servicer_scheme_name: servicer.scheme_name,
    servicer_identification: servicer.identification,
  };
}

/**
 * Stores a checked profile. Refuses `conflict` for an identification that another account has, in
 * its profile or as its number. Card numbers are stored masked and name no account, so several
 * accounts can have the same one.
 */
export async function storeProfile({ bank }: Pick<BankTx, 'bank'>, profile: AccountProfile): Promise<void> {
  const { account_id, scheme_name, identification } = profile;
  // Also without an identification, so that two reports lock the profiles in no different order.
  await bank.lockNames();
  if (scheme_name !== null && identification !== null && scheme_name !== card_number_scheme) {
    const named = await bank.findAccount(scheme_name, identification);
    if (named !== null && named.id !== account_id) {
      throw new Refusal('conflict', 'another account has this scheme and identification');
    }
  }
  await bank.putProfile(profile);
}
