import { isFeeLine } from '@tallystick/accounts';
import {
  type ActCount,
  type BookedLine,
  type BookPlace,
  counted_acts,
  entryKeyOfLine,
  type ReconciliationReports,
  type StatementKeySetting,
  statementKeyOf,
} from '@tallystick/reconciliation';
import { type RawBuilder, sql } from 'kysely';
import type { Session } from '../../connection/session.ts';
import { counts_sql, has_item_sql } from '../../schema/tables/accounts.ts';
import { jsonRows } from '../queries/json-rows.ts';
import { linesById, listLines } from './line-list.ts';
import { queriesOf } from './query.ts';

type LineRow = Omit<BookedLine, 'is_fee'>;

const line_columns = [
  'id',
  'account_id',
  'currency',
  'booking_date',
  'amount',
  'bai_code',
  'acquirer_reference',
] as const satisfies readonly (keyof LineRow)[];

/** The lines that one statement adds up from an index: about 3 ms of SQLite. */
export const summed_max = 10_000;

/** What the reports of reconciliation read. The entries of lines have the keys of the setting. */
export function reconciliationReports(session: Session, setting: StatementKeySetting): ReconciliationReports {
  const { db, dialect } = session;
  const queries = queriesOf(session);
  const counts = sql.raw<boolean>(counts_sql);
  const lines = () => db.selectFrom('tallystick_statement_lines').select(line_columns).where(counts);

  return {
    async sumBookedBefore(account_id, date) {
      let sum = 0;
      let after: BookPlace = { booking_date: '', id: 0 };
      for (;;) {
        const { rows } = await sql<Counted<BookPlace & { readonly sum: number | string }>>`
          select booking_date, max(id) as id, count(*) as count, sum(case when ${counts} then amount else 0 end) as sum
          from (
            select booking_date, id, amount, standing from tallystick_statement_lines
            where account_id = ${account_id} and booking_date < ${date}
              and (booking_date, id) > (${after.booking_date}, ${after.id})
            order by booking_date, id limit ${summed_max}
          ) l group by booking_date order by booking_date`.execute(db);
        for (const day of rows) sum += Number(day.sum);
        const count = rows.reduce((all, day) => all + Number(day.count), 0);
        if (count < summed_max) return sum;
        after = { ...rows.at(-1)!, id: Number(rows.at(-1)!.id) };
        await session.giveWay();
      }
    },

    async bookedLines({ account_id, from, to }, after, limit) {
      let its = lines().where('account_id', '=', account_id);
      if (to !== null) its = its.where('booking_date', '<=', to);
      if (after !== null) its = its.where(sql<boolean>`(booking_date, id) > (${after.booking_date}, ${after.id})`);
      else if (from !== null) its = its.where('booking_date', '>=', from);
      return (await its.orderBy('booking_date').orderBy('id').limit(limit).execute()).map(lineOf);
    },

    linesById: (company_id, ids) => linesById(queries, company_id, ids),
    listLines: (company_id, filter, page) => listLines(queries, setting, company_id, filter, page),

    async itemsOfLines(company_id, wanted) {
      if (wanted.length === 0) return [];
      const keys = wanted.map((line) => {
        const statement_key = statementKeyOf(line.acquirer_reference, setting);
        return { line_id: line.id, entry_key: entryKeyOfLine({ ...line, statement_key }) };
      });
      const rows = jsonRows(dialect, { line_id: 'integer', entry_key: 'text' }, keys);
      // SQLite reads the tables of a cross join in their order. Of a join it would read all entries
      // of the company for each batch.
      const found = await sql<{ line_id: number; item_id: number }>`select w.line_id, e.item_id
        from ${rows} as w cross join tallystick_reconciliation_entries as e
        where e.company_id = ${company_id} and e.key = w.entry_key and e.kind = 'line' and e.record_id = w.line_id`.execute(
        db,
      );
      return found.rows;
    },

    async countMatches(company_id, { from, to }) {
      let its = db
        .selectFrom('tallystick_reconciliation_match_cells')
        .select(['rule', 'side', sql<number | string>`sum(count)`.as('count')])
        .where('company_id', '=', company_id);
      if (from !== undefined || to !== undefined) its = its.where('settlement_date', '>=', from ?? first_date);
      if (to !== undefined) its = its.where('settlement_date', '<=', to);
      const rows = await its.groupBy(['rule', 'side']).orderBy('rule').orderBy('side').execute();
      return rows.map(({ side, rule, count }) => ({ side, rule: rule || null, count: Number(count) }));
    },

    async countActs(company_id) {
      const actions = sql.join(counted_acts.map((action) => sql.lit(action)));
      const rule = dialect === 'postgres' ? sql`subject::json ->> 'rule'` : sql`subject ->> '$.rule'`;
      const { rows } = await sql<Counted<Pick<ActCount, 'action' | 'rule'>>>`select action, ${rule} as rule,
          count(*) as count
        from tallystick_reconciliation_acts where company_id = ${company_id} and action in (${actions})
        group by 1, 2 order by 1, 2`.execute(db);
      return rows.map(({ count, ...done }) => ({ ...done, acts: Number(count) }));
    },

    async countRecords(company_id) {
      const count = async (from: RawBuilder<unknown>): Promise<number> => {
        const { rows } = await sql<Counted<object>>`select count(*) as count from ${from}`.execute(db);
        return Number(rows[0]!.count);
      };
      return {
        authorization: await count(sql`tallystick_authorizations where company_id = ${company_id} and root_id = id
          and decline_code is null`),
        clearing: await count(sql`tallystick_virtual_cards as o cross join tallystick_clearings as r
          where o.company_id = ${company_id} and r.card_id = o.id`),
        line: await count(sql`tallystick_accounts as o cross join tallystick_statement_lines as r where o.company_id = ${company_id}
          and r.account_id = o.id and ${sql.raw(has_item_sql)}`),
        items: await count(sql`tallystick_reconciliation_items where company_id = ${company_id}`),
      };
    },
  };
}

/** Before every date of a cell: no date is ''. */
const first_date = '0';

/** On Postgres a count is text. */
type Counted<Fields> = Fields & { readonly count: number | string };

function lineOf(row: LineRow): BookedLine {
  return { ...row, is_fee: isFeeLine(row) };
}
