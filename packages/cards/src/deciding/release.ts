import { auditEntry, Refusal } from '@tallystick/kernel';
import { toCardPayload } from '../issuing/card-event.ts';
import { type Authorization, isStandingRoot } from '../records/authorization.ts';
import { authorizationItem } from '../records/authorization-item.ts';
import type { Records } from '../records/clearing.ts';
import type { ReleaseMessage } from '../records/release-message.ts';
import { release } from '../working/hold.ts';
import type { Pass } from '../working/pass.ts';
import { auditChanges, settleAgain } from '../working/settle-again.ts';
import type { WorkingCard } from '../working/working-card.ts';
import { type ReleaseAnswer, refused } from './answer.ts';

/**
 * Ends the hold of an authorization, and records the change of the card with its event and its
 * audit entry. The use stays. Refuses `not_found` what is unknown or of another company, and
 * `conflict` when nothing is held.
 */
export function foldRelease(pass: Pass, message: ReleaseMessage): ReleaseAnswer {
  const working = pass.cards.ofPerson(message, message.vcn_id);
  if (working instanceof Refusal) return refused(working);
  const root = working.entry(message.authorization_id);
  if (root === undefined) {
    const where = `virtual card ${message.vcn_id} has no authorization ${message.authorization_id}`;
    return refused(new Refusal('not_found', where));
  }
  const { card } = working;
  const { held: amount } = root.now;
  if (amount === 0) return refused(new Refusal('conflict', `nothing is held: ${stateOf(root.now)}`));
  const previous = stateOfCard(working);
  const concerned = working.hasClearings ? working.around({ roots: [root.now] }) : no_records;
  const before = concerned.clearings;
  release(working, root);
  // The end of its hold decides what is late.
  if (before.length > 0) settleAgain(working, concerned);
  auditChanges(pass, working, before, message.request_id);
  const event_id = pass.nextEventId();
  const act = { kind: 'release', authorization_id: root.now.id } as const;
  pass.card_acts.push({ card_id: card.id, event_id, at_ms: pass.now_ms, act });
  const released = { authorization_id: root.now.id, amount, note: message.note };
  pass.events.push({
    id: event_id,
    company_id: card.company_id,
    event_type: 'virtualcard.updated',
    payload: { ...stateOfCard(working), released },
    previous,
    created_at_ms: pass.now_ms,
    request_id: message.request_id,
  });
  const entry = auditEntry(
    { ...message, company_id: card.company_id },
    'hold.released',
    `virtualcard:${card.id}`,
    released,
  );
  pass.audit_entries.push({ ...entry, at_ms: pass.now_ms });
  return { kind: 'answered', item: authorizationItem(root.now, card) };
}

const no_records: Records = { roots: [], clearings: [] };

/** The card as its events show it. */
export function stateOfCard(working: WorkingCard) {
  return toCardPayload(working.card, working.available(working.window_start_ms));
}

function stateOf(authorization: Authorization): string {
  const { id, root_id, status } = authorization;
  if (isStandingRoot(authorization)) return `authorization ${id} is ${status}`;
  if (status === 'declined' || root_id === null) return `authorization ${id} is ${status} and never held an amount`;
  return `authorization ${id} changed the hold of authorization ${root_id}`;
}
