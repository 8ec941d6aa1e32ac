import { type Money, money } from '@tallystick/kernel';
import { isShowableBalance } from './bank/account-balance.ts';
import type { StatementIdentity } from './statement.ts';

/**
 * The chain of statements of an account. It is ordered by date, and each statement opens with the
 * balance with which the one before it closes. A statement joins it at its end, at its beginning,
 * or within it where a hole was left: a person can release a statement that does not join.
 *
 * Balances alone do not always decide. A statement can have the balances of a known one, or of known
 * days, and be a new one that joins the chain. Then the caller compares its lines: when all of them
 * are recorded it is known, else it is new (decision: statement lines).
 */

export interface PlacedStatement extends StatementIdentity {
  readonly position: number;
}

/** The part of the chain around a date. */
export interface ChainAround<Known extends PlacedStatement> {
  /** The last statement with an earlier date. */
  readonly before: Known | null;
  /** The statements of the date, in the order of the chain. */
  readonly of_date: readonly Known[];
  /** The first statement with a later date. */
  readonly after: Known | null;
}

/**
 * - `repeat`: `known` has its date and its balances. With other lines it is new at `or_position`,
 *   if that is not null
 * - `covers`: it leads from where `from` opens to where `to` closes, and `to` is not before `from`:
 *   a statement of days that are known. With lines that are not known, or without lines, it is new
 *   at `or_position`, if that is not null
 * - `new`: it joins the chain at `position` of its date
 * - `gap`: a statement is missing between it and `neighbour`
 * - `differs`: `known` has its date, and its reference or its place in the chain, with other
 *   balances
 */
export type StatementPlace<Known extends PlacedStatement> =
  | { readonly kind: 'repeat'; readonly known: Known; readonly or_position: number | null }
  | { readonly kind: 'covers'; readonly from: Known; readonly to: Known; readonly or_position: number | null }
  | { readonly kind: 'new'; readonly position: number }
  | { readonly kind: 'gap'; readonly neighbour: Known; readonly is_after: boolean }
  | { readonly kind: 'differs'; readonly known: Known };

/**
 * Where a statement belongs in the chain (decision: statement lines). `opening` is the last
 * statement with an earlier date that opens with the same balance, null when there is none; it
 * matters only if `mayCover`.
 *
 * A statement with the balances of a known one of its date is that one, also under another
 * reference, because a bank may number statements that it sends again. Only one that continues from
 * the last one of the date, with a reference of its own or that of the last one, can be another one. A statement with the
 * reference of a known one of its date is a further page of it when it continues from it, or leads
 * to it.
 */
export function placeStatement<Known extends PlacedStatement>(
  stated: StatementIdentity,
  around: ChainAround<Known>,
  opening: Known | null = null,
): StatementPlace<Known> {
  const { before, of_date, after } = around;
  const same = findSame(stated, of_date);
  const of_reference = of_date.filter(({ reference }) => reference === stated.reference);
  const position = fittingPosition(stated, around);
  if (same !== null) {
    const is_other = stated.reference !== null && (of_reference.length === 0 || of_reference.at(-1) !== same);
    return {
      kind: 'repeat',
      known: same,
      or_position: is_other && position === lastPosition(around) ? position : null,
    };
  }
  const covered = findCovered(stated, around, opening);
  if (covered !== null) return { kind: 'covers', ...covered, or_position: position };
  if (position !== null) return { kind: 'new', position };
  const changed = of_reference.find(
    (known) => known.opening_balance === stated.opening_balance || known.closing_balance === stated.closing_balance,
  );
  if (changed !== undefined) return { kind: 'differs', known: changed };
  const last = of_date.at(-1) ?? before;
  const first = of_date[0] ?? after;
  if (after === null && last !== null) return { kind: 'gap', neighbour: last, is_after: true };
  if (before === null && first !== null) return { kind: 'gap', neighbour: first, is_after: false };
  // Several missing statements whose lines amount to nothing leave no hole.
  const has_hole = last!.closing_balance !== after!.opening_balance;
  const is_known_date = of_date.length > 0 && !has_hole;
  return is_known_date ? { kind: 'differs', known: last! } : { kind: 'gap', neighbour: last!, is_after: true };
}

/** The known statement that this one repeats: the one with its reference first. Null: none. */
export function findSame<Known extends StatementIdentity>(
  stated: StatementIdentity,
  of_date: readonly Known[],
): Known | null {
  const same = of_date.filter(
    ({ opening_balance, closing_balance }) =>
      opening_balance === stated.opening_balance && closing_balance === stated.closing_balance,
  );
  return same.find(({ reference }) => reference === stated.reference) ?? same[0] ?? null;
}

