import type { ReconciliationActRow } from '@tallystick/cards';
import type { Difference, MatchedBy } from './item.ts';
import { itemIdOf, type RecordIds, type RecordKey } from './item-id.ts';

/** What people do to items. `unmatch` undoes `match` and vice versa, `reopen` each decision. */
export const act_kinds = ['match', 'unmatch', 'ignore', 'accept', 'confirm', 'reopen'] as const;

export type ActKind = (typeof act_kinds)[number];

/** A pair of a statement line and a clearing that a person made or undid. */
export interface StatementPair {
  readonly line_id: number;
  readonly clearing_id: number;
}

export function pairKeyOf({ line_id, clearing_id }: StatementPair): string {
  return `${line_id} ${clearing_id}`;
}

export function recordsOfPairs(pairs: readonly (StatementPair | AuthorizationPair)[]): readonly RecordKey[] {
  return pairs.flatMap(({ clearing_id, ...other }) => [
    'line_id' in other
      ? ({ kind: 'line', id: other.line_id } as const)
      : ({ kind: 'authorization', id: other.authorization_id } as const),
    { kind: 'clearing', id: clearing_id } as const,
  ]);
}

/** Each of the lines with each of the clearings. */
export function pairsBetween({ line_ids, clearing_ids }: RecordIds): readonly StatementPair[] {
  return line_ids.flatMap((line_id) => clearing_ids.map((clearing_id) => ({ line_id, clearing_id })));
}

export interface AuthorizationPair {
  readonly clearing_id: number;
  readonly authorization_id: number;
}

/** Who asked for an act that is done, and who approved it. */
export interface ApprovedBy {
  readonly approval_id: number;
  readonly asked_by: string;
  readonly approved_by: string;
}

export interface ActSubject {
  /** The item as the person saw it, in short: its members and amounts. */
  readonly fingerprint: string;
  /** The pairs of the statement side that a match, unmatch or confirm concerns. */
  readonly pairs: readonly StatementPair[];
  /** The pair of the authorization side; null when the act does not concern it. */
  readonly authorization: AuthorizationPair | null;
  /**
   * The matches of rules that a confirmation made matches of a person, and that of a row of a table
   * if the rules had made it because of another row; empty for other acts.
   */
  readonly confirmed: readonly AuthorizationPair[];
  /** What had made the match that an unmatch or a confirmation is about; null for other acts. */
  readonly rule: MatchedBy | null;
  /**
   * What a match accepts as well, as long as it stands and exactly these records have exactly this
   * difference; null for other acts.
   */
  readonly accepted: Difference | null;
  /**
   * The line that a confirmation keeps although it differs from the statement of its date, or that
   * is let go again by undoing this; null for other acts.
   */
  readonly kept_line_id: number | null;
  /** Who asked for the act and who approved it; null: it needed one person. */
  readonly approved: ApprovedBy | null;
}

/** An act as recorded; never changed. */
export interface Act extends Omit<ReconciliationActRow, 'action' | 'subject'> {
  readonly id: number;
  readonly action: ActKind;
  readonly subject: ActSubject;
}

/** The records that an act concerns, as `itemIdOf` numbers them. */
export function recordsOfAct({ item_id, subject }: Pick<Act, 'item_id' | 'subject'>): readonly number[] {
  const { pairs, authorization } = subject;
  return [
    item_id,
    ...recordsOfPairs(pairs).map(itemIdOf),
    ...(authorization === null ? [] : [itemIdOf({ kind: 'clearing', id: authorization.clearing_id })]),
  ];
}
