import type { QuarantinedRecord } from '@tallystick/cards';
import { toInstantText } from '@tallystick/kernel';
import { showAs } from '../fields.ts';
import { quarantined } from './shapes.ts';

/** A quarantined record as operators see it. The card number in its message is masked. */
export function presentQuarantined(record: QuarantinedRecord) {
  return showAs(quarantined, {
    ...record,
    id: String(record.id),
    message: record.excerpt,
    first_seen_at: toInstantText(record.first_seen_at_ms),
    last_seen_at: toInstantText(record.last_seen_at_ms),
    applied_at: record.applied_at_ms === null ? null : toInstantText(record.applied_at_ms),
    type: 'quarantined',
    url: `/operator/v1/quarantine/${record.id}`,
  });
}
