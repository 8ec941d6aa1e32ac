import { toCardPayload } from '../issuing/card-event.ts';
import { code_failures_max } from '../issuing/code-failures.ts';
import type { AuthorizationMessage } from '../records/authorization.ts';
import type { Pass } from '../working/pass.ts';
import type { WorkingCard } from '../working/working-card.ts';

/**
 * Whether the message has a code that is wrong, or that counts as wrong. A message of any type
 * counts, whatever its answer is. The failure that reaches the maximum writes virtualcard.updated.
 */
export function failsCode(pass: Pass, card: WorkingCard, { pan, cvc, request_id }: AuthorizationMessage): boolean {
  if (cvc === null) return false;
  if (card.code_failures >= code_failures_max) return true;
  if (pass.vault.cvcMatches(pan, card.card.expiry, cvc)) return false;
  card.countCodeFailure();
  if (card.code_failures < code_failures_max) return true;
  const state = toCardPayload(card.card, card.available(card.window_start_ms));
  pass.events.push({
    id: pass.nextEventId(),
    company_id: card.card.company_id,
    event_type: 'virtualcard.updated',
    payload: { ...state, code_failures: code_failures_max },
    previous: { ...state, code_failures: code_failures_max - 1 },
    created_at_ms: pass.now_ms,
    request_id,
  });
  return true;
}
