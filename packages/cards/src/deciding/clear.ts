import type { Payload } from '@tallystick/events';
import { assert, type FieldError, invalid, maskJson, Refusal, toHex } from '@tallystick/kernel';
import { EarlierClearings } from '../matching/earlier-clearings.ts';
import { StandingRoots } from '../matching/standing-roots.ts';
import type { QuarantineReason } from '../quarantine/quarantined-record.ts';
import { sourceOf } from '../quarantine/quarantined-record.ts';
import { excerptOf, identityOf, sealClearing } from '../quarantine/sealed-clearing.ts';
import type { Authorization } from '../records/authorization.ts';
import type { Clearing, ClearingMessage, Records } from '../records/clearing.ts';
import { differencesOf, namesNothing } from '../records/clearing-identity.ts';
import { clearingItem } from '../records/clearing-item.ts';
import type { LedgerCard } from '../records/ledger.ts';
import { unmatchedClearing } from '../records/new-clearing.ts';
import { inCanonicalOrder } from '../settling/canonical-order.ts';
import { afterItsEnd } from '../settling/clearing-effect.ts';
import { restoreClearing } from '../settling/retention.ts';
import { settleClearing } from '../settling/settle.ts';
import { findPair, recordPair } from '../working/paired-clearing.ts';
import type { Pass } from '../working/pass.ts';
import { auditChanges, settleAgain } from '../working/settle-again.ts';
import { refuseSum } from '../working/sum-limit.ts';
import type { WorkingCard } from '../working/working-card.ts';
import type { ClearingAnswer } from './answer.ts';
import { otherCurrency } from './authorize.ts';

/** The stored name of the event about a clearing (service specification 2.5, type 7). */
const clearing_event_type = 'virtualcard.clearings';

/**
 * Records one clearing and its effect on the card, on the working copy of the pass. A clearing of a
 * known card is always applied: above the hold, after the hold ended, and without an authorization.
 * One that cannot be applied is refused and kept in quarantine.
 */
export function foldClearing(pass: Pass, message: ClearingMessage): ClearingAnswer {
  const { network_financial_transaction_id: id } = message;
  if (namesNothing(id)) return refuseClearing(pass, message, 'invalid_clearing', unusableId(id));
  const working = cardOf(pass, message);
  if (working === null) return refuseClearing(pass, message, 'unknown_card', unknownCard(message));
  const { card } = working;
  if (message.last4 !== null && message.last4 !== card.last4) {
    return refuseClearing(pass, message, 'card_mismatch', otherNumber(card, message.last4));
  }
  const known = pass.clearings.get(id);
  if (known !== undefined) {
    if (known.card_id === card.id) return foldCopy(pass, working, message, known.id);
    return refuseClearing(pass, message, 'transaction_of_another_card', takenBy('a clearing of another card'));
  }
  if (message.billing_currency !== card.billing_currency) {
    return refuseClearing(pass, message, 'other_billing_currency', otherCurrency(card, message.billing_currency));
  }
  const { now_ms } = pass;
  const { window_start_ms } = working;
  const event_id = pass.nextEventId();
  const unnumbered = unmatchedClearing(message, card, { id: 0, now_ms, window_start_ms, event_id });
  const around = working.aroundNew({ clearing: unnumbered });
  const pair = findPair(around.clearings, message);
  if (pair !== null) {
    recordPair(pass, working, pair, { message, event_id });
    return answerAgain(working, message, pair.id);
  }
  const clearing = clear(pass, working, unnumbered, around);
  if (clearing instanceof Refusal) return refuseClearing(pass, message, 'sum_limit', clearing);
  const root = clearing.authorization_id === null ? undefined : working.entry(clearing.authorization_id);
  if (root !== undefined) settleChanged(working, afterItsEnd(root.now, clearing));
  pass.clearings.set(clearing.network_financial_transaction_id, clearing);
  const item = clearingItem(clearing, card);
  pass.events.push({
    id: event_id,
    company_id: card.company_id,
    event_type: clearing_event_type,
    payload: item,
    previous: null,
    created_at_ms: pass.now_ms,
    request_id: message.request_id,
  });
  return { kind: 'answered', item, duplicate: false };
}

