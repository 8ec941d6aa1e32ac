import { assert, type Money, money } from '@tallystick/kernel';
import type { ImportBatch } from '../import-store.ts';
import type { ImportPorts } from '../ports.ts';
import { openRecords, stagedBatches } from '../staging/staged-record.ts';
import type { AcceptedStatement, FileLine } from './statement-items.ts';
import type { StagedStatement, StatementTotals } from './statement-totals.ts';

type StagedPorts = Pick<ImportPorts, 'unitOfWork' | 'sealer'>;

export interface StagedLine extends FileLine {
  readonly statement: AcceptedStatement;
  /** The balance of the statement after the line; null: not known. */
  readonly balance_after: Money | null;
}

/** The statements that an import staged, in the order of the file. */
export async function stagedTotals(ports: StagedPorts, import_id: number): Promise<readonly StatementTotals[]> {
  const totals: StatementTotals[] = [];
  for await (const batch of stagedBatches(ports, import_id, 'statements')) {
    const records = openRecords(ports.sealer, batch.sealed);
    totals.push(...records.filter((record) => record.kind === 'totals'));
  }
  return totals;
}

/** The lines that an import staged, a batch at a time, in the order of the file. */
export async function* stagedLines(ports: StagedPorts, import_id: number): AsyncGenerator<readonly StagedLine[]> {
  for await (const batch of stagedBatches(ports, import_id, 'lines')) yield linesOf(ports, batch);
}

export function linesOf({ sealer }: Pick<ImportPorts, 'sealer'>, { sealed }: ImportBatch): readonly StagedLine[] {
  const lines: StagedLine[] = [];
  let statement: StagedStatement | null = null;
  let balance: Money | null = null;
  for (const record of openRecords(sealer, sealed)) {
    if (record.kind === 'statement') {
      statement = record;
      balance = record.balance_before ?? null;
    }
    if (record.kind !== 'line') continue;
    assert(statement !== null, `line ${record.ordinal} was staged without its statement`);
    if (record.place === 1) balance = statement.opening_balance;
    balance = balance === null ? null : money(balance + record.line.amount);
    lines.push({ ...record, statement, balance_after: balance });
  }
  return lines;
}
