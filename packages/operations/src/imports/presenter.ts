import type { Import } from '@tallystick/imports';
import { toInstantText } from '@tallystick/kernel';
import { showAs } from '../fields.ts';
import { import_resource } from './shapes.ts';

/** An import as operators see it. */
export function presentImport(found: Import) {
  return showAs(import_resource, {
    ...found,
    id: String(found.id),
    started_at: toInstantText(found.started_at_ms),
    finished_at: found.finished_at_ms === null ? null : toInstantText(found.finished_at_ms),
    type: 'import',
    url: `/operator/v1/imports/${found.id}`,
  });
}
