import { insert_keys_sql } from '../schema/authorization-key-sql.ts';
import { authorization_keys_backfill, type Keyed, keysOf } from '../schema/authorization-keys.ts';
import type { BackfillStep } from './backfill-step.ts';

type Row = Keyed & { readonly card_id: number };

const columns = `id, card_id, root_id, message_type, trace_id, system_trace_audit_number, transaction_date_time_ms,
  approval_code, net_reference_number, status, held, hold_end_ms`;

/**
 * Copies the keys of authorizations from before `authorization_keys`, then drops the five indexes
 * that it replaces. All keys but the end of a hold never change. Passes keep the ends of holds that
 * they change, copied or not.
 */
export const authorization_keys_step: BackfillStep = {
  name: authorization_keys_backfill,
  unit: 'authorizations',
  batch_max: 500,

  copyOnSqlite(database, { after, through }) {
    const rows = database
      .prepare<[number, number], Row>(`select ${columns} from authorizations where id > ? and id <= ?`)
      .all(after, through);
    const insert = database.prepare(
      'insert into authorization_keys (card_id, key, authorization_id) values (?, ?, ?) on conflict do nothing',
    );
    for (const row of rows) for (const key of keysOf(row)) insert.run(row.card_id, key, row.id);
  },

  async copyOnPostgres(client, { after, through }) {
    const of_range = 'from authorizations where id > $1::bigint and id <= $2::bigint';
    // A pass that ends one of these holds waits for this batch, and then removes the key. A hold
    // that begins later gets its key from the pass.
    const held = `select id ${of_range} and held > 0 order by id for share`;
    const locked = new Set((await client.query<{ id: number }>(held, [after, through])).rows.map(({ id }) => id));
    const { rows } = await client.query<Row>(`select ${columns} ${of_range}`, [after, through]);
    const keyed = rows.map((row) => {
      const keys = keysOf(locked.has(row.id) ? row : { ...row, hold_end_ms: null });
      return { card_id: row.card_id, id: row.id, keys };
    });
    await client.query(`${insert_keys_sql} on conflict do nothing`, [JSON.stringify(keyed)]);
  },

  removal: {
    sqlite: ['page', 'approval', 'network_reference', 'aging', 'message'].map(
      (index) => `drop index if exists authorizations_${index}`,
    ),
    postgres: [
      ...['page', 'approval', 'network_reference', 'aging'].map(
        (index) => `drop index concurrently if exists authorizations_${index}`,
      ),
      'alter table authorizations drop constraint if exists authorizations_message',
    ],
  },
};
