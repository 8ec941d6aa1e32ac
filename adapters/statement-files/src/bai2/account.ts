import { account_number_expected, accountNumberOf } from '@tallystick/accounts';
import type { FileStatement, StatedProblem } from '@tallystick/imports';
import { isCurrency, type Money } from '@tallystick/kernel';
import { oneLine } from '../stated-text.ts';
import { amountOf, readFunds } from './fields.ts';
import { type LogicalRecord, problemOf } from './logical-record.ts';

const opening_ledger = '010';
const closing_ledger = '015';

/** What an account record (03) states. */
export interface StatedAccount {
  readonly head: Omit<FileStatement, 'kind' | 'ordinal' | 'offset' | 'number'>;
  /** The sum of all its amounts, of every status and summary; null when one cannot be read. */
  readonly sum: bigint | null;
}

/** What the group of an account states for it. */
export interface StatedGroup {
  /** YYYY-MM-DD. */
  readonly as_of: string;
  /** Empty: not stated. */
  readonly currency: string;
  /** Why none of its accounts can be used, as what follows "a group that". */
  readonly problem: StatedProblem | null;
}

/**
 * Reads the account record: number, currency, and the balances among its status and summary
 * amounts. Empty fields between these are skipped: many a bank writes one too many where a
 * continuation follows, and one too few is a count or a funds type that is left off.
 */
export function readAccount(record: LogicalRecord, group: StatedGroup): StatedAccount {
  const reader = record.reader();
  const stated_number = reader.next() ?? '';
  const number = accountNumberOf(stated_number);
  const stated_currency = (reader.next() || group.currency).toUpperCase();
  const currency = isCurrency(stated_currency) ? stated_currency : null;
  const balances = new Map<string, Money>();
  let problem: StatedProblem | null = null;
  let sum: bigint | null = 0n;

  if (group.problem !== null) note(group.problem.code, `is in a group that ${group.problem.message}`);
  if (number === null)
    note('account_malformed', `must name its account by ${account_number_expected}, not "${stated_number}"`);
  if (currency === null && stated_currency !== '') {
    note('currency_unknown', `has the currency "${stated_currency}", which is none of ISO 4217`);
  }
  for (let code = reader.next(); code !== null; code = reader.next()) {
    if (code !== '' && !readAmount(code)) {
      sum = null;
      break;
    }
  }
  return {
    head: {
      account_number: number ?? oneLine([stated_number]),
      currency,
      reference: null,
      as_of: group.as_of,
      opening_balance: balances.get(opening_ledger) ?? null,
      closing_balance: balances.get(closing_ledger) ?? null,
      ...(problem === null ? {} : { problem }),
    },
    sum,
  };

  /** Whether the amount of this code can be read, and what follows it. */
  function readAmount(code: string): boolean {
    if (!isTypeCode(code)) return note('type_code_malformed', `has "${code}" instead of a type code of three digits`);
    const [text, count] = [reader.next() ?? '', reader.next() ?? ''];
    const amount = text === '' ? null : amountOf(text);
    if (text !== '' && amount === null) {
      return note('amount_malformed', `has "${text}" of ${code} instead of an amount, digits with or without a sign`);
    }
    if (!/^\d{0,9}$/.test(count)) return note('count_malformed', `has "${count}" of ${code} instead of an item count`);
    const funds = isTypeCode(reader.peek() ?? '') ? null : readFunds(reader);
    if (typeof funds === 'string') return note('funds_malformed', `${funds} (of ${code})`);
    if (amount === null) return true;
    if (sum !== null) sum += BigInt(amount);
    const known = balances.get(code);
    if (known !== undefined && known !== amount && (code === opening_ledger || code === closing_ledger)) {
      note('balance_repeated', `states two different balances ${code}: ${known} and ${amount}`);
    }
    balances.set(code, amount);
    return true;
  }

  function note(code: string, message: string): false {
    problem ??= problemOf(record, code, message);
    return false;
  }
}

function isTypeCode(text: string): boolean {
  return /^\d{3}$/.test(text);
}
