import { auditEntry, Refusal } from '@tallystick/kernel';
import {
  type AccountProfile,
  account_number_scheme,
  account_types,
  deposit_sub_types,
  profile_statuses,
} from '../bank/account-profile.ts';
import { type BankCaller, type BankTx, servedAccount } from '../bank/bank-caller.ts';
import type { BankAccount } from '../bank/bank-data.ts';
import { BankFields, card_number_scheme } from './bank-fields.ts';

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

export interface ReportedProfile extends Omit<AccountProfile, 'status_updated_at_ms'> {
  /** Null: now if the status changes, else as it is. */
  readonly status_updated_at_ms: number | null;
}

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
  const reported = readProfile(fields, account);
  fields.refuseInvalid();
  await tx.bank.lockNames();
  const [stored] = await storeProfiles(tx, [reported], call.now_ms);
  if (stored instanceof Refusal) throw stored;
  const { status, scheme_name } = stored!;
  const entry = auditEntry(
    { ...call, company_id: account.company_id },
    'account_profile.changed',
    `account:${account.id}`,
    { status, scheme_name },
  );
  await tx.audit.record(entry, call.now_ms);
  return stored!;
}

/** The profile that the fields describe. It is only complete when they have no problem. */
export function readProfile(fields: BankFields, account: BankAccount): ReportedProfile {
  const identified = fields.readIdentification('scheme_name', 'identification', 256);
  const { scheme_name, identification } = identified;
  if (scheme_name === account_number_scheme && identification !== null && identification !== account.number) {
    fields.addProblem('identification', `must be ${account.number}, the number of the account`);
  }
  const servicer = fields.readIdentification('servicer_scheme_name', 'servicer_identification', 35);
  return {
    account_id: account.id,
    ...identified,
    secondary_identification: fields.readWords('secondary_identification', 34),
    holder_name: fields.readWords('holder_name', 350),
    nickname: fields.readWords('nickname', 70),
    description: fields.readWords('description', 35),
    account_type: fields.readChoice('account_type', account_types) ?? 'Business',
    deposit_sub_type: fields.readChoice('deposit_sub_type', deposit_sub_types) ?? 'CurrentAccount',
    opened_on: fields.readDay('opened_on'),
    status: fields.readChoice('status', profile_statuses) ?? 'Enabled',
    status_updated_at_ms: fields.readInstant('status_updated_at'),
    servicer_scheme_name: servicer.scheme_name,
    servicer_identification: servicer.identification,
  };
}

/**
 * Stores checked profiles in their order, each compared with what the ones before it left. Returns
 * what is stored of each, or why it is not: `conflict` for an identification that another account
 * has, in its profile or as its number. Card numbers are stored masked and name no account, so
 * several accounts can have the same one. The caller holds the lock of names.
 */
export async function storeProfiles(
  { bank }: Pick<BankTx, 'bank'>,
  reported: readonly ReportedProfile[],
  now_ms: number,
): Promise<readonly (AccountProfile | Refusal)[]> {
  const wanted = reported.flatMap((profile) => (nameOf(profile) === null ? [] : [profile.identification!]));
  const of_accounts = await bank.profilesOf(reported.map(({ account_id }) => account_id));
  const profiles = new Map(of_accounts.map((profile) => [profile.account_id, profile]));
  const by_number = new Map((await bank.accountsByNumber(wanted)).map(({ number, id }) => [number, id]));
  const by_name = new Map<string | null, number>();
  for (const profile of [...(await bank.profilesByIdentification(wanted)), ...of_accounts]) {
    by_name.set(nameOf(profile), profile.account_id);
  }
  const changed = new Map<number, AccountProfile>();
  const stored = reported.map((profile): AccountProfile | Refusal => {
    const { account_id, identification, status } = profile;
    const name = nameOf(profile);
    const owner = name === null ? undefined : (by_name.get(name) ?? by_number.get(identification!));
    if (owner !== undefined && owner !== account_id) {
      return new Refusal('conflict', 'another account has this scheme and identification');
    }
    const before = profiles.get(account_id);
    const since_ms = before?.status === status ? before.status_updated_at_ms : now_ms;
    const after = { ...profile, status_updated_at_ms: profile.status_updated_at_ms ?? since_ms };
    if (before !== undefined) by_name.delete(nameOf(before));
    by_name.set(name, account_id);
    profiles.set(account_id, after);
    changed.set(account_id, after);
    return after;
  });
  await bank.putProfiles([...changed.values()]);
  return stored;
}

/** What no two accounts have; null: the profile names none. */
function nameOf({
  scheme_name,
  identification,
}: Pick<AccountProfile, 'scheme_name' | 'identification'>): string | null {
  return scheme_name === null || scheme_name === card_number_scheme ? null : `${scheme_name} ${identification}`;
}
