import { type FileProgress, LeaseLost } from '@tallystick/cards';
import type { BadRecord } from '../formats/clearing-format.ts';
import { applicableRecords, doneRecords } from '../import.ts';
import type { ImportRecord } from '../import-store.ts';
import type { ImportRun } from '../importing/import-run.ts';
import type { CountedClearing } from '../staging/identified-clearing.ts';
import { openRecords, type StagedRecord } from '../staging/staged-record.ts';
import { foldBatch, messagesOf, type ReadyRecord, readyRecords } from './fold-batch.ts';
import { HoldTime, PassSize } from './pass-size.ts';

/**
 * Applies the staged batches of a claimed import in their order and ends the import. A pass of the
 * ledger takes as many records of a batch as take a short time, and the last one also removes the
 * batch. Rejects with `LeaseLost` when another process continues it.
 */
export async function applyClearings(run: ImportRun, begun: ImportRecord): Promise<ImportRecord> {
  const { ports, call, claim } = run;
  const { id, bytes } = begun;
  const records_total = applicableRecords(begun);
  const size = new PassSize(ports.pass_kind);
  let records = doneRecords(begun);
  let from = begun.applied_of_batch;
  for (;;) {
    const [batch] = await ports.unitOfWork.read(({ imports }) => imports.batches(id, 'clearings', 0, 1));
    if (batch === undefined) break;
    const staged = openRecords(ports.sealer, batch.sealed).filter(isApplicable);
    while (from < staged.length) {
      await ports.giveWay();
      const taken = readyRecords(ports, begun, staged.slice(from, from + size.records), call.request_id);
      const to = from + taken.length;
      const held_ms = await applyRecords(run, taken, {
        import_id: id,
        batch_number: batch.number,
        from,
        to: to < staged.length ? to : null,
      });
      size.note(taken.length, held_ms);
      from = to;
      records += taken.length;
      await run.afterWrite({ phase: 'applying', bytes, bytes_total: bytes, records, records_total });
    }
    from = 0;
  }
  return await ports.unitOfWork.run(async ({ imports }) => {
    const record = await claim.lock(imports, id);
    const status = record.quarantined === 0 ? 'completed' : 'completed_with_quarantine';
    const ended: ImportRecord = { ...record, status, phase: null, finished_at_ms: run.endedAt(), lease: null };
    await imports.update(ended);
    return ended;
  });
}

function isApplicable(record: StagedRecord): record is CountedClearing | BadRecord {
  return record.kind === 'clearing' || record.kind === 'bad';
}

/**
 * Applies records of a batch in one pass. Returns for how long it held what others may wait for.
 */
async function applyRecords(
  run: ImportRun,
  records: readonly ReadyRecord[],
  place: Pick<FileProgress, 'import_id' | 'batch_number' | 'from' | 'to'>,
): Promise<number> {
  const { ports, claim } = run;
  const held = new HoldTime(ports);
  await run.retry(async (attempt) => {
    const fold = foldBatch(ports, records, (counts) => ({
      file_progress: { ...place, lease: claim.renewed(), ...counts },
    }));
    try {
      await ports.ledger.pass(messagesOf(records), held.during(fold), { is_of_file: true, onHolding: held.onHolding });
    } catch (error) {
      if (!(error instanceof LeaseLost) || attempt === 1) throw error;
      // The attempt before may have committed, though its answer was lost.
      await ports.unitOfWork.run(({ imports }) => claim.lock(imports, place.import_id));
    }
  });
  return held.ms;
}
