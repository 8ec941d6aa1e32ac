import { assert } from '@tallystick/kernel';
import type { ImportPorts } from '../ports.ts';
import type { StagedBatches } from '../staging/staged-batches.ts';
import { acceptLine, acceptStatement, refuseCardNumbers } from './accept-statement-item.ts';
import type { AcceptedStatement, FileLine, FileStatement } from './statement-items.ts';
import { addLine, continuedStatement, newTotals, type StatementTotals } from './statement-totals.ts';

/** Stages the statements of a file with their lines. */
export class StatementStaging {
  readonly #batches: StagedBatches;
  /** The statement that began last. */
  #totals: StatementTotals | null = null;
  /** The items of the next batch, whose references may be numbers of cards. */
  #unchecked: (FileStatement | FileLine)[] = [];

  constructor(ports: Pick<ImportPorts, 'unitOfWork' | 'vault'>, batches: StagedBatches) {
    this.#batches = batches;
    batches.beforeWrite(async () => {
      if (this.#unchecked.length > 0) await refuseCardNumbers(ports, this.#unchecked);
      this.#unchecked = [];
    });
  }

  /** Whether the file has statements. */
  get has_begun(): boolean {
    return this.#totals !== null;
  }

  /** Adds a statement, which ends the one before it. `bytes` of the file are read with it. */
  async addStatement(item: FileStatement, bytes: number): Promise<void> {
    const statement = acceptStatement(item);
    this.#batches.see(statement.ordinal);
    const ended = this.#totals;
    this.#totals = newTotals(statement);
    if (!this.#batches.isNew(statement.ordinal)) return;
    if (ended !== null) this.#batches.add('statements', ended);
    this.#batches.note({ statements: this.#batches.record.statements + 1 });
    await this.#add(statement, bytes);
  }

  /** Adds a line of the statement that began last. */
  async addLine(item: FileLine, bytes: number): Promise<void> {
    const line = acceptLine(item);
    this.#batches.see(line.ordinal);
    assert(this.#totals !== null, `line ${line.ordinal} comes before a statement`);
    const before = this.#totals;
    this.#totals = addLine(before, line);
    if (!this.#batches.isNew(line.ordinal)) return;
    // Each batch can be recorded by itself.
    if (this.#batches.isEmpty('lines')) this.#batches.add('lines', continuedStatement(before));
    await this.#add(line, bytes);
  }

  /** Ends the last statement, after the last record of the file. */
  finish(): void {
    if (this.#totals === null) return;
    if (this.#batches.isNew(this.#batches.record.records + 1)) this.#batches.add('statements', this.#totals);
  }

  async #add(item: AcceptedStatement | FileLine, bytes: number): Promise<void> {
    this.#unchecked.push(item);
    this.#batches.add('lines', item);
    await this.#batches.writeIfFull(bytes);
  }
}
