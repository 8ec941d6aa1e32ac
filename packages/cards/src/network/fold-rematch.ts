import { type AuditEntry, assert, auditEntry, Refusal } from '@tallystick/kernel';
import type { RematchAnswer } from './answer.ts';
import type { Authorization } from './authorization.ts';
import type { Clearing } from './clearing.ts';
import { clearingItem } from './clearing-item.ts';
import { chooseAlso, chosenOf, type MatchChoices, withoutNewest } from './match-choice.ts';
import type { Pass } from './pass.ts';
import { refuseRematch } from './refuse-rematch.ts';
import { stateOfCard } from './release.ts';
import { auditChanges, hasAllClearings, isSettleable, matchOf, settleAgain } from './rematch.ts';
import type { RematchMessage } from './rematch-message.ts';
import { type Records, settleInOrder } from './settle.ts';
import type { WorkingCard } from './working-card.ts';

/**
 * Matches a clearing by hand, takes it from its authorization, or confirms its match (decision:
 * reconciliation). The clearings that this concerns are settled again in the canonical order, so
 * that holds, cleared amounts, windows, uses and statuses move as a rule would move them. Writes an
 * audit entry with the name of the person, one for each other clearing whose match changed with it,
 * and the event of the card if an amount of it may have moved.
 *
 * Refuses `not_found` what is unknown or of another company, `validation_failed` an authorization
 * that is not one of the card, and `conflict` what `refuseRematch` names.
 */
export function foldRematch(pass: Pass, message: RematchMessage): RematchAnswer {
  const working = pass.cards.ofId(message.vcn_id);
  if (working === null || (message.company_id !== null && working.card.company_id !== message.company_id)) {
    return refused(new Refusal('not_found', `there is no virtual card ${message.vcn_id}`));
  }
  const clearing = working.clearing(message.clearing_id);
  if (clearing === undefined) {
    const where = `virtual card ${message.vcn_id} has no clearing ${message.clearing_id}`;
    return refused(new Refusal('not_found', where));
  }
  if (message.seen_acts !== undefined && pass.overtaken_clearing_ids.has(clearing.id)) {
    const what = `somebody has acted on what clearing ${clearing.id} belongs to since it was looked at`;
    return refused(new Refusal('conflict', what));
  }
  const chosen = message.authorization_id === null ? null : (working.entry(message.authorization_id)?.now ?? null);
  const refusal = refuseRematch(message, clearing, chosen);
  if (refusal !== null) return refused(refusal);
  const previous = stateOfCard(working);
  const extent = extentOf(working, clearing, chosen);
  if (extent === null) return refused(tooMany(clearing));
  const { concerned, isKept } = extent;
  const choices = choicesAfter(working, extent, message, clearing);
  if (choices instanceof Refusal) return refused(choices);
  working.putClearing({ ...clearing, choices });
  if (!settleAgain(working, concerned, { was: concerned.clearings, isKept })) {
    working.putClearing(clearing);
    return refused(tooMany(clearing));
  }
  const settled = working.clearing(clearing.id)!;
  assertMatch(message, clearing, settled);
  record(pass, working, message, { from: clearing, to: settled, previous });
  auditChanges(pass, working, others(concerned.clearings, clearing), message.request_id);
  return { kind: 'answered', item: clearingItem(settled, working.card) };
}

function refused(refusal: Refusal): RematchAnswer {
  return { kind: 'refused', refusal };
}

/** The records that are settled with the clearing, and those of them that stay as they are. */
interface Extent {
  readonly concerned: Records;
  readonly isKept?: ((clearing: Clearing) => boolean) | undefined;
}

/**
 * All records whose matches may depend on that of the clearing. When there are too many (ADR 0033),
 * only its authorizations before and after, and their clearings, which stay as they are unless they
 * refer to the clearing. Null: there are too many of these, too.
 */
function extentOf(working: WorkingCard, clearing: Clearing, chosen: Authorization | null): Extent | null {
  const concerned = working.aroundChoice(clearing, chosen);
  if (isSettleable(working, concerned)) return { concerned };
  const root_ids = new Set([clearing.authorization_id, chosen?.id ?? null].filter((id) => id !== null));
  const moving = followersOf(clearing, concerned.clearings);
  const isOfThese = ({ authorization_id }: Clearing) => authorization_id !== null && root_ids.has(authorization_id);
  const alone = {
    roots: concerned.roots.filter(({ id }) => root_ids.has(id)),
    clearings: concerned.clearings.filter((other) => moving.has(other.id) || isOfThese(other)),
  };
  const is_whole =
    alone.clearings.every((other) => other.authorization_id === null || isOfThese(other)) &&
    hasAllClearings(working, alone);
  return is_whole ? { concerned: alone, isKept: ({ id }) => !moving.has(id) } : null;
}