/** A message with the id of a recorded clearing of its card: a copy of it, or another clearing. */
function foldCopy(pass: Pass, working: WorkingCard, message: ClearingMessage, id: number): ClearingAnswer {
  const clearing = recorded(working, id);
  const differences = differencesOf(clearing, message);
  if (differences.length === 0) return answerAgain(working, message, id);
  const taken = differences.map(({ path }) => `${path} ${clearing[path as keyof Clearing]}`).join(', ');
  const refusal = takenBy(`a clearing of this card with ${taken}`, differences);
  return refuseClearing(pass, message, 'transaction_of_another_clearing', refusal);
}

/** The answer about a clearing that is recorded already: as it is now. */
function answerAgain(working: WorkingCard, message: ClearingMessage, id: number): ClearingAnswer {
  const item = clearingItem(restoreClearing(recorded(working, id), message), working.card);
  return { kind: 'answered', item, duplicate: true };
}

function recorded(working: WorkingCard, id: number): Clearing {
  const known = working.clearing(id);
  assert(known !== undefined, `clearing ${id} is known but is not of this pass`);
  return known;
}

function cardOf(pass: Pass, { number_index, vcn_id }: ClearingMessage): WorkingCard | null {
  if (number_index !== null) return pass.cards.ofNumber(number_index);
  return vcn_id === null ? null : pass.cards.ofId(vcn_id);
}

function unknownCard({ vcn_id }: ClearingMessage): Refusal {
  const named = vcn_id === null ? 'with this number' : String(vcn_id);
  return new Refusal('not_found', `there is no virtual card ${named}`);
}

function otherNumber({ id }: LedgerCard, last4: string): Refusal {
  return invalid({
    path: 'card_number',
    message: `ends in ${last4}, which is not the end of the number of card ${id}`,
  });
}

const id_path = 'network_financial_transaction_id';

function takenBy(what: string, differences: readonly FieldError[] = []): Refusal {
  return invalid({ path: id_path, message: `must be unique, and ${what} has it` }, ...differences);
}

function unusableId(id: string): Refusal {
  return invalid({ path: id_path, message: `is ${id}, which names no transaction: send the id of the network` });
}

/**
 * Records the clearing with its match, moves hold and use, and returns the record; or changes
 * nothing, and returns the refusal of a sum that would be too large. A clearing that comes last in
 * the canonical order of those that it concerns leaves the others as they are. Otherwise they are
 * settled again with it, in that order (clearing files: matching).
 */
function clear(pass: Pass, working: WorkingCard, unnumbered: Clearing, around: Records): Clearing | Refusal {
  const ordered = inCanonicalOrder([...around.clearings, unnumbered]);
  const is_last = ordered.at(-1) === unnumbered;
  const clearing = is_last ? unnumbered : { ...unnumbered, id: pass.nextClearingId() };
  if (!is_last && settleAgain(working, { roots: around.roots, clearings: [...around.clearings, clearing] })) {
    auditChanges(pass, working, around.clearings, unnumbered.request_id);
    return working.clearing(clearing.id)!;
  }
  const settled = settleClearing(
    {
      card: working.card,
      roots: new StandingRoots(around.roots),
      earlier: new EarlierClearings(ordered.slice(0, ordered.indexOf(unnumbered))),
      own_window_start_ms: working.window_start_ms,
    },
    clearing,
  );
  const { clearing: unrecorded, root } = settled;
  const before = root === null ? null : working.entry(root.id)!.now;
  const refusal = refuseSum(working, {
    window_start_ms: unrecorded.window_start_ms,
    root: before,
    held: -unrecorded.hold_effect,
    cleared: unrecorded.cleared_effect,
  });
  if (refusal !== null) return refusal;
  const recorded = is_last ? { ...unrecorded, id: pass.nextClearingId() } : unrecorded;
  if (root !== null) settleChanged(working, root);
  working.putClearing(recorded);
  return recorded;
}

/** A clearing that changes nothing of its authorization, such as a dispute, writes only itself. */
function settleChanged(working: WorkingCard, root: Authorization): void {
  if (root !== working.entry(root.id)?.now) working.settle(root);
}

/** The excerpt of a message with the number of a card in one of its fields. */
function maskedExcerpt(message: ClearingMessage): Payload {
  return maskJson(excerptOf(message)) as Payload;
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
  const key = toHex(identity_sha256);
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
