import type { Mail, MailStore } from '@tallystick/cards';
import { type Selectable, sql } from 'kysely';
import { lockForUpdate, type Session, type Tables } from '../connection/session.ts';
import { isOneOf, jsonRows } from './json-rows.ts';
import { readNewestFirst } from './paging.ts';

/** Mails to send and their outcomes. */
export function mailStore(session: Session): MailStore {
  const { db, dialect } = session;
  const mails = () => db.selectFrom('mails').selectAll();
  return {
    list({ state, company_id }, page) {
      let its = mails();
      if (state !== undefined) its = its.where('state', '=', state);
      if (company_id !== undefined) its = its.where('company_id', '=', company_id);
      return readNewestFirst('mails', its, 'id', page, mailOf);
    },

    async find(id, options) {
      const found = mails().where('id', '=', id);
      const row = await (options?.for_update ? lockForUpdate(session, found) : found).executeTakeFirst();
      return row === undefined ? null : mailOf(row);
    },

    async restart({ id, ...mail }) {
      await db.updateTable('mails').set(mail).where('id', '=', id).where('state', '<>', 'pending').execute();
    },

    async queue({ company_id, card_id, kind, recipients, created_at_ms }) {
      if (recipients.length === 0) return;
      const state = 'pending';
      const mail = { company_id, card_id, kind, state, attempts: 0, due_at_ms: created_at_ms, created_at_ms } as const;
      await db
        .insertInto('mails')
        .values(recipients.map((recipient) => ({ ...mail, recipient })))
        .execute();
    },

    async claimDue(now_ms, limit, lease) {
      const skip_locked = dialect === 'postgres' ? sql`for update skip locked` : sql``;
      const { rows } = await sql<Selectable<Tables['mails']>>`
        update mails set lease = ${lease.token}, lease_until_machine_ms = ${lease.until_machine_ms}
        where id in (
          select id from mails
          where state = 'pending' and due_at_ms <= ${now_ms}
            and (lease_until_machine_ms is null or lease_until_machine_ms <= ${lease.machine_ms})
          order by due_at_ms, id limit ${limit} ${skip_locked}
        ) returning *`.execute(db);
      if (rows.length === 0) return [];
      const company_ids = [...new Set(rows.map((row) => row.company_id))];
      const companies = await db
        .selectFrom('companies')
        .select(['id', 'full_details_in_mail'])
        .where(isOneOf(dialect, 'id', company_ids))
        .execute();
      const wants = new Map(companies.map(({ id, full_details_in_mail }) => [id, Boolean(full_details_in_mail)]));
      return rows
        .toSorted((a, b) => a.due_at_ms! - b.due_at_ms! || a.id - b.id)
        .map((row) => ({ mail: mailOf(row), full_details: wants.get(row.company_id) ?? false }));
    },

    async record(mails, lease_token) {
      if (mails.length === 0) return;
      await sql`
        update mails set state = n.state, attempts = n.attempts, first_attempt_at_ms = n.first_attempt_at_ms,
          due_at_ms = n.due_at_ms, finished_at_ms = n.finished_at_ms, error = n.error,
          lease = null, lease_until_machine_ms = null
        from ${jsonRows(dialect, recorded_columns, mails)} as n
        where mails.id = n.id and mails.lease = ${lease_token}`.execute(db);
    },

    async backlog() {
      const row = await db
        .selectFrom('mails')
        .select((eb) => [eb.fn.countAll<number>().as('pending'), eb.fn.min('due_at_ms').as('oldest_due_at_ms')])
        .where('state', '=', 'pending')
        .executeTakeFirstOrThrow();
      const { pending, oldest_due_at_ms } = row;
      return {
        pending: Number(pending),
        oldest_due_at_ms: oldest_due_at_ms === null ? null : Number(oldest_due_at_ms),
      };
    },

    async purgeSent(before_ms, limit) {
      const old = db
        .selectFrom('mails')
        .select('id')
        .where('state', '=', 'sent')
        .where('finished_at_ms', '<', before_ms)
        .orderBy('finished_at_ms')
        .limit(limit);
      const { numDeletedRows } = await db
        .deleteFrom('mails')
        .where('id', 'in', lockForUpdate(session, old))
        .executeTakeFirst();
      return Number(numDeletedRows);
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
} as const;

function mailOf({ lease: _, lease_until_machine_ms: __, ...row }: Selectable<Tables['mails']>): Mail {
  return row;
}
