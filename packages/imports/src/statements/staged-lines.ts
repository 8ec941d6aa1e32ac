import { assert, type Money, money } from '@tallystick/kernel';
import type { ImportBatch } from '../import-store.ts';
import type { ImportPorts } from '../ports.ts';
import { openRecords, stagedBatches } from '../staging/staged-record.ts';
import type { StagedLine, StagedSection } from './staged-line.ts';

/** A staged line with the sum of the lines of its statement before it. */
export interface SummedLine extends StagedLine {
  readonly sum_before: Money;
}

/** The lines that an import staged, a batch at a time, in the order of the file. */
export async function* stagedLines(
  ports: Pick<ImportPorts, 'unitOfWork' | 'sealer'>,
  import_id: number,
): AsyncGenerator<readonly SummedLine[]> {
  for await (const batch of stagedBatches(ports, import_id, 'lines')) yield linesOf(ports, batch);
}

export function linesOf({ sealer }: Pick<ImportPorts, 'sealer'>, { sealed }: ImportBatch): readonly SummedLine[] {
  const lines: SummedLine[] = [];
  let sum_before: Money | null = null;
  for (const record of openRecords(sealer, sealed)) {
    if (record.kind === 'section') sum_before = record.sum_before;
    if (record.kind !== 'line') continue;
    assert(sum_before !== null, `line ${record.ordinal} was staged without its statement`);
    lines.push({ ...record, sum_before });
    sum_before = money(sum_before + record.line.amount);
  }
  return lines;
}

/** The records of a batch with only these lines. */
export function batchRecordsOf(lines: readonly SummedLine[]): readonly (StagedSection | StagedLine)[] {
  return lines.flatMap(({ sum_before, ...line }) => {
    const { statement_number } = line;
    return [{ kind: 'section', statement_number, sum_before } as const, line];
  });
}
