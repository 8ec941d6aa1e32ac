import type { Payload } from '@tallystick/events';
import { maskJson, type Refusal } from '@tallystick/kernel';
import type { QuarantineReason, RefusedRecord } from '../quarantine/quarantined-record.ts';
import { excerptOf, identityOf, sealClearing } from '../quarantine/sealed-clearing.ts';
import type { ClearingAnswer } from './answer.ts';
import type { ClearingMessage, RecordOfFile } from './clearing.ts';
import type { Pass } from './pass.ts';

/** The excerpt of a message with the number of a card in one of its fields. */
function maskedExcerpt(message: ClearingMessage): Payload {
  return maskJson(excerptOf(message)) as Payload;
}

/** Where a refused record came from. */
export function sourceOf(
  place: RecordOfFile | null,
): Pick<RefusedRecord, 'source' | 'import_id' | 'ordinal' | 'position'> {
  return place === null
    ? { source: 'http', import_id: null, ordinal: null, position: null }
    : { source: 'file', ...place };
}

/**
 * Refuses a clearing, and keeps it in quarantine: what the network reports as settled must not be
 * lost (decision: clearing).
 */
export function refuseClearing(
  pass: Pass,
  message: ClearingMessage,
  reason: QuarantineReason,
  refusal: Refusal,
): ClearingAnswer {
  const identity_sha256 = identityOf(pass.sha256, message);
  const key = identity_sha256.toHex();
  const known = pass.quarantined.get(key);
  pass.quarantined.set(key, {
    identity_sha256,
    ...sourceOf(message.place),
    reason,
    explanation: refusal.message,
    excerpt: known?.excerpt ?? (reason === 'invalid_clearing' ? maskedExcerpt(message) : excerptOf(message)),
    message_sealed: known?.message_sealed ?? sealClearing(pass.sealer, message),
    count: 1 + (known?.count ?? 0),
    first_seen_at_ms: pass.now_ms,
    last_seen_at_ms: pass.now_ms,
    request_id: message.request_id,
  });
  return { kind: 'refused', refusal };
}
