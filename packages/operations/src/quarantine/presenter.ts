import type { QuarantinedRecord } from '@tallystick/cards';
import { toInstantText } from '@tallystick/kernel';

const path = '/operator/v1/quarantine';

/** A quarantined record as operators see it. The card number in its message is masked. */
export function presentQuarantined(record: QuarantinedRecord) {
  return {
    id: String(record.id),
    source: record.source,
    import_id: record.import_id,
    ordinal: record.ordinal,
    position: record.position,
    status: record.status,
    reason: record.reason,
    explanation: record.explanation,
    message: record.excerpt,
    count: record.count,
    first_seen_at: toInstantText(record.first_seen_at_ms),
    last_seen_at: toInstantText(record.last_seen_at_ms),
    applied_at: record.applied_at_ms === null ? null : toInstantText(record.applied_at_ms),
    clearing_id: record.clearing_id,
    type: 'quarantined' as const,
    url: `${path}/${record.id}`,
  };
}
