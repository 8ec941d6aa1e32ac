import type { Call } from '@tallystick/kernel';
import { applyImport } from './apply-import.ts';
import { staged_phases } from './import.ts';
import { isClaimed } from './import-lease.ts';
import type { ImportPorts } from './import-ports.ts';
import { type ImportOptions, ImportRun } from './import-run.ts';
import type { ImportRecord } from './import-store.ts';
import { decideStatements } from './statements/decide-statements.ts';
import { recordLines } from './statements/record-lines.ts';

/**
 * Ends a claimed import whose whole file is staged. Calls `onStaged` when its records begin to be
 * applied. Rejects with `LeaseLost` when another process continues it.
 */
export async function finishImport(run: ImportRun, begun: ImportRecord): Promise<ImportRecord> {
  if (begun.phase === 'applying') {
    run.options.onStaged?.(begun);
    return await applyImport(run, begun);
  }
  const finishOther = async ({ id }: ImportRecord): Promise<void> => {
    await finishDead(run.ports, run.call, id, { signal: run.options.signal });
  };
  const decided = begun.phase === 'recording' ? begun : await decideStatements(run, begun, finishOther);
  if (decided.status !== 'running') return decided;
  run.options.onStaged?.(decided);
  return await recordLines(run, decided);
}

/** Ends a staged import whose process died. Null: another process is at work on it. */
export async function finishDead(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  id: number,
  options: Pick<ImportOptions, 'signal'>,
): Promise<ImportRecord | null> {
  const run = new ImportRun(ports, call, options);
  const claimed = await ports.unitOfWork.run(async ({ imports }) => {
    const record = await imports.lock(id);
    if (record === null || record.phase === null || !staged_phases.includes(record.phase)) return null;
    if (isClaimed(record, ports)) return null;
    // A check begins again with its turn.
    const phase = record.phase === 'checking' ? 'queued' : record.phase;
    const ours: ImportRecord = { ...record, phase, lease: run.claim.renewed() };
    await imports.update(ours);
    return ours;
  });
  if (claimed === null) return null;
  run.claim.keep(id);
  try {
    return await finishImport(run, claimed);
  } finally {
    await run.claim.release();
  }
}
