import {
  day_ms,
  daysAfter,
  type NearQuestion,
  type NearSide,
  near_columns,
  near_days_max,
  near_items_examined_max,
  near_items_max,
  type ReconciliationStore,
  startOf,
} from '@tallystick/reconciliation';
import { near_scopes, nearCondition } from '../../schema/near-items.ts';
import type { Queries } from './query.ts';

/** How many questions one statement answers: one turn of the event loop on SQLite (ADR 0054). */
const questions_of_statement = 20;

/** Open items near an amount and a date. */
export function nearReads(queries: Queries): Pick<ReconciliationStore, 'nearItems'> {
  return {
    async nearItems(company_id, questions) {
      const found = new Map<string, readonly number[]>();
      if (questions.length > 0) await queries.preferIndexes();
      for (const [side, of_side] of Map.groupBy(questions, (question) => question.side)) {
        // Breaks of one day often have one amount.
        const different = [...new Map(of_side.map((question) => [textOf(question), question])).values()];
        for (let from = 0; from < different.length; from += questions_of_statement) {
          const piece = different.slice(from, from + questions_of_statement);
          const rows = piece.map((question, at) => ({ at, company_id, ...rowOf(question) }));
          for (const { at, ...ids } of await queries.all<NearRow>(nearSql(queries, side), JSON.stringify(rows))) {
            found.set(textOf(piece[at]!), [...new Set(Object.values(ids).flatMap(listOf))]);
          }
        }
      }
      return questions.map((question) => found.get(textOf(question))!);
    },
  };
}

/** Lists of ids as JSON texts; null: empty. */
interface NearRow
  extends Readonly<Record<'same_before' | 'same_after' | 'greater' | 'smaller' | 'keyed', string | null>> {
  readonly at: number;
}

function listOf(json: string | null): readonly number[] {
  return json === null ? [] : (JSON.parse(json) as readonly number[]);
}

function textOf(question: NearQuestion): string {
  return JSON.stringify(question);
}

/** The columns of a question, with their types on Postgres. Dates are those of the side's column. */
function columnsOf(side: NearSide): Readonly<Record<string, 'bigint' | 'text'>> {
  const date = hasInstants(side) ? 'bigint' : 'text';
  return {
    at: 'bigint',
    company_id: 'bigint',
    currency: 'text',
    vcn_id: 'bigint',
    amount: 'bigint',
    least: 'bigint',
    greatest: 'bigint',
    first: date,
    day: date,
    last: date,
    key: 'text',
  };
}

function hasInstants(side: NearSide): boolean {
  return near_columns[side].date === 'opened_at_ms';
}

function rowOf({ side, amount, date, currency, vcn_id, key }: NearQuestion) {
  const [first, last] = [daysAfter(date, -near_days_max), daysAfter(date, near_days_max)];
  const endOf = (day: string) => startOf(day) + day_ms - 1;
  return {
    currency,
    vcn_id,
    amount,
    least: amount > 0 ? 1 : Number.MIN_SAFE_INTEGER,
    greatest: amount > 0 ? Number.MAX_SAFE_INTEGER : -1,
    ...(hasInstants(side)
      ? { first: startOf(first), day: endOf(date), last: endOf(last) }
      : { first, day: date, last }),
    key,
  };
}

function nearSql({ is_postgres }: Queries, side: NearSide): string {
  const { has, date, record } = near_columns[side];
  const names = Object.entries(columnsOf(side));
  const from = is_postgres
    ? `json_to_recordset(?::json) as j (${names.map(([name, type]) => `"${name}" ${type}`)})`
    : `(select ${names.map(([name]) => `value ->> '$.${name}' as "${name}"`)} from json_each(?)) as j`;
  const scope = near_scopes[side].map((column) => `x.${column} = q.${column}`).join(' and ');
  const of_side = `from tallystick_reconciliation_items x where ${scope} and ${nearCondition(side)}`;
  const ids = (rows: string) =>
    `(select ${is_postgres ? 'json_agg(y.id)::text' : 'json_group_array(y.id)'} from (${rows}) y)`;
  const same = (range: string, order: string) =>
    ids(
      `select x.id ${of_side} and x.${has} = q.amount and ${range}
        order by x.${date} ${order}, x.id ${order} limit ${near_items_max}`,
    );
  const other = (range: string, order: string) =>
    ids(
      `select z.id from (select x.id, x.${has} as amount, x.${date} as day ${of_side} and ${range}
        order by x.${has} ${order}, x.${date} ${order}, x.id ${order} limit ${near_items_examined_max}) z
        where z.day >= q.first and z.day <= q.last
        order by z.amount ${order}, z.day ${order}, z.id ${order} limit ${near_items_max}`,
    );
  const keyed = ids(
    `select e.item_id as id from tallystick_reconciliation_entries e
      where e.company_id = q.company_id and e."key" = q."key" and e.kind = '${record}' order by e.record_id limit ${near_items_max}`,
  );
  return `with q as materialized (select * from ${from}) select q.at,
    ${same(`x.${date} >= q.first and x.${date} <= q.day`, 'desc')} as same_before,
    ${same(`x.${date} > q.day and x.${date} <= q.last`, 'asc')} as same_after,
    ${other(`x.${has} > q.amount and x.${has} <= q.greatest`, 'asc')} as greater,
    ${other(`x.${has} < q.amount and x.${has} >= q.least`, 'desc')} as smaller,
    ${near_scopes[side].length === 1 ? 'null' : keyed} as keyed
    from q`;
}
