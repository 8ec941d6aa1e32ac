import type { Mail, MailStore, MailTurns } from '@tallystick/cards';
import type { Lease } from '@tallystick/kernel';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { lockForUpdate, type Session, type Tables } from '../../connection/session.ts';
import { isOneOf, jsonRows } from '../queries/json-rows.ts';
import { readNewestFirst } from '../queries/paging.ts';

export function mailStore(session: Session): MailStore {
  const { db, dialect } = session;
  const mails = () => db.selectFrom('tallystick_mails').selectAll();
  return {
    list({ state, company_id, card_id }, page) {
      let its = mails();
      if (state !== undefined) its = its.where('state', '=', state);
      if (company_id !== undefined) its = its.where('company_id', '=', company_id);
      if (card_id !== undefined) its = its.where('card_id', '=', card_id);
      return readNewestFirst('mails', its, page, mailOf);
    },

    async find(id, options) {
      const found = mails().where('id', '=', id);
      const row = await (options?.for_update ? lockForUpdate(session, found) : found).executeTakeFirst();
      return row === undefined ? null : mailOf(row);
    },

    async restart({ id, ...mail }) {
      await db.updateTable('tallystick_mails').set(mail).where('id', '=', id).where('state', '<>', 'pending').execute();
    },

    async queue({ recipients, ...queued }) {
      if (recipients.length === 0) return;
      const mail = { ...queued, state: 'pending', attempts: 0, due_at_ms: queued.created_at_ms } as const;
      await db
        .insertInto('tallystick_mails')
        .values(recipients.map((recipient) => ({ ...mail, recipient })))
        .execute();
    },

    async claimDue(now_ms, lease, turns) {
      const { after_company_id, limit } = turns;
      const candidates = await findInTurn(session, now_ms, lease, { ...turns, to_company_id: Number.MAX_SAFE_INTEGER });
      if (candidates.length < limit && after_company_id > 0) {
        const others = { limit: limit - candidates.length, after_company_id: 0, to_company_id: after_company_id };
        candidates.push(...(await findInTurn(session, now_ms, lease, { ...turns, ...others })));
      }
      if (candidates.length === 0) return [];
      const skip_locked = dialect === 'postgres' ? sql`for update skip locked` : sql``;
      const { rows } = await sql<Selectable<Tables['tallystick_mails']>>`
        update tallystick_mails set lease = ${lease.token}, lease_until_machine_ms = ${lease.until_machine_ms}
        where id in (
          select id from tallystick_mails
          where ${isOneOf(dialect, 'id', candidates)} and state = 'pending' and ${isFree(lease)} ${skip_locked}
        ) returning *`.execute(db);
      const company_ids = [...new Set(rows.map((row) => row.company_id))];
      const companies = await db
        .selectFrom('tallystick_companies')
        .select(['id', 'full_details_in_mail'])
        .where(isOneOf(dialect, 'id', company_ids))
        .execute();
      const wants = new Map(companies.map(({ id, full_details_in_mail }) => [id, Boolean(full_details_in_mail)]));
      const claimed = new Map(rows.map((row) => [row.id, row]));
      return candidates.flatMap((id) => {
        const row = claimed.get(id);
        return row === undefined ? [] : [{ mail: mailOf(row), full_details: wants.get(row.company_id) ?? false }];
      });
    },

    async record(attempted) {
      if (attempted.length === 0) return;
      const rows = attempted.map(({ mail, lease }) => ({ ...mail, lease }));
      await sql`
        update tallystick_mails set state = n.state, attempts = n.attempts, first_attempt_at_ms = n.first_attempt_at_ms,
          due_at_ms = n.due_at_ms, finished_at_ms = n.finished_at_ms, error = n.error,
          lease = null, lease_until_machine_ms = null
        from ${jsonRows(dialect, recorded_columns, rows)} as n
        where tallystick_mails.id = n.id and tallystick_mails.lease = n.lease`.execute(db);
    },

    async backlog() {
      const row = await db
        .selectFrom('tallystick_mails')
        .select((eb) => [eb.fn.countAll<number>().as('pending'), eb.fn.min('due_at_ms').as('oldest_due_at_ms')])
        .where('state', '=', 'pending')
        .executeTakeFirstOrThrow();
      const { pending, oldest_due_at_ms } = row;
      return {
        pending: Number(pending),
        oldest_due_at_ms: oldest_due_at_ms === null ? null : Number(oldest_due_at_ms),
      };
    },
  };
}

const recorded_columns = {
  id: 'integer',
  state: 'text',
  attempts: 'integer',
  first_attempt_at_ms: 'integer',
  due_at_ms: 'integer',
  finished_at_ms: 'integer',
  error: 'text',
  lease: 'text',
} as const;

const isFree = ({ machine_ms }: Lease) =>
  sql<boolean>`(lease_until_machine_ms is null or lease_until_machine_ms <= ${machine_ms})`;

/**
 * The ids of mails to claim, of the companies with ids in this range. Walks from company to company
 * and reads the first due mails of each in the index, so that a long backlog of one costs the
 * others nothing.
 */
async function findInTurn(
  { db, dialect }: Session,
  now_ms: number,
  lease: Lease,
  { limit, per_company_max, after_company_id, to_company_id }: MailTurns & { readonly to_company_id: number },
): Promise<number[]> {
  const nextAfter = (company_id: RawBuilder<unknown>) => sql`select m.company_id from tallystick_mails m
    where m.state = 'pending' and m.company_id > ${company_id} and m.company_id <= ${to_company_id}
    order by m.company_id limit 1`;
  const lane = sql`select m.id, m.company_id, m.due_at_ms, m.lease_until_machine_ms from tallystick_mails m
    where m.company_id = t.company_id and m.state = 'pending' and m.due_at_ms <= ${now_ms}
    order by m.due_at_ms, m.id limit ${per_company_max}`;
  const of_each =
    dialect === 'postgres'
      ? sql`cross join lateral (${lane}) d`
      : sql`join tallystick_mails d on d.id in (select id from (${lane}))`;
  // A lane may be cut off and is not always in order, so one more lane is read than is needed.
  const { rows } = await sql<{ id: number; company_id: number; due_at_ms: number }>`
    with recursive turns (company_id) as (
      select * from (${nextAfter(sql`${after_company_id}`)}) as first_turn
      union all
      select (${nextAfter(sql`t.company_id`)}) from turns t where t.company_id is not null
    )
    select d.id, d.company_id, d.due_at_ms from turns t ${of_each}
    where ${isFree(lease)} limit ${limit + per_company_max - 1}`.execute(db);
  return [...Map.groupBy(rows, ({ company_id }) => company_id).values()]
    .flatMap((mails) => mails.toSorted((a, b) => a.due_at_ms - b.due_at_ms || a.id - b.id))
    .slice(0, limit)
    .map(({ id }) => id);
}

function mailOf({ lease: _, lease_until_machine_ms: __, ...row }: Selectable<Tables['tallystick_mails']>): Mail {
  return row;
}
