import type { StatementIdentity } from './statement.ts';

/**
 * The chain of statements of an account. It is ordered by date, and each statement opens with the
 * balance with which the one before it closes. A statement joins it at its end, at its beginning,
 * or within it where a hole was left: a person can release a statement that does not join.
 */

/** A statement of the chain. */
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
 * - `repeat`: it was applied before, as `known`
 * - `new`: it joins the chain at `position` of its date
 * - `gap`: a statement is missing between it and `neighbour`
 * - `differs`: `known` has its date, and its reference or its place in the chain, with other
 *   balances
 */
export type StatementPlace<Known extends PlacedStatement> =
  | { readonly kind: 'repeat'; readonly known: Known }
  | { readonly kind: 'new'; readonly position: number }
  | { readonly kind: 'gap'; readonly neighbour: Known; readonly is_after: boolean }
  | { readonly kind: 'differs'; readonly known: Known };

/**
 * Where a statement belongs in the chain (decision: statement lines). A statement with the balances
 * of a known one of its date is that one, whatever its reference: a bank may number statements that
 * it sends again. So it is never recorded twice.
 */
export function placeStatement<Known extends PlacedStatement>(
  stated: StatementIdentity,
  around: ChainAround<Known>,
): StatementPlace<Known> {
  const same = findSame(stated, around.of_date);
  if (same !== null) return { kind: 'repeat', known: same };
  const of_reference = around.of_date.find(({ reference }) => reference === stated.reference);
  if (of_reference !== undefined && stated.reference !== null) return { kind: 'differs', known: of_reference };
  const position = fittingPosition(stated, around);
  if (position !== null) return { kind: 'new', position };
  if (of_reference !== undefined) return { kind: 'differs', known: of_reference };
  const last = around.of_date.at(-1) ?? around.before;
  const first = around.of_date[0] ?? around.after;
  if (around.after === null && last !== null) return { kind: 'gap', neighbour: last, is_after: true };
  if (around.before === null && first !== null) return { kind: 'gap', neighbour: first, is_after: false };
  // Several missing statements whose lines amount to nothing leave no hole.
  const has_hole = last!.closing_balance !== around.after!.opening_balance;
  const is_known_date = around.of_date.length > 0 && !has_hole;
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

/** The position after all statements of the date. */
export function lastPosition({ of_date }: Pick<ChainAround<PlacedStatement>, 'of_date'>): number {
  const last = of_date.at(-1);
  return last === undefined ? 0 : last.position + 1;
}

/** The position after, or before, the statements of the date; null: it joins at neither. */
function fittingPosition(
  stated: StatementIdentity,
  { before, of_date, after }: ChainAround<PlacedStatement>,
): number | null {
  if (joins(stated, of_date.at(-1) ?? before, after)) return lastPosition({ of_date });
  const [first] = of_date;
  return first !== undefined && joins(stated, before, first) ? first.position - 1 : null;
}

/** Whether a statement joins the chain between two neighbours. */
function joins(stated: StatementIdentity, before: StatementIdentity | null, after: StatementIdentity | null): boolean {
  const follows = before === null || before.closing_balance === stated.opening_balance;
  const leads = after === null || stated.closing_balance === after.opening_balance;
  const fills_hole = before !== null && after !== null && before.closing_balance !== after.opening_balance;
  return fills_hole ? follows || leads : follows && leads;
}
