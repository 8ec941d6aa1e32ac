import { currency_expected, isCurrency, type Money, type RequestFields } from '@tallystick/kernel';
import {
  type MerchantControls,
  type PurchaseTemplate,
  type RequiredControl,
  readMerchantControls,
} from '@tallystick/templates';
import { isTimeZone, type Recurring, recurring_values } from '@tallystick/velocity';
import type { Controls, VirtualCard } from '../issuing/card.ts';
import { authorization_hold_days_max, uses_max } from '../issuing/controls.ts';
import type { LedgerCard } from '../records/ledger.ts';

/**
 * The controls that a backtest changes; those that are absent stay as they were. Null stands for
 * what a new card has: no maximum of its own, unlimited uses, any currency.
 */
export interface ControlsChange {
  readonly per_transaction_min?: Money;
  readonly per_transaction_max?: Money | null;
  readonly total_card_amount?: Money;
  /** Of cards with velocity. */
  readonly transactions_max?: number | null;
  readonly recurring?: Recurring;
  /** How long holds of cards with velocity last. */
  readonly hold_days?: number;
  /** Of cards with aging velocity. */
  readonly authorization_hold_days?: number;
  readonly aging_velocity_time_zone?: string;
  readonly currency?: string | null;
  /** GMT dates, YYYY-MM-DD. */
  readonly valid_starting_on?: string;
  readonly valid_ending_on?: string;
  /** Of cards with the kind of control that the template requires. */
  readonly template_id?: number;
  /** Beside those of the template. */
  readonly merchant_controls?: MerchantControls | null;
}

const velocity_names = ['transactions_max', 'recurring', 'hold_days'] as const;
const aging_names = ['authorization_hold_days', 'aging_velocity_time_zone'] as const;

interface ChangeContext {
  /** The template that `template_id` names; null: unknown, or none is named. */
  readonly template: PurchaseTemplate | null;
  /** The card; null: all cards of the company. */
  readonly card: VirtualCard | null;
}

/**
 * Reads the changed controls of a backtest. Adds a problem to `fields` for each that is invalid or
 * that the card cannot have; the result is valid only if there is none. For all cards of a company,
 * cards to which a control does not apply leave it out.
 */
export function readControlsChange(fields: RequestFields, { template, card }: ChangeContext): ControlsChange {
  const read: { [Name in keyof ControlsChange]?: ControlsChange[Name] | undefined } = {
    per_transaction_min: fields.readAmount('per_transaction_min', 0) ?? undefined,
    per_transaction_max: fields.readAmount('per_transaction_max', 0) ?? nullOf(fields, 'per_transaction_max'),
    total_card_amount: fields.readAmount('total_card_amount', 1) ?? undefined,
    transactions_max:
      (fields.readInteger('transactions_max', { min: 0, max: uses_max }) || null) ?? nullOf(fields, 'transactions_max'),
    recurring: fields.readChoice('recurring', recurring_values) ?? undefined,
    hold_days: fields.readInteger('hold_days', { min: 1, max: authorization_hold_days_max }) ?? undefined,
    authorization_hold_days:
      fields.readInteger('authorization_hold_days', { min: 1, max: authorization_hold_days_max }) ?? undefined,
    aging_velocity_time_zone:
      fields.readText('aging_velocity_time_zone', isTimeZone, 'an IANA time zone, such as America/New_York') ??
      undefined,
    currency: fields.readText('currency', isCurrency, currency_expected) ?? nullOf(fields, 'currency'),
    valid_starting_on: fields.readDate('valid_starting_on') ?? undefined,
    valid_ending_on: fields.readDate('valid_ending_on') ?? undefined,
    template_id: template?.id,
    merchant_controls: fields.carries('merchant_controls') ? readMerchantControls(fields) : undefined,
  };
  fields.refuseOthers(Object.keys(read));
  if (fields.has('template_id') && template === null) {
    fields.addProblem('template_id', 'must be the id of a purchase template of the company, or of a shared one');
  }
  if (card !== null) addCardProblems(fields, card, template);
  const change = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined)) as ControlsChange;
  addOrderProblems(fields, change, card);
  return change;
}

