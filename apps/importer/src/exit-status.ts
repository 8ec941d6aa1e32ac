import type { Import, ImportOutcome, ImportPreview } from '@tallystick/imports';

/**
 * How a run of the command ends (clearing files: importing).
 *
 * - 0: every file is applied, now or before
 * - 1: a fault, or the run was stopped
 * - 2: the command line or the configuration is wrong; nothing was read
 * - 3: a file was refused, held or truncated, or another process is importing it
 * - 4: a file is applied, and some of its records are in quarantine
 */
export type ExitStatus = 0 | 1 | 2 | 3 | 4;

/** From the best to the worst. */
const severity: readonly ExitStatus[] = [0, 4, 3, 1, 2];

/** The worst of the statuses; 0 when there is none. */
export function worstOf(statuses: readonly ExitStatus[]): ExitStatus {
  return severity.findLast((status) => statuses.includes(status)) ?? 0;
}

/** The status of an import. Bytes that were completed before are a success, even with records in quarantine. */
export function exitStatusOf({ kind, import: found }: ImportOutcome): ExitStatus {
  if (kind === 'known') return 0;
  return kind === 'in_progress' ? 3 : statusOf(found.status);
}

/** The status that an import of the file would have. */
export function previewStatusOf({ status, known_import_id }: ImportPreview): ExitStatus {
  return known_import_id === null ? statusOf(status) : 0;
}

function statusOf(status: Import['status']): ExitStatus {
  if (status === 'completed') return 0;
  return status === 'completed_with_quarantine' ? 4 : 3;
}
