import type { AppliedRecord } from '@tallystick/cards';
import type { Import, ImportCounts } from './import.ts';

/** What a replay changes of an import. */
export type ReplayedCounts = ImportCounts & Pick<Import, 'status'>;

/**
 * The counts and the status of an import after some of its quarantined records were applied, and
 * `open` of them are left. Those that were recorded before, and copies of all of them in the file,
 * count as duplicates.
 */
export function countsAfterReplay(
  { applied, duplicates, quarantined, matched, breaks, status }: ReplayedCounts,
  records: readonly AppliedRecord[],
  open: number,
): ReplayedCounts {
  const added = records.filter(({ is_duplicate }) => !is_duplicate).length;
  return {
    applied: applied + added,
    duplicates: duplicates + quarantined - open - added,
    quarantined: open,
    matched: matched + records.filter(({ is_matched }) => is_matched).length,
    breaks: breaks + records.filter(({ is_break }) => is_break).length,
    status: open === 0 && status === 'completed_with_quarantine' ? 'completed' : status,
  };
}
