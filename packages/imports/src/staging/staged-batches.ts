import type { BatchKind, ImportRecord } from '../import-store.ts';
import type { ImportProgress, ImportRun } from '../importing/import-run.ts';
import { batch_records_max_default } from '../ports.ts';
import type { StatementDraft } from '../statements/statement-draft.ts';
import { recordText, type StagedRecord, sealRecords } from './staged-record.ts';

/** The most characters of a batch. Bad records may be long. */
const batch_length_max = 4_000_000;

/** The most statement lines of a batch, which one transaction records: decisions on SQLite wait for it. */
const batch_lines_max = 200;

const batch_kinds: readonly BatchKind[] = ['clearings', 'others', 'lines'];

function noTexts(): Record<BatchKind, string[]> {
  return { clearings: [], others: [], lines: [] };
}

/**
 * Writes the records of a file in batches, each with its checkpoint in one transaction. Records that
 * an earlier process staged are not written again.
 */
export class StagedBatches {
  readonly #run: ImportRun;
  readonly #begun: ImportRecord;
  readonly #bytes_total: number | null;
  #facts: Partial<ImportRecord> = {};
  #bytes = 0;
  #records: number;
  #staged_ordinal: number;
  #staged_batches: number;
  #check: () => Promise<void> = async () => {};
  /** The records of the next batch as JSON, their number and their length. */
  #texts = noTexts();
  #statements: StatementDraft[] = [];
  #count = 0;
  #length = 0;

  constructor(run: ImportRun, begun: ImportRecord, bytes_total: number | null) {
    this.#run = run;
    this.#begun = begun;
    this.#bytes_total = bytes_total;
    this.#records = begun.records;
    this.#staged_ordinal = begun.staged_ordinal;
    this.#staged_batches = begun.staged_batches;
  }

  /** The import as far as it is. */
  get record(): ImportRecord {
    return {
      ...this.#begun,
      ...this.#facts,
      bytes: this.#bytes,
      records: this.#records,
      staged_ordinal: this.#staged_ordinal,
      staged_batches: this.#staged_batches,
    };
  }

  beforeWrite(check: () => Promise<void>): void {
    this.#check = check;
  }

  /** Adds what the file says of itself, or a count. */
  note(facts: Partial<ImportRecord>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  /** Counts a record that was read. */
  see(ordinal: number): void {
    this.#records = ordinal;
  }

  /** Whether no earlier process staged the record. */
  isNew(ordinal: number): boolean {
    if (ordinal <= this.#begun.staged_ordinal) return false;
    this.#staged_ordinal = ordinal;
    return true;
  }

  /** Whether the next batch has no records of this kind. */
  isEmpty(kind: BatchKind): boolean {
    return this.#texts[kind].length === 0;
  }

  add(kind: BatchKind, record: StagedRecord): void {
    const text = recordText(record);
    this.#texts[kind].push(text);
    this.#length += text.length;
    this.#count += 1;
  }

  /** Adds a statement whose last line was read. */
  addStatement(statement: StatementDraft): void {
    this.#statements.push(statement);
    this.#count += 1;
  }

  /** Writes the batch if it is full. So many bytes of the file are read. */
  async writeIfFull(bytes: number): Promise<void> {
    const { batch_records_max = batch_records_max_default } = this.#run.ports;
    const is_full =
      this.#count >= batch_records_max ||
      this.#texts.lines.length >= batch_lines_max ||
      this.#length >= batch_length_max;
    if (is_full) await this.#write(bytes);
  }

  /** Reports that so many bytes of the file are read. */
  reach(bytes: number): void {
    this.#bytes = bytes;
    // Records that an earlier process staged make no batch.
    if (this.#records <= this.#begun.staged_ordinal) this.#run.report({ ...this.#progress, is_repeated: true });
  }

  /** Writes the last batch. */
  async finish(): Promise<void> {
    if (this.#count > 0) await this.#write(this.#bytes);
  }

  async #write(bytes: number): Promise<void> {
    await this.#check();
    const { ports, claim } = this.#run;
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
    const statements = this.#statements.map((statement) => statement.finish(record.id));
    this.#texts = noTexts();
    this.#statements = [];
    [this.#count, this.#length] = [0, 0];
    await ports.unitOfWork.run(async ({ imports }) => {
      await claim.lock(imports, record.id);
      await imports.stage(batches);
      await imports.putStatements(statements);
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
