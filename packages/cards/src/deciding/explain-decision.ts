import type { Recurring } from '@tallystick/velocity';
import { type Authorization, brokenReasonOf, isRefund } from '../records/authorization.ts';
import { type DecisionFacts, type Fact, no_facts } from '../records/decision-facts.ts';
import { type DecisionValues, type Limits, value_facts } from './decision-values.ts';
import { answers, type Outcome, type Question } from './decline-reasons.ts';

/** A decision with what it was made from, as callers see it. */
export interface ShownDecision {
  /** V: approved or recorded. */
  readonly code: Outcome['code'];
  /** In plain words. */
  readonly reason: string;
  readonly facts: readonly Fact[];
}

/** The facts that the authorization of a decision keeps. `code`: the outcome, or what an advice broke. */
export function keptFacts(question: Question, code: Outcome['code']): DecisionFacts {
  const { amount, increment_of, held, cleared, uses } = question;
  const limits = Object.values(answers[code].limits).map((limit) => limit(question));
  return [
    question.card?.controls_version ?? 0,
    question.card?.template.version ?? 0,
    amount,
    increment_of?.authorized ?? null,
    held,
    cleared,
    uses,
    ...limits,
  ];
}

/** The facts of an outcome about a question, in the order in which they are shown. */
export function factsOf(outcome: Outcome, question: Question): readonly Fact[] {
  return shownFacts(outcome, valuesOf(question), limitsOf(outcome, question));
}

/** The limits of an outcome about a question, by their names. */
export function limitsOf(outcome: Outcome, question: Question): Limits {
  return Object.fromEntries(Object.entries(outcome.limits).map(([name, limit]) => [name, limit(question)]));
}

/** The limits that an authorization keeps, by their names: those of its outcome. */
export function keptLimits(authorization: Pick<Authorization, 'decline_code' | 'facts' | 'details'>): Limits {
  const [, , , , , , , ...kept] = authorization.facts ?? no_facts;
  return Object.fromEntries(Object.keys(outcomeOf(authorization).limits).map((name, at) => [name, kept[at] ?? null]));
}

/** The outcome whose limits an authorization keeps: of an advice, the reason that it broke. */
export function outcomeOf(authorization: Pick<Authorization, 'decline_code' | 'details'>): Outcome {
  return answers[authorization.decline_code ?? brokenReasonOf(authorization) ?? 'V'];
}

/**
 * Whether a message is about a decision that is recorded already: an advice of it, or the request of
 * an advice that came first.
 */
export function isReport(authorization: Authorization): boolean {
  const { message_type, incremental, root_id, id } = authorization;
  return wasOvertaken(authorization) || (message_type === '0120' && !incremental && root_id !== id);
}

/** Whether an advice of its approval arrived before this request: the facts have its root. */
export function wasOvertaken({ message_type, incremental, facts }: Authorization): boolean {
  return message_type === '0100' && !incremental && facts !== null && facts[3] !== null;
}

/** A recorded message as a decision with its facts. */
export function decisionOf(authorization: Authorization, recurring: Recurring | null): ShownDecision {
  const { decline_code, facts, details } = authorization;
  const outcome = outcomeOf(authorization);
  const code = decline_code ?? 'V';
  const reason = reasonOf(authorization, outcome);
  if (facts === null) return { code, reason, facts: [] };
  const [, , asked, increment_of, held, cleared, uses] = facts;
  const { window_start_ms, decided_at_ms } = authorization;
  const adds = isReport(authorization) ? null : isRefund(details.card_holder_transaction_type_code) ? 0 : asked;
  const values: DecisionValues = {
    asked,
    increment_of,
    held,
    cleared,
    uses,
    window_start_ms,
    recurring,
    decided_at_ms,
    message: authorization,
    adds,
  };
  return { code, reason, facts: shownFacts(outcome, values, keptLimits(authorization)) };
}

/** The approval of a question, before it is made. */
export function proposedDecision(question: Question): ShownDecision {
  return { code: 'V', reason: inWords(answers.V), facts: factsOf(answers.V, question) };
}

/** The decision about a message that was not recorded. */
export function unrecordedDecision(code: 'I' | 'U'): ShownDecision {
  return { code, reason: code === 'I' ? inWords(answers.I) : 'the service failed', facts: [] };
}

/** Facts that complete the details of a card: whoever sends a number must not learn them. */
const for_company_only: ReadonlySet<string> = new Set(['expiry', 'expiry_expected']);

/** The decision as the sender of its message may see it. */
export function decisionForSender({ facts, ...decision }: ShownDecision): ShownDecision {
  return { ...decision, facts: facts.filter(({ name }) => !for_company_only.has(name)) };
}

export function valuesOf(question: Question): DecisionValues {
  const { card, message, amount, increment_of, window_start_ms, held, cleared, uses, now_ms } = question;
  return {
    asked: amount,
    increment_of: increment_of?.authorized ?? null,
    held,
    cleared,
    uses,
    window_start_ms,
    recurring: card?.recurring ?? null,
    decided_at_ms: now_ms,
    message,
    adds: isRefund(message.card_holder_transaction_type_code) ? 0 : amount,
  };
}

function shownFacts(outcome: Outcome, values: DecisionValues, limits: Limits): readonly Fact[] {
  const shown = shownValues(outcome, values, limits);
  // Every event has this: of an approval it says what was left, from which the limits follow.
  return outcome === answers.V ? shown : [...shown, ...shownLimits(limits)];
}

/** The values of an outcome that say something about a decision. */
export function shownValues(outcome: Outcome, values: DecisionValues, limits: Limits): readonly Fact[] {
  const facts: Fact[] = [];
  for (const name of outcome.values) {
    const value = value_facts[name](values, limits);
    if (value !== undefined) facts.push({ name, value });
  }
  return facts;
}

export function shownLimits(limits: Limits): readonly Fact[] {
  const facts: Fact[] = [];
  for (const [name, value] of Object.entries(limits)) if (value !== null) facts.push({ name, value });
  return facts;
}

function reasonOf({ status, message_type, decline_code }: Authorization, outcome: Outcome): string {
  if (decline_code === 'U') return 'the original arrived after its reversal';
  if (decline_code !== null) return inWords(outcome);
  if (message_type === '0400' || message_type === '0420') return 'a reversal is recorded as it was sent';
  if (message_type === '0100') return inWords(answers.V);
  if (status === 'declined') return 'declined elsewhere';
  return outcome === answers.V ? 'approved elsewhere' : `approved elsewhere, although ${inWords(outcome)}`;
}

/** The meaning without the marks of the documentation. */
export function inWords({ meaning }: Outcome): string {
  return meaning.replaceAll('`', '');
}
