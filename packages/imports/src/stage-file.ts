import { assert } from '@tallystick/kernel';
import { acceptHeader } from './check-header.ts';
import {
  type BadRecord,
  type ClearingFormat,
  type FileClearing,
  type FileEnd,
  type FileHeader,
  FileProblem,
  type OtherRecord,
} from './clearing-format.ts';
import { countOther, withParts } from './count-others.ts';
import { batch_records_max_default } from './import-ports.ts';
import type { ImportProgress, ImportRun } from './import-run.ts';
import type { SourceReading } from './import-source.ts';
import type { BatchKind, ImportRecord } from './import-store.ts';
import type { RecordPlace } from './record-place.ts';
import { recordText, type StagedRecord, sealRecords } from './staged-record.ts';
import { acceptLine, acceptStatement, refuseCardNumbers } from './statements/accept-statement-item.ts';
import type { FileLine, FileStatement } from './statements/statement-items.ts';
import { addLine, continuedStatement, newTotals, type StatementTotals } from './statements/statement-totals.ts';

/** The most characters of a batch. Bad records may be long. */
const batch_length_max = 4_000_000;

const batch_kinds: readonly BatchKind[] = ['clearings', 'others', 'statements', 'lines'];

function noTexts(): Record<BatchKind, string[]> {
  return { clearings: [], others: [], statements: [], lines: [] };
}

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
        else if (item.kind === 'statement') await staging.takeStatement(item, bytes);
        else if (item.kind === 'line') await staging.takeLine(item, bytes);
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
  #statements: number;
  /** The statement that began last. */
  #totals: StatementTotals | null = null;
  /** The records of the next batch, with their number and length. */
  #texts: Record<BatchKind, string[]> = noTexts();
  /** Those that may name a card. */
  #named: (FileStatement | FileLine)[] = [];
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
    this.#statements = begun.statements;
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
      statements: this.#statements,
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
  async take(item: FileClearing | BadRecord | OtherRecord, bytes: number): Promise<void> {
    this.#records = item.ordinal;
    if (item.kind === 'bad' && this.#totals !== null) {
      // Without a line a statement does not add up.
      throw new FileProblem('refused', item.code, item.reason, item.offset);
    }
    if (!this.#isNew(item)) return;
    if (item.kind === 'other') {
      this.#other_records = countOther(this.#other_records, item.type);
      if (item.raw === undefined) return;
    }
    this.#add(item.kind === 'other' ? 'others' : 'clearings', item);
    await this.#stageIfFull(bytes);
  }

  /** The same for a statement, which ends the one before it. */
  async takeStatement(item: FileStatement, bytes: number): Promise<void> {
    const statement = acceptStatement(item);
    this.#records = statement.ordinal;
    const ended = this.#totals;
    this.#totals = newTotals(statement);
    if (!this.#isNew(statement)) return;
    if (ended !== null) this.#add('statements', ended);
    this.#statements += 1;
    this.#named.push(statement);
    this.#add('lines', statement);
    await this.#stageIfFull(bytes);
  }

  /** The same for a line of the statement that began last. */
  async takeLine(item: FileLine, bytes: number): Promise<void> {
    const line = acceptLine(item);
    this.#records = line.ordinal;
    assert(this.#totals !== null, `line ${line.ordinal} comes before a statement`);
    const before = this.#totals;
    this.#totals = addLine(before, line);
    if (!this.#isNew(line)) return;
    // Each batch can be recorded by itself.
    if (this.#texts.lines.length === 0) this.#add('lines', continuedStatement(before));
    this.#named.push(line);
    this.#add('lines', line);
    await this.#stageIfFull(bytes);
  }

  /** Whether no earlier process staged the record. */
  #isNew({ ordinal }: RecordPlace): boolean {
    if (ordinal <= this.#begun.staged_ordinal) return false;
    this.#staged_ordinal = ordinal;
    return true;
  }

  #add(kind: BatchKind, record: StagedRecord): void {
    const text = recordText(record);
    this.#texts[kind].push(text);
    this.#length += text.length;
    this.#count += 1;
  }

  async #stageIfFull(bytes: number): Promise<void> {
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
    // The last statement ends with the file: after its last record.
    if (this.#totals !== null && this.#isNew({ ordinal: this.#records + 1, offset: this.#bytes })) {
      this.#add('statements', this.#totals);
    }
    if (this.#count > 0) await this.#stage(this.#bytes);
  }

  async #stage(bytes: number): Promise<void> {
    const { ports, claim } = this.#run;
    if (this.#named.length > 0) await refuseCardNumbers(ports, this.#named);
    this.#bytes = bytes;
    this.#staged_batches += 1;
    const texts = this.#texts;
    const kinds = batch_kinds.filter((kind) => texts[kind].length > 0);
    const { record } = this;
    const batches = kinds.map((kind) => ({
      import_id: record.id,
      kind,
      number: record.staged_batches,
      sealed: sealRecords(ports.sealer, texts[kind]),
    }));
    this.#texts = noTexts();
    this.#named = [];
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
