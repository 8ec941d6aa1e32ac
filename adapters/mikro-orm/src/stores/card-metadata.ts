import { createHash } from 'node:crypto';

/** The search entries of a card's metadata: one for each of its top-level names. */
export function toMetadataEntries(metadata: Readonly<Record<string, unknown>> | null): Uint8Array[] {
  return Object.entries(metadata ?? {}).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : value === null ? undefined : JSON.stringify(value);
    return text === undefined ? [] : [toMetadataEntry(name, text)];
  });
}

/**
 * The entry of a name and its value as text: text unchanged, all else as JSON; null has no entry.
 */
export function toMetadataEntry(name: string, value: string): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([name, value]))
    .digest()
    .subarray(0, 16);
}
