import { assert, invalid, type Money, money, type Random, Refusal } from '@tallystick/kernel';
import {
  type Authorization,
  type AuthorizationMessage,
  type DeclineCode,
  isRefund,
  limitAmount,
} from '../records/authorization.ts';
import { authorizationPayload, unrecordedItem } from '../records/authorization-item.ts';
import type { DecisionFacts } from '../records/decision-facts.ts';
import type { LedgerCard } from '../records/ledger.ts';
import { asRoot, type Decision, newAuthorization } from '../records/new-authorization.ts';
import { restoreAuthorization } from '../settling/retention.ts';
import { correctedAmount, earlyCorrection } from '../working/correction.ts';
import {
  adviceBeforeRequest,
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
import { type AuthorizationAnswer, type AuthorizationOutcome, recordedAnswer, unknownNumberAnswer } from './answer.ts';
import { failsCode } from './check-code.ts';
import { conclude, concludeOvertaken, consult, isConsulted } from './consult.ts';
import { firstReason, isLimit, type Question } from './decline-reasons.ts';
import { keptFacts } from './explain-decision.ts';

/** The stored name of the event about a decision (service specification 2.5, type 6). */
export const authorization_event_type = 'virtualcard.realtime.auths';

/** One message, and the working copies that it changes. */
interface Turn {
  readonly pass: Pass;
  readonly card: WorkingCard;
  readonly message: AuthorizationMessage;
  /** What came before it of its own clearings, whose effects are taken out for now. */
  readonly own: OwnClearings | null;
}

/** Decides or records one authorization message on the working copy of the pass. */
export function foldAuthorization(pass: Pass, message: AuthorizationMessage): AuthorizationOutcome {
  const card = pass.cards.ofNumber(message.number_index);
  if (card === null) return recordUnknownNumber(pass, message);
  if (message.billing_currency !== card.card.billing_currency) {
    return { kind: 'refused', refusal: otherCurrency(card.card, message.billing_currency) };
  }
  const known = card.findByTraceId(message.trace_id).find(({ now }) => isSameMessage(now, message));
  if (known !== undefined) {
    const item = authorizationPayload(restoreAuthorization(known.now, message), card.card);
    concludeOvertaken(pass, card.card, message, item);
    return recordedAnswer(item, { duplicate: true });
  }
  const turn: Turn = { pass, card, message, own: null };
  if (!card.hasClearings) return foldByType(turn);
  return foldBesideClearings(pass, card, message, {
    target: () => targetOf(turn)?.now ?? null,
    asRoot: () => asNewRoot(turn),
    fold: (own) => foldByType({ ...turn, own }),
  });
}

function foldByType(turn: Turn): AuthorizationOutcome {
  const { pass, card, message } = turn;
  switch (message.message_type) {
    case '0100': {
      const answer = decide(turn);
      if (message.say !== undefined && answer.kind === 'answered') conclude(pass, card.card, message, answer.item);
      return answer;
    }
    case '0120':
      return applyAdvice(turn);
    case '0400':
    case '0420':
      return reverse(turn);
  }
}

/** The authorization whose hold the message would change now, or null. */
function targetOf({ card, message }: Turn): Entry | null {
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
function asNewRoot(turn: Turn): Authorization | null {
  const { card, message } = turn;
  const { message_type } = message;
  if (message_type !== '0100' && message_type !== '0120') return null;
  if (message_type === '0120' && isDeclinedElsewhere(message)) return null;
  if (targetOf(turn) !== null || overtakingAdvice(turn) !== null) return null;
  const amount = amountOf(turn);
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
 * applies. What would be approved is left undecided when its company is to be asked.
 */
function decide(turn: Turn): AuthorizationOutcome {
  const { pass, card, message, own } = turn;
  const code_fails = failsCode(pass, card, message);
  const advice = overtakingAdvice(turn);
  if (advice !== null) return decideOvertaken(turn, { root: advice, code_fails });
  const root = rootToAddTo(turn);
  const window_start_ms = windowOf(turn, root);
  const amount = amountOf(turn);
  const { question, reason } = ask(turn, { code_fails, root, window_start_ms, amount });
  const facts = keptFacts(question, reason ?? 'V');
  if (amount === 'reversed' || reason !== null) return decline(turn, root, reason, facts);
  if (isConsulted(pass, card.card, question)) return consult(pass, card.card, message, question);
  const approval_code = root?.now.approval_code ?? own?.approval_code ?? drawApprovalCode(pass.random);
  const approval = { amount, approval_code, window_start_ms, facts };
  const answer = approve({ ...turn, message: approvedPart(message) }, root, approval);
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
 * The advice that reported the approval of this request while its company was asked, or before. It
 * already holds the money (ADR 0086). Null when there is no such advice, or when no company is asked
 * about the request.
 */
function overtakingAdvice({ pass, card, message }: Turn): Entry | null {
  if (message.message_type !== '0100' || message.incremental) return null;
  const has_say = message.say !== undefined;
  if (!has_say && !isConsulted(pass, card.card, { message, amount: limitAmount(card.card, message) })) return null;
  return adviceBeforeRequest(card, message.trace_id);
}

/** The recorded authorization that a message is about, and whether the code of the message fails. */
interface Reported {
  readonly root: Entry;
  readonly code_fails: boolean;
}

/**
 * Decides a request whose approval elsewhere is held already: no second hold and no second use. The
 * limits compare only what it asks beyond the amount that was reported.
 */
function decideOvertaken(turn: Turn, { root, code_fails }: Reported): AuthorizationAnswer {
  const { card, message } = turn;
  const { id, window_start_ms, status, approval_code } = root.now;
  const is_reversed = status === 'reversed' || status === 'declined';
  const rise = money(Math.max(0, reportedRise(card, root, limitAmount(card.card, message))));
  const amount = is_reversed ? 'reversed' : rise;
  const { question, reason: first } = ask(turn, { code_fails, root, window_start_ms, amount });
  const reason = amount === 0 ? firstReason(question, { without_limits: true }) : first;
  if (reason !== null) return decline(turn, null, reason, keptFacts(question, reason));
  return record(
    { ...turn, message: approvedPart(message) },
    {
      root_id: id,
      window_start_ms,
      status: 'open',
      approval_code,
      facts: keptFacts({ ...question, amount: 0 }, 'V'),
    },
  );
}

/**
 * Records a decision made elsewhere. An approval is applied even when it breaks a limit; the record
 * then shows which. An approval that reports a decision of ours holds nothing a second time.
 */
function applyAdvice(turn: Turn): AuthorizationAnswer {
  const { pass, card, message, own } = turn;
  const code_fails = failsCode(pass, card, message);
  const root = rootToAddTo(turn);
  if (isDeclinedElsewhere(message)) return decline(turn, root, null, null);
  const reported = message.incremental ? null : reportedRoot(card, message.trace_id);
  if (reported !== null) return applyReport(turn, { root: reported, code_fails });
  const amount = amountOf(turn);
  const window_start_ms = windowOf(turn, root);
  const { question, reason } = ask(turn, { code_fails, root, window_start_ms, amount });
  const facts = keptFacts(question, reason ?? 'V');
  if (amount === 'reversed') return decline(turn, root, reason, facts);
  const held = isRefund(message.card_holder_transaction_type_code) ? 0 : amount;
  const refusal = refuseRise(card, root, window_start_ms, held);
  if (refusal !== null) return { kind: 'refused', refusal };
  const approval_code =
    message.approval_code ?? root?.now.approval_code ?? own?.approval_code ?? drawApprovalCode(pass.random);
  return approve(turn, root, { amount, approval_code, broken_reason: reason, window_start_ms, facts });
}

/**
 * Records an advice of a decision of ours: no second hold and no second use. The hold changes by
 * what the advice reports differently (decision: network side, 2).
 */
function applyReport(turn: Turn, { root, code_fails }: Reported): AuthorizationAnswer {
  const { pass, card, message } = turn;
  const refund = isRefund(message.card_holder_transaction_type_code);
  const rise = reportedRise(card, root, refund ? 0 : limitAmount(card.card, message));
  const { id, window_start_ms, approval_code } = root.now;
  const refusal = refuseRise(card, root, window_start_ms, Math.max(0, rise));
  if (refusal !== null) return { kind: 'refused', refusal };
  const amount = money(Math.max(0, rise));
  const { question, reason } = ask(turn, { code_fails, root, window_start_ms, amount });
  // Only a rise can break a limit.
  const broken_reason = rise > 0 || !isLimit(reason) ? reason : null;
  const facts = keptFacts(question, broken_reason ?? 'V');
  applyReported(card, root, rise);
  return record(turn, {
    root_id: id,
    window_start_ms,
    status: 'open',
    approval_code: message.approval_code ?? approval_code ?? drawApprovalCode(pass.random),
    broken_reason,
    facts,
  });
}

/** Refuses an advice that adds more to a hold than the sums of the card may be. */
function refuseRise(card: WorkingCard, root: Entry | null, window_start_ms: number, held: number): Refusal | null {
  return refuseSum(card, { window_start_ms, root: root?.now ?? null, held, authorized: held });
}

function reverse(turn: Turn): AuthorizationAnswer {
  const { pass, card, message } = turn;
  const corrected = correctedAmount(card.card, message);
  if (corrected instanceof Refusal) return { kind: 'refused', refusal: corrected };
  failsCode(pass, card, message);
  const original = originalOf(card, message.trace_id);
  if (original !== null && original.now.status !== 'declined') {
    if (corrected === 0) reverseInFull(card, original);
    else reverseInPart(card, original, corrected);
  }
  return record(turn, {
    root_id: original?.now.id ?? null,
    window_start_ms: original?.now.window_start_ms ?? card.window_start_ms,
    status: 'reversed',
    approval_code: message.approval_code ?? original?.now.approval_code ?? null,
  });
}

function rootToAddTo({ card, message }: Turn): Entry | null {
  return message.incremental ? openRoot(card, message.trace_id) : null;
}

/**
 * The amount of a message in the limit currency, or the part of it that its company approves,
 * corrected by the reversals that arrived before it.
 * `reversed` when one of them was in full: then the message must hold nothing.
 */
function amountOf({ card, message }: Turn): Money | 'reversed' {
  const amount = message.say?.amount ?? limitAmount(card.card, message);
  const corrected = earlyCorrection(card, message.trace_id);
  if (corrected === null) return amount;
  return corrected === 0 ? 'reversed' : money(Math.min(amount, corrected));
}

/**
 * The start of the window in which a message counts: that of its root, else the earliest of the
 * present one and those of its own clearings.
 */
function windowOf({ card, own }: Turn, root: Entry | null): number {
  if (root !== null) return root.now.window_start_ms;
  return Math.min(card.window_start_ms, own?.window_start_ms ?? Number.POSITIVE_INFINITY);
}

interface DecisionInput {
  readonly code_fails: boolean;
  readonly root: Entry | null;
  readonly window_start_ms: number;
  readonly amount: Money | 'reversed';
}

/** The question of a decision, and the first reason to decline it. */
function ask(
  { pass, card, message }: Turn,
  { code_fails, root, window_start_ms, amount }: DecisionInput,
): { readonly question: Question; readonly reason: DeclineCode | null } {
  const { held, cleared, uses } = card.counted(window_start_ms);
  const question = {
    card: card.card,
    message,
    amount: amount === 'reversed' ? limitAmount(card.card, message) : amount,
    increment_of: root?.now ?? null,
    window_start_ms,
    held,
    cleared,
    uses,
    now_ms: pass.now_ms,
    today: pass.today,
    code_fails,
    code_failures: card.code_failures,
  };
  return { question, reason: amount === 'reversed' ? 'U' : firstReason(question) };
}

interface Approval {
  /** In the limit currency. */
  readonly amount: Money;
  readonly approval_code: string;
  readonly broken_reason?: DeclineCode | null;
  /** The window in which a new root counts. */
  readonly window_start_ms: number;
  readonly facts: DecisionFacts;
}

function approve(turn: Turn, root: Entry | null, approval: Approval): AuthorizationAnswer {
  const { card, message } = turn;
  const refund = isRefund(message.card_holder_transaction_type_code);
  const amount = refund ? money(0) : approval.amount;
  const { approval_code, broken_reason = null, facts } = approval;
  const recorded = { status: 'open', approval_code, broken_reason, facts } as const;
  if (root !== null) {
    increase(card, root, amount);
    const { id, window_start_ms } = root.now;
    return record(turn, { ...recorded, root_id: id, window_start_ms });
  }
  return record(turn, {
    ...recorded,
    root_id: 'its own',
    window_start_ms: approval.window_start_ms,
    holds: amount,
  });
}

function decline(
  turn: Turn,
  root: Entry | null,
  decline_code: DeclineCode | null,
  facts: DecisionFacts | null,
): AuthorizationAnswer {
  return record(turn, {
    root_id: root?.now.id ?? 'its own',
    window_start_ms: root?.now.window_start_ms ?? turn.card.window_start_ms,
    status: 'declined',
    decline_code,
    approval_code: null,
    facts,
  });
}

/** The message of a request that was approved in part (DE39 10). */
function approvedPart(message: AuthorizationMessage): AuthorizationMessage {
  const approved_amount = message.say?.amount ?? null;
  if (approved_amount === null) return message;
  return { ...message, details: { ...message.details, approved_amount, response_code: partly_approved } };
}

const partly_approved = '10';

interface RecordedDecision
  extends Pick<Decision, 'decline_code' | 'approval_code' | 'window_start_ms' | 'status'>,
    Partial<Pick<Decision, 'holds' | 'facts'>> {
  readonly root_id: number | 'its own' | null;
  readonly broken_reason?: DeclineCode | null;
}

/** Records the message with its event and returns the answer. */
function record({ pass, card, message }: Turn, as: RecordedDecision): AuthorizationAnswer {
  const id = pass.nextAuthorizationId();
  const event_id = pass.nextEventId();
  const { root_id, decline_code, approval_code, window_start_ms, status, holds = money(0), broken_reason = null } = as;
  const { facts = null } = as;
  const { now } = card.insert(
    newAuthorization(
      broken_reason === null ? message : { ...message, details: { ...message.details, broken_reason } },
      card.card,
      {
        id,
        root_id: root_id === 'its own' ? id : root_id,
        decided_at_ms: pass.now_ms,
        event_id,
        decline_code: decline_code ?? null,
        approval_code,
        window_start_ms,
        status,
        holds,
        hold_end_ms: holds > 0 ? card.holdEnd() : null,
        facts,
      },
    ),
  );
  const payload = authorizationPayload(now, card.card);
  pass.events.push({
    id: event_id,
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
