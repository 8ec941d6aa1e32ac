import {
  type AuditChainRow,
  type AuditChainStore,
  assert,
  type SealedAuditRow,
  unsealed_count_max,
} from '@tallystick/kernel';
import { sql } from 'kysely';
import { lockForUpdate, type Session } from '../../connection/session.ts';
import { jsonRows } from '../queries/json-rows.ts';

const chain_columns = [
  'number',
  'link',
  'removed_number',
  'removed_link',
  'accepted_number',
  'mac',
] as const satisfies readonly (keyof AuditChainRow)[];

export function auditChainStore(session: Session): AuditChainStore {
  const { db, dialect } = session;
  const chain = () => db.selectFrom('tallystick_audit_chain').select(chain_columns).where('id', '=', 1);
  const unsealed = () => db.selectFrom('tallystick_audit_entries').where('number', 'is', null).orderBy('id');

  async function write(row: AuditChainRow): Promise<void> {
    const { numUpdatedRows } = await db
      .updateTable('tallystick_audit_chain')
      .set(row)
      .where('id', '=', 1)
      .executeTakeFirst();
    assert(numUpdatedRows === 1n, 'the row of the audit chain is missing');
  }

  return {
    write,

    async read() {
      return (await chain().executeTakeFirst()) ?? null;
    },

    async lock() {
      return (await lockForUpdate(session, chain()).executeTakeFirst()) ?? null;
    },

    async isWaiting() {
      return (await unsealed().select('id').limit(1).executeTakeFirst()) !== undefined;
    },

    async countUnsealed() {
      const oldest = await unsealed().select('at_ms').limit(1).executeTakeFirst();
      const counted = await db
        .selectFrom(unsealed().select('id').limit(unsealed_count_max).as('waiting'))
        .select((eb) => eb.fn.countAll().as('count'))
        .executeTakeFirstOrThrow();
      return { count: Number(counted.count), oldest_at_ms: oldest?.at_ms ?? null };
    },

    unsealed: (limit) => unsealed().selectAll().limit(limit).execute(),

    async seal(seals, row) {
      const columns = { id: 'integer', content_hash: 'text', number: 'integer', link: 'text' } as const;
      const { numAffectedRows } = await sql`
        update tallystick_audit_entries set content_hash = s.content_hash, number = s.number, link = s.link
        from ${jsonRows(dialect, columns, seals)} as s
        where tallystick_audit_entries.id = s.id and tallystick_audit_entries.number is null`.execute(db);
      assert(Number(numAffectedRows) === seals.length, 'an audit entry is sealed already');
      await write(row);
    },

    async sealedAfter(after, limit) {
      let found = db.selectFrom('tallystick_audit_entries').selectAll().where('number', 'is not', null);
      if (after !== null) {
        found = found
          .where('number', '>=', after.number)
          .where((eb) => eb.or([eb('number', '>', after.number), eb('id', '>', after.id)]));
      }
      return (await found.orderBy('number').orderBy('id').limit(limit).execute()) as SealedAuditRow[];
    },
  };
}
