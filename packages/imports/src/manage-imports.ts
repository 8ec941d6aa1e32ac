import type { QuarantinedRecord } from '@tallystick/cards';
import { maskDigitRuns, type Page, type PageRequest, Refusal, reseal, resealAll } from '@tallystick/kernel';
import { excerptOfBytes } from './applying/fold-batch.ts';
import type { Import } from './import.ts';
import type { ImportFilter, ImportRecord } from './import-store.ts';
import { isClaimed } from './importing/import-lease.ts';
import type { ImportPorts, ImportTx } from './ports.ts';
import { openRecords, staged_purpose, stagedBatches } from './staging/staged-record.ts';
import type { ImportStatement, ImportStatementStatus } from './statements/import-statement.ts';

type ReadTx = Pick<ImportTx, 'imports' | 'quarantine'>;

/** The imports that match the filter, the highest id first. */
export function listImports(tx: ReadTx, filter: ImportFilter, page: PageRequest): Promise<Page<Import>> {
  return tx.imports.list(filter, page);
}

/** One import. Refuses `not_found`. */
export async function readImport(tx: ReadTx, id: number): Promise<Import> {
  return requireImport(await tx.imports.find(id), id);
}

/** One import, and whether a process may be at work on it. Refuses `not_found`. */
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

/** The statements of a file that an import read, the last of the file first. Refuses `not_found`. */
export async function listImportStatements(
  tx: ReadTx,
  filter: { readonly import_id: number; readonly status?: ImportStatementStatus },
  page: PageRequest,
): Promise<Page<ImportStatement>> {
  requireImport(await tx.imports.find(filter.import_id), filter.import_id);
  return await tx.imports.listStatements(filter, page);
}

/** The import, if it exists. Refuses `not_found`. */
export function requireImport(record: ImportRecord | null, id: number): ImportRecord {
  if (record === null) throw new Refusal('not_found', `there is no import ${id}`);
  return record;
}

/**
 * Seals the staged batches again that an older key of the ring sealed. Returns how many. Part of a
 * key rotation.
 */
export function resealImports({ unitOfWork, sealer }: Pick<ImportPorts, 'unitOfWork' | 'sealer'>): Promise<number> {
  return resealAll(unitOfWork, {
    first: { id: 0 },
    next: ({ imports }, { id }) => imports.batchesAfter(id, 10),
    async reseal({ imports }, { id, sealed }) {
      const resealed = reseal(sealer, staged_purpose, sealed);
      if (resealed === null) return 0;
      await imports.reseal(id, resealed);
      return 1;
    },
  });
}

/** A record of a file that is no clearing, as people see it. */
export interface ShownOtherRecord {
  readonly ordinal: number;
  /** Bytes from the start of the file. */
  readonly position: number;
  /** In the words of the format: `1740/700`. */
  readonly type: string;
  /** How the record begins, without card numbers. */
  readonly excerpt: string;
}

/** The other records that an import keeps, in the order of the file. Refuses `not_found`. */
export async function listOtherRecords(
  { unitOfWork, sealer }: Pick<ImportPorts, 'unitOfWork' | 'sealer'>,
  id: number,
): Promise<readonly ShownOtherRecord[]> {
  await unitOfWork.read(async ({ imports }) => requireImport(await imports.find(id), id));
  const shown: ShownOtherRecord[] = [];
  for await (const { sealed } of stagedBatches({ unitOfWork }, id, 'others')) {
    for (const record of openRecords(sealer, sealed)) {
      if (record.kind !== 'other' || record.raw === undefined) continue;
      const { ordinal, offset: position, type, raw } = record;
      shown.push({ ordinal, position, type: maskDigitRuns(type), excerpt: excerptOfBytes(raw) });
    }
  }
  return shown;
}
