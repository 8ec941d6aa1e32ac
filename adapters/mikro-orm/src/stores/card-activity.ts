import type { Authorization, CardStore, Clearing } from '@tallystick/cards';
import { afterId } from '@tallystick/kernel';
import { type RawBuilder, sql } from 'kysely';
import type { Session } from '../connection/session.ts';
import {
  type AuthorizationRow,
  authorization_columns,
  authorizationOf,
  type ClearingRow,
  clearing_columns,
  clearingOf,
  selectList,
} from '../schema/record-rows.ts';
import { pageOf } from './paging.ts';

type CardActivity = Pick<
  CardStore,
  'heldPastEnd' | 'newestAuthorizations' | 'newestClearings' | 'authorizations' | 'clearings'
>;

/** The authorizations and clearings of cards, newest first. */
export function cardActivity(session: Session): CardActivity {
  const { db, dialect } = session;
  const authorization_list = sql.raw(authorizationList());
  const clearing_list = sql.raw(selectList(clearing_columns, 'a'));
  const with_root = sql`left join authorizations o on o.id = a.root_id`;

  /**
   * The newest rows of the table for each card, at most `limit` of each, read by the (card_id, id)
   * index.
   */
  function newest<Row>(
    table: 'authorizations' | 'clearings',
    list: RawBuilder<unknown>,
    joins: RawBuilder<unknown>,
    card_ids: readonly number[],
    limit: number,
  ): Promise<{ rows: Row[] }> {
    const cards = sql.join(card_ids.map((id) => sql`(cast(${id} as bigint))`));
    const of_card = sql`select n.id from ${sql.table(table)} n where n.card_id = c.column1 order by n.id desc limit ${limit}`;
    const ids =
      dialect === 'postgres'
        ? sql`cross join lateral (${of_card}) i join ${sql.table(table)} a on a.id = i.id`
        : sql`cross join ${sql.table(table)} a on a.id in (${of_card})`;
    return sql<Row>`select ${list} from (values ${cards}) c ${ids} ${joins} order by a.id desc`.execute(db);
  }

  async function page<Row extends { readonly id: number }, Item>(
    table: 'authorizations' | 'clearings',
    list: RawBuilder<unknown>,
    joins: RawBuilder<unknown>,
    item: (row: Row) => Item,
    [company_id, card_id, request]: Parameters<CardStore['authorizations']>,
  ) {
    const after = afterId(table, request);
    const below = after === null ? sql`` : sql`and a.id < ${after}`;
    const { rows } = await sql<Row>`select ${list} from ${sql.table(table)} a ${joins}
      where a.card_id = ${card_id} and a.company_id = ${company_id} ${below}
      order by a.id desc limit ${request.limit + 1} offset ${request.offset ?? 0}`.execute(db);
    return pageOf(table, rows, request.limit, item);
  }

  return {
    async heldPastEnd(card_ids, now_ms) {
      if (card_ids.length === 0) return new Map();
      const { rows } = await sql<{ card_id: number; held: number }>`
        select card_id, cast(sum(held) as bigint) as held from authorizations
        where card_id in (${sql.join(card_ids)}) and hold_end_ms is not null and hold_end_ms <= ${now_ms}
          and status in ('open', 'partially_cleared')
        group by card_id`.execute(db);
      return new Map(rows.map(({ card_id, held }) => [card_id, held]));
    },

    async newestAuthorizations(card_ids, limit) {
      if (card_ids.length === 0) return new Map();
      const { rows } = await newest<AuthorizationRow>('authorizations', authorization_list, with_root, card_ids, limit);
      return byCard<Authorization>(card_ids, rows.map(authorizationOf));
    },

    async newestClearings(card_ids, limit) {
      if (card_ids.length === 0) return new Map();
      const { rows } = await newest<ClearingRow>('clearings', clearing_list, sql``, card_ids, limit);
      return byCard<Clearing>(card_ids, rows.map(clearingOf));
    },

    authorizations: (...request) =>
      page<AuthorizationRow, Authorization>('authorizations', authorization_list, with_root, authorizationOf, request),

    clearings: (...request) => page<ClearingRow, Clearing>('clearings', clearing_list, sql``, clearingOf, request),
  };
}

/**
 * The columns of an authorization. A message that changed another's hold has the status of that
 * root, unless it was declined.
 */
function authorizationList(): string {
  const { status: _, ...own } = authorization_columns;
  return `${selectList(own, 'a')}, case when a.status = 'declined' then a.status else coalesce(o.status, a.status) end as status`;
}

function byCard<Item extends { readonly card_id: number }>(
  card_ids: readonly number[],
  items: readonly Item[],
): ReadonlyMap<number, readonly Item[]> {
  const of_card = new Map<number, Item[]>(card_ids.map((id) => [id, []]));
  for (const item of items) of_card.get(item.card_id)?.push(item);
  return of_card;
}
