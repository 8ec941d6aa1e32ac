import { invalid } from '@tallystick/kernel';
import { itemIdOf, type RecordKey } from '../../item-id.ts';
import { recordNameOf } from '../../record-name.ts';
import type { RowError } from './decision-table.ts';

/** The records that a row decides about. */
export interface RowRecords {
  readonly row: number;
  /** Those of its item. */
  readonly own: readonly RecordKey[];
  /** Those that a match names. */
  readonly named: readonly RecordKey[];
}

/** The most records that the decisions of one table may be about. */
const table_records_max = 1_000_000;

/**
 * Which row of a table decides about which record. A record is in one row: another one would decide
 * about what the first one leaves, which the person has not seen.
 */
export class ClaimedRecords {
  readonly #rows = new Map<number, number>();

  /** Null: no other row has one of the records. */
  claim({ row, own, named }: RowRecords): RowError | null {
    const error = this.#errorOf(row, 'id', own) ?? this.#errorOf(row, 'with', named);
    if (error !== null) return error;
    for (const record of [...own, ...named]) this.#rows.set(itemIdOf(record), row);
    if (this.#rows.size > table_records_max) {
      const message = `must be about at most ${table_records_max} records: split the table`;
      throw invalid({ path: 'rows', message });
    }
    return null;
  }

  #errorOf(row: number, column: 'id' | 'with', records: readonly RecordKey[]): RowError | null {
    const taken = records.find((record) => this.#rows.has(itemIdOf(record)));
    if (taken === undefined) return null;
    const before = this.#rows.get(itemIdOf(taken))!;
    const message = `must be about records of no other row: row ${before} is also about ${recordNameOf(taken)}`;
    return { row, column, message };
  }
}
