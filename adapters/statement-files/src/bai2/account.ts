import { accountNumberOf, type StatementHead } from '@tallystick/accounts';
import { isCurrency, type Money } from '@tallystick/kernel';
import { amountOf, readFunds } from './fields.ts';
import { type LogicalRecord, refuse } from './logical-record.ts';

const opening_ledger = '010';
const closing_ledger = '015';

/** What an account record (03) states. */
export interface StatedAccount {
  readonly head: StatementHead;
  /** The sum of all its amounts, of every status and summary. */
  readonly sum: bigint;
}

/** What the group of an account states for it. */
export interface StatedGroup {
  /** YYYY-MM-DD. */
  readonly as_of: string;
  readonly currency: string | null;
}

/**
 * Reads the account record: number, currency, and the balances among its status and summary
 * amounts. Refuses the file without the opening (010) and closing (015) ledger balance.
 */
export function readAccount(record: LogicalRecord, group: StatedGroup): StatedAccount {
  const fields = record.fields();
  const number = accountNumberOf(fields[0] ?? '');
  if (number === null) refuse(record, 'account_malformed', 'must name its account by 1 to 34 letters and digits');
  const currency = currencyOf(fields[1] ?? '', record) ?? group.currency;
  let at = 2;
  const next = (): string | null => {
    at += 1;
    return fields[at - 1] ?? null;
  };
  const balances = new Map<string, Money>();
  let sum = 0n;
  while (at < fields.length) {
    const [code, amount_text, count] = [next() ?? '', next() ?? '', next() ?? ''];
    const funds = readFunds(next);
    if (typeof funds === 'string') refuse(record, 'funds_malformed', funds);
    if (code === '' && amount_text === '' && count === '') continue;
    if (!/^\d{3}$/.test(code)) refuse(record, 'type_code_malformed', 'has a type code that is not three digits');
    if (!/^\d{0,9}$/.test(count)) refuse(record, 'count_malformed', `has an item count of ${code} that is no number`);
    if (amount_text === '') continue;
    const amount = amountOf(amount_text);
    if (amount === null) refuse(record, 'amount_malformed', `has an amount of ${code} that is not digits with a sign`);
    sum += BigInt(amount);
    if (balances.has(code) && balances.get(code) !== amount && (code === opening_ledger || code === closing_ledger)) {
      refuse(record, 'balance_repeated', `states two different balances ${code}`);
    }
    balances.set(code, amount);
  }
  return {
    head: {
      account_number: number,
      currency,
      reference: null,
      as_of: group.as_of,
      opening_balance: balanceOf(opening_ledger, 'opening'),
      closing_balance: balanceOf(closing_ledger, 'closing'),
    },
    sum,
  };

  function balanceOf(code: string, name: string): Money {
    const balance = balances.get(code);
    if (balance !== undefined) return balance;
    return refuse(record, 'balance_missing', `must state the ${name} ledger balance, type code ${code}`);
  }
}

/** The currency that a field states; null when it is empty. Refuses one that does not exist. */
export function currencyOf(text: string, record: LogicalRecord): string | null {
  if (text === '') return null;
  if (!isCurrency(text)) refuse(record, 'currency_unknown', 'must state a currency of ISO 4217, three capital letters');
  return text;
}
