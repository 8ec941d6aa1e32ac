import type { Import, ImportOutcome, ImportPreview } from '@tallystick/imports';

/**
 * How a run of the command ends (clearing files: importing).
 *
 * - 0: every file is applied, now or before
 * - 1: a fault, or the run was stopped
 * - 2: the command line or the configuration is wrong; nothing was read
 * - 3: a file was refused, held or truncated, or its format does not have the profile, or another
 *   process is importing it
 * - 4: a file is applied but for records in quarantine, or held statements
 */
export type ExitStatus = FileStatus | 2;

/** The status of one file. Whatever is status 2 is found before the first file is read. */
export type FileStatus = 0 | 1 | 3 | 4;

/** From the best to the worst. */
const severity: readonly FileStatus[] = [0, 4, 3, 1];

/** The worst of the statuses; 0 when there is none. */
export function worstOf(statuses: readonly FileStatus[]): FileStatus {
  return severity.findLast((status) => statuses.includes(status)) ?? 0;
}

/**
 * The status of an import. Bytes that were completed before are a success, even with records in
 * quarantine or held statements. Another process may have held or refused them meanwhile.
 */
export function exitStatusOf({ kind, import: found }: ImportOutcome): FileStatus {
  if (kind === 'in_progress') return 3;
  const status = statusOf(found.status);
  return kind === 'known' && status === 4 ? 0 : status;
}

/** The status that an import of the file would have. */
export function previewStatusOf({ status, known_import_id }: ImportPreview): FileStatus {
  return known_import_id === null ? statusOf(status) : 0;
}

function statusOf(status: Import['status']): FileStatus {
  if (status === 'completed') return 0;
  return status === 'completed_with_quarantine' ? 4 : 3;
}
