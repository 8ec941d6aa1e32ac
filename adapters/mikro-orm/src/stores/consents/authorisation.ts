import { type AuthorisationStore, grant_model, interaction_model } from '@tallystick/consents';
import { sql } from 'kysely';
import { lockForUpdate, lockOrSkip, type Session } from '../../connection/session.ts';

export function authorisationStore(session: Session): AuthorisationStore {
  const { db } = session;
  const recordsBy = (column: 'grant_id' | 'consent_id' | 'client_id', value: string) =>
    db.deleteFrom('tallystick_authorisation_records').where(column, '=', value);
  return {
    async put(record) {
      await db
        .insertInto('tallystick_authorisation_records')
        .values(record)
        .onConflict((conflict) =>
          conflict.columns(['model', 'id_hash']).doUpdateSet((eb) => ({
            payload_sealed: eb.ref('excluded.payload_sealed'),
            client_id: eb.ref('excluded.client_id'),
            consent_id: eb.ref('excluded.consent_id'),
            user_id: eb.ref('excluded.user_id'),
            grant_id: eb.ref('excluded.grant_id'),
            expires_at_ms: eb.ref('excluded.expires_at_ms'),
            ends_by: eb.ref('excluded.ends_by'),
            consumed_at_ms: sql<
              number | null
            >`coalesce(tallystick_authorisation_records.consumed_at_ms, excluded.consumed_at_ms)`,
          })),
        )
        .execute();
    },

    async putNew(record) {
      const inserted = await db
        .insertInto('tallystick_authorisation_records')
        .values(record)
        .onConflict((conflict) => conflict.columns(['model', 'id_hash']).doNothing())
        .returning('id')
        .executeTakeFirst();
      return inserted !== undefined;
    },

    async find(model, id_hash) {
      const row = await db
        .selectFrom('tallystick_authorisation_records')
        .selectAll()
        .where('model', '=', model)
        .where('id_hash', '=', id_hash)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { id: _, ...record } = row;
      return record;
    },

    async consume(model, id_hash, now_ms) {
      // A second caller waits for the commit of the first, reads the row again, and finds it used.
      const { numUpdatedRows } = await db
        .updateTable('tallystick_authorisation_records')
        .set({ consumed_at_ms: now_ms })
        .where('model', '=', model)
        .where('id_hash', '=', id_hash)
        .where('consumed_at_ms', 'is', null)
        .executeTakeFirst();
      return Number(numUpdatedRows) === 1;
    },

    async grantsEnd(consent_id) {
      const row = await db
        .selectFrom('tallystick_authorisation_records')
        .select('expires_at_ms')
        .where('consent_id', '=', consent_id)
        .where('model', '=', grant_model)
        .orderBy('expires_at_ms', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.expires_at_ms ?? null;
    },

    async end(model, id_hash) {
      await db
        .deleteFrom('tallystick_authorisation_records')
        .where('model', '=', model)
        .where('id_hash', '=', id_hash)
        .execute();
    },

    async endByGrant(grant_id) {
      await recordsBy('grant_id', grant_id).execute();
    },

    async endByConsent(consent_id) {
      await recordsBy('consent_id', consent_id).where('model', '<>', interaction_model).execute();
    },

    async endByClient(client_id) {
      await recordsBy('client_id', client_id).execute();
    },

    async purge(before, limit) {
      const ended = db
        .selectFrom('tallystick_authorisation_records')
        .select('id')
        // A bound for the index: the next condition alone would read every record.
        .where('expires_at_ms', '<', Math.max(before.service, before.machine))
        .where(
          sql<boolean>`expires_at_ms < case ends_by when 'machine' then cast(${before.machine} as bigint) else cast(${before.service} as bigint) end`,
        )
        .orderBy('expires_at_ms')
        .limit(limit);
      const { numDeletedRows } = await db
        .deleteFrom('tallystick_authorisation_records')
        .where('id', 'in', lockOrSkip(session, ended))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },

    async listSealed(after_id, limit) {
      const later = db
        .selectFrom('tallystick_authorisation_records')
        .select(['id', 'model', 'id_hash', 'payload_sealed'])
        .where('id', '>', after_id)
        .orderBy('id')
        .limit(limit);
      return await lockForUpdate(session, later).execute();
    },

    async replaceSealed(id, payload_sealed) {
      await db.updateTable('tallystick_authorisation_records').set({ payload_sealed }).where('id', '=', id).execute();
    },
  };
}