/** Null when the request resets the control, else undefined. */
function nullOf(fields: RequestFields, name: string): null | undefined {
  return fields.resets(name) || fields.get(name) === 0 ? null : undefined;
}

function addCardProblems(fields: RequestFields, card: VirtualCard, template: PurchaseTemplate | null): void {
  const control = controlOf(card);
  const [kind, names] =
    control === 'VELOCITY' ? (['velocity', aging_names] as const) : (['aging velocity', velocity_names] as const);
  for (const name of names) {
    if (fields.carries(name)) fields.addProblem(name, `does not apply: card ${card.id} has ${kind}`);
  }
  if (template !== null && template.required_control !== control) {
    const is_for = `template ${template.id} is for ${template.required_control}`;
    fields.addProblem(
      'template_id',
      `must be a purchase template for ${control}, as the card's controls are; ${is_for}`,
    );
  }
}

/** Adds a problem when the changed limits, with those that the card has, are in no order. */
function addOrderProblems(fields: RequestFields, change: ControlsChange, card: VirtualCard | null): void {
  const its = card === null ? change : changedControls(card, change);
  const order = ['per_transaction_min', 'per_transaction_max', 'total_card_amount'] as const;
  for (const [at, low_name] of order.entries()) {
    for (const high_name of order.slice(at + 1)) {
      const [low, high] = [its[low_name], its[high_name]];
      if (typeof low !== 'number' || typeof high !== 'number' || low <= high) continue;
      const [name, message] = fields.has(low_name)
        ? ([low_name, `must be at most ${high_name}, which is ${high}, not ${low}`] as const)
        : ([high_name, `must be at least ${low_name}, which is ${low}, not ${high}`] as const);
      fields.addProblem(name, message);
    }
  }
  const { valid_starting_on: start, valid_ending_on: end } = its;
  if (start !== undefined && end !== undefined && start > end) {
    fields.addProblem('valid_starting_on', `must not be after the end of validity, ${end}; it is ${start}`);
  }
}

function controlOf({ authorization_hold_days }: Pick<Controls, 'authorization_hold_days'>): RequiredControl {
  return authorization_hold_days === null ? 'VELOCITY' : 'AGING_VELOCITY';
}

/** The controls of a card after the change. What does not apply to it is left out. */
function changedControls(controls: Controls, change: ControlsChange): Controls {
  const { per_transaction_max: named_max, ...others } = change;
  const is_aging = controlOf(controls) === 'AGING_VELOCITY';
  const total_card_amount = change.total_card_amount ?? controls.total_card_amount;
  const per_transaction_max_defaulted =
    named_max === null || (named_max === undefined && controls.per_transaction_max_defaulted);
  const follows_total = per_transaction_max_defaulted && (named_max === null || change.total_card_amount !== undefined);
  const { hold_days: _hold_days, recurring, transactions_max, template_id: _template_id, ...rest } = others;
  const { authorization_hold_days, aging_velocity_time_zone, ...of_any } = rest;
  return {
    ...controls,
    ...of_any,
    ...(is_aging
      ? {
          authorization_hold_days: authorization_hold_days ?? controls.authorization_hold_days,
          aging_velocity_time_zone: aging_velocity_time_zone ?? controls.aging_velocity_time_zone,
        }
      : {
          recurring: recurring ?? controls.recurring,
          transactions_max: transactions_max === undefined ? controls.transactions_max : transactions_max,
        }),
    total_card_amount,
    per_transaction_max: named_max ?? (follows_total ? total_card_amount : controls.per_transaction_max),
    per_transaction_max_defaulted,
  };
}

export type ChangedTemplate = LedgerCard['template'] & Pick<PurchaseTemplate, 'required_control'>;

/** A card after the change; `template` is the one that the change names. */
export function changedCard<Card extends Controls & Pick<LedgerCard, 'template' | 'hold_days'>>(
  card: Card,
  change: ControlsChange,
  template: ChangedTemplate | null,
): Card {
  const control = controlOf(card);
  const takes = template !== null && template.required_control === control;
  return {
    ...card,
    ...changedControls(card, change),
    hold_days: control === 'VELOCITY' ? (change.hold_days ?? card.hold_days) : card.hold_days,
    ...(takes ? { template, template_id: change.template_id } : {}),
  };
}
