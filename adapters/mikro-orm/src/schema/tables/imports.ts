import { defineEntity, p } from '@mikro-orm/core';
import type { FileProgress, QuarantineReason, QuarantineSource, QuarantineStatus } from '@tallystick/cards';
import type { BatchKind, ImportPhase, ImportRecord, ImportStatementStatus, ImportStatus } from '@tallystick/imports';
import type { ColumnKind } from './columns.ts';
import { int, json, money } from './columns.ts';

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
    other_records: json(),
    control_totals: json(),
    warnings: json(),
    problem: json().nullable(),
    started_at_ms: int(),
    finished_at_ms: int().nullable(),
    note: p.text().nullable(),
    lease: p.text().nullable(),
    lease_until_machine_ms: int().nullable(),
    read_with: json().nullable(),
    statements: int().defaultRaw('0'),
    held: int(),
    held_statements: json(),
  },
  indexes: [
    { name: 'tallystick_imports_page', properties: ['status', 'id'] },
    { name: 'tallystick_imports_name', properties: ['name'] },
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

/** The statements of files, with what became of them. */
export const ImportStatement = defineEntity({
  name: 'ImportStatement',
  tableName: 'tallystick_import_statements',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    import_id: int(),
    number: int(),
    ordinal: int(),
    position: int(),
    account_number: p.text(),
    currency: p.text().nullable(),
    reference: p.text().nullable(),
    as_of: p.text(),
    opening_balance: money().nullable(),
    closing_balance: money().nullable(),
    lines: int(),
    sum: money(),
    first_booking_date: p.text().nullable(),
    is_newest_first: p.boolean(),
    stated_problem: json().nullable(),
    status: p.text().$type<ImportStatementStatus>(),
    problem: json().nullable(),
    /** `StatementProblem.waits_for` while it is held. */
    waits_for: p.text().nullable(),
    accepted_problems: json(),
    statement_id: int().nullable(),
    is_known: p.boolean(),
    known_lines: int(),
  },
  indexes: [
    {
      name: 'tallystick_import_statements_waiting',
      properties: ['import_id'],
      where: 'waits_for is not null',
    },
  ],
  uniques: [{ name: 'tallystick_import_statements_number', properties: ['import_id', 'number'] }],
});

/** The columns of an import that rise with each pass that applies its records. */
export const progress_counts = [
  'applied',
  'duplicates',
  'quarantined',
  'matched',
  'breaks',
] as const satisfies readonly (keyof FileProgress)[];

/** Messages that were refused and are kept. */
export const Quarantined = defineEntity({
  name: 'Quarantined',
  tableName: 'tallystick_quarantine',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    identity_sha256: p.uint8array(),
    source: p.text().$type<QuarantineSource>(),
    import_id: int().nullable(),
    ordinal: int().nullable(),
    position: int().nullable(),
    status: p.text().$type<QuarantineStatus>(),
    reason: p.text().$type<QuarantineReason>(),
    explanation: p.text(),
    excerpt: json(),
    message_sealed: p.uint8array(),
    count: int(),
    first_seen_at_ms: int(),
    last_seen_at_ms: int(),
    applied_at_ms: int().nullable(),
    clearing_id: int().nullable(),
    request_id: p.text().nullable(),
  },
  indexes: [
    { name: 'tallystick_quarantine_page', properties: ['status', 'id'] },
    // A replay takes the records in the order of the file, and a page newest first.
    { name: 'tallystick_quarantine_import', properties: ['import_id', 'ordinal'], where: 'import_id is not null' },
    { name: 'tallystick_quarantine_import_page', properties: ['import_id', 'id'], where: 'import_id is not null' },
  ],
  uniques: [{ name: 'tallystick_quarantine_identity', properties: ['identity_sha256'] }],
});

/** The columns that a pass writes, with their kinds in JSON. Bytes are hexadecimal there. */
export const refused_columns = {
  identity_sha256: 'bytes',
  source: 'text',
  import_id: 'integer',
  ordinal: 'integer',
  position: 'integer',
  reason: 'text',
  explanation: 'text',
  excerpt: 'json',
  message_sealed: 'bytes',
  count: 'integer',
  first_seen_at_ms: 'integer',
  last_seen_at_ms: 'integer',
  request_id: 'text',
} as const satisfies Readonly<Record<string, ColumnKind | 'bytes'>>;

/**
 * What a message that comes again changes of its record. One of a file takes the place of that
 * record.
 */
export const refused_again_sql = `on conflict (identity_sha256) do update set "count" = tallystick_quarantine."count" + excluded."count",
  reason = excluded.reason, explanation = excluded.explanation, last_seen_at_ms = excluded.last_seen_at_ms,
  source = case when excluded.import_id is null then tallystick_quarantine.source else excluded.source end,
  import_id = coalesce(excluded.import_id, tallystick_quarantine.import_id),
  ordinal = case when excluded.import_id is null then tallystick_quarantine.ordinal else excluded.ordinal end,
  "position" = case when excluded.import_id is null then tallystick_quarantine."position" else excluded."position" end`;
