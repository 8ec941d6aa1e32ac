import { assert } from '@tallystick/kernel';
import { acceptHeader } from './check-header.ts';
import { type ClearingFormat, type FileEnd, type FileHeader, FileProblem } from './clearing-format.ts';
import { countOther, withParts } from './count-others.ts';
import { batch_records_max_default } from './import-ports.ts';
import type { ImportProgress, ImportRun } from './import-run.ts';
import type { SourceReading } from './import-source.ts';
import type { BatchKind, ImportRecord } from './import-store.ts';
import { recordText, type StagedRecord, sealRecords } from './staged-record.ts';

/** The most characters of a batch. Bad records may be long. */
const batch_length_max = 4_000_000;

/** How the reading of a file ended. */
export interface StagedFile {
  readonly record: ImportRecord;
  readonly ending: FileEnd | FileProblem;
}

/**
 * Reads the file and stages its records in batches, each with its checkpoint in one transaction.
 * Records that an earlier process staged are skipped. Rejects with what the source rejects with.
 */
export async function stageFile(
  run: ImportRun,
  format: ClearingFormat,
  reading: SourceReading,
  begun: ImportRecord,
  bytes_total: number | null,
): Promise<StagedFile> {
  const staging = new Staging(run, begun, bytes_total);
  let ending: FileEnd | null = null;
  try {
    for await (const { items, bytes } of format.read(reading.chunks(), { profile: run.options.profile })) {
      for (const item of items) {
        assert(ending === null, `the format ${format.name} continues after the end`);
        if (item.kind === 'end') ending = item;
        else if (item.kind === 'header') staging.begin(await acceptHeader(item, run.ports));
        else await staging.take(item, bytes);
      }
      staging.reach(bytes);
    }
    await staging.finish();
    assert(ending !== null, `the format ${format.name} ended without an end`);
    const { record } = staging;
    const { records, control_totals } = ending;
    const other_records = withParts(record.other_records, ending.part_records);
    return { record: { ...record, records, control_totals, other_records }, ending };
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    const { record } = staging;
    return { record: { ...record, records: error.records ?? record.records }, ending: error };
  }
}

/** The records of one file on their way to the storage. */
class Staging {
  readonly #run: ImportRun;
  readonly #begun: ImportRecord;
  readonly #bytes_total: number | null;
  #header: Partial<ImportRecord> = {};
  #bytes: number;
  /** The ordinal of the last record that was read. */
  #records: number;
  #staged_ordinal: number;
  #staged_batches: number;
  #other_records: ImportRecord['other_records'];
  /** The records of the next batch, with their number and length. */
  #texts: Record<BatchKind, string[]> = { clearings: [], others: [] };
  #count = 0;
  #length = 0;

  constructor(run: ImportRun, begun: ImportRecord, bytes_total: number | null) {
    this.#run = run;
    this.#begun = begun;
    this.#bytes_total = bytes_total;
    this.#bytes = begun.bytes;
    this.#records = begun.records;
    this.#staged_ordinal = begun.staged_ordinal;
    this.#staged_batches = begun.staged_batches;
    this.#other_records = begun.other_records;
  }

  /** The import as far as it is. */
  get record(): ImportRecord {
    return {
      ...this.#begun,
      ...this.#header,
      bytes: this.#bytes,
      records: this.#records,
      staged_ordinal: this.#staged_ordinal,
      staged_batches: this.#staged_batches,
      other_records: this.#other_records,
    };
  }

  begin({ ordinal, file_id, series, sequence, created_on, mode }: FileHeader): void {
    this.#records = ordinal;
    this.#header = { file_id, series, sequence, created_on, mode };
  }

  /**
   * Takes the next record. `bytes` of the file are read with it. Stages the batch that it fills.
   */
  async take(item: StagedRecord, bytes: number): Promise<void> {
    this.#records = item.ordinal;
    // An earlier process staged it.
    if (item.ordinal <= this.#begun.staged_ordinal) return;
    this.#staged_ordinal = item.ordinal;
    if (item.kind === 'other') {
      this.#other_records = countOther(this.#other_records, item.type);
      if (item.raw === undefined) return;
    }
    const text = recordText(item);
    this.#texts[item.kind === 'other' ? 'others' : 'clearings'].push(text);
    this.#length += text.length;
    this.#count += 1;
    const { batch_records_max = batch_records_max_default } = this.#run.ports;
    if (this.#count >= batch_records_max || this.#length >= batch_length_max) await this.#stage(bytes);
  }

  /** So many bytes of the file are read. */
  reach(bytes: number): void {
    this.#bytes = bytes;
    // Records that an earlier process staged make no batch.
    if (this.#records <= this.#begun.staged_ordinal) this.#run.report({ ...this.#progress, is_repeated: true });
  }

  /** Stages the last batch. */
  async finish(): Promise<void> {
    if (this.#count > 0) await this.#stage(this.#bytes);
  }

  async #stage(bytes: number): Promise<void> {
    const { ports, claim } = this.#run;
    this.#bytes = bytes;
    this.#staged_batches += 1;
    const texts = this.#texts;
    const kinds = (['clearings', 'others'] as const).filter((kind) => texts[kind].length > 0);
    const { record } = this;
    const batches = kinds.map((kind) => ({
      import_id: record.id,
      kind,
      number: record.staged_batches,
      sealed: sealRecords(ports.sealer, texts[kind]),
    }));
    this.#texts = { clearings: [], others: [] };
    [this.#count, this.#length] = [0, 0];
    await ports.unitOfWork.run(async ({ imports }) => {
      await claim.lock(imports, record.id);
      await imports.stage(batches);
      await imports.update({ ...record, lease: claim.renewed() });
    });
    await this.#run.afterWrite(this.#progress);
  }

  get #progress(): ImportProgress {
    return {
      phase: 'staging',
      bytes: this.#bytes,
      bytes_total: this.#bytes_total,
      records: this.#records,
      records_total: null,
    };
  }
}
