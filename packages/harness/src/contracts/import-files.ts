import type { Import } from '@tallystick/imports';
import { clearingLine, type ImportWorld } from './import-world.ts';
import { fileOf, type Line } from './line-format.ts';

/** The records of a file of lines, without its header and trailer. */
export type Records = Parameters<typeof fileOf>[0];

/** The counts of an import. */
export function countsOf({ status, records, applied, duplicates, quarantined }: Import) {
  return { status, records, applied, duplicates, quarantined };
}

/** The transaction ids of the clearings of a file, in order. */
export function transactionsOf(lines: readonly Line[]): readonly string[] {
  const ids = lines.flatMap((line) => (line.kind === 'clearing' ? [line.input.network_financial_transaction_id] : []));
  return ids.sort();
}

let files_made = 0;

/** A file id that no other file has. */
export function freshFileId(): string {
  files_made += 1;
  return `file-${files_made}`;
}

/** Good clearings, in a file of their own. */
export async function wholeFile(world: ImportWorld, count: number) {
  const card = await world.makeCard();
  const records = Array.from({ length: count }, () => clearingLine(card)) as Records;
  return { card, lines: fileOf(records, { file_id: freshFileId() }) };
}
