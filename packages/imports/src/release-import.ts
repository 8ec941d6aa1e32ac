import { readReleaseNote } from '@tallystick/cards';
import { auditEntry, type Call, Refusal } from '@tallystick/kernel';
import { type ImportOutcome, proceed } from './import-file.ts';
import type { ImportPorts } from './import-ports.ts';
import { type ImportOptions, ImportRun } from './import-run.ts';
import type { ImportRecord } from './import-store.ts';
import { requireImport } from './manage-imports.ts';

/**
 * Applies a held import. Writes the audit log. Refuses `not_found`, `conflict` unless it is held,
 * and `validation_failed` without a note. Rejects with `ImportStopped` when the signal is aborted:
 * after `onStaged` it is released, and `continueImports` applies the rest.
 */
export async function releaseImport(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  id: number,
  note: string,
  options: Pick<ImportOptions, 'signal' | 'onProgress' | 'onStaged'> = {},
): Promise<ImportOutcome> {
  const kept_note = readReleaseNote({ note });
  const run = new ImportRun(ports, call, options);
  const released = await ports.unitOfWork.run(async ({ imports, audit }) => {
    const record = requireImport(await imports.lock(id), id);
    if (record.status !== 'held') {
      throw new Refusal('conflict', `import ${id} is ${record.status}; only a held one can be released`);
    }
    const details = { note: kept_note, reason: record.problem?.code ?? null };
    await audit.record(
      auditEntry({ ...call, company_id: null }, 'import.released', `import:${id}`, details),
      call.now_ms,
    );
    const applying: ImportRecord = {
      ...record,
      status: 'running',
      phase: 'applying',
      problem: null,
      finished_at_ms: null,
      note: kept_note,
      lease: run.claim.renewed(),
    };
    await imports.update(applying);
    return applying;
  });
  try {
    return await proceed(run, { kind: 'apply', import: released });
  } finally {
    await run.claim.release();
  }
}
