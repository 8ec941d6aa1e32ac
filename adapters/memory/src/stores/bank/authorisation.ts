import {
  type AuthorisationRecord,
  type AuthorisationStore,
  grant_model,
  interaction_model,
} from '@tallystick/consents';
import { oldestAfter } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';

export function authorisationStore({ authorisation_records: records }: State): AuthorisationStore {
  const rowOf = (model: string, id_hash: string) =>
    records.values().find((row) => row.model === model && row.id_hash === id_hash);
  const insert = (record: AuthorisationRecord): void => {
    records.insert(record);
  };
  const endWhere = (isEnded: (row: AuthorisationRecord) => boolean): void => {
    for (const row of records.values()) if (isEnded(row)) records.delete(row.id);
  };
  return {
    async put(record) {
      const stored = rowOf(record.model, record.id_hash);
      if (stored === undefined) return insert(record);
      const consumed_at_ms = stored.consumed_at_ms ?? record.consumed_at_ms;
      records.set(stored.id, { ...record, id: stored.id, consumed_at_ms });
    },

    async putNew(record) {
      if (rowOf(record.model, record.id_hash) !== undefined) return false;
      insert(record);
      return true;
    },

    async find(model, id_hash) {
      const found = rowOf(model, id_hash);
      if (found === undefined) return null;
      const { id: _, ...record } = found;
      return record;
    },

    async consume(model, id_hash, now_ms) {
      const found = rowOf(model, id_hash);
      if (found === undefined || found.consumed_at_ms !== null) return false;
      records.set(found.id, { ...found, consumed_at_ms: now_ms });
      return true;
    },

    grantsEnd: async (consent_id) =>
      records
        .values()
        .filter((row) => row.model === grant_model && row.consent_id === consent_id)
        .reduce<number | null>((last_ms, { expires_at_ms }) => Math.max(last_ms ?? 0, expires_at_ms ?? 0), null),

    end: async (model, id_hash) => endWhere((row) => row.model === model && row.id_hash === id_hash),
    endByGrant: async (grant_id) => endWhere((row) => row.grant_id === grant_id),
    endByConsent: async (consent_id) =>
      endWhere((row) => row.consent_id === consent_id && row.model !== interaction_model),
    endByClient: async (client_id) => endWhere((row) => row.client_id === client_id),

    async purge(before, limit) {
      const ended = records
        .values()
        .filter(({ expires_at_ms, ends_by }) => expires_at_ms !== null && expires_at_ms < before[ends_by])
        .slice(0, limit);
      for (const { id } of ended) records.delete(id);
      return ended.length;
    },

    async listSealed(after_id, limit) {
      return oldestAfter(records.values(), after_id, limit).map(({ id, model, id_hash, payload_sealed }) => ({
        id,
        model,
        id_hash,
        payload_sealed,
      }));
    },

    async replaceSealed(id, payload_sealed) {
      records.change(id, { payload_sealed });
    },
  };
}
