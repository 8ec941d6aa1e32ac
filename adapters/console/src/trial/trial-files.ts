import type { StatementHead } from '@tallystick/accounts';
import type { ClearingInput } from '@tallystick/cards';
import { money, Refusal, toInstantText } from '@tallystick/kernel';
import type { Account, Authorization, Import } from '@tallystick/operations/resources';
import type { Trial } from './trial.ts';

/** A card line of a statement. */
export interface TrialLine {
  /** Minor units; a purchase is positive, a refund negative. */
  readonly amount: number;
  readonly text: string;
  /** The reference by which the line finds its clearing; null: none. */
  readonly acquirer_reference: string | null;
}

/** The balance of an account of which no statement is known. */
const first_balance = 25_000_00;

/**
 * Sends a statement of the account for today, after its last one. Returns the import. `account`
 * may be one that the service does not know: its statement is held.
 */
export async function sendStatement(
  trial: Trial,
  account: Pick<Account, 'number' | 'currency' | 'last_statement'>,
  lines: readonly TrialLine[],
): Promise<Import> {
  const format = trial.visit.ports.trial?.formats.find('bai2');
  if (!format?.writeStatements) throw new Refusal('conflict', 'this installation writes no statements');
  const { last_statement, number: account_number, currency } = account;
  const date = today(trial);
  const booking_date = last_statement !== null && last_statement.as_of > date ? last_statement.as_of : date;
  const opening_balance = money(last_statement?.balance ?? first_balance);
  const spent = lines.reduce((sum, { amount }) => sum + amount, 0);
  const mark = newMark(trial);
  const head: StatementHead = {
    account_number,
    currency,
    reference: null,
    as_of: booking_date,
    opening_balance,
    closing_balance: money(opening_balance - spent),
  };
  const statement = {
    head,
    lines: lines.map(({ amount, text, acquirer_reference }, index) => ({
      bank_reference: `${mark}${index + 1}`,
      booking_date,
      value_date: booking_date,
      amount: money(-amount),
      bai_code: amount < 0 ? '824' : '821',
      text: text.toUpperCase(),
      acquirer_reference,
    })),
  };
  const pieces = format.writeStatements({
    sequence: Number(digits(trial, 5)),
    created_on: date,
    statements: [statement],
  });
  return await sendFile(trial, `statement-${date}.bai`, pieces);
}

/** Sends the network's clearing file of these purchases. Returns the import. */
export async function sendClearings(trial: Trial, purchases: readonly Authorization[]): Promise<Import> {
  const format = trial.visit.ports.trial?.formats.find('cdf3');
  if (!format?.write) throw new Refusal('conflict', 'this installation writes no clearing files');
  const mark = newMark(trial);
  const date = today(trial);
  const clearings = purchases.map((purchase, index) => ({ input: clearingOf(trial, purchase, `${mark}${index}`) }));
  const pieces = format.write({ sequence: Number(digits(trial, 5)), created_on: date, mode: 'test', clearings });
  return await sendFile(trial, `clearings-${date}.xml`, [...pieces, Buffer.from('\n')]);
}

/** The clearing of all that a purchase holds, as the network would send it. */
function clearingOf(trial: Trial, purchase: Authorization, mark: string): ClearingInput {
  const { vcn_id, net_reference_number, approval_code, mcc, mcc_description, merchant_id, merchant_name } = purchase;
  const { billing_amount, billing_currency, merchant_amount, merchant_currency } = purchase;
  const clearing = {
    vcn_id: vcn_id!,
    network_financial_transaction_id: `trial-${mark}`,
    net_reference_number,
    acquirer_reference_data: digits(trial, 17),
    approval_code,
    clearing_type: 'DEBIT',
    billing_amount,
    billing_currency,
    merchant_amount,
    merchant_currency,
    mcc,
    mcc_description,
    merchant_id,
    merchant_name,
    settlement_date: today(trial),
  };
  return clearing as unknown as ClearingInput;
}

/** The first account, on whose statements the company's cards are booked. One is opened if there is none. */
export async function accountOf(trial: Trial, currency: string): Promise<Account> {
  const { visit } = trial;
  const company_id = visit.company_id!;
  const { items } = await visit.call('bank.accounts.list', { options: { filter: { company_id }, limit: 100 } });
  const found = items.findLast((account) => account.kind === 'deposit' && account.currency === currency);
  if (found !== undefined) return found;
  const data = {
    company_id,
    number: `70000${company_id}${currency}`,
    currency,
    kind: 'deposit',
    name: 'Deposit account',
  };
  return await trial.call('bank.accounts.create', { data });
}

async function sendFile(trial: Trial, name: string, pieces: Iterable<Uint8Array>): Promise<Import> {
  return await trial.call('operator.imports.create', { file: Buffer.concat([...pieces]), options: { name } });
}

/** Today by the sandbox's clock. */
export function today({ visit }: Trial): string {
  return toInstantText(visit.now_ms).slice(0, 10);
}

/** Distinguishes one file, with what is in it, from all others. */
function newMark(trial: Trial): string {
  return digits(trial, 6);
}

/** A reference of an acquirer has 17 digits. */
function digits({ visit }: Trial, count: number): string {
  const bytes = visit.ports.random.bytes(count);
  return `7${Array.from(bytes.subarray(1), (byte) => byte % 10).join('')}`;
}
