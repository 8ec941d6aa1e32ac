import {
  type Backtest,
  type BacktestStore,
  backtests_kept_max,
  backtests_max,
  type CardAct,
  type Difference,
  type HistoryPlace,
  type ReplayedTemplate,
} from '@tallystick/cards';
import { afterId } from '@tallystick/kernel';
import { type Selectable, sql } from 'kysely';
import { lockOrSkip, type Session, type Tables } from '../../connection/session.ts';
import { page_range, pageKey, reduced_range, reducedKey } from '../../schema/records/authorization-keys.ts';
import {
  type CardRow,
  card_columns,
  card_tables,
  cardOf,
  type TemplateRow,
  template_columns,
  templateRuleOf,
} from '../../schema/records/card-rows.ts';
import {
  type AuthorizationRow,
  authorization_columns,
  authorizationOf,
  type ClearingRow,
  clearing_columns,
  clearingOf,
  selectList,
} from '../../schema/records/record-rows.ts';
import type { ColumnKind } from '../../schema/tables/columns.ts';
import { forEach } from '../queries/for-each.ts';
import { insertAll } from '../queries/insert-rows.ts';
import { isOneOf, jsonRows } from '../queries/json-rows.ts';
import { pageOf, readNewestFirst } from '../queries/paging.ts';

