import type { RealCard, RealCardStore } from '@tallystick/cards';
import type { Selectable } from 'kysely';
import { lockForUpdate, parseOrNull, type Session, type Tables, toJsonOrNull } from '../../connection/session.ts';
import { readNewestFirst } from '../queries/paging.ts';

export function realCardStore(session: Session): RealCardStore {
  const { db } = session;
  const cardsOf = () =>
    db
      .selectFrom('tallystick_real_cards as r')
      .leftJoin('tallystick_virtual_cards as v', (join) =>
        join.onRef('v.company_id', '=', 'r.company_id').onRef('v.rcn_id', '=', 'r.id'),
      );
  return {
    async insert(card) {
      if (card.is_default) {
        // Two inserts of a default wait for each other here; otherwise the second would violate the
        // unique index.
        await lockForUpdate(
          session,
          db.selectFrom('tallystick_companies').select('id').where('id', '=', card.company_id),
        ).execute();
        await db
          .updateTable('tallystick_real_cards')
          .set({ is_default: false })
          .where('company_id', '=', card.company_id)
          .where('is_default', '=', true)
          .execute();
      }
      const row = await db
        .insertInto('tallystick_real_cards')
        .values({
          company_id: card.company_id,
          alias: card.alias,
          billing_currency: card.billing_currency,
          account_range: card.account_range,
          velocity_enabled: card.velocity_enabled,
          network_data_names: toJsonOrNull(card.network_data_names),
          is_default: card.is_default,
          created_at_ms: card.created_at_ms,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return realCardOf(row);
    },

    async find(company_id, id) {
      const row = await db
        .selectFrom('tallystick_real_cards')
        .selectAll()
        .where('id', '=', id)
        .where('company_id', '=', company_id)
        .executeTakeFirst();
      return row === undefined ? null : realCardOf(row);
    },

    async findDefault(company_id) {
      const row = await db
        .selectFrom('tallystick_real_cards')
        .selectAll()
        .where('company_id', '=', company_id)
        .where('is_default', '=', true)
        .executeTakeFirst();
      return row === undefined ? null : realCardOf(row);
    },

    list(company_id, page) {
      const all = db.selectFrom('tallystick_real_cards').selectAll();
      const query = company_id === null ? all : all.where('company_id', '=', company_id);
      return readNewestFirst('real_cards', query, page, realCardOf);
    },

    async countIssued(account_range) {
      const { count } = await cardsOf()
        .where('r.account_range', 'like', `${account_range}%`)
        .select((eb) => eb.fn.count<number>('v.id').as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    async usage() {
      const rows = await cardsOf()
        .groupBy(['r.id', 'r.company_id', 'r.account_range'])
        .select(['r.id', 'r.company_id', 'r.account_range'])
        .select((eb) => eb.fn.count<number>('v.id').as('cards'))
        .orderBy('r.id')
        .execute();
      return rows.map((row) => ({ ...row, cards: Number(row.cards) }));
    },
  };
}

function realCardOf(row: Selectable<Tables['tallystick_real_cards']>): RealCard {
  return {
    ...row,
    velocity_enabled: Boolean(row.velocity_enabled),
    is_default: Boolean(row.is_default),
    network_data_names: parseOrNull<readonly string[]>(row.network_data_names),
  };
}
