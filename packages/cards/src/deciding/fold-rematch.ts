import { type AuditEntry, assert, auditEntry, Refusal } from '@tallystick/kernel';
import type { Clearing } from '../records/clearing.ts';
import { clearingItem } from '../records/clearing-item.ts';
import type { MatchByHand, RematchMessage } from '../records/match-by-hand.ts';
import { chosenOf } from '../records/match-choice.ts';
import type { Pass } from '../working/pass.ts';
import { auditChanges, matchOf, putRecords } from '../working/settle-again.ts';
import type { WorkingCard } from '../working/working-card.ts';
import { type RematchAnswer, refused } from './answer.ts';
import { refuseRematch } from './refuse-rematch.ts';
import { stateOfCard } from './release.ts';
import { type AskedMatch, type SettledChoices, settleChoices } from './settle-choices.ts';

/**
 * Matches clearings by hand, takes them from their authorizations, or confirms their matches
 * (decision: reconciliation): all that the message names, or nothing when one is refused. The
 * clearings that this concerns are settled again in the canonical order, so that holds, cleared
 * amounts, windows, uses and statuses move as a rule would move them. Writes an audit entry with
 * the name of the person for each match, one for each other clearing whose match changed with them,
 * and the event of a card if an amount of it may have moved.
 *
 * Refuses `not_found` what is unknown or of another company, `validation_failed` an authorization
 * that is not one of the card, and `conflict` what `refuseRematch` and `settleChoices` name.
 */
export function foldRematch(pass: Pass, message: RematchMessage): RematchAnswer {
  const asked = askedOf(pass, message);
  if (asked instanceof Refusal) return refused(asked);
  const done: SettledCard[] = [];
  for (const [working, its] of Map.groupBy(asked, (one) => one.working)) {
    const previous = stateOfCard(working);
    const settled = settleChoices(working, its);
    if (settled instanceof Refusal) {
      for (const card of done) putRecords(card.working, card.before);
      return refused(settled);
    }
    done.push({ ...settled, working, its, previous });
  }
  for (const card of done) recordCard(pass, message, card);
  if (message.act !== null) pass.acts.push({ ...message.act, at_ms: pass.now_ms });
  const items = asked.map(({ working, clearing }) => clearingItem(working.clearing(clearing.id)!, working.card));
  return { kind: 'answered', items };
}

interface Asked extends AskedMatch {
  readonly working: WorkingCard;
}

/** The clearings of a card with the matches that the message asks for. */
interface SettledCard extends SettledChoices {
  readonly working: WorkingCard;
  readonly its: readonly AskedMatch[];
  /** The card before the message. */
  readonly previous: ReturnType<typeof stateOfCard>;
}

/** What the message asks for, on the records as they are; the first refusal when there is one. */
function askedOf(pass: Pass, message: RematchMessage): readonly Asked[] | Refusal {
  const asked: Asked[] = [];
  for (const match of message.matches) {
    const { vcn_id, clearing_id, authorization_id } = match;
    const working = pass.cards.ofPerson(message, vcn_id);
    if (working instanceof Refusal) return working;
    const clearing = working.clearing(clearing_id);
    if (clearing === undefined) {
      return new Refusal('not_found', `virtual card ${vcn_id} has no clearing ${clearing_id}`);
    }
    if (message.seen_acts !== undefined && pass.overtaken_clearing_ids.has(clearing_id)) {
      const what = `what clearing ${clearing_id} belongs to has changed since it was looked at, by an act, a closing, or an act that waits for a second person`;
      return new Refusal('conflict', what);
    }
    const chosen = authorization_id === null ? null : (working.entry(authorization_id)?.now ?? null);
    const refusal = refuseRematch(match, clearing, chosen);
    if (refusal !== null) return refusal;
    asked.push({ working, match, clearing, chosen });
  }
  return asked;
}

function recordCard(pass: Pass, message: RematchMessage, { working, its, concerned, previous }: SettledCard): void {
  const event_ids = its.map(() => pass.nextEventId());
  const matches = its.map(({ match: { clearing_id, authorization_id, is_confirmation } }) => {
    return { clearing_id, authorization_id, is_confirmation };
  });
  const act = { kind: 'rematch', matches } as const;
  pass.card_acts.push({ card_id: working.card.id, event_id: event_ids[0]!, at_ms: pass.now_ms, act });
  for (const [at, { match, clearing }] of its.entries()) {
    const settled = working.clearing(clearing.id)!;
    assertMatch(match, clearing, settled);
    record(pass, working, { message, match, from: clearing, to: settled, previous, event_id: event_ids[at]! });
  }
  const asked_ids = new Set(its.map(({ clearing }) => clearing.id));
  const others = concerned.clearings.filter(({ id }) => !asked_ids.has(id));
  auditChanges(pass, working, others, message.request_id);
}

function assertMatch({ authorization_id, is_confirmation }: MatchByHand, from: Clearing, to: Clearing): void {
  if (authorization_id !== null) {
    assert(to.authorization_id === authorization_id, `clearing ${to.id} was matched by hand, and not so`);
    assert(!is_confirmation || chosenOf(to.choices) === authorization_id, `the match of clearing ${to.id} is not kept`);
  } else if (!is_confirmation) {
    assert(to.authorization_id !== from.authorization_id, `clearing ${to.id} was taken from what it still belongs to`);
  }
}

function actionOf({ authorization_id, is_confirmation }: MatchByHand): string {
  if (is_confirmation) return authorization_id === null ? 'clearing.match_unconfirmed' : 'clearing.match_confirmed';
  return authorization_id === null ? 'clearing.unmatched_by_hand' : 'clearing.matched_by_hand';
}

interface Change extends Pick<SettledCard, 'previous'> {
  readonly message: RematchMessage;
  readonly match: MatchByHand;
  readonly from: Clearing;
  readonly to: Clearing;
  readonly event_id: number;
}

function record(pass: Pass, working: WorkingCard, { message, match, from, to, previous, event_id }: Change): void {
  const { company_id, id: vcn_id } = working.card;
  const { note, reason, request_id } = message;
  const details: AuditEntry['details'] = { vcn_id, from: matchOf(from), to: matchOf(to), note, reason };
  const entry = auditEntry({ ...message, company_id }, actionOf(match), `clearing:${to.id}`, details);
  pass.audit_entries.push({ ...entry, at_ms: pass.now_ms });
  if (isSamePlace(from, to)) return;
  const rematched = {
    clearing_id: to.id,
    from_authorization_id: from.authorization_id,
    authorization_id: to.authorization_id,
    note,
  };
  pass.events.push({
    id: event_id,
    company_id,
    event_type: 'virtualcard.updated',
    payload: { ...stateOfCard(working), rematched },
    previous,
    created_at_ms: pass.now_ms,
    request_id,
  });
}

/** Whether the clearing belongs to the same records, so that no amount has moved. */
function isSamePlace(from: Clearing, to: Clearing): boolean {
  return from.authorization_id === to.authorization_id && from.clearing_id === to.clearing_id;
}
