import { type RecordKey, record_kinds, recordsOf } from './item-id.ts';

/** The name of a record as people write it in tables and read it in lists: `line:408`. */
export function recordNameOf({ kind, id }: RecordKey): string {
  return `${kind}:${id}`;
}

/** The record of this name; null when it is none. */
export function readRecordName(name: string): RecordKey | null {
  const [, word, digits] = /^([a-z]+):([1-9]\d{0,15})$/.exec(name) ?? [];
  const kind = record_kinds.find((one) => one === word);
  const id = Number(digits);
  return kind === undefined || !Number.isSafeInteger(id) ? null : { kind, id };
}

/** The names of records, separated by blanks. */
export function recordNamesOf(ids: Parameters<typeof recordsOf>[0]): string {
  return recordsOf(ids).map(recordNameOf).join(' ');
}
