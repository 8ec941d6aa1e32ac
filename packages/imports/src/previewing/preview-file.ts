import { no_changes } from '@tallystick/cards';
import { assert } from '@tallystick/kernel';
import { foldBatch, messagesOf, type ReadyRecord, readyRecords } from '../applying/fold-batch.ts';
import { HoldTime, PassSize } from '../applying/pass-size.ts';
import { chooseFormat, findFormat, unknown_format, unrecognised } from '../formats/choose-format.ts';
import type { BadRecord, ClearingFormat, FileEnd, OtherRecord } from '../formats/clearing-format.ts';
import { FileProblem } from '../formats/file-problem.ts';
import { findReadWith } from '../formats/read-with.ts';
import type { Import, ImportCounts, ImportProblem } from '../import.ts';
import type { ImportRecord } from '../import-store.ts';
import { type ImportOptions, ImportStopped } from '../importing/import-run.ts';
import { batch_records_max_default, type ImportPorts } from '../ports.ts';
import { acceptHeader } from '../staging/check-header.ts';
import { countOther, type OtherRecords, withParts } from '../staging/count-others.ts';
import { decideFile } from '../staging/decide-file.ts';
import { type CountedClearing, countContent } from '../staging/identified-clearing.ts';
import { type ImportSource, SourceReading } from '../staging/import-source.ts';
import { Occurrences } from '../staging/occurrences.ts';
import { UnreadAdditions } from '../staging/unread-additions.ts';
import { namedHeld, worstProblem } from '../statements/import-statement.ts';
import type { StagedLine } from '../statements/staged-line.ts';
import { StatementPreview } from './preview-statements.ts';
import { type PreviewedRecord, previewedRecord, previewedRecords } from './previewed-record.ts';

/** What an import of the file would do. */
export interface ImportPreview
  extends Pick<
    Import,
    | 'format'
    | 'read_with'
    | 'file_id'
    | 'records'
    | 'statements'
    | 'other_records'
    | 'control_totals'
    | 'warnings'
    | 'held'
    | 'held_statements'
    | keyof ImportCounts
  > {
  /** The status in which the import would end. */
  readonly status: 'completed' | 'completed_with_quarantine' | 'held' | 'refused' | 'truncated';
  /** False: so many bytes were read, and the result is about the records in them. */
  readonly is_whole: boolean;
  /** The id of the completed import of the same bytes, which would be the answer. Else null. */
  readonly known_import_id: number | null;
  readonly problem: ImportProblem | null;
}

export interface PreviewOptions extends ImportOptions {
  /** Records that begin after so many bytes are not read. Absent: all are. */
  readonly bytes_max?: number | undefined;
}

/**
 * Reads and checks the file, and reports for each record what an import would do. Writes
 * nothing. The records are passed as many at a time as an import passes (ADR 0034). Each pass is on
 * the cards as they are, without the effects of the passes before it. Rejects with `ImportStopped`
 * after the pass in progress when the signal is aborted.
 */
export async function previewFile(
  ports: ImportPorts,
  source: ImportSource,
  options: PreviewOptions,
  onRecord: (record: PreviewedRecord) => void,
): Promise<ImportPreview> {
  const named = options.format === undefined ? null : findFormat(ports, options.format);
  const reading = new SourceReading(source, ports);
  const preview = new Preview(ports, options, onRecord);
  try {
    const head = await reading.head();
    const format = chooseFormat(ports, options, named, head, source.name);
    const ending = format === null ? unrecognised(ports, head.length) : await preview.read(format, reading, source);
    const sha256 = await reading.digest();
    const read_with = findReadWith(ports, format, head, options);
    return await preview.end(ending, { format: format?.name ?? unknown_format, read_with, sha256 });
  } finally {
    await reading.close();
  }
}

type PreviewedItem = CountedClearing | BadRecord | OtherRecord | StagedLine;

/** The counts of a preview, as they rise. */
type Counts = { -readonly [Name in keyof ImportCounts]: number };

