import { assert, money, type Sha256, toHex } from '@tallystick/kernel';
import { type AuthorizationMessage, isRefund, limitAmount, limitCurrency } from '../records/authorization.ts';
import { type AuthorizationItem, proposedItem } from '../records/authorization-item.ts';
import type { LedgerCard } from '../records/ledger.ts';
import type { Pass } from '../working/pass.ts';
import type { ConsultAnswer } from './answer.ts';
import type { Question } from './decline-reasons.ts';
import { proposedDecision } from './explain-decision.ts';

/**
 * Whether the company is asked about a request that would be approved: it is, once, about what has
 * an amount and takes from the card.
 */
export function isConsulted(
  pass: Pick<Pass, 'consults_all'>,
  { endpoint_version }: Pick<LedgerCard, 'endpoint_version'>,
  { message, amount }: Pick<Question, 'message' | 'amount'>,
): boolean {
  if (message.say !== undefined || !(endpoint_version > 0 || pass.consults_all === true)) return false;
  return amount > 0 && !isRefund(message.card_holder_transaction_type_code);
}

/** Leaves the request undecided, and notes that its company is to be asked. */
export function consult(
  pass: Pass,
  card: LedgerCard,
  message: AuthorizationMessage,
  question: Question,
): ConsultAnswer {
  const consultation_id = consultationId(pass.sha256, card, message);
  const asked = money(question.amount);
  pass.consultations.set(consultation_id, {
    ...questionOf(card, message),
    consultation_id,
    asked,
    sent_at_ms: pass.now_ms,
    authorization_id: null,
    decline_code: null,
    respond_by_ms: null,
    ms: null,
    outcome: null,
    answer: null,
    amount: null,
    note: null,
    stood_in: null,
  });
  return {
    kind: 'consult',
    consultation: {
      id: consultation_id,
      company_id: card.company_id,
      endpoint_version: card.endpoint_version,
      item: proposedItem(message, card, proposedDecision(question)),
      asked,
      currency: limitCurrency(card),
      partial_approval: message.details.partial_approval === true,
    },
  };
}

/** Notes what was said about a request, and what was decided with it. */
export function conclude(pass: Pass, card: LedgerCard, message: AuthorizationMessage, item: AuthorizationItem): void {
  assert(item.id !== null && message.say !== undefined, 'a request about which something was said is recorded');
  const { by: _by, ...said } = message.say;
  pass.consultations.set(said.consultation_id, {
    ...questionOf(card, message),
    ...said,
    asked: limitAmount(card, message),
    sent_at_ms: pass.now_ms,
    authorization_id: item.id,
    decline_code: item.decline_reason,
  });
}

/**
 * Concludes a consultation whose message came again meanwhile and was decided without asking. One that
 * is concluded stays as it is.
 */
export function concludeOvertaken(
  pass: Pass,
  card: LedgerCard,
  { say, ...message }: AuthorizationMessage,
  item: AuthorizationItem,
): void {
  if (say === undefined) return;
  const said = item.decline_reason === null ? 'approve' : 'decline';
  const how = { amount: null, note: null, outcome: 'overtaken', stood_in: null } as const;
  conclude(pass, card, { ...message, say: { ...say, ...how, answer: said } }, item);
}

function questionOf(card: LedgerCard, { trace_id, request_id }: AuthorizationMessage) {
  return { company_id: card.company_id, vcn_id: card.id, trace_id, request_id };
}

/** Of what makes a message the same again (decision: network side, 5). */
function consultationId(sha256: Sha256, card: LedgerCard, message: AuthorizationMessage): string {
  const { message_type, trace_id, system_trace_audit_number, transaction_date_time_ms } = message;
  const identity = [
    card.company_id,
    card.id,
    message_type,
    trace_id,
    system_trace_audit_number,
    transaction_date_time_ms,
  ];
  return `dec_${toHex(sha256(new TextEncoder().encode(JSON.stringify(identity)))).slice(0, 32)}`;
}
