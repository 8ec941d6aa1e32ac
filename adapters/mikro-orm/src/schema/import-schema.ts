import { defineEntity, p } from '@mikro-orm/core';
import type { FileProgress } from '@tallystick/cards';
import type { BatchKind, ImportPhase, ImportRecord, ImportStatus } from '@tallystick/imports';

const int = () => p.bigint('number');

/** Imports of files. The conventions are those of `schema.ts`. */
export const Import = defineEntity({
  name: 'Import',
  tableName: 'tallystick_imports',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    name: p.text(),
    format: p.text(),
    profile: p.text().nullable(),
    sha256: p.text().nullable(),
    file_id: p.text().nullable(),
    series: p.text().nullable(),
    sequence: int().nullable(),
    created_on: p.text().nullable(),
    mode: p.text().$type<NonNullable<ImportRecord['mode']>>().nullable(),
    status: p.text().$type<ImportStatus>(),
    phase: p.text().$type<ImportPhase>().nullable(),
    is_repeatable: p.boolean(),
    bytes: int(),
    records: int(),
    staged_ordinal: int(),
    staged_batches: int(),
    applied_of_batch: int(),
    applied: int(),
    duplicates: int(),
    quarantined: int(),
    matched: int(),
    breaks: int(),
    /** JSON, as the next three. */
    other_records: p.text(),
    control_totals: p.text(),
    warnings: p.text(),
    problem: p.text().nullable(),
    started_at_ms: int(),
    finished_at_ms: int().nullable(),
    note: p.text().nullable(),
    lease: p.text().nullable(),
    lease_until_machine_ms: int().nullable(),
    /** JSON. */
    read_with: p.text().nullable(),
    statements: int().defaultRaw('0'),
    waits_for: p.text().nullable(),
    /** JSON. */
    accepted_problems: p.text().default('[]'),
  },
  indexes: [
    { name: 'tallystick_imports_page', properties: ['status', 'id'] },
    { name: 'tallystick_imports_series', properties: ['format', 'series', 'created_on', 'sequence'] },
    { name: 'tallystick_imports_file_id', properties: ['format', 'file_id'] },
  ],
  uniques: [{ name: 'tallystick_imports_sha256', properties: ['sha256'] }],
});

/** Staged records of files, many in a row. */
export const ImportBatch = defineEntity({
  name: 'ImportBatch',
  tableName: 'tallystick_import_batches',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    import_id: int(),
    kind: p.text().$type<BatchKind>(),
    number: int(),
    sealed: p.uint8array(),
  },
  uniques: [{ name: 'tallystick_import_batches_number', properties: ['import_id', 'kind', 'number'] }],
});

/** The columns of an import that rise with each pass that applies its records. */
export const progress_counts = [
  'applied',
  'duplicates',
  'quarantined',
  'matched',
  'breaks',
] as const satisfies readonly (keyof FileProgress)[];
