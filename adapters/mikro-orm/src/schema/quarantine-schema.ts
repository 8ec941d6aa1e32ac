import { defineEntity, p } from '@mikro-orm/core';
import type { QuarantineReason, QuarantineSource, QuarantineStatus } from '@tallystick/cards';
import type { ColumnKind } from './record-rows.ts';

const int = () => p.bigint('number');

/** Messages that were refused and are kept. The conventions are those of `schema.ts`. */
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
    /** JSON. */
    excerpt: p.text(),
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
