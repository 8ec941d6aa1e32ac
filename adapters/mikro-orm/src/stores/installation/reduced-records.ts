import { type Authorization, type Clearing, isSettled, reduceAuthorization, reduceClearing } from '@tallystick/cards';
import { type ArchivedRow, type RetentionBatch, type RetentionBounds, retention_batch_max } from '@tallystick/kernel';
import type { Recurring } from '@tallystick/velocity';
import { sql } from 'kysely';
import type { Session } from '../../connection/session.ts';
import { pageKey, reducedKey } from '../../schema/records/authorization-keys.ts';
import {
  type AuthorizationRow,
  authorization_columns,
  authorizationOf,
  type ClearingRow,
  clearing_columns,
  clearingOf,
  selectList,
} from '../../schema/records/record-rows.ts';
import { isOneOf, jsonRows } from '../queries/json-rows.ts';

type Reduced = 'authorizations' | 'clearings';

/** What `isSettled` asks in addition to the record. */
interface Facts {
  readonly recurring: Recurring | null;
  readonly root_held: number | null;
}

/** The next records in the order of their ids that may be reduced. */
export async function settledRows(
  { db }: Session,
  kind: Reduced,
  bounds: RetentionBounds,
  after: number,
): Promise<RetentionBatch> {
  const is_authorizations = kind === 'authorizations';
  const columns = sql.raw(selectList(is_authorizations ? authorization_columns : clearing_columns, 't'));
  const root_id = sql.ref(is_authorizations ? 't.root_id' : 't.authorization_id');
  const { rows } = await sql<(AuthorizationRow | ClearingRow) & Facts>`
    select ${columns}, v.recurring, r.held as root_held
    from (select * from ${sql.table(`tallystick_${kind}`)} where id > ${after} order by id limit ${retention_batch_max}) t
    join tallystick_virtual_cards v on v.id = t.card_id left join tallystick_authorizations r on r.id = ${root_id}
    order by t.id`.execute(db);
  const records = rows.map(({ recurring, root_held, ...row }) => {
    const held = root_held ?? 0;
    if ('decided_at_ms' in row) {
      return { record: authorizationOf(row), at_ms: row.decided_at_ms, recurring, held: Math.max(row.held, held) };
    }
    return { record: clearingOf(row), at_ms: row.recorded_at_ms, recurring, held };
  });
  const young = records.findIndex(({ at_ms }) => at_ms >= bounds.before_ms);
  const old = young === -1 ? records : records.slice(0, young);
  const settled = old.filter((one) => isSettled(one, bounds)).map(({ record }) => record);
  const left = old.find((one) => one.record.reduced_at_ms === null && !isSettled(one, bounds));
  return {
    rows: settled as unknown as readonly ArchivedRow[],
    after: old.at(-1)?.record.id ?? after,
    left_id: left?.record.id ?? null,
    is_last: old.length < retention_batch_max,
  };
}

/** Reduces the records. Passes over those that another transaction has locked. */
export async function reduceRows(
  { db, dialect }: Session,
  kind: Reduced,
  { now_ms }: RetentionBounds,
  rows: readonly ArchivedRow[],
): Promise<number> {
  const records = new Map(rows.map((row) => [Number(row.id), row]));
  const skip_locked = dialect === 'postgres' ? sql`for update skip locked` : sql``;
  const still_settled = kind === 'authorizations' ? sql`and held = 0` : sql``;
  const free = await sql<{ id: number }>`
    select id from ${sql.table(`tallystick_${kind}`)} where ${isOneOf(dialect, 'id', [...records.keys()])}
      and reduced_at_ms is null ${still_settled} order by id ${skip_locked}`.execute(db);
  if (free.rows.length === 0) return 0;
  const changes = free.rows.map(({ id }) => {
    const record = records.get(id)!;
    const { details } =
      kind === 'authorizations'
        ? reduceAuthorization(record as unknown as Authorization, now_ms)
        : reduceClearing(record as unknown as Clearing, now_ms);
    const keys = { key: pageKey(id), reduced_key: reducedKey(id) };
    return { id, card_id: Number(record.card_id), ...keys, details: JSON.stringify(details) };
  });
  await sql`update ${sql.table(`tallystick_${kind}`)}
    set details = n.details, request_id = null, reduced_at_ms = ${now_ms}
    from ${jsonRows(dialect, { id: 'integer', details: 'text' }, changes)} as n
    where ${sql.ref(`tallystick_${kind}.id`)} = n.id`.execute(db);
  if (kind === 'authorizations') {
    const keys = jsonRows(dialect, { card_id: 'integer', key: 'text', reduced_key: 'text' }, changes);
    await sql`update tallystick_authorization_keys set key = n.reduced_key from ${keys} as n
      where tallystick_authorization_keys.card_id = n.card_id and tallystick_authorization_keys.key = n.key`.execute(
      db,
    );
  }
  return changes.length;
}
