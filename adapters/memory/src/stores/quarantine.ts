import type { QuarantineStore } from '@tallystick/cards';
import { newestFirst } from '../storage/paging.ts';
import type { State } from '../storage/state.ts';

/** Messages that were refused and are kept. */
export function quarantineStore({ quarantine }: State): QuarantineStore {
  return {
    async find(id) {
      return quarantine.get(id) ?? null;
    },
    async list({ status, reason }, page) {
      const found = quarantine
        .values()
        .filter((row) => (status ?? row.status) === row.status && (reason ?? row.reason) === row.reason);
      return newestFirst('quarantine', found, page);
    },
    async apply(id, clearing_id, at_ms) {
      const row = quarantine.get(id);
      if (row?.status !== 'quarantined') return false;
      quarantine.set(id, { ...row, status: 'applied', clearing_id, applied_at_ms: at_ms });
      return true;
    },
    async countOpen() {
      return quarantine.values().filter(({ status }) => status === 'quarantined').length;
    },
    async listAfter(after_id, limit) {
      const later = quarantine.values().filter(({ id }) => id > after_id);
      return later.sort((a, b) => a.id - b.id).slice(0, limit);
    },
    async reseal(id, message_sealed) {
      const row = quarantine.get(id);
      if (row !== undefined) quarantine.set(id, { ...row, message_sealed });
    },
  };
}
