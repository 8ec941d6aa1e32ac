import type { BadRecord, RecordPlace } from '@tallystick/imports';

/** The record at this place with the problem for which it cannot be read. */
export function badRecord(
  { code, message: reason }: { readonly code: string; readonly message: string },
  { ordinal, offset }: RecordPlace,
  raw: Uint8Array,
): BadRecord {
  return { kind: 'bad', ordinal, offset, code, reason, raw };
}
