import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ArchivedRow,
  purgeRows,
  type RetentionKind,
  type RetentionProgress,
  type RetentionStore,
} from '../src/index.ts';

const day_ms = 24 * 60 * 60 * 1_000;

/** One due row of a kind, which another transaction has locked in the first run. */
function lockedRow(kind: RetentionKind, row: ArchivedRow) {
  const asked_after: number[] = [];
  const run = { is_locked: true, now_ms: 0 };
  let progress: RetentionProgress | null = null;
  let rows: readonly ArchivedRow[] = [row];
  const retention: RetentionStore = {
    claim: async (_, __, now_ms) => (progress ??= { after_id: 0, left_id: null, began_at_ms: now_ms }),
    progress: async () => progress,
    async due(_, __, after) {
      asked_after.push(after);
      return { rows, after: Number(row.id ?? 1), left_id: null, is_last: true };
    },
    async remove(_, __, removed) {
      if (run.is_locked) return 0;
      rows = [];
      return removed.length;
    },
    async save(_, __, next) {
      progress = next;
      return true;
    },
    release: async () => undefined,
  };
  const ports = {
    unitOfWork: {
      run: <Result>(work: (tx: { retention: RetentionStore }) => Promise<Result>) => work({ retention }),
      read: <Result>(work: (tx: { retention: RetentionStore }) => Promise<Result>) => work({ retention }),
    },
    archive: null,
    random: { bytes: (length: number) => new Uint8Array(length), below: () => 0 },
    machineNow: () => 0,
    afterStep: async () => true,
  };
  return { run, asked_after, purge: () => purgeRows(ports, kind, { before_ms: 0, now_ms: run.now_ms }) };
}

for (const [kind, row, after] of [
  ['events', { id: 5_000 }, 4_999],
  ['deliveries', { id: 5_000 }, 0],
  ['delivery_attempts', { delivery_id: 7, number: 1 }, 0],
] as const) {
  test(`a locked row of ${kind} is removed in a run of the next day`, async () => {
    const { run, asked_after, purge } = lockedRow(kind, row);
    assert.equal(await purge(), 0);
    Object.assign(run, { is_locked: false, now_ms: day_ms });
    asked_after.length = 0;
    assert.equal(await purge(), 1);
    assert.deepEqual([...new Set(asked_after)], [after]);
  });
}
