import { assert, invalid, type Money, money, type Random, Refusal } from '@tallystick/kernel';
import {
  type Authorization,
  type AuthorizationMessage,
  type DeclineCode,
  isRefund,
  limitAmount,
} from '../records/authorization.ts';
import { authorizationPayload, unrecordedItem } from '../records/authorization-item.ts';
import type { LedgerCard } from '../records/ledger.ts';
import { asRoot, type Decision, newAuthorization } from '../records/new-authorization.ts';
import { restoreAuthorization } from '../settling/retention.ts';
import { correctedAmount, earlyCorrection } from '../working/correction.ts';
import {
  applyReported,
  increase,
  openRoot,
  originalOf,
  reportedRise,
  reportedRoot,
  reverseInFull,
  reverseInPart,
} from '../working/hold.ts';
import type { Pass } from '../working/pass.ts';
import { refuseSum } from '../working/sum-limit.ts';
import type { Entry, WorkingCard } from '../working/working-card.ts';
import { foldBesideClearings, type OwnClearings } from './after-its-clearing.ts';
import { type AuthorizationAnswer, recordedAnswer, unknownNumberAnswer } from './answer.ts';
import { failsCode } from './check-code.ts';
import { firstReason, isLimit } from './decline-reasons.ts';

/** The stored name of the event about a decision (service specification 2.5, type 6). */
const authorization_event_type = 'virtualcard.realtime.auths';

/** Decides or records one authorization message on the working copy of the pass. */
export function foldAuthorization(pass: Pass, message: AuthorizationMessage): AuthorizationAnswer {
  const card = pass.cards.ofNumber(message.number_index);
  if (card === null) return recordUnknownNumber(pass, message);
  if (message.billing_currency !== card.card.billing_currency) {
    return { kind: 'refused', refusal: otherCurrency(card.card, message.billing_currency) };
  }
  const known = card.findByTraceId(message.trace_id).find(({ now }) => isSameMessage(now, message));
  if (known !== undefined) {
    const recorded = restoreAuthorization(known.now, message);
    return recordedAnswer(authorizationPayload(recorded, card.card), { duplicate: true });
  }
  if (!card.hasClearings) return foldByType(pass, card, message, null);
  return foldBesideClearings(pass, card, message, {
    target: () => targetOf(card, message)?.now ?? null,
    asRoot: () => asNewRoot(card, message),
    fold: (own) => foldByType(pass, card, message, own),
  });
}

/** `own` is what came before it of its own clearings, whose effects are taken out for now. */
function foldByType(
  pass: Pass,
  card: WorkingCard,
  message: AuthorizationMessage,
  own: OwnClearings | null,
): AuthorizationAnswer {
  switch (message.message_type) {
    case '0100':
      return decide(pass, card, message, own);
    case '0120':
      return applyAdvice(pass, card, message, own);
    case '0400':
    case '0420':
      return reverse(pass, card, message);
  }
}

/** The authorization whose hold the message would change now, or null. */
function targetOf(card: WorkingCard, message: AuthorizationMessage): Entry | null {
  const { message_type, trace_id, incremental } = message;
  if (message_type === '0400' || message_type === '0420') {
    const original = originalOf(card, trace_id);
    return original === null || original.now.status === 'declined' ? null : original;
  }
  if (incremental) return openRoot(card, trace_id);
  return message_type === '0120' && !isDeclinedElsewhere(message) ? reportedRoot(card, trace_id) : null;
}

/**
 * The root that the message would be if it were approved now; null when it cannot be one: it is a
 * reversal, a decline, or about an authorization of the card.
 */
function asNewRoot(card: WorkingCard, message: AuthorizationMessage): Authorization | null {
  const { message_type } = message;
  if (message_type !== '0100' && message_type !== '0120') return null;
  if (message_type === '0120' && isDeclinedElsewhere(message)) return null;
  if (targetOf(card, message) !== null) return null;
  const amount = amountOf(card, message);
  if (amount === 'reversed') return null;
  return asRoot(message, card.card, Number.MAX_SAFE_INTEGER, {
    amount,
    // The code of a request is drawn when it is approved.
    approval_code: message_type === '0100' ? null : message.approval_code,
    now_ms: card.now_ms,
    window_start_ms: card.window_start_ms,
    hold_end_ms: card.holdEnd(),
  });
}

function isDeclinedElsewhere({ response_code }: AuthorizationMessage): boolean {
  return response_code !== null && response_code !== '00';
}

/**
 * The refusal of a billing currency other than that of the real card. Its amounts could not be
 * compared or summed.
 */
export function otherCurrency(card: LedgerCard, billing_currency: string): Refusal {
  const { billing_currency: own } = card;
  const message = `must be ${own}, the billing currency of the real card, not ${billing_currency}`;
  return invalid({ path: 'billing_currency', message });
}

/** Whether the message repeats a recorded one (decision: the same message again). */
function isSameMessage(recorded: Authorization, message: AuthorizationMessage): boolean {
  return (
    recorded.message_type === message.message_type &&
    recorded.system_trace_audit_number === message.system_trace_audit_number &&
    recorded.transaction_date_time_ms === message.transaction_date_time_ms
  );
}

