import type { Random } from '../secrets/secrets.ts';
import { drawLeaseToken } from '../transactions/lease.ts';
import type { UnitOfWork } from '../transactions/unit-of-work.ts';
import {
  type RetentionBatch,
  type RetentionBounds,
  type RetentionKind,
  type RetentionProgress,
  type RetentionStore,
  type RowArchive,
  walked_kinds,
} from './retention-store.ts';

/** How long a process may take for one step, machine time. */
const lease_ms = 60_000;

/**
 * The time after which rows that had to stay are examined again, milliseconds of the service's
 * clock.
 */
const walk_ms = 24 * 60 * 60 * 1_000;

export interface PurgePorts {
  readonly unitOfWork: UnitOfWork<{ readonly retention: RetentionStore }>;
  /** Null: rows are removed without an archive. */
  readonly archive: RowArchive | null;
  readonly random: Random;
  /** Milliseconds of machine time. */
  readonly machineNow: () => number;
  /**
   * Called after each step with the number of removed rows and the time that the step took.
   * Resolves with false to end the run; the next one continues.
   */
  readonly afterStep: (removed: number, took_ms: number) => Promise<boolean>;
}

/**
 * Archives and removes the rows of a kind whose retention time is over, step by step. Resolves with
 * their number, or with null when another process is at work on this kind.
 *
 * A step reads rows, writes them to the archive, and removes them in one transaction together with
 * the progress. So a crash at any point loses no row: it is in the database or in the archive. It
 * may be in the archive twice. When the archive fails, nothing is removed, and the error is thrown.
 */
export async function purgeRows(
  ports: PurgePorts,
  kind: RetentionKind,
  bounds: RetentionBounds,
): Promise<number | null> {
  const { unitOfWork, archive, random, machineNow, afterStep } = ports;
  if (await isIdle(ports, kind, bounds)) return 0;
  const token = drawLeaseToken(random);
  const lease = () => ({ token, machine_ms: machineNow(), until_machine_ms: machineNow() + lease_ms });
  const claimed = await unitOfWork.run((tx) => tx.retention.claim(kind, lease(), bounds.now_ms));
  if (claimed === null) return null;
  let progress = beginRun(kind, claimed, bounds.now_ms);
  let sum = 0;
  try {
    for (let goes_on = true; goes_on; ) {
      const began_ms = machineNow();
      const batch = await unitOfWork.read((tx) => tx.retention.due(kind, bounds, progress.after_id));
      if (batch.rows.length > 0) await archive?.write(kind, batch.rows);
      const { removed, next } = await unitOfWork.run(async (tx) => {
        const removed = batch.rows.length === 0 ? 0 : await tx.retention.remove(kind, bounds, batch.rows);
        const next = walked_kinds.has(kind) ? advance(progress, batch, removed) : progress;
        if (!(await tx.retention.save(kind, lease(), next))) throw new LeaseLost();
        return { removed, next };
      });
      progress = next;
      sum += removed;
      const is_stuck = removed === 0 && batch.rows.length > 0;
      goes_on = (await afterStep(removed, machineNow() - began_ms)) && !batch.is_last && !is_stuck;
    }
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  } finally {
    await unitOfWork.run((tx) => tx.retention.release(kind, lease())).catch(() => undefined);
  }
  return sum;
}

/** Whether nothing is due. Most runs find nothing, and then write nothing. */
async function isIdle({ unitOfWork }: PurgePorts, kind: RetentionKind, bounds: RetentionBounds): Promise<boolean> {
  return await unitOfWork.read(async ({ retention }) => {
    const progress = await retention.progress(kind);
    const after = progress === null ? 0 : beginRun(kind, progress, bounds.now_ms).after_id;
    const { rows, is_last } = await retention.due(kind, bounds, after);
    return is_last && rows.length === 0;
  });
}

/**
 * The number of rows that a purge would remove now. Changes nothing. `afterBatch` is called with
 * the number so far.
 */
export async function countDueRows(
  { unitOfWork }: Pick<PurgePorts, 'unitOfWork'>,
  kind: RetentionKind,
  bounds: RetentionBounds,
  afterBatch: (count: number) => void,
): Promise<number> {
  let count = 0;
  for (let after = 0, goes_on = true; goes_on; ) {
    const batch = await unitOfWork.read((tx) => tx.retention.due(kind, bounds, after));
    count += batch.rows.length;
    afterBatch(count);
    goes_on = !batch.is_last;
    after = batch.after;
  }
  return count;
}

/** Another process took the kind over: this one was stopped for longer than its lease. */
class LeaseLost extends Error {}

/**
 * The progress with which a run begins: a new walk examines rows again that had to stay. A kind
 * that is not walked has no progress, because its due rows are found by their time.
 */
function beginRun(kind: RetentionKind, progress: RetentionProgress, now_ms: number): RetentionProgress {
  const { after_id, left_id, began_at_ms } = progress;
  if (!walked_kinds.has(kind)) return { after_id: 0, left_id: null, began_at_ms };
  if (now_ms - began_at_ms < walk_ms) return progress;
  return { after_id: left_id === null ? after_id : left_id - 1, left_id: null, began_at_ms: now_ms };
}

/**
 * The progress of a walk after a batch. When fewer rows were removed than the batch has, any of
 * them may have stayed, so the next walk begins before the first. Rows of walked kinds have ids.
 */
function advance(progress: RetentionProgress, batch: RetentionBatch, removed: number): RetentionProgress {
  const skipped = removed < batch.rows.length ? batch.rows.map(({ id }) => Number(id)) : [];
  const left = [progress.left_id, batch.left_id, ...skipped].filter((id) => id !== null);
  return { ...progress, after_id: batch.after, left_id: left.length === 0 ? null : Math.min(...left) };
}
