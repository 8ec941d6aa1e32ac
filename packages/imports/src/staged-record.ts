import type { Sealer } from '@tallystick/kernel';
import type { BadRecord, FileClearing, OtherRecord } from './clearing-format.ts';
import type { FileLine } from './statements/statement-items.ts';
import type { StagedStatement, StatementTotals } from './statements/statement-totals.ts';

/** A record of a file that is staged. */
export type StagedRecord = FileClearing | BadRecord | OtherRecord | StagedStatement | FileLine | StatementTotals;

/** The purpose that staged records are bound to. */
export const staged_purpose = 'imports.batch';

/** The record as JSON, for `sealRecords`. */
export function recordText(record: StagedRecord): string {
  return JSON.stringify(
    'raw' in record && record.raw !== undefined ? { ...record, raw: record.raw.toBase64() } : record,
  );
}

/** Seals several records as one value. */
export function sealRecords(sealer: Sealer, texts: readonly string[]): Uint8Array {
  return sealer.seal(staged_purpose, new TextEncoder().encode(`[${texts.join(',')}]`));
}

/** The records that were sealed. */
export function openRecords(sealer: Sealer, sealed: Uint8Array): readonly StagedRecord[] {
  const records = JSON.parse(new TextDecoder().decode(sealer.open(staged_purpose, sealed)));
  return records.map((record: { readonly raw?: string }) =>
    record.raw === undefined ? record : { ...record, raw: Uint8Array.fromBase64(record.raw) },
  );
}
