import { type Call, money, Refusal, type Version } from '@tallystick/kernel';
import { type TemplateRule, templateRuleAt } from '@tallystick/templates';
import { utcDateAt } from '@tallystick/velocity';
import type { ConsultationStore } from '../consulting/ports.ts';
import type { Limits } from '../deciding/decision-values.ts';
import type { Question, QuestionCard, QuestionMessage, Reason } from '../deciding/decline-reasons.ts';
import {
  decisionOf,
  isReport,
  keptLimits,
  outcomeOf,
  type ShownDecision,
  shownLimits,
} from '../deciding/explain-decision.ts';
import { amountLeft } from '../issuing/balance.ts';
import type { VirtualCard } from '../issuing/card.ts';
import { type CardState, cardStateOf } from '../issuing/card-version.ts';
import type { CardsTx } from '../issuing/ports.ts';
import { findCard } from '../issuing/read-cards.ts';
import { type Authorization, isRefund } from '../records/authorization.ts';
import type { ConsultationRecord } from '../records/consultation.ts';
import { type DecisionFacts, no_facts } from '../records/decision-facts.ts';
import type { Say } from '../records/say.ts';
import { cardStateAt, versionsOf } from './card-versions.ts';
import { type DecisionRow, decisionTable, firstFailed, largestAmount, lateRow } from './decision-table.ts';

/** Who declined a message. */
export const blockers = ['card_limits', 'company_endpoint', 'network', 'fault'] as const;

export type Blocker = (typeof blockers)[number];

/** What the window of a message counted, in minor units of the limit currency. */
export interface WindowBalance {
  readonly held: number;
  readonly cleared: number;
  readonly uses: number;
  /** Null: the total of then is no longer known. */
  readonly available: number | null;
}

/** A recorded message with everything that its decision compared, as it was then. */
export interface ExplainedDecision {
  readonly authorization: Authorization;
  readonly card: VirtualCard;
  readonly decision: ShownDecision;
  readonly blocked_by: Blocker | null;
  /** What its company was asked about it. Null: it was not asked, or that is no longer known. */
  readonly client: ConsultationRecord | null;
  /** Whether it counts although a reason applies: it was approved elsewhere. */
  readonly is_applied_anyway: boolean;
  readonly table: readonly DecisionRow[];
  /** See `largestAmount`; null also when not all is known. */
  readonly would_pass_up_to: number | null;
  /** Whether the table, computed from the versions of then, has the answer that was given. */
  readonly is_reproduced: boolean | null;
  /** Null: the message compared nothing. */
  readonly before: WindowBalance | null;
  /** Null: the same, or the message reports a decision that was already counted. */
  readonly after: WindowBalance | null;
  readonly versions: {
    readonly controls: number;
    readonly template: number;
    readonly template_id: number | null;
  } | null;
  /** The controls of then; null: they are no longer known, or were not compared. */
  readonly state: CardState | null;
  /** What is no longer known, in words. */
  readonly unknown: readonly string[];
  /** The newest changes of the card's controls since then, the newest first. */
  readonly changed_since: readonly Version<CardState>[];
}

/**
 * Explains the decision about a recorded message of a card: each reason with its limits and values,
 * from the facts that the message keeps and the versions of the controls and the template that it
 * met. Refuses (`not_found`) an unknown card or message.
 */