const no_counts: ImportCounts = { applied: 0, duplicates: 0, quarantined: 0, matched: 0, breaks: 0 };

const count_names = Object.keys(no_counts) as (keyof ImportCounts)[];

const passes_warning =
  'the records are shown in parts, each on the cards as they are now: without the effects of the parts before it';

class Preview {
  readonly #ports: ImportPorts;
  readonly #options: Pick<PreviewOptions, 'onProgress' | 'signal' | 'profile' | 'bytes_max'>;
  readonly #onRecord: (record: PreviewedRecord) => void;
  readonly #counts: Counts = { ...no_counts };
  #other_records: OtherRecords = {};
  #header: Partial<Pick<ImportRecord, 'file_id' | 'series' | 'sequence' | 'created_on' | 'mode'>> = {};
  #records = 0;
  readonly #statements: StatementPreview;
  readonly #unread = new UnreadAdditions();
  readonly #occurrences = new Occurrences();
  readonly #size: PassSize;
  #passes = 0;
  #is_whole = true;

  constructor(
    ports: ImportPorts,
    options: Pick<PreviewOptions, 'onProgress' | 'signal' | 'profile' | 'bytes_max'>,
    onRecord: (record: PreviewedRecord) => void,
  ) {
    this.#ports = ports;
    this.#size = new PassSize(ports.pass_kind);
    this.#statements = new StatementPreview(ports);
    this.#options = options;
    this.#onRecord = onRecord;
  }

