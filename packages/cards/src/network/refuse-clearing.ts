import type { Refusal } from '@tallystick/kernel';
import type { QuarantineReason } from '../quarantine/quarantined-record.ts';
import { excerptOf, identityOf, sealClearing } from '../quarantine/sealed-clearing.ts';
import type { ClearingAnswer } from './answer.ts';
import type { ClearingMessage } from './clearing.ts';
import type { Pass } from './pass.ts';

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
    source: 'http',
    import_id: null,
    ordinal: null,
    position: null,
    reason,
    explanation: refusal.message,
    excerpt: known?.excerpt ?? excerptOf(message),
    message_sealed: known?.message_sealed ?? sealClearing(pass.sealer, message),
    count: 1 + (known?.count ?? 0),
    first_seen_at_ms: pass.now_ms,
    last_seen_at_ms: pass.now_ms,
    request_id: message.request_id,
  });
  return { kind: 'refused', refusal };
}
