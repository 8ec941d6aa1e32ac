import { assert } from '@tallystick/kernel';
import type { BadRecord, ClearingFormat } from '../formats/clearing-format.ts';
import type { ImportPorts } from '../ports.ts';
import type { StagedBatches } from '../staging/staged-batches.ts';
import { acceptLine, acceptStatement, findCardNumbers } from './accept-statement-item.ts';
import { StatementDraft } from './statement-draft.ts';
import type { FileLine, FileStatement, FileStatementEnd } from './statement-items.ts';

/** Stages the statements of a file with their lines. */
export class StatementStaging {
  readonly #ports: Pick<ImportPorts, 'unitOfWork' | 'vault'>;
  readonly #format: ClearingFormat;
  readonly #batches: StagedBatches;
  /** The statement that began last. */
  #draft: StatementDraft | null = null;
  /** The statement of the staged line before. */
  #section: number | null = null;
  /** The items of the next batch, whose references may be numbers of cards. */
  #unchecked: { readonly item: FileStatement | FileLine; readonly draft: StatementDraft }[] = [];

  constructor(ports: Pick<ImportPorts, 'unitOfWork' | 'vault'>, format: ClearingFormat, batches: StagedBatches) {
    this.#format = format;
    this.#ports = ports;
    this.#batches = batches;
    batches.beforeWrite(() => this.#checkReferences());
  }

  /** Whether the file has statements. */
  get has_begun(): boolean {
    return this.#draft !== null;
  }

  /** Adds a statement, which ends the one before it. `bytes` of the file are read with it. */
  async addStatement(item: FileStatement, bytes: number): Promise<void> {
    const statement = acceptStatement(item);
    const ended = this.#draft;
    this.#draft = new StatementDraft(statement, ended, this.#format);
    this.#batches.see(item.ordinal);
    if (!this.#batches.isNew(item.ordinal)) return;
    if (ended !== null) this.#batches.addStatement(ended);
    this.#batches.note({ statements: this.#batches.record.statements + 1 });
    this.#unchecked.push({ item: statement, draft: this.#draft });
    await this.#batches.writeIfFull(bytes);
  }

  /** Adds a line of the statement that began last. */
  async addLine(item: FileLine, bytes: number): Promise<void> {
    const draft = this.#draftOf(item.ordinal);
    const line = acceptLine(item);
    if (line.kind === 'bad') return this.#addBad(draft, line);
    const sum_before = draft.sum;
    const staged = draft.add(line);
    if (!this.#batches.isNew(item.ordinal)) return;
    // Each batch can be recorded by itself.
    if (this.#section !== draft.number || this.#batches.isEmpty('lines')) {
      this.#batches.add('lines', { kind: 'section', statement_number: draft.number, sum_before });
    }
    this.#section = draft.number;
    this.#unchecked.push({ item: line, draft });
    this.#batches.add('lines', staged);
    await this.#batches.writeIfFull(bytes);
  }

  /** Counts a line that cannot be read to the statement that began last. */
  addBad(item: BadRecord): void {
    this.#addBad(this.#draftOf(item.ordinal), item);
  }

  #addBad(draft: StatementDraft, { ordinal, code, reason }: Pick<BadRecord, 'ordinal' | 'code' | 'reason'>): void {
    draft.countBad({ code, message: reason });
    this.#batches.isNew(ordinal);
  }

  /** Adds what the statement that began last states after its lines. */
  endStatement(item: FileStatementEnd): void {
    this.#draftOf(item.ordinal).end(item);
    this.#batches.isNew(item.ordinal);
  }

  /** Ends the last statement, after the last record of the file. */
  finish(): void {
    if (this.#draft === null) return;
    if (this.#batches.isNew(this.#batches.record.records + 1)) this.#batches.addStatement(this.#draft);
  }

  #draftOf(ordinal: number): StatementDraft {
    this.#batches.see(ordinal);
    assert(this.#draft !== null, `record ${ordinal} comes before a statement`);
    return this.#draft;
  }

  async #checkReferences(): Promise<void> {
    const unchecked = this.#unchecked;
    this.#unchecked = [];
    if (unchecked.length === 0) return;
    const items = unchecked.map(({ item }) => item);
    for (const [ordinal, problem] of await findCardNumbers(this.#ports, items)) {
      const { item, draft } = unchecked.find((one) => one.item.ordinal === ordinal)!;
      draft.fail(problem);
      if (item.kind === 'statement') draft.hideHead();
    }
  }
}