  async read(
    format: ClearingFormat,
    reading: SourceReading,
    { bytes_total }: Pick<ImportSource, 'bytes_total'>,
  ): Promise<FileEnd | FileProblem> {
    const { batch_records_max = batch_records_max_default } = this.#ports;
    const { bytes_max = Number.POSITIVE_INFINITY } = this.#options;
    let waiting: PreviewedItem[] = [];
    let ending: FileEnd | null = null;
    try {
      for await (const { items, bytes } of format.read(reading.chunks(), { profile: this.#options.profile })) {
        for (const item of items) {
          if (item.kind === 'clearing' || item.kind === 'line') this.#unread.add(item);
          if (item.kind === 'end') ending = item;
          else if (item.kind === 'header') this.#header = await acceptHeader(item, this.#ports);
          else if (item.kind === 'statement') await this.#statements.takeStatement(item, format);
          else if (item.kind === 'statement_end') this.#statements.takeEnd(item);
          else if (item.kind === 'clearing') waiting.push(countContent(item, this.#occurrences, this.#ports));
          else if (item.kind === 'bad' && this.#statements.statements > 0) this.#statements.takeBad(item);
          else {
            const shown = item.kind === 'line' ? this.#statements.takeLine(item) : item;
            if (shown !== null) waiting.push(shown);
          }
          if (item.kind !== 'end') this.#records = item.ordinal;
          if (waiting.length >= batch_records_max) {
            await this.#show(waiting);
            waiting = [];
          }
        }
        const records = this.#records;
        this.#options.onProgress?.({ phase: 'reading', bytes, bytes_total, records, records_total: null });
        this.#stopIfAsked();
        if (ending === null && bytes >= bytes_max) {
          this.#is_whole = false;
          ending = { kind: 'end', records, control_totals: {} };
          break;
        }
      }
      await this.#show(waiting);
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      return error;
    }
    assert(ending !== null, 'the format ended without an end');
    return ending;
  }

  async end(
    ending: FileEnd | FileProblem,
    file: Pick<ImportRecord, 'format' | 'read_with' | 'sha256'>,
  ): Promise<ImportPreview> {
    const { unitOfWork, is_production } = this.#ports;
    const { statements } = this.#statements;
    const { held, held_lines, counts } = await this.#statements.end({ is_whole: this.#is_whole });
    if (statements > 0) Object.assign(this.#counts, counts);
    return await unitOfWork.read(async ({ imports }) => {
      const known = await imports.findBySha256(file.sha256!);
      const { file_id = null, series = null, sequence = null, created_on = null, mode = null } = this.#header;
      const record = {
        id: known?.id ?? 0,
        format: file.format,
        file_id,
        series,
        sequence,
        created_on,
        mode,
        statements,
      };
      const found = this.#unread.warnings;
      const decided = await decideFile(imports, { record, ending, warnings: found }, { is_production });
      const { warnings } = decided;
      const is_all_held = statements > 0 && held.length === statements && decided.status === 'running';
      const { status, problem } = is_all_held ? { status: 'held' as const, problem: worstProblem(held) } : decided;
      const is_complete = this.#counts.quarantined === 0 && held.length === 0;
      const completed = is_complete ? 'completed' : 'completed_with_quarantine';
      const is_known = known?.status === 'completed' || known?.status === 'completed_with_quarantine';
      return {
        format: file.format,
        read_with: file.read_with,
        file_id,
        status: status === 'running' ? completed : (status as ImportPreview['status']),
        is_whole: this.#is_whole,
        known_import_id: is_known ? known.id : null,
        records: ending.records ?? this.#records,
        statements,
        // Of a file that is not accepted nothing is applied.
        ...(problem !== null && status !== 'held' ? no_counts : this.#counts),
        other_records:
          ending instanceof FileProblem ? this.#other_records : withParts(this.#other_records, ending.part_records),
        control_totals: ending instanceof FileProblem ? {} : ending.control_totals,
        warnings: this.#passes > 1 ? [...warnings, passes_warning] : warnings,
        held: decided.status === 'running' ? held_lines : 0,
        held_statements: decided.status === 'running' ? namedHeld(held) : [],
        problem: problem === null ? null : { code: problem.code, message: problem.message, offset: problem.offset },
      };
    });
  }

  #stopIfAsked(): void {
    if (this.#options.signal?.aborted) throw new ImportStopped();
  }

  async #show(records: readonly PreviewedItem[]): Promise<void> {
    const applicable = records.filter((record) => record.kind === 'clearing' || record.kind === 'bad');
    // Before the file is read its hash is not known. No clearing has an id that was made of it.
    const { file_id = null } = this.#header;
    const file = { id: 0, file_id, sha256: null };
    const ready = readyRecords(this.#ports, file, applicable, null);
    const shown = new Map<number, PreviewedRecord>();
    for (const one of await this.#showLines(records.filter((record) => record.kind === 'line'))) {
      shown.set(one.ordinal, one);
    }
    for (let from = 0; from < ready.length; ) {
      const taken = ready.slice(from, from + this.#size.records);
      for (const one of await this.#pass(taken)) shown.set(one.ordinal, one);
      from += taken.length;
      this.#stopIfAsked();
    }
    for (const record of records) {
      if (record.kind !== 'other') {
        this.#onRecord(shown.get(record.ordinal)!);
        continue;
      }
      this.#other_records = countOther(this.#other_records, record.type);
      this.#onRecord({ ...previewedRecord(record), reason: record.type });
    }
  }

  async #showLines(lines: readonly StagedLine[]): Promise<readonly PreviewedRecord[]> {
    if (lines.length === 0) return [];
    return await this.#statements.show(lines);
  }

  /**
   * A pass that changes nothing: what it would change is its result. It also holds cards.
   */
  async #pass(ready: readonly ReadyRecord[]): Promise<readonly PreviewedRecord[]> {
    const { ledger, rest, monotonicNow } = this.#ports;
    const begun_ms = monotonicNow();
    const held = new HoldTime(this.#ports);
    this.#passes += 1;
    const fold = held.during(foldBatch(this.#ports, ready));
    const folded = await ledger.pass(
      messagesOf(ready),
      (state) => {
        const { changes, result } = fold(state);
        return { changes: no_changes, result: { changes, ...result } };
      },
      { is_of_file: true, onHolding: held.onHolding },
    );
    this.#size.note(ready.length, held.ms);
    for (const name of count_names) this.#counts[name] += folded.counts[name];
    await rest(monotonicNow() - begun_ms);
    return previewedRecords(ready, folded.answers, folded.changes);
  }
}
