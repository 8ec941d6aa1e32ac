import { auditEntry, Refusal } from '@tallystick/kernel';
import { shownFreeze } from '../issuing/card-event.ts';
import type { FreezeMessage } from '../records/freeze-message.ts';
import type { Pass } from '../working/pass.ts';
import { type FreezeAnswer, refused } from './answer.ts';
import { stateOfCard } from './release.ts';

/**
 * Freezes or unfreezes a card, with its event and its audit entry. A repeat changes nothing. A
 * frozen card declines requests; its holds run on, and it takes advices, reversals, refunds and
 * clearings. Refuses `not_found` a card that is unknown or of another company, and `conflict` a
 * Canceled one.
 */
export function foldFreeze(pass: Pass, message: FreezeMessage): FreezeAnswer {
  const { vcn_id, frozen, note, request_id } = message;
  const working = pass.cards.ofPerson(message, vcn_id);
  if (working instanceof Refusal) return refused(working);
  const { company_id, status, frozen_at_ms } = working.card;
  if (status === 'Canceled') {
    const cannot = `virtual card ${vcn_id} is Canceled and cannot be ${frozen ? 'frozen' : 'unfrozen'}`;
    return refused(new Refusal('conflict', cannot));
  }
  if (frozen === (frozen_at_ms !== null)) return { kind: 'answered', company_id };
  const stateNow = () => ({ ...stateOfCard(working), ...shownFreeze(working.card) });
  const previous = stateNow();
  working.setFrozen(frozen, message);
  pass.events.push({
    id: pass.nextEventId(),
    company_id,
    event_type: 'virtualcard.updated',
    payload: { ...stateNow(), note },
    previous,
    created_at_ms: pass.now_ms,
    request_id,
  });
  const action = frozen ? 'card.frozen' : 'card.unfrozen';
  const entry = auditEntry({ ...message, company_id }, action, `virtualcard:${vcn_id}`, { note });
  pass.audit_entries.push({ ...entry, at_ms: pass.now_ms });
  return { kind: 'answered', company_id };
}
