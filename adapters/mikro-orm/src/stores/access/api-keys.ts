import type { ApiKey, ApiKeyStore } from '@tallystick/access';
import type { Selectable } from 'kysely';
import { lockForUpdate, type Session, type Tables } from '../../connection/session.ts';
import { isOneOf } from '../queries/json-rows.ts';
import { readNewestFirst } from '../queries/paging.ts';

export function apiKeyStore(session: Session): ApiKeyStore {
  const { db } = session;
  return {
    async insert(key) {
      const row = await db
        .insertInto('tallystick_api_keys')
        .values({
          company_id: key.company_id,
          role: key.role,
          environment: key.environment,
          name: key.name,
          secret_sha256: key.secret_sha256,
          signing_secret_sealed: key.signing_secret_sealed,
          rate_limit_per_minute: key.rate_limit_per_minute,
          created_at_ms: key.created_at_ms,
          revoked_at_ms: key.revoked_at_ms,
          expires_at_ms: key.expires_at_ms,
          last_used_at_ms: key.last_used_at_ms,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return apiKeyOf(row);
    },

    async find(id, { for_update = false } = {}) {
      const found = db.selectFrom('tallystick_api_keys').selectAll().where('id', '=', id);
      const row = await (for_update ? lockForUpdate(session, found) : found).executeTakeFirst();
      return row === undefined ? null : apiKeyOf(row);
    },

    async findByIds(ids) {
      if (ids.length === 0) return [];
      const query = db
        .selectFrom('tallystick_api_keys')
        .selectAll()
        .where(isOneOf(session.dialect, 'id', ids));
      return (await query.execute()).map(apiKeyOf);
    },

    async update({ id, name, rate_limit_per_minute, expires_at_ms }) {
      await db
        .updateTable('tallystick_api_keys')
        .set({ name, rate_limit_per_minute, expires_at_ms })
        .where('id', '=', id)
        .execute();
    },

    async recordUses(uses) {
      for (const { id, last_used_at_ms } of uses) {
        await db
          .updateTable('tallystick_api_keys')
          .set({ last_used_at_ms })
          .where('id', '=', id)
          .where((eb) => eb.or([eb('last_used_at_ms', 'is', null), eb('last_used_at_ms', '<', last_used_at_ms)]))
          .execute();
      }
    },

    list({ company_id }, page) {
      const all = db.selectFrom('tallystick_api_keys').selectAll();
      const query = company_id === undefined ? all : all.where('company_id', '=', company_id);
      return readNewestFirst('api_keys', query, page, apiKeyOf);
    },

    async revoke(id, at_ms) {
      const { numUpdatedRows } = await db
        .updateTable('tallystick_api_keys')
        .set((eb) => ({ revoked_at_ms: eb.fn.coalesce('revoked_at_ms', eb.val(at_ms)) }))
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async withSigningSecret(after_id, limit) {
      const query = db
        .selectFrom('tallystick_api_keys')
        .selectAll()
        .where('id', '>', after_id)
        .where('signing_secret_sealed', 'is not', null)
        .orderBy('id')
        .limit(limit);
      return (await lockForUpdate(session, query).execute()).map(apiKeyOf);
    },

    async reseal(id, signing_secret_sealed) {
      await db.updateTable('tallystick_api_keys').set({ signing_secret_sealed }).where('id', '=', id).execute();
    },
  };
}

function apiKeyOf(row: Selectable<Tables['tallystick_api_keys']>): ApiKey {
  return row;
}
