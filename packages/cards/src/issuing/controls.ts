import {
  assert,
  currency_expected,
  isCurrency,
  type Money,
  money,
  type RequestFields,
  Temporal,
} from '@tallystick/kernel';
import {
  default_template_ids,
  type PurchaseTemplate,
  type RequiredControl,
  readMerchantControls,
} from '@tallystick/templates';
import { isTimeZone, recurring_values, utcDateAt } from '@tallystick/velocity';
import type { Controls, RealCard, VirtualCard } from './card.ts';

export const uses_max = 1_000_000_000;
export const authorization_hold_days_max = 365;
export const valid_for_months_max = 24;
const years_to_expiry = 2;

interface ControlsContext {
  readonly now_ms: number;
  /**
   * The template that `template_id` names. Null when the id is unknown, or the request names none.
   */
  readonly template: PurchaseTemplate | null;
}

/**
 * Returns the expiry (YYYY-MM) of a card created at the instant: two years later (service
 * specification 2.1).
 */
export function expiryOf(created_at_ms: number): string {
  return dayOf(created_at_ms).toPlainYearMonth().add({ years: years_to_expiry }).toString();
}

/** Returns the last GMT date on which a card of this expiry may be used. */
export function lastDayOf(expiry: string): string {
  const month = Temporal.PlainYearMonth.from(expiry);
  return month.toPlainDate({ day: month.daysInMonth }).toString();
}

/**
 * Reads the controls of a new card. Adds every problem to `fields`; the result is valid only if
 * there is none. `real_card` is null when the real card of the request is not found. The caller
 * adds that problem.
 */
export function readNewControls(
  fields: RequestFields,
  { now_ms, template, real_card }: ControlsContext & { readonly real_card: RealCard | null },
): Controls {
  fields.require('total_card_amount');
  const total = readTotal(fields) ?? money(1);
  const named_max = readMax(fields);
  const uses = readUses(fields);
  const recurring = fields.readChoice('recurring', recurring_values);
  const hold_days = fields.readInteger('authorization_hold_days', { min: 1, max: authorization_hold_days_max });
  const time_zone = fields.readText(
    'aging_velocity_time_zone',
    isTimeZone,
    'an IANA time zone, such as America/New_York',
  );
  const aging = fields.has('authorization_hold_days') || fields.has('aging_velocity_time_zone');
  addVelocityProblems(fields, aging);
  if (real_card?.velocity_enabled === false && recurring !== null && recurring !== 'Continuous') {
    fields.addProblem('recurring', 'must be Continuous: the program of the real card has no velocity control');
  }

  const controls: Controls = {
    per_transaction_min: readMin(fields) ?? money(0),
    per_transaction_max: named_max ?? total,
    per_transaction_max_defaulted: named_max === null,
    total_card_amount: total,
    transactions_max: uses,
    recurring: aging ? null : (recurring ?? 'Continuous'),
    authorization_hold_days: aging ? hold_days : null,
    aging_velocity_time_zone: aging ? time_zone : null,
    currency: fields.readText('currency', isCurrency, currency_expected),
    ...readValidity(fields, null, dayOf(now_ms), toDate(lastDayOf(expiryOf(now_ms)))),
    template_id: chooseTemplate(fields, template, aging ? 'AGING_VELOCITY' : 'VELOCITY', null),
    merchant_controls: readMerchantControls(fields),
  };
  addOrderProblems(fields, controls);
  return controls;
}

/**
 * Reads the controls of a card after a change. A control that is absent from the request stays, and
 * null resets it to what a new card has (decision: null). Adds every problem to `fields`; the
 * result is valid only if there is none. `used` is the amount that the current window has cleared
 * and holds now. In a whole card that is sent back, a maximum that was shown as its default stays
 * the default. Sent alone, the same number is a maximum of its own (decision: a value as it is).
 */
export function readChangedControls(
  fields: RequestFields,
  card: VirtualCard,
  { now_ms, template, used, is_sent_back }: ControlsContext & { readonly used: Money; readonly is_sent_back: boolean },
): Controls {
  addKeptProblems(fields, card);
  const aging = card.authorization_hold_days !== null;
  const named_total = readTotal(fields);
  const total = named_total ?? card.total_card_amount;
  if (fields.resets('total_card_amount')) {
    fields.addProblem('total_card_amount', 'cannot be null: it has no default');
  }
  const named_max = readMax(fields);
  const is_shown_max = is_sent_back && named_max === card.per_transaction_max;
  const follows_total =
    fields.resets('per_transaction_max') ||
    (card.per_transaction_max_defaulted && (named_max === null || is_shown_max));
  const uses = readUses(fields);
  if (aging && uses !== null) {
    fields.addProblem(
      'transactions_max',
      'cannot be set: the card has aging velocity, which excludes velocity controls',
    );
  }
  if (named_total !== null && named_total < used) {
    fields.addProblem('total_card_amount', `must be at least ${used}, which the card has used already, not ${total}`);
  }

  const controls: Controls = {
    per_transaction_min:
      readMin(fields) ?? (fields.resets('per_transaction_min') ? money(0) : card.per_transaction_min),
    per_transaction_max: follows_total ? total : (named_max ?? card.per_transaction_max),
    per_transaction_max_defaulted: follows_total,
    total_card_amount: total,
    transactions_max: uses ?? (fields.resets('transactions_max') ? null : card.transactions_max),
    recurring: card.recurring,
    authorization_hold_days: card.authorization_hold_days,
    aging_velocity_time_zone: card.aging_velocity_time_zone,
    currency: card.currency,
    ...readValidity(fields, card, dayOf(now_ms), toDate(lastDayOf(card.expiry))),
    template_id: chooseTemplate(fields, template, aging ? 'AGING_VELOCITY' : 'VELOCITY', card.template_id),
    merchant_controls: fields.carries('merchant_controls') ? readMerchantControls(fields) : card.merchant_controls,
  };
  addOrderProblems(fields, controls);
  return controls;
}