function recordUnknownNumber(pass: Pass, message: AuthorizationMessage): AuthorizationAnswer {
  pass.unknown_numbers.push({
    number_index: message.number_index,
    last4: message.pan.last4,
    message: unrecordedItem(message, 'I'),
    recorded_at_ms: pass.now_ms,
    request_id: message.request_id,
  });
  return unknownNumberAnswer(message);
}

/**
 * Approves a request that meets every control of the card, or declines it for the first reason that
 * applies.
 */
function decide(
  pass: Pass,
  card: WorkingCard,
  message: AuthorizationMessage,
  own: OwnClearings | null,
): AuthorizationAnswer {
  const code_fails = failsCode(pass, card, message);
  const root = rootToAddTo(card, message);
  const window_start_ms = windowOf(card, root, own);
  const amount = amountOf(card, message);
  const reason =
    amount === 'reversed' ? 'U' : findReason(pass, card, message, { code_fails, root, window_start_ms, amount });
  if (amount === 'reversed' || reason !== null) return decline(pass, card, message, root, reason);
  const approval_code = root?.now.approval_code ?? own?.approval_code ?? drawApprovalCode(pass.random);
  const answer = approve(pass, card, message, root, { amount, approval_code, window_start_ms });
  const { transactions_max } = card.card;
  const refund = isRefund(message.card_holder_transaction_type_code);
  const available = card.available(window_start_ms);
  assert(refund || available >= 0, `card ${card.card.id}: approved more than it had available`);
  assert(
    refund || transactions_max === null || root !== null || card.usesOf(window_start_ms) <= transactions_max,
    `card ${card.card.id}: approved more uses than it has`,
  );
  return answer;
}

/**
 * Records a decision made elsewhere. An approval is applied even when it breaks a limit; the record
 * then shows which. An approval that reports a decision of ours holds nothing a second time.
 */
function applyAdvice(
  pass: Pass,
  card: WorkingCard,
  message: AuthorizationMessage,
  own: OwnClearings | null,
): AuthorizationAnswer {
  const code_fails = failsCode(pass, card, message);
  const root = rootToAddTo(card, message);
  if (isDeclinedElsewhere(message)) return decline(pass, card, message, root, null);
  const reported = message.incremental ? null : reportedRoot(card, message.trace_id);
  if (reported !== null) return applyReport(pass, card, message, { root: reported, code_fails });
  const amount = amountOf(card, message);
  if (amount === 'reversed') return decline(pass, card, message, root, 'U');
  const held = isRefund(message.card_holder_transaction_type_code) ? 0 : amount;
  const window_start_ms = windowOf(card, root, own);
  const refusal = refuseRise(card, root, window_start_ms, held);
  if (refusal !== null) return { kind: 'refused', refusal };
  const broken_reason = findReason(pass, card, message, { code_fails, root, window_start_ms, amount });
  const approval_code =
    message.approval_code ?? root?.now.approval_code ?? own?.approval_code ?? drawApprovalCode(pass.random);
  return approve(pass, card, message, root, { amount, approval_code, broken_reason, window_start_ms });
}

/**
 * Records an advice of a decision of ours: no second hold and no second use. The hold changes by
 * what the advice reports differently (decision: network side, 2).
 */
function applyReport(
  pass: Pass,
  card: WorkingCard,
  message: AuthorizationMessage,
  { root, code_fails }: { readonly root: Entry; readonly code_fails: boolean },
): AuthorizationAnswer {
  const refund = isRefund(message.card_holder_transaction_type_code);
  const rise = reportedRise(card, root, refund ? 0 : limitAmount(card.card, message));
  const { id, window_start_ms, approval_code } = root.now;
  const refusal = refuseRise(card, root, window_start_ms, Math.max(0, rise));
  if (refusal !== null) return { kind: 'refused', refusal };
  const reason = findReason(pass, card, message, { code_fails, root, window_start_ms, amount: Math.max(0, rise) });
  applyReported(card, root, rise);
  return record(pass, card, message, {
    root_id: id,
    window_start_ms,
    status: 'open',
    approval_code: message.approval_code ?? approval_code ?? drawApprovalCode(pass.random),
    // Only a rise can break a limit.
    broken_reason: rise > 0 || !isLimit(reason) ? reason : null,
  });
}

/** Refuses an advice that adds more to a hold than the sums of the card may be. */
function refuseRise(card: WorkingCard, root: Entry | null, window_start_ms: number, held: number): Refusal | null {
  return refuseSum(card, { window_start_ms, root: root?.now ?? null, held, authorized: held });
}

function reverse(pass: Pass, card: WorkingCard, message: AuthorizationMessage): AuthorizationAnswer {
  const corrected = correctedAmount(card.card, message);
  if (corrected instanceof Refusal) return { kind: 'refused', refusal: corrected };
  failsCode(pass, card, message);
  const original = originalOf(card, message.trace_id);
  if (original !== null && original.now.status !== 'declined') {
    if (corrected === 0) reverseInFull(card, original);
    else reverseInPart(card, original, corrected);
  }
  return record(pass, card, message, {
    root_id: original?.now.id ?? null,
    window_start_ms: original?.now.window_start_ms ?? card.window_start_ms,
    status: 'reversed',
    approval_code: message.approval_code ?? original?.now.approval_code ?? null,
  });
}

