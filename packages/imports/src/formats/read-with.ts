import { toHex } from '@tallystick/kernel';
import type { Import, ReadWith } from '../import.ts';
import type { ImportOptions } from '../importing/import-run.ts';
import type { ImportPorts } from '../ports.ts';
import type { ClearingFormat } from './clearing-format.ts';

/** The profile by which the format reads a file that begins so; null: it has none, or none fits. */
export function findReadWith(
  { sha256 }: Pick<ImportPorts, 'sha256'>,
  format: ClearingFormat | null,
  head: Uint8Array,
  { profile }: Pick<ImportOptions, 'profile'>,
): ReadWith | null {
  const found = format?.findProfile?.(head, { profile }) ?? null;
  if (found === null) return null;
  const settings = new TextEncoder().encode(JSON.stringify(found, inOneOrder));
  return { profile: found.name, settings_sha256: toHex(sha256(settings)) };
}

/** Whether what was staged of one can be continued by the other: both read the same records. */
export function isReadAlike(
  a: Pick<Import, 'format' | 'profile' | 'read_with'>,
  b: Pick<Import, 'format' | 'profile' | 'read_with'>,
): boolean {
  const is_same_choice = a.format === b.format && a.profile === b.profile;
  return is_same_choice && a.read_with?.settings_sha256 === b.read_with?.settings_sha256;
}

/** Whether the profiles of both are known and have other settings, whoever chose them. */
export function hasOtherSettings(a: Pick<Import, 'read_with'>, b: Pick<Import, 'read_with'>): boolean {
  return a.read_with !== null && b.read_with !== null && a.read_with.settings_sha256 !== b.read_with.settings_sha256;
}

/** The members of objects in one order, for `JSON.stringify`. */
function inOneOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
