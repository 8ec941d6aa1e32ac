import type { Import } from '@tallystick/imports';
import { toInstantText } from '@tallystick/kernel';

const path = '/operator/v1/imports';

/** An import as operators see it. */
export function presentImport(found: Import) {
  return {
    id: String(found.id),
    name: found.name,
    format: found.format,
    profile: found.profile,
    read_with: found.read_with,
    sha256: found.sha256,
    file_id: found.file_id,
    status: found.status,
    phase: found.phase,
    bytes: found.bytes,
    records: found.records,
    statements: found.statements,
    applied: found.applied,
    duplicates: found.duplicates,
    quarantined: found.quarantined,
    matched: found.matched,
    breaks: found.breaks,
    other_records: found.other_records,
    control_totals: found.control_totals,
    warnings: found.warnings,
    problem: found.problem,
    note: found.note,
    started_at: toInstantText(found.started_at_ms),
    finished_at: found.finished_at_ms === null ? null : toInstantText(found.finished_at_ms),
    type: 'import' as const,
    url: `${path}/${found.id}`,
  };
}
