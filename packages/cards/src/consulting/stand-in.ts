import { amount_max, currency_expected, isCurrency, type RequestFields, showValue } from '@tallystick/kernel';
import { comparedName, isMerchantEntry, merchant_entry_expected } from '@tallystick/templates';
import { isMcc } from '../records/message.ts';

/** Decides requests in place of a company whose answer fails. */
export interface StandInRule {
  /** All conditions must hold. Without any, every request fits. */
  readonly if: StandInConditions;
  readonly decision: StandInAnswer;
}

export interface StandInConditions {
  /** Minor units of the currency of the card's limits, inclusive. */
  readonly amount_min?: number;
  readonly amount_max?: number;
  /** The currency of the card's limits. */
  readonly currency?: string;
  readonly mccs?: readonly string[];
  /** Without the blanks around them, as merchant controls compare them. */
  readonly merchant_ids?: readonly string[];
  /** The whole name, compared as merchant controls compare one without `*`. */
  readonly merchant_names?: readonly string[];
}

export const stand_in_answers = ['approve', 'decline'] as const;

export type StandInAnswer = (typeof stand_in_answers)[number];

/** What the rules are asked about. */
export interface StandInQuestion {
  /** Minor units of the currency of the card's limits. */
  readonly amount: number;
  readonly currency: string;
  readonly mcc: string;
  readonly merchant_id: string | null;
  readonly merchant_name: string | null;
}

export interface StandIn {
  readonly answer: StandInAnswer;
  /** Which rule decided: its place in the list, counted from 1, or `default`. */
  readonly rule: string;
}

/** The first rule that fits decides. Without one, the request is declined. */
export function standIn(rules: readonly StandInRule[], question: StandInQuestion): StandIn {
  const at = rules.findIndex((rule) => fits(rule.if, question));
  return at < 0 ? { answer: 'decline', rule: 'default' } : { answer: rules[at]!.decision, rule: String(at + 1) };
}

function fits(conditions: StandInConditions, question: StandInQuestion): boolean {
  const { amount_min = 0, amount_max: most = Number.POSITIVE_INFINITY, currency = question.currency } = conditions;
  const { mccs, merchant_ids, merchant_names } = conditions;
  const { amount, mcc, merchant_id, merchant_name } = question;
  return (
    amount >= amount_min &&
    amount <= most &&
    currency === question.currency &&
    (mccs === undefined || mccs.includes(mcc)) &&
    (merchant_ids === undefined ||
      (merchant_id !== null && merchant_ids.some((id) => id.trim() === merchant_id.trim()))) &&
    (merchant_names === undefined ||
      (merchant_name !== null && merchant_names.some((name) => comparedName(name) === comparedName(merchant_name))))
  );
}

export const stand_in_rules_max = 50;
export const stand_in_values_max = 100;
const conditions = ['amount_min', 'amount_max', 'currency', 'mccs', 'merchant_ids', 'merchant_names'];

/** Reads the rules. Null: the field is absent or invalid. */
export function readStandIn(fields: RequestFields, name: string): readonly StandInRule[] | null {
  const rules = fields.readArray(name, { min: 0, max: stand_in_rules_max }, 'rules');
  return rules === null ? null : rules.map((rule, at) => readRule(fields, `${name}[${at}]`, rule));
}

function readRule(all: RequestFields, path: string, rule: unknown): StandInRule {
  const fields = all.within(path, rule);
  fields.refuseOthers(['if', 'decision']);
  fields.require('decision', stand_in_answers.join(' or '));
  const decision = fields.readChoice('decision', stand_in_answers) ?? 'decline';
  const own = fields.within('if', fields.get('if') ?? {});
  own.refuseOthers(conditions);
  const amounts = { min: 0, max: amount_max };
  const amount_min = own.readInteger('amount_min', amounts);
  const most = own.readInteger('amount_max', amounts);
  if (amount_min !== null && most !== null && amount_min > most) {
    own.addProblem('amount_max', `must be at least amount_min, ${amount_min}, not ${most}`);
  }
  const currency = own.readText('currency', isCurrency, currency_expected);
  const mccs = readTexts(own, 'mccs', isMcc, 'four-digit strings');
  const merchant_ids = readTexts(own, 'merchant_ids', isMerchantEntry, merchant_entry_expected);
  const merchant_names = readTexts(own, 'merchant_names', isMerchantEntry, merchant_entry_expected);
  return {
    if: {
      ...(amount_min === null ? {} : { amount_min }),
      ...(most === null ? {} : { amount_max: most }),
      ...(currency === null ? {} : { currency }),
      ...(mccs === null ? {} : { mccs }),
      ...(merchant_ids === null ? {} : { merchant_ids }),
      ...(merchant_names === null ? {} : { merchant_names }),
    },
    decision,
  };
}

function readTexts(
  fields: RequestFields,
  name: string,
  rule: (text: string) => boolean,
  expected: string,
): readonly string[] | null {
  const values = fields.readArray(name, { min: 1, max: stand_in_values_max }, expected);
  const wrong = values?.find((value) => typeof value !== 'string' || !rule(value));
  if (wrong !== undefined) fields.addProblem(name, `must contain ${expected}, not ${showValue(wrong)}`);
  return values as readonly string[] | null;
}
