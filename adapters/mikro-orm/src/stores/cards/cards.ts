import { type CardStore, newCounters, type SealedNumber, type VirtualCard } from '@tallystick/cards';
import { cursor } from '@tallystick/kernel';
import { type Selectable, sql } from 'kysely';
import {
  lockForUpdate,
  lockOrSkip,
  parseOrNull,
  type Session,
  type Tables,
  toJsonOrNull,
} from '../../connection/session.ts';
import { card_detail_columns } from '../../schema/tables/cards.ts';
import { isOneOf } from '../queries/json-rows.ts';
import { pageOf } from '../queries/paging.ts';
import { findAuthorizations } from './authorization-search.ts';
import { cardActivity } from './card-activity.ts';
import { all_companies, findCards, toMetadataEntries, toValueEntries } from './card-search.ts';
import { keepVersion, versionsBelow } from './versions.ts';

export function cardStore(session: Session): CardStore {
  const { db } = session;

  function cards() {
    return db
      .selectFrom('tallystick_virtual_cards as v')
      .innerJoin('tallystick_real_cards as r', 'r.id', 'v.rcn_id')
      .innerJoin('tallystick_virtual_card_details as d', 'd.card_id', 'v.id')
      .selectAll('v')
      .select(['r.alias as rcn_alias', 'r.billing_currency'])
      .select(detail_names.map((name) => `d.${name}` as const));
  }

  async function find(company_id: number | null, id: number): Promise<VirtualCard | null> {
    const row = await cards().where('v.id', '=', id).executeTakeFirst();
    return row === undefined || (company_id ?? row.company_id) !== row.company_id ? null : cardOf(row);
  }

  async function insertMetadata(company_id: number, card_id: number, metadata: VirtualCard['metadata']): Promise<void> {
    const entries = toMetadataEntries(metadata);
    const rows = [
      ...[...entries, ...toValueEntries(metadata)].map((entry) => ({ company_id, entry, card_id })),
      ...entries.map((entry) => ({ company_id: all_companies, entry, card_id })),
    ];
    if (rows.length > 0) await db.insertInto('tallystick_virtual_card_metadata').values(rows).execute();
  }

  return {
    async insert(card, number, window_start_ms) {
      const inserted = await db
        .insertInto('tallystick_virtual_cards')
        .values({
          ...toMutableColumns(card),
          company_id: card.company_id,
          rcn_id: card.rcn_id,
          last4: card.last4,
          expiry: card.expiry,
          ...toSealedColumns(number),
          number_index: number.number_index,
          supplier_id: card.supplier_id,
          created_at_ms: card.created_at_ms,
          recurring: card.recurring,
          authorization_hold_days: card.authorization_hold_days,
          aging_velocity_time_zone: card.aging_velocity_time_zone,
          currency: card.currency,
          ...newCounters(window_start_ms),
        })
        .onConflict((conflict) => conflict.column('number_index').doNothing())
        .returning('id')
        .executeTakeFirst();
      if (inserted === undefined) return null;
      await db
        .insertInto('tallystick_virtual_card_details')
        .values({ card_id: inserted.id, ...toDetailRow(card) })
        .execute();
      await insertMetadata(card.company_id, inserted.id, card.metadata);
      return await find(card.company_id, inserted.id);
    },

    async find(company_id, id, options) {
      // The lock comes first, in a separate statement, so that the read after it sees the last
      // commit.
      if (options?.for_update) {
        const held = db.selectFrom('tallystick_virtual_cards').select('id').where('id', '=', id);
        const its = company_id === null ? held : held.where('company_id', '=', company_id);
        await lockForUpdate(session, its).execute();
      }
      return await find(company_id, id);
    },

    async lock(company_id, ids) {
      if (ids.length === 0) return;
      const held = db
        .selectFrom('tallystick_virtual_cards')
        .select('id')
        .where(isOneOf(session.dialect, 'id', ids))
        .where('company_id', '=', company_id)
        .orderBy('id');
      await lockForUpdate(session, held).execute();
    },

    async list(company_id, filter, page) {
      const { ids, continues_below } = await findCards(session, company_id, filter, page);
      const continued = continues_below === null ? null : cursor('virtual_cards', continues_below);
      if (ids.length === 0) return { items: [], next: continued };
      const rows = await cards()
        .where(isOneOf(session.dialect, 'v.id', ids))
        .orderBy('v.id', 'desc')
        .execute();
      const { items, next } = pageOf('virtual_cards', rows, page.limit, cardOf);
      return { items, next: next ?? continued };
    },

    async update(card) {
      const before = await db
        .selectFrom('tallystick_virtual_card_details')
        .select('metadata')
        .where('card_id', '=', card.id)
        .executeTakeFirstOrThrow();
      await db.updateTable('tallystick_virtual_cards').set(toMutableColumns(card)).where('id', '=', card.id).execute();
      await db
        .updateTable('tallystick_virtual_card_details')
        .set(toDetailRow(card))
        .where('card_id', '=', card.id)
        .execute();
      if (before.metadata === toJsonOrNull(card.metadata)) return;
      const metadata = parseOrNull<VirtualCard['metadata']>(before.metadata);
      const old = [...toMetadataEntries(metadata), ...toValueEntries(metadata)];
      if (old.length > 0) {
        await db
          .deleteFrom('tallystick_virtual_card_metadata')
          .where('company_id', 'in', [card.company_id, all_companies])
          .where('entry', 'in', old)
          .where('card_id', '=', card.id)
          .execute();
      }
      await insertMetadata(card.company_id, card.id, card.metadata);
    },

    async keepVersion(ended) {
      await keepVersion(session, 'tallystick_card_versions', ended);
    },

    versionsBelow: (card_id, version, limit) =>
      versionsBelow(session, 'tallystick_card_versions', { card_id }, version, limit),

    async resetCodeFailures(card_id) {
      const held = db.selectFrom('tallystick_virtual_cards').select('id').where('id', '=', card_id);
      await lockForUpdate(session, held).execute();
      const row = await cards().where('v.id', '=', card_id).executeTakeFirst();
      if (row === undefined) return null;
      await db
        .updateTable('tallystick_virtual_cards')
        .set({ code_failures: 0, code_failures_on: null })
        .where('id', '=', card_id)
        .execute();
      return cardOf(row);
    },

    async number(card_id) {
      return await db
        .selectFrom('tallystick_virtual_cards')
        .select(['number_sealed', 'number_key_id', 'number_index'])
        .where('id', '=', card_id)
        .executeTakeFirstOrThrow();
    },

    async knownNumbers(number_indexes) {
      if (number_indexes.length === 0) return [];
      const rows = await db
        .selectFrom('tallystick_virtual_cards')
        .select('number_index')
        .where('number_index', 'in', number_indexes)
        .execute();
      return rows.map(({ number_index }) => number_index);
    },

    async numbers(card_ids) {
      if (card_ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('tallystick_virtual_cards')
        .select(['id', 'number_sealed', 'number_key_id', 'number_index'])
        .where('id', 'in', card_ids)
        .execute();
      return new Map(rows.map(({ id, ...number }) => [id, number]));
    },

    async sealedByOtherKeys(key_id, limit, options) {
      for (const other of await findOtherKeys(key_id)) {
        const numbers = db
          .selectFrom('tallystick_virtual_cards')
          .select(['id', 'number_sealed', 'number_key_id', 'number_index'])
          .where('number_key_id', '=', other)
          .orderBy('id')
          .limit(limit);
        const held = options?.wait ? lockForUpdate(session, numbers) : lockOrSkip(session, numbers);
        const rows = await held.execute();
        if (rows.length > 0) return rows.map(({ id: card_id, ...number }) => ({ card_id, number }));
      }
      return [];
    },

    async reseal(numbers) {
      if (numbers.length === 0) return;
      const bytes = sql.raw(session.dialect === 'postgres' ? 'bytea' : 'blob');
      const rows = numbers.map(
        ({ card_id, number: { number_sealed, number_key_id } }) =>
          sql`(cast(${card_id} as bigint), cast(${number_sealed} as ${bytes}), ${number_key_id})`,
      );
      await sql`update tallystick_virtual_cards set number_sealed = n.column2, number_key_id = n.column3
        from (values ${sql.join(rows)}) as n where tallystick_virtual_cards.id = n.column1`.execute(db);
    },

    ...cardActivity(session),
    searchAuthorizations: (company_id, search, page) => findAuthorizations(session, company_id, search, page),
  };

  /** The other keys that sealed a number, with one index lookup for each. */
  async function findOtherKeys(key_id: string): Promise<readonly string[]> {
    const others: string[] = [];
    for (let last = ''; ; ) {
      const next = await db
        .selectFrom('tallystick_virtual_cards')
        .select((eb) => eb.fn.min('number_key_id').as('key_id'))
        .where('number_key_id', '>', last)
        .executeTakeFirst();
      if (next === undefined || next.key_id === null) return others;
      last = next.key_id;
      if (last !== key_id) others.push(last);
    }
  }
}

/** The columns of `virtual_cards` that an update or a cancellation may change. */
function toMutableColumns(card: Omit<VirtualCard, 'id' | 'counters' | 'rcn_alias' | 'billing_currency'>) {
  return {
    status: card.status,
    template_id: card.template_id,
    canceled_at_ms: card.canceled_at_ms,
    per_transaction_min: card.per_transaction_min,
    per_transaction_max: card.per_transaction_max,
    per_transaction_max_defaulted: card.per_transaction_max_defaulted,
    total_card_amount: card.total_card_amount,
    transactions_max: card.transactions_max,
    valid_starting_on: card.valid_starting_on,
    valid_ending_on: card.valid_ending_on,
    merchant_controls: toJsonOrNull(card.merchant_controls),
    controls_version: card.controls_version,
  };
}

type DetailName = keyof typeof card_detail_columns;
type DetailRow = Pick<Selectable<Tables['tallystick_virtual_card_details']>, DetailName>;

const detail_names = Object.keys(card_detail_columns) as DetailName[];

function toDetailRow(card: Pick<VirtualCard, DetailName>): DetailRow {
  const entries = detail_names.map((name) => {
    const value = card[name];
    return [name, card_detail_columns[name] === 'json' ? toJsonOrNull(value) : value];
  });
  return Object.fromEntries(entries) as DetailRow;
}

/** The fields of a card from the columns of `virtual_card_details`. */
function detailsOf(row: DetailRow): Pick<VirtualCard, DetailName> {
  const entries = detail_names.map((name) => {
    const kind = card_detail_columns[name];
    const value = row[name];
    return [name, kind === 'json' ? parseOrNull(value as string | null) : kind === 'boolean' ? Boolean(value) : value];
  });
  return Object.fromEntries(entries) as Pick<VirtualCard, DetailName>;
}

function toSealedColumns({ number_sealed, number_key_id }: SealedNumber) {
  return { number_sealed, number_key_id };
}

type CardRow = Selectable<Tables['tallystick_virtual_cards']> &
  DetailRow & { readonly rcn_alias: string; readonly billing_currency: string };

function cardOf(columns: CardRow): VirtualCard {
  const { number_index, number_sealed, number_key_id, provisional_clearings, settled_through, ...row } = columns;
  const { window_start_ms, held, cleared, uses, next_hold_end_ms, code_failures, code_failures_on, ...card } = row;
  return {
    ...card,
    ...detailsOf(row),
    per_transaction_max_defaulted: Boolean(card.per_transaction_max_defaulted),
    merchant_controls: parseOrNull(card.merchant_controls),
    counters: { window_start_ms, held, cleared, uses, next_hold_end_ms, code_failures, code_failures_on },
  };
}
