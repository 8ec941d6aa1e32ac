import { type QuarantinedRecord, readReleaseNote } from '@tallystick/cards';
import { auditEntry, type Call, type Page, type PageRequest, Refusal, reseal, resealAll } from '@tallystick/kernel';
import type { Import } from './import.ts';
import { type ImportOutcome, proceed } from './import-file.ts';
import { isClaimed } from './import-lease.ts';
import type { ImportPorts, ImportTx } from './import-ports.ts';
import { type ImportOptions, ImportRun } from './import-run.ts';
import type { ImportFilter, ImportRecord } from './import-store.ts';
import { staged_purpose } from './staged-record.ts';

type ReadTx = Pick<ImportTx, 'imports' | 'quarantine'>;

/** The imports that match the filter, the highest id first. */
export function listImports(tx: ReadTx, filter: ImportFilter, page: PageRequest): Promise<Page<Import>> {
  return tx.imports.list(filter, page);
}

/** One import. Refuses `not_found`. */
export async function readImport(tx: ReadTx, id: number): Promise<Import> {
  return requireImport(await tx.imports.find(id), id);
}

/** The same, and whether a process may be at work on it. */
export async function inspectImport(
  ports: Pick<ImportPorts, 'unitOfWork' | 'machine_clock'>,
  id: number,
): Promise<{ readonly import: Import; readonly is_claimed: boolean }> {
  const record = await ports.unitOfWork.read(async ({ imports }) => requireImport(await imports.find(id), id));
  return { import: record, is_claimed: isClaimed(record, ports) };
}

/** The quarantined records of an import, newest first. Refuses `not_found`. */
export async function listImportQuarantine(
  tx: ReadTx,
  id: number,
  page: PageRequest,
): Promise<Page<QuarantinedRecord>> {
  requireImport(await tx.imports.find(id), id);
  return await tx.quarantine.list({ import_id: id }, page);
}

/** The import, if it exists. Refuses `not_found`. */
export function requireImport(record: ImportRecord | null, id: number): ImportRecord {
  if (record === null) throw new Refusal('not_found', `there is no import ${id}`);
  return record;
}

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
  options: Pick<ImportOptions, 'signal' | 'onStaged'> = {},
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

/**
 * Seals the staged batches again that an older key of the ring sealed. Returns how many. Part of a
 * key rotation.
 */
export function resealImports({ unitOfWork, sealer }: Pick<ImportPorts, 'unitOfWork' | 'sealer'>): Promise<number> {
  return resealAll(unitOfWork, {
    next: ({ imports }, after_id) => imports.batchesAfter(after_id, 10),
    async reseal({ imports }, { id, sealed }) {
      const resealed = reseal(sealer, staged_purpose, sealed);
      if (resealed === null) return 0;
      await imports.reseal(id, resealed);
      return 1;
    },
  });
}
