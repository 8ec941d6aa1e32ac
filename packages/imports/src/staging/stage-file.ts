import { assert } from '@tallystick/kernel';
import type { BadRecord, ClearingFormat, FileEnd, OtherRecord } from '../formats/clearing-format.ts';
import { FileProblem } from '../formats/file-problem.ts';
import type { ImportRecord } from '../import-store.ts';
import type { ImportRun } from '../importing/import-run.ts';
import { StatementStaging } from '../statements/stage-statements.ts';
import { acceptHeader } from './check-header.ts';
import { countOther, withParts } from './count-others.ts';
import { type CountedClearing, countContent } from './identified-clearing.ts';
import type { SourceReading } from './import-source.ts';
import { Occurrences } from './occurrences.ts';
import { StagedBatches } from './staged-batches.ts';
import { UnreadAdditions } from './unread-additions.ts';

/** How the reading of a file ended. */
export interface StagedFile {
  readonly record: ImportRecord;
  readonly ending: FileEnd | FileProblem;
  readonly warnings: readonly string[];
}

/**
 * Reads the file and stages its records in batches. Rejects with what the source rejects with.
 */
export async function stageFile(
  run: ImportRun,
  format: ClearingFormat,
  reading: SourceReading,
  begun: ImportRecord,
  bytes_total: number | null,
): Promise<StagedFile> {
  const batches = new StagedBatches(run, begun, bytes_total);
  const statements = new StatementStaging(run.ports, format, batches);
  // A resumed staging reads the records before its checkpoint, too.
  const unread = new UnreadAdditions();
  const occurrences = new Occurrences();
  let ending: FileEnd | null = null;
  try {
    for await (const { items, bytes } of format.read(reading.chunks(), { profile: run.options.profile })) {
      for (const item of items) {
        assert(ending === null, `the format ${format.name} continues after the end`);
        if (item.kind === 'clearing' || item.kind === 'line') unread.add(item);
        if (item.kind === 'end') ending = item;
        else if (item.kind === 'header') {
          const { ordinal, file_id, series, sequence, created_on, mode } = await acceptHeader(item, run.ports);
          batches.see(ordinal);
          batches.note({ file_id, series, sequence, created_on, mode });
        } else if (item.kind === 'statement') await statements.addStatement(item, bytes);
        else if (item.kind === 'line') await statements.addLine(item, bytes);
        else if (item.kind === 'statement_end') statements.endStatement(item);
        else if (item.kind === 'bad' && statements.has_begun) statements.addBad(item);
        else {
          batches.see(item.ordinal);
          await stageRecord(
            batches,
            item.kind === 'clearing' ? countContent(item, occurrences, run.ports) : item,
            bytes,
          );
        }
        await run.ports.giveWay();
      }
      batches.reach(bytes);
    }
    statements.finish();
    await batches.finish();
    assert(ending !== null, `the format ${format.name} ended without an end`);
    const { record } = batches;
    const { records, control_totals } = ending;
    const other_records = withParts(record.other_records, ending.part_records);
    return { record: { ...record, records, control_totals, other_records }, ending, warnings: unread.warnings };
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    const { record } = batches;
    return { record: { ...record, records: error.records ?? record.records }, ending: error, warnings: [] };
  }
}

/** Stages a clearing, or a record that is kept beside the clearings. */
async function stageRecord(
  batches: StagedBatches,
  item: CountedClearing | BadRecord | OtherRecord,
  bytes: number,
): Promise<void> {
  if (!batches.isNew(item.ordinal)) return;
  if (item.kind === 'other') {
    batches.note({ other_records: countOther(batches.record.other_records, item.type) });
    if (item.raw === undefined) return;
  }
  batches.add(item.kind === 'other' ? 'others' : 'clearings', item);
  await batches.writeIfFull(bytes);
}
