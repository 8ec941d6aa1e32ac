import { toCardPayload } from '../issuing/card-event.ts';
import { code_failures_max, codeFailuresOn } from '../issuing/code-failures.ts';
import type { AuthorizationMessage } from './authorization.ts';
import type { LedgerChanges, LedgerState, NetworkMessage } from './ledger.ts';
import type { Pass } from './pass.ts';
import type { WorkingCard } from './working-copy.ts';

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

/** The events that these messages may need: one each, and one more for a code. */
export function eventsNeeded(messages: readonly NetworkMessage[]): number {
  return (
    messages.length + messages.filter((message) => message.kind === 'authorization' && message.cvc !== null).length
  );
}

/** How many wrong codes a pass counted, and how many cards reached the maximum, for the metrics. */
export function countedCodeFailures(
  { cards }: Pick<LedgerState, 'cards'>,
  { counters }: Pick<LedgerChanges, 'counters'>,
): { readonly failures: number; readonly lockouts: number } {
  const before = new Map(cards.map((card) => [card.id, card.counters]));
  let failures = 0;
  let lockouts = 0;
  for (const { card_id, counters: after } of counters) {
    const known = before.get(card_id);
    if (known === undefined || after.code_failures_on === null) continue;
    const earlier = codeFailuresOn(known, after.code_failures_on);
    failures += after.code_failures - earlier;
    if (after.code_failures === code_failures_max && earlier < code_failures_max) lockouts += 1;
  }
  return { failures, lockouts };
}