/**
 * Adds a problem for every field that a card keeps from its creation, unless the request sends its
 * present value: a client may send a card back as it was shown. A null stands for the default.
 */
function addKeptProblems(fields: RequestFields, card: VirtualCard): void {
  const { currency, authorization_hold_days, aging_velocity_time_zone, recurring, supplier_id } = card;
  const kept: Readonly<Record<string, readonly (boolean | number | string | null)[]>> = {
    currency: [currency],
    recurring: recurring === 'Continuous' ? [recurring, null] : [recurring],
    authorization_hold_days: [authorization_hold_days],
    aging_velocity_time_zone: [aging_velocity_time_zone],
    rcn_id: [card.rcn_id, String(card.rcn_id)],
    valid_for: [null],
    supplier_id: [supplier_id],
    expiry: [card.expiry],
    status: [card.status, null],
    frozen: [card.frozen_at_ms !== null, null],
  };
  for (const [name, present] of Object.entries(kept)) {
    if (!fields.carries(name) || present.some((value) => value === fields.get(name))) continue;
    const shown = name === 'valid_for' ? '' : `; it is ${present[0]}`;
    const cannot =
      name === 'frozen' ? 'changes only by freeze and unfreeze' : 'cannot be changed once the card is created';
    fields.addProblem(name, `${cannot}${shown}`);
  }
}

/** Asserts the invariants of a stored card's controls. */
export function assertControls(controls: Controls, expiry: string): void {
  const { per_transaction_min, per_transaction_max, total_card_amount, transactions_max } = controls;
  assert(0 <= per_transaction_min && per_transaction_min <= per_transaction_max, 'minimum above maximum');
  assert(per_transaction_max <= total_card_amount && total_card_amount > 0, 'maximum above total');
  assert(
    !controls.per_transaction_max_defaulted || per_transaction_max === total_card_amount,
    'maximum left its total',
  );
  assert(transactions_max === null || transactions_max > 0, 'a number of uses below one');
  const aging = controls.authorization_hold_days !== null;
  assert(aging === (controls.aging_velocity_time_zone !== null), 'half an aging velocity control');
  assert(aging === (controls.recurring === null), 'both velocity controls, or neither');
  assert(!aging || transactions_max === null, 'aging velocity with a number of uses');
  assert(controls.valid_starting_on <= controls.valid_ending_on, 'validity ends before it begins');
  assert(controls.valid_ending_on <= lastDayOf(expiry), 'validity outlasts the expiry');
}

function readTotal(fields: RequestFields): Money | null {
  return fields.readAmount('total_card_amount', 1);
}

function readMin(fields: RequestFields): Money | null {
  return fields.readAmount('per_transaction_min', 0);
}

function readMax(fields: RequestFields): Money | null {
  return fields.readAmount('per_transaction_max', 0);
}

/** 0 counts as absent. */
function readUses(fields: RequestFields): number | null {
  return fields.readInteger('transactions_max', { min: 0, max: uses_max }) || null;
}

/**
 * A card has velocity or aging velocity. Aging velocity requires all of its fields (service
 * specification 2.2 and 7.1).
 */
function addVelocityProblems(fields: RequestFields, aging: boolean): void {
  if (!aging) return;
  const aging_names = ['authorization_hold_days', 'aging_velocity_time_zone'];
  const velocity_names = [
    ...(fields.has('recurring') ? ['recurring'] : []),
    ...(fields.has('transactions_max') && fields.get('transactions_max') !== 0 ? ['transactions_max'] : []),
  ];
  if (velocity_names.length > 0) {
    const sent_aging = aging_names.filter((name) => fields.has(name));
    for (const [names, others] of [[sent_aging, velocity_names] as const, [velocity_names, sent_aging] as const]) {
      for (const name of names) {
        fields.addProblem(
          name,
          `cannot be sent together with ${others.join(' and ')}: a card has either velocity (recurring, transactions_max) ` +
            'or aging velocity (authorization_hold_days, aging_velocity_time_zone)',
        );
      }
    }
    return;
  }
  for (const name of aging_names) {
    if (!fields.has(name)) fields.addProblem(name, 'is required: aging velocity needs both of its parameters');
  }
}