export async function explainAuthorization(
  tx: Pick<CardsTx, 'cards' | 'templates'> & { readonly consultations: Pick<ConsultationStore, 'findByAuthorization'> },
  call: Pick<Call, 'company_id'>,
  card_id: number,
  authorization_id: number,
): Promise<ExplainedDecision> {
  // The message comes first: whatever version it met is the card's own, or ended, by the time of
  // the later reads.
  const authorization = await tx.cards.findAuthorization(call.company_id, authorization_id);
  const card = await findCard(tx, call, card_id);
  if (authorization === null || authorization.card_id !== card_id) {
    throw new Refusal('not_found', `virtual card ${card_id} has no authorization ${authorization_id}`);
  }
  const decision = decisionOf(authorization, card.recurring);
  const { items } = await versionsOf(tx, card, { limit: 100 });
  const { facts, decided_at_ms } = authorization;
  const client = await tx.consultations.findByAuthorization(call.company_id, authorization_id);
  const common = { authorization, card, decision, client, blocked_by: blockerOf(authorization) };
  if (facts === null) {
    const changed_since = items.filter(({ began_at_ms }) => (began_at_ms ?? 0) >= decided_at_ms);
    const table = decisionTable(questionOf(authorization, card, cardStateOf(card), no_rule), () => 'not_applied');
    return { ...common, ...nothing_compared, table, unknown: reducedParts(authorization), changed_since };
  }
  const [controls, template] = facts;
  const state = await cardStateAt(tx, card, controls);
  const rule =
    state && (await templateRuleAt(tx, await tx.templates.find(call.company_id, state.template_id), template));
  const was_asked = wasAsked(authorization, client);
  const unknown = unknownParts(authorization, { state, rule, was_asked });
  const table = tableOf(authorization, card, decision, { state, rule, was_asked });
  const { before, after } = balancesOf(authorization, facts, state);
  return {
    ...common,
    is_applied_anyway: authorization.status !== 'declined' && outcomeOf(authorization).code !== 'V',
    table,
    would_pass_up_to:
      state === null || rule === null || decision.code === 'U'
        ? null
        : largestAmount(questionOf(authorization, card, state, rule)),
    is_reproduced: rule === null ? null : firstFailed(table) === outcomeOf(authorization).code,
    before,
    after,
    versions: { controls, template, template_id: state?.template_id ?? null },
    state,
    unknown,
    changed_since: items.filter(({ version }) => version > controls),
  };
}

const nothing_compared = {
  is_applied_anyway: false,
  is_reproduced: null,
  would_pass_up_to: null,
  before: null,
  after: null,
  versions: null,
  state: null,
} as const;

const no_rule: TemplateRule = { mcc_rule: 'DENY', mcc_list: [], merchant_controls: null, version: 0 };

/**
 * Who declined the message; null: nobody did. A late original was taken back by the network. A
 * question that the service never asked is a fault of the service.
 */
function blockerOf(authorization: Authorization): Blocker | null {
  const { status, decline_code } = authorization;
  if (status !== 'declined') return null;
  if (decline_code === null || decline_code === 'U') return 'network';
  if (decline_code !== 'P') return 'card_limits';
  return keptLimits(authorization).consultation === 'busy' ? 'fault' : 'company_endpoint';
}

interface Then {
  readonly state: CardState | null;
  readonly rule: TemplateRule | null;
  /** Whether its company was asked; null: no longer known. */
  readonly was_asked: boolean | null;
}

/** A consultation is kept as long as the whole of its message. */
function wasAsked(authorization: Authorization, client: ConsultationRecord | null): boolean | null {
  if (client !== null) return true;
  const { message_type, billing_amount, reduced_at_ms, details } = authorization;
  const { code } = outcomeOf(authorization);
  const is_consulted =
    message_type === '0100' && billing_amount > 0 && !isRefund(details.card_holder_transaction_type_code);
  return reduced_at_ms !== null && is_consulted && (code === 'V' || code === 'P') ? null : false;
}

function unknownParts(authorization: Authorization, { state, rule, was_asked }: Then): readonly string[] {
  return [
    ...(state === null ? ['the controls of the card at that time'] : []),
    ...(state !== null && rule === null ? ['the purchase template at that time'] : []),
    ...(was_asked === null ? ['the consultation of the company, if there was one'] : []),
    ...reducedParts(authorization),
  ];
}

function reducedParts({ reduced_at_ms }: Authorization): readonly string[] {
  return reduced_at_ms === null ? [] : ['the city of the merchant and the description of the transaction'];
}

/** Reasons that need nothing of the controls. */
const without_controls = new Set(['I', 'A', 'B', 'C', 'P']);
/** Reasons that need the template. */
const of_template = new Set(['J', 'H', 'L', 'N']);
/** Reasons whose values a message keeps only when they are the answer. */
const kept_as_answer = new Set(['A', 'C', 'P']);

