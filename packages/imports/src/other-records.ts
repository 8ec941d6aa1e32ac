import { maskDigitRuns } from '@tallystick/kernel';
import { excerptOfBytes } from './fold-batch.ts';
import type { ImportPorts } from './import-ports.ts';
import { requireImport } from './manage-imports.ts';
import { openRecords } from './staged-record.ts';

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

const batches_at_once = 10;

/** The other records that an import keeps, in the order of the file. Refuses `not_found`. */
export async function listOtherRecords(
  { unitOfWork, sealer }: Pick<ImportPorts, 'unitOfWork' | 'sealer'>,
  id: number,
): Promise<readonly ShownOtherRecord[]> {
  await unitOfWork.read(async ({ imports }) => requireImport(await imports.find(id), id));
  const shown: ShownOtherRecord[] = [];
  for (let after_number = 0; ; ) {
    const batches = await unitOfWork.read(({ imports }) =>
      imports.batches(id, 'others', after_number, batches_at_once),
    );
    const last = batches.at(-1);
    if (last === undefined) return shown;
    after_number = last.number;
    for (const record of batches.flatMap(({ sealed }) => openRecords(sealer, sealed))) {
      if (record.kind !== 'other' || record.raw === undefined) continue;
      const { ordinal, offset: position, type, raw } = record;
      shown.push({ ordinal, position, type: maskDigitRuns(type), excerpt: excerptOfBytes(raw) });
    }
  }
}
