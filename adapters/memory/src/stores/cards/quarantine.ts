import type { AppliedRecord, QuarantineStore, UnknownNumberStore } from '@tallystick/cards';
import { countsAfterReplay } from '@tallystick/imports';
import { newestFirst, oldestAfter } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';

export function quarantineStore({ quarantine, imports }: State): QuarantineStore {
  const openOf = (id: number) =>
    quarantine.values().filter((row) => row.import_id === id && row.status === 'quarantined');

  /** The record as it was; undefined when it is not open. */
  function markApplied({ id, clearing_id }: AppliedRecord, at_ms: number) {
    const row = quarantine.get(id);
    if (row?.status !== 'quarantined') return undefined;
    quarantine.set(id, { ...row, status: 'applied', clearing_id, applied_at_ms: at_ms });
    return row;
  }

  function countAgain(import_id: number | null, marked: readonly AppliedRecord[]): void {
    const row = import_id === null ? undefined : imports.get(import_id);
    if (row !== undefined) imports.set(row.id, { ...row, ...countsAfterReplay(row, marked, openOf(row.id).length) });
  }

  return {
    async find(id) {
      return quarantine.get(id) ?? null;
    },
    async list({ status, reason, import_id }, page) {
      const found = quarantine
        .values()
        .filter((row) => (status ?? row.status) === row.status && (reason ?? row.reason) === row.reason)
        .filter((row) => (import_id ?? row.import_id) === row.import_id);
      return newestFirst('quarantine', found, page);
    },
    async apply(applied, at_ms) {
      const row = markApplied(applied, at_ms);
      if (row === undefined) return false;
      countAgain(row.import_id, [applied]);
      return true;
    },
    async applyOfImport(import_id, applied, at_ms) {
      const own = applied.filter(({ id }) => quarantine.get(id)?.import_id === import_id);
      countAgain(
        import_id,
        own.filter((record) => markApplied(record, at_ms) !== undefined),
      );
    },
    async openOfImport(import_id, after_ordinal, limit) {
      const open = openOf(import_id).filter(({ ordinal }) => (ordinal ?? 0) > after_ordinal);
      return open.sort((a, b) => a.ordinal! - b.ordinal!).slice(0, limit);
    },
    async countOpen() {
      return quarantine.values().filter(({ status }) => status === 'quarantined').length;
    },
    async listAfter(after_id, limit) {
      return oldestAfter(quarantine.values(), after_id, limit);
    },
    async reseal(id, message_sealed) {
      quarantine.change(id, { message_sealed });
    },
  };
}

export function unknownNumberStore({ unknown_numbers }: State): UnknownNumberStore {
  return {
    async purge(before_ms, limit) {
      const old = unknown_numbers.entries().filter(([, { recorded_at_ms }]) => recorded_at_ms < before_ms);
      const purged = old.slice(0, limit);
      for (const [key] of purged) unknown_numbers.delete(key);
      return purged.length;
    },
  };
}
