import type { LedgerState, WindowKey } from '@tallystick/cards';
import type { Database } from 'better-sqlite3';
import { lookedUp } from './looked-up.ts';

/** The counters of a past window, as `is_stored` in `card_windows` or as sums of its rows. */
export type WindowRow = LedgerState['windows'][number];

/**
 * The authorizations of a card as the `from` and `where` of a query, with the alias `s`. `card_id`
 * is an expression.
 */
export type AuthorizationsOfCard = (card_id: string) => string;

/** The counters of a window as scalar queries over the rows that count in it. */
function sumsOf(authorizationsOf: AuthorizationsOfCard, card_id: string, window_start_ms: string) {
  const sum = (column: string, of_card: string) =>
    `(select coalesce(sum(s.${column}), 0) from ${of_card} and s.window_start_ms = ${window_start_ms})`;
  const authorizations = authorizationsOf(card_id);
  const clearings = `clearings s where s.card_id = ${card_id}`;
  return {
    held: sum('held', authorizations),
    cleared: sum('cleared_effect', clearings),
    uses: `${sum('uses', authorizations)} + ${sum('uses', clearings)}`,
  };
}

/**
 * The text of a query on Postgres for the counters of windows: stored rows, else sums. Its
 * parameters are the lists of `windowLists`.
 */
export function windowsOnPostgres(authorizationsOf: AuthorizationsOfCard): string {
  const sums = sumsOf(authorizationsOf, 'w.card_id', 'w.window_start_ms');
  const counter = (column: keyof typeof sums) =>
    `cast(case when c.card_id is null then ${sums[column]} else c.${column} end as bigint) as ${column}`;
  return `select w.card_id, w.window_start_ms, ${counter('held')}, ${counter('cleared')}, ${counter('uses')},
       c.card_id is not null as is_stored
     from unnest($1::bigint[], $2::bigint[]) as w (card_id, window_start_ms)
     left join lateral ${lookedUp('card_windows', 'card_id = w.card_id and window_start_ms = w.window_start_ms')} c on true`;
}

/** The keys as two lists of the same length and order. */
export function windowLists(keys: readonly WindowKey[]): readonly number[][] {
  return [keys.map(({ card_id }) => card_id), keys.map(({ window_start_ms }) => window_start_ms)];
}

/** Returns the lookup on SQLite of the sums of a window that has no row. */
export function windowSumsOnSqlite(
  database: Database,
  authorizationsOf: AuthorizationsOfCard,
): (key: WindowKey) => WindowRow {
  const sums = sumsOf(authorizationsOf, '$card_id', '$window_start_ms');
  const statement = database.prepare<[WindowKey], Omit<WindowRow, keyof WindowKey | 'is_stored'>>(
    `select ${sums.held} as held, ${sums.cleared} as cleared, ${sums.uses} as uses`,
  );
  return (key) => ({ ...key, ...statement.get(key)!, is_stored: false });
}
