import { type ClearingAnswer, type ClearingMessage, isBreak, type LedgerChanges, no_changes } from '@tallystick/cards';
import { assert } from '@tallystick/kernel';
import { acceptHeader } from './check-header.ts';
import { type FileEnd, type FileItem, FileProblem, type RecordPlace } from './clearing-format.ts';
import { countOther, type OtherRecords, withParts } from './count-others.ts';
import { decideFile } from './decide-file.ts';
import { foldBatch, messagesOf, type ReadyRecord, readyRecords } from './fold-batch.ts';
import type { Import, ImportCounts, ImportProblem } from './import.ts';
import { chooseFormat, findFormat, unknown_format, unrecognised } from './import-file.ts';
import { batch_records_max_default, type ImportPorts } from './import-ports.ts';
import { type ImportOptions, ImportStopped } from './import-run.ts';
import { type ImportSource, SourceReading } from './import-source.ts';
import type { ImportRecord } from './import-store.ts';
import { HoldTime, PassSize } from './pass-size.ts';
import type { StagedRecord } from './staged-record.ts';

/** What an import would do with one record. */
export interface PreviewedRecord {
  readonly ordinal: number;
  readonly offset: number;
  readonly outcome: 'applied' | 'duplicate' | 'quarantined' | 'other';
  /** The card; null when it is unknown. */
  readonly vcn_id: number | null;
  readonly last4: string | null;
  readonly clearing_type: string | null;
  /** The billing amount in minor units. */
  readonly amount: number | null;
  readonly currency: string | null;
  readonly settlement_date: string | null;
  /** The rule that matches it, and its class; null unless applied or a duplicate. */
  readonly match_rule: number | null;
  readonly class: string | null;
  readonly authorization_id: number | null;
  /** Its match is not certain. */
  readonly review: boolean;
  /** It would count to `breaks`. */
  readonly is_break: boolean;
  /** What it releases of the hold, and adds to the cleared amount of its card; null unless applied. */
  readonly hold_effect: number | null;
  readonly cleared_effect: number | null;
  /** Of a quarantined record: why. Contains no card number. Of another record: its type. */
  readonly reason: string | null;
  readonly explanation: string | null;
}

/** What an import of the file would do. */
export interface ImportPreview
  extends Pick<
    Import,
    'format' | 'file_id' | 'records' | 'other_records' | 'control_totals' | 'warnings' | keyof ImportCounts
  > {
  /** The status in which the import would end. */
  readonly status: 'completed' | 'completed_with_quarantine' | 'held' | 'refused' | 'truncated';
  /** The id of the completed import of the same bytes, which would be the answer. Else null. */
  readonly known_import_id: number | null;
  readonly problem: ImportProblem | null;
}

/**
 * Reads and checks the whole file, and reports for each record what an import would do. Writes
 * nothing. The records are passed as many at a time as an import passes (ADR 0034). Each pass is on
 * the cards as they are, without the effects of the passes before it.
 */
export async function previewFile(
  ports: ImportPorts,
  source: ImportSource,
  options: ImportOptions,
  onRecord: (record: PreviewedRecord) => void,
): Promise<ImportPreview> {
  const named = options.format === undefined ? null : findFormat(ports, options.format);
  const reading = new SourceReading(source, ports.createSha256());
  const preview = new Preview(ports, onRecord);
  let ending: FileEnd | FileProblem;
  let format = named;
  try {
    const head = await reading.head();
    format = chooseFormat(ports, options, named, head, source.name);
    ending =
      format === null
        ? unrecognised(ports, head.length)
        : await preview.read(format.read(reading.chunks(), { profile: options.profile }), source, options);
    const sha256 = await reading.digest();
    return await preview.end(ending, { name: source.name, format: format?.name ?? unknown_format, sha256 });
  } finally {
    await reading.close();
  }
}

/** The counts of a preview, as they rise. */
type Counts = { -readonly [Name in keyof ImportCounts]: number };

const no_counts: ImportCounts = { applied: 0, duplicates: 0, quarantined: 0, matched: 0, breaks: 0 };

const count_names = Object.keys(no_counts) as (keyof ImportCounts)[];

const passes_warning =
  'the records are shown in parts, each on the cards as they are now: without the effects of the parts before it';

class Preview {
  readonly #ports: ImportPorts;
  readonly #onRecord: (record: PreviewedRecord) => void;
  readonly #counts: Counts = { ...no_counts };
  #other_records: OtherRecords = {};
  #header: Partial<Pick<ImportRecord, 'file_id' | 'series' | 'sequence' | 'created_on' | 'mode'>> = {};
  #records = 0;
  readonly #size = new PassSize();
  #passes = 0;

  constructor(ports: ImportPorts, onRecord: (record: PreviewedRecord) => void) {
    this.#ports = ports;
    this.#onRecord = onRecord;
  }

