import { type FieldError, nearestName, Refusal, showValue } from '@tallystick/kernel';
import { showAccountNumber } from '../account.ts';
import type { AccountBalance } from '../bank/account-balance.ts';
import type { BankCaller } from '../bank/bank-caller.ts';
import type { BankAccount } from '../bank/bank-data.ts';
import type { BankUser } from '../bank/bank-user.ts';
import type { DirectDebit, ScheduledPayment, StandingOrder } from '../bank/mandates-and-orders.ts';
import { BankFields } from './bank-fields.ts';
import { balance_fields, readBalance } from './put-balance.ts';
import { profile_fields, type ReportedProfile, readProfile } from './put-profile.ts';
import { type KnownOfUser, readUser, user_fields } from './put-user.ts';
import {
  direct_debit_fields,
  readDirectDebit,
  readScheduledPayment,
  readStandingOrder,
  scheduled_payment_fields,
  standing_order_fields,
} from './read-orders.ts';
import { type ReportedTransaction, readTransaction, transaction_fields } from './read-transaction.ts';

export interface ContentOfKinds {
  readonly user: BankUser;
  readonly balance: AccountBalance;
  readonly profile: ReportedProfile;
  readonly transaction: ReportedTransaction;
  readonly direct_debit: Omit<DirectDebit, 'id'>;
  readonly standing_order: Omit<StandingOrder, 'id'>;
  readonly scheduled_payment: Omit<ScheduledPayment, 'id'>;
}

export type BankRecordKind = keyof ContentOfKinds;

/** A checked record of one kind. */
export type BankRecord = {
  readonly [Kind in BankRecordKind]: {
    readonly kind: Kind;
    readonly company_id: number;
    readonly content: ContentOfKinds[Kind];
  };
}[BankRecordKind];

/** The fields of each kind, beside `kind`. */
export const bank_record_fields: Readonly<Record<BankRecordKind, readonly string[]>> = {
  user: ['user_id', ...user_fields],
  balance: ['account', ...balance_fields],
  profile: ['account', ...profile_fields],
  transaction: ['account', ...transaction_fields],
  direct_debit: ['account', ...direct_debit_fields],
  standing_order: ['account', ...standing_order_fields],
  scheduled_payment: ['account', ...scheduled_payment_fields],
};

export const bank_record_kinds = Object.keys(bank_record_fields) as readonly BankRecordKind[];

/** The fields whose text names something, so that the number of a card in it is refused. */
export const naming_fields = [
  'user_id',
  'bank_reference',
  'mandate_reference',
  'reference',
  'identification',
  'servicer_identification',
  'creditor_identification',
] as const;

/** What the check of a record looks up. */
export type KnownOfRecord = KnownOfUser;

/** The checked record; else its problems. */
export type ReadRecord = { readonly record: BankRecord } | { readonly problems: readonly FieldError[] };

/** Checks a record, and finds all its problems. */
export function readRecord(
  value: unknown,
  caller: Pick<BankCaller, 'served_company_id' | 'now_ms'>,
  known: KnownOfRecord,
): ReadRecord {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problems: [{ path: '', message: 'must be a JSON object' }] };
  }
  const fields = new BankFields(value);
  fields.require('kind');
  const kind = fields.readChoice('kind', bank_record_kinds);
  const record = kind === null ? null : readKind(kind, value, fields, caller, known);
  try {
    fields.refuseInvalid();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { problems: error.fields };
  }
  return { record: record! };
}

function readKind(
  kind: BankRecordKind,
  value: object,
  fields: BankFields,
  caller: Pick<BankCaller, 'served_company_id' | 'now_ms'>,
  known: KnownOfRecord,
): BankRecord | null {
  addUnknown(fields, Object.keys(value), ['kind', ...bank_record_fields[kind]]);
  if (kind === 'user') {
    const content = readUser(fields, caller, known);
    return content === null ? null : { kind, company_id: content.company_id, content };
  }
  const account = readAccountOf(fields, caller, known);
  const content = readers[kind](fields, account ?? standIn(fields), caller.now_ms);
  if (account === null || content === null) return null;
  return { kind, company_id: account.company_id, content } as BankRecord;
}

const readers = {
  balance: readBalance,
  profile: readProfile,
  transaction: readTransaction,
  direct_debit: readDirectDebit,
  standing_order: readStandingOrder,
  scheduled_payment: readScheduledPayment,
} as const;

function readAccountOf(
  fields: BankFields,
  { served_company_id }: Pick<BankCaller, 'served_company_id'>,
  known: KnownOfRecord,
): BankAccount | null {
  fields.require('account');
  const number = fields.readNumber('account');
  if (number === null) return null;
  const account = known.account(number);
  if (account !== undefined && (served_company_id === null || account.company_id === served_company_id)) return account;
  fields.addProblem(
    'account',
    `must be the number of an account, and there is no account ${showAccountNumber(number)}`,
  );
  return null;
}

/** In place of an account that does not exist, so that the other fields are also checked. */
function standIn(fields: BankFields): BankAccount {
  return {
    id: 0,
    company_id: 0,
    // Any number and currency may be the right ones.
    number: String(fields.get('identification')),
    currency: String(fields.get('currency')),
    kind: 'deposit',
    name: null,
    created_at_ms: 0,
    first_statement: null,
    last_statement: null,
    profile: null,
  };
}

/** The most unknown fields that are named. */
const named_max = 20;

function addUnknown(fields: BankFields, names: readonly string[], known: readonly string[]): void {
  const unknown = names.filter((name) => !known.includes(name));
  for (const name of unknown.slice(0, named_max)) {
    const nearest = nearestName(name.slice(0, 64), known);
    const hint = nearest === null ? `the fields are ${known.join(', ')}` : `did you mean ${nearest}?`;
    const shown = /^(?!.*\d{5})[\w.-]{1,64}$/.test(name) ? name : showValue(name);
    fields.addProblem(shown, `is not a field of this record; ${hint}`);
  }
}