/** Whether a statement ends where a known one does, so that `placeStatement` needs `opening`. */
export function mayCover(
  { closing_balance }: Pick<StatementIdentity, 'closing_balance'>,
  { before, of_date }: ChainAround<PlacedStatement>,
): boolean {
  return [before, ...of_date].some((known) => known?.closing_balance === closing_balance);
}

/** The position after all statements of the date. */
export function lastPosition({ of_date }: Pick<ChainAround<PlacedStatement>, 'of_date'>): number {
  const last = of_date.at(-1);
  return last === undefined ? 0 : last.position + 1;
}

/** Balances as a bank states them; null: it does not. */
export interface StatedBalances {
  readonly opening_balance: Money | null;
  readonly closing_balance: Money | null;
}

/**
 * The balances of a statement whose lines amount to `sum`: a missing one follows from the other one.
 * When both are missing they follow from the chain: they are those of a known statement of its date
 * and reference with this sum, or it continues from the last statement up to its date, or leads to
 * the first later one. Null when nothing says what they are, or they are out of bounds.
 */
export function completeBalances(
  { opening_balance, closing_balance, reference }: StatedBalances & Pick<StatementIdentity, 'reference'>,
  sum: Money,
  { before, of_date, after }: ChainAround<PlacedStatement>,
  currency: string,
): Pick<StatementIdentity, 'opening_balance' | 'closing_balance'> | null {
  const leadingTo = (balance: Money | undefined) => (balance === undefined ? undefined : balance - sum);
  const repeated = of_date.find(
    (known) => known.reference === reference && leadingTo(known.closing_balance) === known.opening_balance,
  );
  const opening =
    opening_balance ??
    leadingTo(closing_balance ?? undefined) ??
    repeated?.opening_balance ??
    (of_date.at(-1) ?? before)?.closing_balance ??
    leadingTo(after?.opening_balance);
  if (opening === undefined) return null;
  const closing = closing_balance ?? opening + sum;
  if (!isShowableBalance(opening, currency) || !isShowableBalance(closing, currency)) return null;
  return { opening_balance: money(opening), closing_balance: money(closing) };
}

/**
 * Statements of an account in the order of a file, or in the opposite one when more of them continue
 * from the one before them in it: some banks list the newest first. Of statements with one date the
 * balances alone do not say which is the first one when a balance comes back.
 */
export function oldestFirst<Listed extends StatedBalances>(listed: readonly Listed[]): readonly Listed[] {
  const reversed = listed.toReversed();
  return continuingIn(reversed) > continuingIn(listed) ? reversed : listed;
}

function continuingIn(statements: readonly StatedBalances[]): number {
  return statements.filter(
    ({ opening_balance }, at) =>
      at > 0 && opening_balance !== null && statements[at - 1]!.closing_balance === opening_balance,
  ).length;
}

/** The known days that a statement leads over; null: there are none. The last ones, if several. */
function findCovered<Known extends PlacedStatement>(
  stated: StatementIdentity,
  { before, of_date }: ChainAround<Known>,
  opening: Known | null,
): { readonly from: Known; readonly to: Known } | null {
  const last = of_date.findLastIndex(({ closing_balance }) => closing_balance === stated.closing_balance);
  const first = of_date.slice(0, last + 1).findLast((known) => known.opening_balance === stated.opening_balance);
  const to = of_date[last] ?? (before?.closing_balance === stated.closing_balance ? before : null);
  const from = first ?? opening;
  return to === null || from === null ? null : { from, to };
}

/** The position after, or before, the statements of the date; null: it joins at neither. */
function fittingPosition(
  stated: StatementIdentity,
  { before, of_date, after }: ChainAround<PlacedStatement>,
): number | null {
  const [first, last] = [of_date[0], of_date.at(-1)];
  const is_page = stated.reference !== null && of_date.some(({ reference }) => reference === stated.reference);
  if (is_page) {
    const continues = last!.reference === stated.reference && last!.closing_balance === stated.opening_balance;
    const leads = first!.reference === stated.reference && stated.closing_balance === first!.opening_balance;
    if (continues && joins(stated, last!, after)) return lastPosition({ of_date });
    return leads && joins(stated, before, first!) ? first!.position - 1 : null;
  }
  if (joins(stated, last ?? before, after)) return lastPosition({ of_date });
  return first !== undefined && joins(stated, before, first) ? first.position - 1 : null;
}

/** Whether a statement joins the chain between two neighbours. */
function joins(stated: StatementIdentity, before: StatementIdentity | null, after: StatementIdentity | null): boolean {
  const follows = before === null || before.closing_balance === stated.opening_balance;
  const leads = after === null || stated.closing_balance === after.opening_balance;
  const fills_hole = before !== null && after !== null && before.closing_balance !== after.opening_balance;
  return fills_hole ? follows || leads : follows && leads;
}