function rootToAddTo(card: WorkingCard, message: AuthorizationMessage): Entry | null {
  return message.incremental ? openRoot(card, message.trace_id) : null;
}

/**
 * The amount of a message in the limit currency, corrected by the reversals that arrived before it.
 * `reversed` when one of them was in full: then the message must hold nothing.
 */
function amountOf(card: WorkingCard, message: AuthorizationMessage): Money | 'reversed' {
  const amount = limitAmount(card.card, message);
  const corrected = earlyCorrection(card, message.trace_id);
  if (corrected === null) return amount;
  return corrected === 0 ? 'reversed' : money(Math.min(amount, corrected));
}

/**
 * The start of the window in which a message counts: that of its root, else the earliest of the
 * present one and those of its own clearings.
 */
function windowOf(card: WorkingCard, root: Entry | null, own: OwnClearings | null): number {
  if (root !== null) return root.now.window_start_ms;
  return Math.min(card.window_start_ms, own?.window_start_ms ?? Number.POSITIVE_INFINITY);
}

interface DecisionInput {
  readonly code_fails: boolean;
  readonly root: Entry | null;
  readonly window_start_ms: number;
  readonly amount: number;
}

function findReason(
  pass: Pass,
  card: WorkingCard,
  message: AuthorizationMessage,
  { code_fails, root, window_start_ms, amount }: DecisionInput,
): DeclineCode | null {
  return firstReason({
    card: card.card,
    message,
    amount,
    increment_of: root?.now ?? null,
    available: card.available(window_start_ms),
    uses: card.usesOf(window_start_ms),
    now_ms: pass.now_ms,
    today: pass.today,
    code_fails,
  });
}

interface Approval {
  /** In the limit currency. */
  readonly amount: Money;
  readonly approval_code: string;
  readonly broken_reason?: DeclineCode | null;
  /** The window in which a new root counts. */
  readonly window_start_ms: number;
}

function approve(
  pass: Pass,
  card: WorkingCard,
  message: AuthorizationMessage,
  root: Entry | null,
  approval: Approval,
): AuthorizationAnswer {
  const refund = isRefund(message.card_holder_transaction_type_code);
  const amount = refund ? money(0) : approval.amount;
  const { approval_code, broken_reason = null } = approval;
  const recorded = { status: 'open', approval_code, broken_reason } as const;
  if (root !== null) {
    increase(card, root, amount);
    const { id, window_start_ms } = root.now;
    return record(pass, card, message, { ...recorded, root_id: id, window_start_ms });
  }
  return record(pass, card, message, {
    ...recorded,
    root_id: 'its own',
    window_start_ms: approval.window_start_ms,
    holds: amount,
  });
}

function decline(
  pass: Pass,
  card: WorkingCard,
  message: AuthorizationMessage,
  root: Entry | null,
  decline_code: DeclineCode | null,
): AuthorizationAnswer {
  return record(pass, card, message, {
    root_id: root?.now.id ?? 'its own',
    window_start_ms: root?.now.window_start_ms ?? card.window_start_ms,
    status: 'declined',
    decline_code,
    approval_code: null,
  });
}

interface RecordedDecision
  extends Pick<Decision, 'decline_code' | 'approval_code' | 'window_start_ms' | 'status'>,
    Partial<Pick<Decision, 'holds'>> {
  readonly root_id: number | 'its own' | null;
  readonly broken_reason?: DeclineCode | null;
}

/** Records the message with its event and returns the answer. */
function record(
  pass: Pass,
  card: WorkingCard,
  message: AuthorizationMessage,
  as: RecordedDecision,
): AuthorizationAnswer {
  const id = pass.nextAuthorizationId();
  const { root_id, decline_code, approval_code, window_start_ms, status, holds = money(0), broken_reason = null } = as;
  const { now } = card.insert(
    newAuthorization(
      broken_reason === null ? message : { ...message, details: { ...message.details, broken_reason } },
      card.card,
      {
        id,
        root_id: root_id === 'its own' ? id : root_id,
        decided_at_ms: pass.now_ms,
        decline_code: decline_code ?? null,
        approval_code,
        window_start_ms,
        status,
        holds,
        hold_end_ms: holds > 0 ? card.holdEnd() : null,
      },
    ),
  );
  const payload = authorizationPayload(now, card.card);
  pass.events.push({
    id: pass.nextEventId(),
    company_id: card.card.company_id,
    event_type: authorization_event_type,
    payload,
    previous: null,
    created_at_ms: pass.now_ms,
    request_id: message.request_id,
  });
  return recordedAnswer(payload, { duplicate: false });
}

const approval_codes = 36 ** 6;

/** Draws six characters, never all zeros, because the network reads zeros as no code. */
function drawApprovalCode(random: Random): string {
  return (random.below(approval_codes - 1) + 1).toString(36).toUpperCase().padStart(6, '0');
}