export function backtestStore(session: Session): BacktestStore {
  const { db } = session;
  const backtests = () => db.selectFrom('tallystick_backtests').selectAll().where('status', '<>', 'removed');
  const ofCompany = (company_id: number, id: number) =>
    backtests().where('company_id', '=', company_id).where('id', '=', id);

  /** Removes the oldest backtests of a company that have ended, if it has too many. */
  async function removeOldest(company_id: number): Promise<void> {
    const ended = backtests().clearSelect().select('id').where('company_id', '=', company_id).where('slot', 'is', null);
    await db
      .updateTable('tallystick_backtests')
      .set({ status: 'removed' })
      .where('id', 'in', ended.orderBy('id', 'desc').limit(backtests_max).offset(backtests_kept_max))
      .execute();
  }

  return {
    ...historyReads(session),
    ...cardReads(session),

    async insert(backtest) {
      for (let slot = 1; slot <= backtests_max; slot += 1) {
        const row = await db
          .insertInto('tallystick_backtests')
          .values({ ...rowOf(backtest), slot, lease: null, lease_until_machine_ms: 0 })
          .onConflict((conflict) => conflict.columns(['company_id', 'slot']).where('slot', 'is not', null).doNothing())
          .returning('id')
          .executeTakeFirst();
        if (row === undefined) continue;
        await removeOldest(backtest.company_id);
        return { ...backtest, id: row.id };
      }
      return null;
    },

    async find(company_id, id) {
      const row = await ofCompany(company_id, id).executeTakeFirst();
      return row === undefined ? null : backtestOf(row);
    },

    list: (company_id, page) =>
      readNewestFirst('backtests', backtests().where('company_id', '=', company_id), page, backtestOf),

    async differences(backtest_id, page) {
      const after = afterId('backtest_differences', page) ?? 0;
      const rows = await db
        .selectFrom('tallystick_backtest_differences')
        .select(['id', 'difference'])
        .where('backtest_id', '=', backtest_id)
        .where('id', '>', after)
        .orderBy('id')
        .limit(page.limit + 1)
        .offset(page.offset ?? 0)
        .execute();
      return pageOf('backtest_differences', rows, page.limit, ({ id, difference }) => {
        return { ...(JSON.parse(difference) as Difference), id };
      });
    },

    async remove(company_id, id) {
      const { numUpdatedRows } = await db
        .updateTable('tallystick_backtests')
        .set({ status: 'removed', slot: null, lease: null })
        .where('company_id', '=', company_id)
        .where('id', '=', id)
        .where('status', '<>', 'removed')
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    async claim({ token, machine_ms, until_machine_ms }, id) {
      let free = backtests()
        .where('slot', 'is not', null)
        .where((row) => row.or([row('lease', 'is', null), row('lease_until_machine_ms', '<=', machine_ms)]))
        .orderBy('lease_until_machine_ms')
        .orderBy('id')
        .limit(1);
      if (id !== undefined) free = free.where('id', '=', id);
      const row = await lockOrSkip(session, free).executeTakeFirst();
      if (row === undefined) return null;
      await db
        .updateTable('tallystick_backtests')
        .set({ status: 'running', card_messages: 0, lease: token, lease_until_machine_ms: until_machine_ms })
        .where('id', '=', row.id)
        .execute();
      await db
        .deleteFrom('tallystick_backtest_differences')
        .where('backtest_id', '=', row.id)
        .where('card_id', '>', row.last_card_id)
        .execute();
      return backtestOf({ ...row, status: 'running', card_messages: 0 });
    },

    async save(backtest, token, until_machine_ms, differences) {
      const { id, finished_at_ms } = backtest;
      const { numUpdatedRows } = await db
        .updateTable('tallystick_backtests')
        .set({
          ...rowOf(backtest),
          ...(finished_at_ms === null ? {} : { slot: null }),
          ...(until_machine_ms === null ? { lease: null } : { lease_until_machine_ms: until_machine_ms }),
        })
        .where('id', '=', id)
        .where('lease', '=', token)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      if (differences.length === 0) return true;
      const rows = differences.map((difference) => {
        return { backtest_id: id, card_id: difference.card_id, difference: JSON.stringify(difference) };
      });
      const columns = { backtest_id: 'integer', card_id: 'integer', difference: 'text' } as const;
      await insertAll(session, 'tallystick_backtest_differences', columns, rows);
      return true;
    },

    async purge(before_ms, limit) {
      const over = db
        .selectFrom('tallystick_backtests')
        .select('id')
        .where((row) => row.or([row('status', '=', 'removed'), row('created_at_ms', '<', before_ms)]))
        .where('slot', 'is', null)
        .orderBy('id')
        .limit(1);
      const found = await over.executeTakeFirst();
      if (found === undefined) return 0;
      const its = sql`select id from tallystick_backtest_differences where backtest_id = ${found.id} limit ${limit}`;
      const { numAffectedRows = 0n } =
        await sql`delete from tallystick_backtest_differences where id in (${its})`.execute(db);
      if (numAffectedRows > 0n) return Number(numAffectedRows);
      await db.deleteFrom('tallystick_backtests').where('id', '=', found.id).execute();
      return 1;
    },
  };
}

const authorizations_sql = selectList(authorization_columns, 'a');
const clearings_sql = selectList(clearing_columns, 'a');

function historyReads(session: Session): Pick<BacktestStore, 'authorizationsAfter' | 'clearingsAfter' | 'actsAfter'> {
  return {
    async authorizationsAfter(places, limit) {
      const idsIn = (above: string, high: string) => `select * from (select k.authorization_id as id
        from tallystick_authorization_keys k where k.card_id = :card_id and k.key > :${above} and k.key < '${high}'
        order by k.key limit ${limit}) i`;
      const shown = idsIn('page_key', page_range.high);
      const reduced = idsIn('reduced_key', reduced_range.high);
      const rows = await selectEach<AuthorizationRow>(
        session,
        `select ${authorizations_sql} from tallystick_authorizations a
          where a.id in (${shown} union all ${reduced})`,
        { order: 'id', limit },
        { card_id: 'integer', page_key: 'text', reduced_key: 'text' },
        places.map(({ card_id, after_id }) => {
          return { card_id, page_key: pageKey(after_id), reduced_key: reducedKey(after_id) };
        }),
      );
      return rows.map(authorizationOf);
    },

    async clearingsAfter(places, limit) {
      const page = `select ${clearings_sql} from tallystick_clearings a
        where a.card_id = :card_id and a.id > :after_id`;
      const rows = await selectEach<ClearingRow>(session, page, { order: 'id', limit }, place_columns, places);
      return rows.map(clearingOf);
    },

    async actsAfter(places, limit) {
      const page = 'select a.* from tallystick_card_acts a where a.card_id = :card_id and a.event_id > :after_id';
      const order = { order: 'event_id', limit };
      const rows = await selectEach<ActRow>(session, page, order, place_columns, places);
      return rows.map((row) => ({ ...row, act: JSON.parse(row.act) as CardAct['act'] }));
    },
  };
}

const place_columns: Readonly<Record<keyof HistoryPlace, ColumnKind>> = { card_id: 'integer', after_id: 'integer' };

type ActRow = Selectable<Tables['tallystick_card_acts']>;

/** For each place the first rows `a` that the select finds. `:name` stands for a value of the place. */
async function selectEach<Row>(
  session: Session,
  select: string,
  { order, limit }: { readonly order: string; readonly limit: number },
  columns: Readonly<Record<string, ColumnKind>>,
  places: readonly object[],
): Promise<readonly Row[]> {
  const page = `${select} order by a.${order} limit ${limit}`;
  if (session.dialect === 'sqlite') {
    const names: string[] = [];
    const text = page.replace(/:(\w+)/g, (_all, name: string) => {
      names.push(name);
      return '?';
    });
    return await forEach(session, text, names, places);
  }
  const each = sql.raw(page.replace(/:(\w+)/g, 'p.$1'));
  const { rows } = await sql<Row>`select f.* from ${jsonRows(session.dialect, columns, places)} p
    cross join lateral (${each}) f order by f.${sql.raw(order)}`.execute(session.db);
  return rows;
}

function cardReads({ db, dialect }: Session): Pick<BacktestStore, 'cardsAfter' | 'countCards' | 'replayedTemplate'> {
  async function templatesOf(ids: readonly number[]): Promise<ReadonlyMap<number, ReplayedTemplate>> {
    const { rows } = await sql<TemplateRow & Pick<ReplayedTemplate, 'required_control'>>`
      select ${sql.raw(template_columns)}, required_control from tallystick_purchase_templates
      where ${isOneOf(dialect, 'id', ids)}`.execute(db);
    return new Map(rows.map((row) => [row.id, { ...templateRuleOf(row), required_control: row.required_control }]));
  }

  return {
    async cardsAfter(company_id, after_id, limit) {
      const { rows } = await sql<CardRow & { readonly created_at_ms: number }>`
        select ${sql.raw(card_columns)}, v.created_at_ms from ${sql.raw(card_tables)}
        where v.company_id = ${company_id} and v.id > ${after_id} order by v.id limit ${limit}`.execute(db);
      const templates = await templatesOf([...new Set(rows.map(({ template_id }) => template_id))]);
      return rows.map((row) => {
        const { required_control: _control, ...rule } = templates.get(row.template_id)!;
        return { card: cardOf(row, rule), created_at_ms: row.created_at_ms };
      });
    },

    async countCards(company_id) {
      const { count } = await db
        .selectFrom('tallystick_virtual_cards')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('company_id', '=', company_id)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    async replayedTemplate(id) {
      return (await templatesOf([id])).get(id) ?? null;
    },
  };
}

function rowOf({ change, sums, ...backtest }: Omit<Backtest, 'id'> & { readonly id?: number }) {
  const { id: _id, ...columns } = backtest;
  return { ...columns, change: JSON.stringify(change), sums: JSON.stringify(sums) };
}

function backtestOf(row: Selectable<Tables['tallystick_backtests']>): Backtest {
  const { slot: _slot, lease: _lease, lease_until_machine_ms: _until, change, sums, status, ...columns } = row;
  return {
    ...columns,
    status: status as Backtest['status'],
    change: JSON.parse(change),
    sums: JSON.parse(sums),
  };
}
