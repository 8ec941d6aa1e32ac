import { dayAfter } from '@tallystick/kernel';
import { type AccountDates, type AccountStore, recorded_lines_max } from './ports.ts';
import type { Statement } from './statement.ts';

type ChainedStatement = Pick<
  Statement,
  'id' | 'as_of' | 'opening_balance' | 'closing_balance' | 'first_booking_date' | 'covers_from'
>;

/**
 * What the statements of a chain cover (docs/adr/0071): the booking dates after the statement before
 * them up to their own. One that does not open where the one before it closes, and the first one,
 * cover the dates from their earliest line on. Of a date the first statement covers, and the others
 * are further pages of it. `before` is the last statement before these; null: there is none.
 */
export function coverageOf(
  before: ChainedStatement | null,
  chain: readonly ChainedStatement[],
): readonly Pick<Statement, 'id' | 'covers_from'>[] {
  let previous = before;
  return chain.map((statement) => {
    const covers_from = statement.as_of === previous?.as_of ? null : coveredFrom(previous, statement);
    previous = statement;
    return { id: statement.id, covers_from };
  });
}

function coveredFrom(previous: ChainedStatement | null, statement: ChainedStatement): string {
  const earliest = earliestOf(statement);
  if (previous === null) return earliest;
  const after_previous = dayAfter(previous.as_of);
  return previous.closing_balance === statement.opening_balance || earliest < after_previous
    ? after_previous
    : earliest;
}

function earliestOf({ as_of, first_booking_date }: ChainedStatement): string {
  return first_booking_date === null || first_booking_date > as_of ? as_of : first_booking_date;
}

/**
 * Writes what the statements of an account cover after some with dates from `from` to `to` were
 * recorded, with the account locked. Returns the booking dates whose coverage may be another one.
 */
export async function updateCoverage(
  accounts: Pick<AccountStore, 'statementBefore' | 'statementAfter' | 'statementsBetween' | 'updateCoverage'>,
  { account_id, from, to }: AccountDates,
): Promise<AccountDates> {
  const before = await accounts.statementBefore(account_id, from);
  const last_date = (await accounts.statementAfter(account_id, to))?.as_of ?? to;
  const chain = await accounts.statementsBetween(account_id, from, last_date);
  const changed = coverageOf(before, chain).filter(({ covers_from }, at) => covers_from !== chain[at]!.covers_from);
  for (let at = 0; at < changed.length; at += recorded_lines_max) {
    await accounts.updateCoverage(changed.slice(at, at + recorded_lines_max));
  }
  // Not from what was covered until now: a process that continues does not know it any more.
  const first_date = before === null ? [from, ...chain.map(earliestOf)].sort()[0]! : dayAfter(before.as_of);
  return { account_id, from: first_date, to: last_date };
}
