import { LeaseLost } from '@tallystick/cards';
import type { Call } from '@tallystick/kernel';
import { type Import, staged_phases } from '../import.ts';
import type { ImportRecord } from '../import-store.ts';
import type { ImportPorts } from '../ports.ts';
import { applyWaiting } from '../statements/apply-waiting.ts';
import { finishDead } from './finish-import.ts';
import { isClaimed } from './import-lease.ts';
import { ImportStopped } from './import-run.ts';

/** The most imports that one call ends. */
const dead_max = 100;

/** For so long a file whose process died while it was staged can be continued: a day. */
const staged_ms_max = 24 * 60 * 60 * 1_000;

/** The settings of `continueImports`. */
export interface ContinueOptions {
  /**
   * Aborted: it stops after the batch in progress or before the next import, with `ImportStopped`
   * unless one could not be ended before.
   */
  readonly signal?: AbortSignal | undefined;
  /** Called with each import that it ended. Must not throw. */
  readonly onEnded?: ((ended: Import) => void) | undefined;
  /** Called with each import of which it applied held statements: what they waited for is there. */
  readonly onWaitingEnded?: ((ended: Import) => void) | undefined;
}

/**
 * Ends imports whose process died. What was staged whole is applied. A stream is removed, because
 * its bytes are gone. A file that began to be staged more than a day ago ends as `truncated`. Then
 * applies held statements that waited for an account or a statement that is there now. Returns how
 * many imports it ended. When some cannot be ended, it ends the others, and then rejects with the
 * first reason.
 */
export async function continueImports(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  { signal, onEnded, onWaitingEnded }: ContinueOptions = {},
): Promise<number> {
  await removeDeadStreams(ports);
  let ended = 0;
  const failures: unknown[] = [];
  for (const { id, phase } of await listDead(ports)) {
    try {
      if (signal?.aborted) throw new ImportStopped();
      const is_staged = phase !== null && staged_phases.includes(phase);
      const end = is_staged ? await finishDead(ports, call, id, { signal }) : await abandon(ports, call, id);
      if (end === null) continue;
      ended += 1;
      onEnded?.(end);
    } catch (error) {
      if (!(error instanceof LeaseLost)) failures.push(error);
    }
  }
  try {
    ended += await applyWaiting(ports, call, { signal, onWaitingEnded });
  } catch (error) {
    failures.push(error);
  }
  if (failures.length > 0) throw failures[0];
  return ended;
}

/** Ends an import that nobody continued in time. Null: it can still be continued, or is. */
async function abandon(ports: ImportPorts, { now_ms }: Omit<Call, 'company_id'>, id: number): Promise<Import | null> {
  return await ports.unitOfWork.run(async ({ imports }) => {
    const record = await imports.lock(id);
    if (record?.phase !== 'staging' || isClaimed(record, ports)) return null;
    if (now_ms - record.started_at_ms < staged_ms_max) return null;
    const message = 'the process that read the file ended before the end of the file; import the file again';
    const problem = { code: 'reading_abandoned', message, offset: null };
    const ended: ImportRecord = {
      ...record,
      status: 'truncated',
      phase: null,
      problem,
      finished_at_ms: now_ms,
      lease: null,
    };
    await imports.removeStaged(id);
    await imports.update(ended);
    return ended;
  });
}

/** Removes staged streams whose process died: their bytes are gone. */
export async function removeDeadStreams(ports: ImportPorts): Promise<void> {
  for (const { id, sha256 } of await listDead(ports)) {
    if (sha256 !== null) continue;
    await ports.unitOfWork.run(async ({ imports }) => {
      const record = await imports.lock(id);
      if (record !== null && record.sha256 === null && !isClaimed(record, ports)) await imports.remove(id);
    });
  }
}

function listDead({ unitOfWork, machine_clock }: ImportPorts): Promise<readonly ImportRecord[]> {
  return unitOfWork.read(({ imports }) => imports.listDead(machine_clock.nowMs(), dead_max));
}
