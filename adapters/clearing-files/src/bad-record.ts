import type { BadRecord, RecordPlace } from '@tallystick/imports';

export function badRecord(
  { code, message: reason }: { readonly code: string; readonly message: string },
  { ordinal, offset }: RecordPlace,
  raw: Uint8Array,
): BadRecord {
  return { kind: 'bad', ordinal, offset, code, reason, raw };
}
