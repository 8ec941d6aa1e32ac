import type { Call } from '@tallystick/kernel';
import { applyClearings } from '../applying/apply-clearings.ts';
import { staged_phases } from '../import.ts';
import type { ImportRecord } from '../import-store.ts';
import type { ImportPorts, ImportTx } from '../ports.ts';
import { decideStatements } from '../statements/decide-statements.ts';
import { recordLines } from '../statements/record-lines.ts';
import { isClaimed } from './import-lease.ts';
import { type ImportOptions, ImportRun } from './import-run.ts';

/**
 * Ends a claimed import whose whole file is staged. Calls `onStaged` when its records begin to be
 * applied. Rejects with `LeaseLost` when another process continues it.
 */
export async function finishImport(run: ImportRun, begun: ImportRecord): Promise<ImportRecord> {
  if (begun.phase === 'applying') {
    run.options.onStaged?.(begun);
    return await applyClearings(run, begun);
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
export function finishDead(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  id: number,
  options: Pick<ImportOptions, 'signal'>,
): Promise<ImportRecord | null> {
  return claimAndFinish(new ImportRun(ports, call, options), id, async (record) => {
    if (record.phase === null || !staged_phases.includes(record.phase) || isClaimed(record, ports)) return null;
    // A check begins again with its turn.
    return { ...record, phase: record.phase === 'checking' ? 'queued' : record.phase };
  });
}

/** Claims a staged import as `begin` returns it, and ends it. Null: `begin` returned null. */
export async function claimAndFinish(
  run: ImportRun,
  id: number,
  begin: (record: ImportRecord, tx: ImportTx) => Promise<ImportRecord | null>,
): Promise<ImportRecord | null> {
  const claimed = await run.ports.unitOfWork.run(async (tx) => {
    const record = await tx.imports.lock(id);
    const begun = record === null ? null : await begin(record, tx);
    if (begun === null) return null;
    const ours: ImportRecord = { ...begun, lease: run.claim.renewed() };
    await tx.imports.update(ours);
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
