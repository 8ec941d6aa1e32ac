import {
  auditEntry,
  currency_expected,
  isCurrency,
  isName,
  maskCardNumbers,
  Refusal,
  RequestFields,
} from '@tallystick/kernel';
import {
  type Account,
  type AccountKind,
  account_kinds,
  account_name_length_max,
  account_number_expected,
  accountNumberOf,
  card_account_prefix,
  showAccountNumber,
} from './account.ts';
import type { BankCall, BankTx } from './bank/bank-caller.ts';

/** The bank's request for a new account. */
export interface AccountRequest {
  /** The id of an existing company: a number, or its digits as text. */
  readonly company_id: unknown;
  /**
   * 1 to 34 letters and digits, also with the blanks, points, hyphens and slashes with which the
   * bank writes it: they are not stored. No other account has it. That of a card account begins with
   * `ceid` and is no card number (service specification 4.5), and that of a deposit account does not.
   */
  readonly number: unknown;
  /** An ISO 4217 code. */
  readonly currency: unknown;
  /** `deposit` or `card`. */
  readonly kind: unknown;
  /** 1 to 255 printable characters; null or absent: it has none. */
  readonly name?: unknown;
}

/**
 * Opens an account of a company, and writes the audit log. Refuses `validation_failed` with every
 * invalid field, also for a company that does not exist, and `conflict` for the number of another
 * account, or one that identifies another account in its profile.
 */
export async function openAccount(tx: BankTx, call: BankCall, request: AccountRequest): Promise<Account> {
  const fields = new RequestFields(request);
  for (const name of ['company_id', 'number', 'currency', 'kind']) fields.require(name);
  const company_id = fields.readId('company_id');
  if (company_id !== null && (await tx.companies.find(company_id)) === null) {
    fields.addProblem('company_id', `must be the id of a company, and there is no company ${company_id}`);
  }
  const number = fields.readParsed('number', accountNumberOf, account_number_expected);
  const currency = fields.readText('currency', isCurrency, currency_expected);
  const kind = fields.readChoice('kind', account_kinds);
  if (number !== null && kind !== null) checkNumberOfKind(fields, number, kind);
  const name = fields.readText(
    'name',
    (text) => isName(text, account_name_length_max),
    `text of 1 to ${account_name_length_max} printable characters, not all of them blank`,
  );
  fields.refuseInvalid();

  // A profile that is put meanwhile waits for the lock, and then finds the account.
  await tx.bank.lockNames();
  const named = await tx.bank.profilesByIdentification([number!]);
  if (named.length > 0) {
    throw new Refusal(
      'conflict',
      `the number ${showAccountNumber(number)} identifies another account; choose another one`,
    );
  }
  const account = await tx.accounts.insert({
    company_id: company_id!,
    number: number!,
    currency: currency!,
    kind: kind!,
    name: name === null ? null : maskCardNumbers(name.trim()),
    created_at_ms: call.now_ms,
    first_statement: null,
    last_statement: null,
  });
  const details = { number: maskCardNumbers(account.number), currency: account.currency, kind: account.kind };
  const entry = auditEntry({ ...call, company_id: company_id! }, 'account.opened', `account:${account.id}`, details);
  await tx.audit.record(entry, call.now_ms);
  return account;
}

/** Third parties recognise a card account by its AccountId, and never see the number of a card. */
function checkNumberOfKind(fields: RequestFields, number: string, kind: AccountKind): void {
  const has_prefix = number.startsWith(card_account_prefix);
  if (kind === 'deposit' && has_prefix) {
    fields.addProblem('number', `must not begin with ${card_account_prefix}: that is a card account`);
  }
  if (kind !== 'card') return;
  if (!has_prefix) fields.addProblem('number', `must begin with ${card_account_prefix}: it is a card account`);
  else if (maskCardNumbers(number) !== number) fields.addProblem('number', 'must not contain the number of a card');
}
