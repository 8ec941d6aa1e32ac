import { auditEntry, Refusal, showValue } from '@tallystick/kernel';
import { showAccountNumber } from '../account.ts';
import type { BankCaller, BankTx } from '../bank/bank-caller.ts';
import type { BankAccount } from '../bank/bank-data.ts';
import { type BankUser, bank_user_statuses, isUserId, user_id_expected } from '../bank/bank-user.ts';
import { accountsByNumbers, numberOfAccount } from './accounts-by-numbers.ts';
import { BankFields } from './bank-fields.ts';

/** The most accounts that a user may view. */
export const viewable_accounts_max = 1_000;

/** The fields of a user, beside its id. */
export const user_fields = [
  'company_id',
  'name',
  'status',
  'eligible_services',
  'configured_services',
  'may_view_direct_debits',
  'viewable_accounts',
] as const;

/** What a check of a user looks up. */
export interface KnownOfUser {
  readonly hasCompany: (company_id: number) => boolean;
  readonly account: (number: string) => BankAccount | undefined;
}

/**
 * Adds or replaces a user, and writes the audit log. Refuses `validation_failed` with every invalid
 * field, and `conflict` for the id of a user of another company: a user never changes the company.
 */
export async function putBankUser(
  tx: BankTx,
  call: BankCaller,
  user_id: string,
  request: Readonly<Record<string, unknown>>,
): Promise<BankUser> {
  if (!isUserId(user_id)) {
    throw new Refusal('validation_failed', `the id of a user must be ${user_id_expected}, not ${showValue(user_id)}`);
  }
  const fields = new BankFields({ ...request, user_id });
  const user = readUser(fields, call, await knownOfUsers(tx, call, [request]));
  fields.refuseInvalid();
  await tx.bank.lockNames();
  const [stored] = await storeUsers(tx, [user!]);
  if (stored instanceof Refusal) throw stored;
  const { company_id, status } = user!;
  await tx.audit.record(
    auditEntry({ ...call, company_id }, 'bank_user.changed', `bank_user:${user_id}`, { status }),
    call.now_ms,
  );
  return user!;
}

/**
 * The user that the fields describe; null when one of them is invalid, which the fields then know.
 */
export function readUser(
  fields: BankFields,
  { served_company_id, now_ms }: Pick<BankCaller, 'served_company_id' | 'now_ms'>,
  known: KnownOfUser,
): BankUser | null {
  for (const name of ['user_id', 'name', 'status']) fields.require(name);
  const user_id = fields.readText('user_id', isUserId, user_id_expected);
  if (served_company_id === null) fields.require('company_id');
  const company_id = fields.readId('company_id') ?? served_company_id;
  if (served_company_id !== null && company_id !== served_company_id) {
    fields.addProblem('company_id', `must be ${served_company_id}, the company of the key`);
  } else if (company_id !== null && !known.hasCompany(company_id)) {
    fields.addProblem('company_id', `must be the id of a company, and there is no company ${company_id}`);
  }
  const name = fields.readWords('name', 255);
  const status = fields.readChoice('status', bank_user_statuses);
  const eligible_services = fields.readServices('eligible_services');
  const configured_services = fields.readServices('configured_services');
  const may_view_direct_debits = fields.readFlag('may_view_direct_debits') ?? false;
  const viewable_accounts = readViewable(fields, company_id, known);
  if (user_id === null || company_id === null || name === null || status === null) return null;
  return {
    user_id,
    company_id,
    name,
    status,
    eligible_services,
    configured_services,
    may_view_direct_debits,
    viewable_accounts,
    updated_at_ms: now_ms,
  };
}

/**
 * Stores checked users in their order, each compared with what the ones before it left. Returns what
 * is stored of each, or why it is not: `conflict` for the id of a user of another company. The
 * caller holds the lock of names.
 */
export async function storeUsers(
  { bank }: Pick<BankTx, 'bank'>,
  users: readonly BankUser[],
): Promise<readonly (BankUser | Refusal)[]> {
  const companies = new Map(await bank.companiesOfUsers(users.map(({ user_id }) => user_id)));
  const changed = new Map<string, BankUser>();
  const stored = users.map((user) => {
    const { user_id, company_id } = user;
    if ((companies.get(user_id) ?? company_id) !== company_id) {
      return new Refusal('conflict', `the id ${showValue(user_id)} belongs to another user; choose another one`);
    }
    companies.set(user_id, company_id);
    changed.set(user_id, user);
    return user;
  });
  await bank.putUsers([...changed.values()]);
  return stored;
}

/** The accounts must be those of the user's company. */
function readViewable(fields: BankFields, company_id: number | null, known: KnownOfUser): readonly string[] {
  const items =
    fields.readArray('viewable_accounts', { min: 0, max: viewable_accounts_max }, 'numbers of accounts') ?? [];
  if (!fields.areSound('company_id')) return [];
  const numbers = new Set<string>();
  for (const [at, item] of items.entries()) {
    const number = numberOfAccount(item);
    const account = number === null ? undefined : known.account(number);
    if (account !== undefined && account.company_id === company_id) numbers.add(account.number);
    else
      fields.addProblem(
        `viewable_accounts[${at}]`,
        `must be the number of an account of the company, not ${showAccountNumber(item)}`,
      );
  }
  return [...numbers].toSorted();
}

/** Looks up the companies and accounts that requests for users name. */
export async function knownOfUsers(
  { companies, bank }: Pick<BankTx, 'companies' | 'bank'>,
  { served_company_id }: Pick<BankCaller, 'served_company_id'>,
  requests: readonly Readonly<Record<string, unknown>>[],
): Promise<KnownOfUser> {
  const company_ids = new Set<number>(served_company_id === null ? [] : [served_company_id]);
  const numbers = new Set<string>();
  for (const request of requests) {
    const company_id = new BankFields(request).readId('company_id');
    if (company_id !== null) company_ids.add(company_id);
    const { viewable_accounts } = request;
    if (!Array.isArray(viewable_accounts) || viewable_accounts.length > viewable_accounts_max) continue;
    for (const number of viewable_accounts.map(numberOfAccount)) if (number !== null) numbers.add(number);
  }
  const found = new Set((await companies.findByIds([...company_ids])).map(({ id }) => id));
  const accounts = await accountsByNumbers(bank, numbers);
  return { hasCompany: (id) => found.has(id), account: (number) => accounts.get(number) };
}
