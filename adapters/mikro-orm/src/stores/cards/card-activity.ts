import type { Authorization, CardStore, Clearing, HoldEnds } from '@tallystick/cards';
import { afterId } from '@tallystick/kernel';
import { type RawBuilder, sql } from 'kysely';
import type { Session } from '../../connection/session.ts';
import { firstHoldAfter, hold_range, page_range, pageKey } from '../../schema/records/authorization-keys.ts';
import {
  type AuthorizationRow,
  authorization_columns,
  authorizationOf,
  type ClearingRow,
  clearing_columns,
  clearingOf,
  selectList,
} from '../../schema/records/record-rows.ts';
import { isOneOf } from '../queries/json-rows.ts';
import { pageOf } from '../queries/paging.ts';

/** The authorizations and clearings of cards, newest first. */
export function cardActivity(session: Session) {
  const { db, dialect } = session;
  const authorization_list = sql.raw(authorizationList());
  const clearing_list = sql.raw(selectList(clearing_columns, 'a'));
  const with_root = sql`left join tallystick_authorizations o on o.id = a.root_id`;

  /**
   * The newest rows for each card, read by `ids`: a query for the newest ids of the card
   * `c.column1`.
   */
  function newest<Row>(
    table: 'tallystick_authorizations' | 'tallystick_clearings',
    list: RawBuilder<unknown>,
    joins: RawBuilder<unknown>,
    card_ids: readonly number[],
    ids: RawBuilder<unknown>,
  ): Promise<{ rows: Row[] }> {
    const cards = sql.join(card_ids.map((id) => sql`(cast(${id} as bigint))`));
    const of_card =
      dialect === 'postgres'
        ? sql`cross join lateral (${ids}) i join ${sql.table(table)} a on a.id = i.id`
        : sql`cross join ${sql.table(table)} a on a.id in (${ids})`;
    return sql<Row>`select ${list} from (values ${cards}) c ${of_card} ${joins} order by a.id desc`.execute(db);
  }

  return {
    async holdEnds(card_ids, now_ms) {
      if (card_ids.length === 0) return new Map<number, HoldEnds>();
      const later = firstHoldAfter(now_ms);
      const holds = (low: string, high: string) => sql`
        from tallystick_authorization_keys k cross join tallystick_authorizations a
        where k.card_id = v.id and k.key >= ${low} and k.key < ${high}
          and a.id = k.authorization_id and a.window_start_ms = v.window_start_ms`;
      const { rows } = await sql<{ id: number } & HoldEnds>`select v.id,
          cast(coalesce((select sum(a.held) ${holds(hold_range.low, later)}), 0) as bigint) as held_past_end,
          (select a.hold_end_ms ${holds(later, hold_range.high)} order by k.key limit 1) as next_hold_end_ms
        from tallystick_virtual_cards v where ${isOneOf(dialect, 'v.id', card_ids)}`.execute(db);
      return new Map(rows.map(({ id, ...ends }) => [id, ends]));
    },

    async newestAuthorizations(card_ids, limit) {
      if (card_ids.length === 0) return new Map<number, readonly Authorization[]>();
      const ids = sql`select n.authorization_id as id from tallystick_authorization_keys n
        where n.card_id = c.column1 and n.key >= ${page_range.low} and n.key < ${page_range.high}
        order by n.key desc limit ${limit}`;
      const { rows } = await newest<AuthorizationRow>(
        'tallystick_authorizations',
        authorization_list,
        with_root,
        card_ids,
        ids,
      );
      return byCard<Authorization>(card_ids, rows.map(authorizationOf));
    },

    async newestClearings(card_ids, limit) {
      if (card_ids.length === 0) return new Map<number, readonly Clearing[]>();
      const ids = sql`select n.id from tallystick_clearings n where n.card_id = c.column1 and n.reduced_at_ms is null
        order by n.id desc limit ${limit}`;
      const { rows } = await newest<ClearingRow>('tallystick_clearings', clearing_list, sql``, card_ids, ids);
      return byCard<Clearing>(card_ids, rows.map(clearingOf));
    },

    async authorizations(company_id, card_id, request) {
      const after = afterId('authorizations', request);
      const below = after === null ? page_range.high : pageKey(after);
      const { rows } = await sql<AuthorizationRow>`select ${authorization_list}
        from tallystick_authorization_keys k cross join tallystick_authorizations a ${with_root}
        where k.card_id = ${card_id} and k.key >= ${page_range.low} and k.key < ${below}
          and a.id = k.authorization_id and a.company_id = ${company_id}
        order by k.key desc limit ${request.limit + 1} offset ${request.offset ?? 0}`.execute(db);
      return pageOf('authorizations', rows, request.limit, authorizationOf);
    },

    async findAuthorization(company_id, id) {
      const { rows } =
        await sql<AuthorizationRow>`select ${authorization_list} from tallystick_authorizations a ${with_root}
        where a.id = ${id} and a.company_id = ${company_id}`.execute(db);
      return rows[0] === undefined ? null : authorizationOf(rows[0]);
    },

    async clearings(company_id, card_id, request) {
      const after = afterId('clearings', request);
      const below = after === null ? sql`` : sql`and a.id < ${after}`;
      const { rows } = await sql<ClearingRow>`select ${clearing_list} from tallystick_clearings a
        where a.card_id = ${card_id} and a.company_id = ${company_id} and a.reduced_at_ms is null ${below}
        order by a.id desc limit ${request.limit + 1} offset ${request.offset ?? 0}`.execute(db);
      return pageOf('clearings', rows, request.limit, clearingOf);
    },

    async searchClearings(company_id, search, request) {
      const after = afterId('found_clearings', request);
      const below = after === null ? sql`` : sql`and a.id < ${after}`;
      const named = Object.entries(search).filter(([, value]) => value !== undefined);
      const conditions = sql.join(
        named.map(([name, value]) => sql`${sql.ref(`a.${name}`)} = ${value}`),
        sql` and `,
      );
      // Few clearings have one name. The sum keeps Postgres from a walk back through all of them.
      const { rows } = await sql<ClearingRow>`select ${clearing_list} from tallystick_clearings a
        where ${conditions} and a.company_id = ${company_id} and a.reduced_at_ms is null ${below}
        order by a.id + 0 desc limit ${request.limit + 1} offset ${request.offset ?? 0}`.execute(db);
      return pageOf('found_clearings', rows, request.limit, clearingOf);
    },

    async findClearings(ids) {
      if (ids.length === 0) return [];
      const { rows } = await sql<ClearingRow>`select ${clearing_list} from tallystick_clearings a
        where ${isOneOf(dialect, 'a.id', ids)} and a.reduced_at_ms is null order by a.id`.execute(db);
      return rows.map(clearingOf);
    },
  } satisfies Partial<CardStore>;
}

/**
 * The status of an authorization `a` with the root `o`. A message that changed another's hold has
 * the status of that root. One that was declined, or is about a declined one, changed none.
 */
const shown_status_sql =
  "case when a.status = 'declined' or o.status = 'declined' then a.status else coalesce(o.status, a.status) end";

export function authorizationList(): string {
  const { status: _, ...own } = authorization_columns;
  return `${selectList(own, 'a')}, ${shown_status_sql} as status`;
}

function byCard<Item extends { readonly card_id: number }>(
  card_ids: readonly number[],
  items: readonly Item[],
): ReadonlyMap<number, readonly Item[]> {
  const of_card = new Map<number, Item[]>(card_ids.map((id) => [id, []]));
  for (const item of items) of_card.get(item.card_id)?.push(item);
  return of_card;
}