  async read(
    batches: AsyncIterable<{ readonly items: readonly FileItem[]; readonly bytes: number }>,
    { bytes_total }: ImportSource,
    { onProgress, signal }: ImportOptions,
  ): Promise<FileEnd | FileProblem> {
    const { batch_records_max = batch_records_max_default } = this.#ports;
    let waiting: StagedRecord[] = [];
    let ending: FileEnd | null = null;
    try {
      for await (const { items, bytes } of batches) {
        for (const item of items) {
          if (item.kind === 'end') ending = item;
          else if (item.kind === 'header') this.#header = await acceptHeader(item, this.#ports);
          else waiting.push(item);
          if (item.kind !== 'end') this.#records = item.ordinal;
          if (waiting.length >= batch_records_max) {
            await this.#show(waiting);
            waiting = [];
          }
        }
        onProgress?.({ phase: 'reading', bytes, bytes_total, records: this.#records, records_total: null });
        if (signal?.aborted) throw new ImportStopped();
      }
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      return error;
    }
    await this.#show(waiting);
    assert(ending !== null, 'the format ended without an end');
    return ending;
  }

  async end(
    ending: FileEnd | FileProblem,
    file: Pick<ImportRecord, 'name' | 'format' | 'sha256'>,
  ): Promise<ImportPreview> {
    const { unitOfWork, is_production } = this.#ports;
    return await unitOfWork.read(async ({ imports }) => {
      const known = await imports.findBySha256(file.sha256!);
      const { file_id = null, series = null, sequence = null, created_on = null, mode = null } = this.#header;
      const record = { id: known?.id ?? 0, format: file.format, file_id, series, sequence, created_on, mode };
      const { status, problem, warnings } = await decideFile(imports, { record, ending }, { is_production });
      const completed = this.#counts.quarantined === 0 ? 'completed' : 'completed_with_quarantine';
      const is_known = known?.status === 'completed' || known?.status === 'completed_with_quarantine';
      return {
        format: file.format,
        file_id,
        status: status === 'running' ? completed : (status as ImportPreview['status']),
        known_import_id: is_known ? known.id : null,
        records: ending.records ?? this.#records,
        // Of a file that is not accepted nothing is applied.
        ...(problem !== null && status !== 'held' ? no_counts : this.#counts),
        other_records:
          ending instanceof FileProblem ? this.#other_records : withParts(this.#other_records, ending.part_records),
        control_totals: ending instanceof FileProblem ? {} : ending.control_totals,
        warnings: this.#passes > 1 ? [...warnings, passes_warning] : warnings,
        problem,
      };
    });
  }

  async #show(records: readonly StagedRecord[]): Promise<void> {
    const applicable = records.filter((record) => record.kind !== 'other');
    const ready = readyRecords(this.#ports, 0, applicable, null);
    const shown = new Map<number, PreviewedRecord>();
    for (let from = 0; from < ready.length; ) {
      const taken = ready.slice(from, from + this.#size.records);
      for (const one of await this.#pass(taken)) shown.set(one.ordinal, one);
      from += taken.length;
    }
    for (const record of records) {
      if (record.kind !== 'other') {
        this.#onRecord(shown.get(record.ordinal)!);
        continue;
      }
      this.#other_records = countOther(this.#other_records, record.type);
      this.#onRecord({ ...nothing(record), reason: record.type });
    }
  }

  /** A pass that changes nothing: what it would change is its result. It holds cards all the same. */
  async #pass(ready: readonly ReadyRecord[]): Promise<readonly PreviewedRecord[]> {
    const { ledger, giveWay, monotonicNow } = this.#ports;
    const begun_ms = monotonicNow();
    const held = new HoldTime(this.#ports);
    this.#passes += 1;
    const fold = foldBatch(this.#ports, ready);
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
    await giveWay(monotonicNow() - begun_ms);
    return previewed(ready, folded.answers, folded.changes);
  }
}

/** What the fold of a batch would do with each record. The answers are to its messages, in their order. */
function previewed(
  ready: readonly ReadyRecord[],
  answers: readonly ClearingAnswer[],
  { clearings_inserted, quarantined }: LedgerChanges,
): readonly PreviewedRecord[] {
  const inserted = new Map(clearings_inserted.map((clearing) => [clearing.id, clearing]));
  const reasons = new Map(quarantined.map(({ ordinal, reason }) => [ordinal, reason]));
  const remaining = answers[Symbol.iterator]();
  return ready.map((record) => {
    if (record.kind === 'refused') {
      const { reason, explanation } = record.refused;
      return { ...nothing(record), outcome: 'quarantined', reason, explanation };
    }
    const { ordinal, message } = record;
    const answer = remaining.next().value!;
    const sent = { ...nothing(record), ...amountsOf(message), vcn_id: message.vcn_id };
    if (answer.kind === 'refused') {
      const reason = reasons.get(ordinal) ?? null;
      return { ...sent, outcome: 'quarantined', reason, explanation: answer.refusal.message };
    }
    const { item, duplicate: is_duplicate } = answer;
    const recorded = is_duplicate ? undefined : inserted.get(item.id);
    return {
      ...sent,
      outcome: is_duplicate ? 'duplicate' : 'applied',
      vcn_id: item.vcn_id,
      last4: item.card_number.slice(-4),
      match_rule: item.match_rule,
      class: item.class,
      authorization_id: item.authorization_id,
      review: item.review,
      is_break: !is_duplicate && isBreak(item),
      hold_effect: recorded?.hold_effect ?? null,
      cleared_effect: recorded?.cleared_effect ?? null,
    };
  });
}

function amountsOf({ clearing_type, billing_amount, billing_currency, settlement_date }: ClearingMessage) {
  return { clearing_type, amount: billing_amount, currency: billing_currency, settlement_date };
}

/** What is shown of every record. */
function nothing({ ordinal, offset }: RecordPlace): PreviewedRecord {
  return {
    ordinal,
    offset,
    outcome: 'other',
    vcn_id: null,
    last4: null,
    clearing_type: null,
    amount: null,
    currency: null,
    settlement_date: null,
    match_rule: null,
    class: null,
    authorization_id: null,
    review: false,
    is_break: false,
    hold_effect: null,
    cleared_effect: null,
    reason: null,
    explanation: null,
  };
}