function tableOf(
  authorization: Authorization,
  card: VirtualCard,
  decision: ShownDecision,
  { state, rule, was_asked }: Then,
): readonly DecisionRow[] {
  const question = questionOf(authorization, card, state ?? cardStateOf(card), rule ?? no_rule);
  const answer = outcomeOf(authorization).code;
  const isKnown = ({ code }: Reason) =>
    (state !== null || without_controls.has(code)) && (rule !== null || !of_template.has(code));
  const without_limits =
    isRefund(authorization.details.card_holder_transaction_type_code) ||
    (isReport(authorization) && question.amount === 0);
  const late = answer === 'U';
  const table = decisionTable(question, (reason) => {
    if (without_limits && reason.limit) return 'not_applied';
    if (reason.code === 'P' && answer !== 'P' && !was_asked) return was_asked === null ? 'unknown' : 'not_applied';
    if (isKnown(reason)) return null;
    // Every reason before the answer passed.
    return reason.code === answer ? 'failed' : 'passed';
  }).map((row) => {
    if (late && row.result !== 'not_applied') return { ...row, result: 'not_reached' as const };
    if (row.code === answer && row.limits.length === 0) return { ...row, ...keptOf(authorization, decision) };
    const is_shown = row.result !== 'not_reached' || !kept_as_answer.has(row.code);
    return is_shown ? row : { ...row, would_decline: null };
  });
  return late ? [lateRow(), ...table] : table;
}

/** The limits and values that the message itself keeps of its answer. */
function keptOf(authorization: Authorization, { facts }: ShownDecision): Pick<DecisionRow, 'limits' | 'values'> {
  const limits = shownLimits(keptLimits(authorization));
  return { limits, values: facts.filter(({ name }) => limits.every((limit) => limit.name !== name)) };
}

/** The question that a recorded message was, as far as its facts and these controls tell. */
function questionOf(
  authorization: Authorization,
  card: VirtualCard,
  state: CardState,
  template: TemplateRule,
): Question {
  const { facts, decided_at_ms, window_start_ms, mcc, merchant_currency, merchant_id, details } = authorization;
  const [controls_version, , amount, increment_of, held, cleared, uses] = facts ?? no_facts;
  const { code } = outcomeOf(authorization);
  const kept = keptLimits(authorization);
  const asked_card: QuestionCard = {
    ...state,
    controls_version,
    template,
    expiry: card.expiry,
    // Kept when it was the answer. Otherwise its company was not closed.
    company_status: kept.company_status === 'closed' ? 'closed' : 'active',
  };
  const message: QuestionMessage = {
    expiry: (kept.expiry_sent as string | null | undefined) ?? null,
    mcc,
    merchant_currency,
    merchant_id,
    card_holder_transaction_type_code: (details.card_holder_transaction_type_code as string | undefined) ?? null,
    details,
    say: code === 'P' ? saidOf(kept) : undefined,
  };
  return {
    card: asked_card,
    message,
    amount,
    increment_of: increment_of === null ? null : { authorized: money(increment_of) },
    window_start_ms,
    held,
    cleared,
    uses,
    now_ms: decided_at_ms,
    today: utcDateAt(decided_at_ms),
    code_fails: code === 'C',
    code_failures: Number(kept.code_failures ?? 0),
  };
}

/** What a company said, as far as its decline keeps it. */
function saidOf(kept: Limits): Say {
  return {
    consultation_id: '',
    answer: 'decline',
    amount: null,
    by: kept.decided_by as Say['by'],
    note: null,
    outcome: kept.consultation as Say['outcome'],
    respond_by_ms: null,
    ms: null,
    stood_in: kept.stand_in_rule as Say['stood_in'],
  };
}

/** What the window of the message counted before it and after it. */
function balancesOf(
  authorization: Authorization,
  [, , asked, increment_of, held, cleared, uses]: DecisionFacts,
  state: CardState | null,
): Pick<ExplainedDecision, 'before' | 'after'> {
  const counted = (held: number, uses: number): WindowBalance => ({
    held,
    cleared: Math.max(0, cleared),
    uses,
    available: state === null ? null : amountLeft(state.total_card_amount, { held, cleared }),
  });
  const before = counted(held, uses);
  if (authorization.status === 'declined') return { before, after: before };
  const report = isReport(authorization);
  if (report && asked === 0) return { before, after: null };
  const refund = isRefund(authorization.details.card_holder_transaction_type_code);
  const adds = refund ? 0 : asked;
  const is_use = adds > 0 && increment_of === null && !report;
  return { before, after: counted(held + adds, uses + (is_use ? 1 : 0)) };
}
