import { invalid, nearestName } from '@tallystick/kernel';
import type { ImportOptions } from '../importing/import-run.ts';
import type { ImportPorts } from '../ports.ts';
import type { ClearingFormat } from './clearing-format.ts';
import { FileProblem } from './file-problem.ts';

/** The format of this name. Refuses `validation_failed`. */
export function findFormat({ formats }: Pick<ImportPorts, 'formats'>, name: string): ClearingFormat {
  const found = formats.find(name);
  if (found !== null) return found;
  const nearest = nearestName(name, formats.names);
  const hint = nearest === null ? '' : `; did you mean ${nearest}?`;
  throw invalid({ path: 'format', message: `must be one of ${formats.names.join(', ')}${hint}` });
}

/**
 * The format of a file: the named one, else the first that recognises its first bytes; null when
 * none does. Refuses `validation_failed` for a profile that the format does not have.
 */
export function chooseFormat(
  { formats }: Pick<ImportPorts, 'formats'>,
  { profile }: Pick<ImportOptions, 'profile'>,
  named: ClearingFormat | null,
  head: Uint8Array,
  file_name: string,
): ClearingFormat | null {
  const format = named ?? formats.detect(head, file_name);
  const profiles = format?.profiles ?? [];
  if (format === null || profile === undefined || profiles.includes(profile)) return format;
  const expected =
    profiles.length === 0 ? `must be absent: ${format.name} has none` : `must be one of ${profiles.join(', ')}`;
  throw invalid({ path: 'profile', message: expected });
}

/** The format of a file that no format recognises. */
export const unknown_format = 'unknown';

/** The problem of a file of so many bytes that no format recognises. */
export function unrecognised({ formats }: Pick<ImportPorts, 'formats'>, bytes: number): FileProblem {
  if (bytes === 0) return new FileProblem('truncated', 'file_truncated', 'the file is empty', 0);
  const message = `the file begins like none of the formats ${formats.names.join(', ')}; name its format`;
  return new FileProblem('refused', 'format_unknown', message, 0);
}