/** The ids of a clearing, of those that refer to it, and of those that refer to these. */
function followersOf({ id }: Clearing, clearings: readonly Clearing[]): ReadonlySet<number> {
  const ids = new Set([id]);
  for (let known = 0; known < ids.size; ) {
    known = ids.size;
    for (const { id: other, clearing_id } of clearings)
      if (clearing_id !== null && ids.has(clearing_id)) ids.add(other);
  }
  return ids;
}

function tooMany({ id, card_id }: Clearing): Refusal {
  const why = `so many clearings of virtual card ${card_id} belong to its authorizations that they cannot be settled`;
  return new Refusal('conflict', `clearing ${id} cannot be matched by hand: ${why}, or a sum would be too large`);
}

function others(clearings: readonly Clearing[], { id }: Clearing): readonly Clearing[] {
  return clearings.filter((other) => other.id !== id);
}

/**
 * The choices about the clearing after this message. Refuses to take back a confirmation of what
 * the rules would not match any more: that would be another match, not the same one without it.
 */
function choicesAfter(
  working: WorkingCard,
  extent: Extent,
  { authorization_id, is_confirmation }: RematchMessage,
  clearing: Clearing,
): MatchChoices | Refusal {
  const { choices, authorization_id: present_id } = clearing;
  const under = (other: MatchChoices) => matchUnder(working, extent, { ...clearing, choices: other });
  if (!is_confirmation) {
    const choice = { authorization_id: authorization_id ?? present_id!, is_match: authorization_id !== null };
    return chooseAlso(choices, choice, under);
  }
  if (authorization_id !== null) return [...(choices ?? []), { authorization_id, is_match: true }];
  const earlier = withoutNewest(choices);
  if (under(earlier) === present_id) return earlier;
  const rules = `no rule would match clearing ${clearing.id} to authorization ${present_id}`;
  return new Refusal('conflict', `${rules}: take the clearing from the authorization instead`);
}

/** The authorization of the clearing if these records were settled with it in this state. */
function matchUnder(working: WorkingCard, { concerned, isKept }: Extent, clearing: Clearing): number | null {
  const clearings = concerned.clearings.map((other) => (other.id === clearing.id ? clearing : other));
  const settled = settleInOrder(working.card, { ...concerned, clearings }, working.now_ms, isKept);
  return settled.clearings.find(({ id }) => id === clearing.id)?.authorization_id ?? null;
}

function assertMatch({ authorization_id, is_confirmation }: RematchMessage, from: Clearing, to: Clearing): void {
  if (authorization_id !== null) {
    assert(to.authorization_id === authorization_id, `clearing ${to.id} was matched by hand, and not so`);
    assert(!is_confirmation || chosenOf(to.choices) === authorization_id, `the match of clearing ${to.id} is not kept`);
  } else if (!is_confirmation) {
    assert(to.authorization_id !== from.authorization_id, `clearing ${to.id} was taken from what it still belongs to`);
  }
}

/** The actions of the audit log. */
function actionOf({ authorization_id, is_confirmation }: RematchMessage): string {
  if (is_confirmation) return authorization_id === null ? 'clearing.match_unconfirmed' : 'clearing.match_confirmed';
  return authorization_id === null ? 'clearing.unmatched_by_hand' : 'clearing.matched_by_hand';
}

interface Change {
  readonly from: Clearing;
  readonly to: Clearing;
  /** The card before the change. */
  readonly previous: ReturnType<typeof stateOfCard>;
}

function record(pass: Pass, working: WorkingCard, message: RematchMessage, { from, to, previous }: Change): void {
  const { company_id, id: vcn_id } = working.card;
  const { note, reason, request_id, act } = message;
  const details: AuditEntry['details'] = { vcn_id, from: matchOf(from), to: matchOf(to), note, reason };
  const entry = auditEntry({ ...message, company_id }, actionOf(message), `clearing:${to.id}`, details);
  pass.audit_entries.push({ ...entry, at_ms: pass.now_ms });
  if (act !== null) pass.acts.push({ ...act, at_ms: pass.now_ms });
  if (isSamePlace(from, to)) return;
  const rematched = {
    clearing_id: to.id,
    from_authorization_id: from.authorization_id,
    authorization_id: to.authorization_id,
    note,
  };
  pass.events.push({
    id: pass.nextEventId(),
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