/**
 * Adds a problem unless per_transaction_min <= per_transaction_max <= total_card_amount. The
 * problem names the fields that the request sets.
 */
function addOrderProblems(fields: RequestFields, controls: Controls): void {
  const max_name = controls.per_transaction_max_defaulted ? 'total_card_amount' : 'per_transaction_max';
  addOrderProblem(fields, controls, 'per_transaction_min', max_name);
  if (!controls.per_transaction_max_defaulted)
    addOrderProblem(fields, controls, 'per_transaction_max', 'total_card_amount');
}

type AmountName = 'per_transaction_min' | 'per_transaction_max' | 'total_card_amount';

function addOrderProblem(fields: RequestFields, controls: Controls, low_name: AmountName, high_name: AmountName): void {
  const low = controls[low_name];
  const high = controls[high_name];
  if (low <= high || !fields.areSound(low_name, high_name)) return;
  if (fields.has(low_name)) fields.addProblem(low_name, `must be at most ${high_name}, which is ${high}, not ${low}`);
  else fields.addProblem(high_name, `must be at least ${low_name}, which is ${low}, not ${high}`);
}

type Validity = Pick<Controls, 'valid_starting_on' | 'valid_ending_on'>;

/**
 * Reads the first and last GMT date of use. An end past the card's last day becomes that day. Rules
 * about today apply to the dates of the request only.
 */
function readValidity(
  fields: RequestFields,
  stored: Validity | null,
  today: Temporal.PlainDate,
  last_day: Temporal.PlainDate,
): Validity {
  const kept_start = stored !== null && !fields.resets('valid_starting_on') ? toDate(stored.valid_starting_on) : today;
  const start = readDate(fields, 'valid_starting_on') ?? kept_start;
  const named_end = readDate(fields, 'valid_ending_on');
  const months = stored ? null : fields.readInteger('valid_for', { min: 1, max: valid_for_months_max });
  if (!stored && fields.has('valid_for') && fields.has('valid_ending_on')) {
    fields.addProblem('valid_for', 'cannot be sent together with valid_ending_on: either says when validity ends');
    fields.addProblem('valid_ending_on', 'cannot be sent together with valid_for: either says when validity ends');
  }
  const asked_end = named_end ?? (months === null ? null : start.add({ months }));
  const end_name = named_end === null && months !== null ? 'valid_for' : 'valid_ending_on';
  const areDatesSound = () => fields.areSound('valid_starting_on', 'valid_ending_on', 'valid_for');
  if (asked_end !== null && areDatesSound() && isBefore(asked_end, today)) {
    fields.addProblem(end_name, `must not end validity before today, ${today}; it would end on ${asked_end}`);
  }
  const kept_end = stored !== null && !fields.resets('valid_ending_on') ? toDate(stored.valid_ending_on) : last_day;
  const unclamped_end = asked_end ?? kept_end;
  const end = isBefore(last_day, unclamped_end) ? last_day : unclamped_end;
  if (isBefore(end, start) && areDatesSound()) {
    if (fields.carries('valid_starting_on')) {
      fields.addProblem('valid_starting_on', `must not be after the end of validity, ${end}; it is ${start}`);
    } else {
      fields.addProblem(end_name, `must not end validity before it begins, on ${start}; it would end on ${end}`);
    }
  }
  return { valid_starting_on: start.toString(), valid_ending_on: end.toString() };
}

function readDate(fields: RequestFields, name: string): Temporal.PlainDate | null {
  const text = fields.readDate(name);
  return text === null ? null : toDate(text);
}

/**
 * Returns the template of the card: the named template, if it may be used with this control; else
 * the previous template, or the shared default.
 */
function chooseTemplate(
  fields: RequestFields,
  template: PurchaseTemplate | null,
  control: RequiredControl,
  stored_id: number | null,
): number {
  if (!fields.has('template_id')) {
    return stored_id === null || fields.resets('template_id') ? default_template_ids[control] : stored_id;
  }
  if (!fields.areSound('template_id')) return default_template_ids[control];
  if (template === null) {
    fields.addProblem('template_id', 'must be the id of a purchase template of the company, or of a shared one');
    return default_template_ids[control];
  }
  if (template.status !== 'ACTIVE') {
    fields.addProblem(
      'template_id',
      `must be an ACTIVE purchase template; template ${template.id} is ${template.status}`,
    );
  }
  if (template.required_control !== control) {
    fields.addProblem(
      'template_id',
      `must be a purchase template for ${control}, as the card's controls are; template ${template.id} is for ` +
        template.required_control,
    );
  }
  return template.id;
}

function dayOf(at_ms: number): Temporal.PlainDate {
  return toDate(utcDateAt(at_ms));
}

function toDate(text: string): Temporal.PlainDate {
  return Temporal.PlainDate.from(text);
}

function isBefore(a: Temporal.PlainDate, b: Temporal.PlainDate): boolean {
  return Temporal.PlainDate.compare(a, b) < 0;
}
