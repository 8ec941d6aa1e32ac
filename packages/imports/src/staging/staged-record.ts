import { fromBase64, type Sealer, toBase64 } from '@tallystick/kernel';
import type { BadRecord, OtherRecord } from '../formats/clearing-format.ts';
import type { BatchKind, ImportBatch } from '../import-store.ts';
import type { ImportPorts } from '../ports.ts';
import type { StagedLine, StagedSection } from '../statements/staged-line.ts';
import type { CountedClearing } from './identified-clearing.ts';

export type StagedRecord = CountedClearing | BadRecord | OtherRecord | StagedSection | StagedLine;

/** The purpose that staged records are bound to. */
export const staged_purpose = 'imports.batch';

/** The record as JSON, for `sealRecords`. */
export function recordText(record: StagedRecord): string {
  return JSON.stringify(
    'raw' in record && record.raw !== undefined ? { ...record, raw: toBase64(record.raw) } : record,
  );
}

/** Seals several records as one value. */
export function sealRecords(sealer: Sealer, texts: readonly string[]): Uint8Array {
  return sealer.seal(staged_purpose, new TextEncoder().encode(`[${texts.join(',')}]`));
}

export function openRecords(sealer: Sealer, sealed: Uint8Array): readonly StagedRecord[] {
  const records = JSON.parse(new TextDecoder().decode(sealer.open(staged_purpose, sealed)));
  return records.map((record: { readonly raw?: string }) =>
    record.raw === undefined ? record : { ...record, raw: fromBase64(record.raw) },
  );
}

/** How many batches one transaction reads. */
const batches_at_once = 4;

/** The batches of a kind that an import staged, in the order of the file. */
export async function* stagedBatches(
  { unitOfWork }: Pick<ImportPorts, 'unitOfWork'>,
  import_id: number,
  kind: BatchKind,
): AsyncGenerator<ImportBatch> {
  for (let after_number = 0; ; ) {
    const batches = await unitOfWork.read(({ imports }) =>
      imports.batches(import_id, kind, after_number, batches_at_once),
    );
    const last = batches.at(-1);
    if (last === undefined) return;
    after_number = last.number;
    yield* batches;
  }
}
