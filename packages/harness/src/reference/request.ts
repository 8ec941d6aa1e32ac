import { Temporal } from 'temporal-polyfill';
import type { CardRequest, World } from '../system.ts';
import { amount_max } from './bounds.ts';
import { gmtDate, lastDayOf, type Recurring, recurring_values } from './calendar.ts';
import { perTransactionMax, type ReferenceControls } from './card.ts';

/** The outcome of a request: the controls of the card, or the invalid fields. */
export type Reading =
  | { readonly kind: 'fits'; readonly controls: ReferenceControls }
  | { readonly kind: 'wrong'; readonly fields: readonly string[] };

/** The rules of a create request. `now_ms` is its time; `expiry` is that of the new card. */
export function readCreate(request: CardRequest, world: World, now_ms: number, expiry: string): Reading {
  const wrong = new Set(malformed(request));
  if (given(request, 'total_card_amount') === undefined) wrong.add('total_card_amount');
  const hold_days = given(request, 'authorization_hold_days') as number | undefined;
  const zone = given(request, 'aging_velocity_time_zone') as string | undefined;
  const aging = hold_days !== undefined || zone !== undefined;
  if (aging && hold_days === undefined) wrong.add('authorization_hold_days');
  if (aging && zone === undefined) wrong.add('aging_velocity_time_zone');
  if (aging)
    for (const name of ['recurring', 'transactions_max']) if (given(request, name) !== undefined) wrong.add(name);

  const today = gmtDate(now_ms);
  const starting = (given(request, 'valid_starting_on') as string | undefined) ?? today;
  const valid_for = given(request, 'valid_for') as number | undefined;
  const ending = given(request, 'valid_ending_on') as string | undefined;
  if (valid_for !== undefined && ending !== undefined) wrong.add('valid_for');
  if (ending !== undefined && ending < today) wrong.add('valid_ending_on');
  if (wrong.size > 0) return { kind: 'wrong', fields: [...wrong] };

  const asked_end =
    valid_for === undefined ? ending : Temporal.PlainDate.from(starting).add({ months: valid_for }).toString();
  if (asked_end !== undefined && asked_end < today) return { kind: 'wrong', fields: ['valid_for'] };
  return settle(world, expiry, {
    total_card_amount: request.total_card_amount as number,
    per_transaction_min: (given(request, 'per_transaction_min') as number | undefined) ?? 0,
    per_transaction_max: (given(request, 'per_transaction_max') as number | undefined) ?? null,
    transactions_max: (given(request, 'transactions_max') as number | undefined) ?? null,
    recurring: aging ? null : ((given(request, 'recurring') as Recurring | undefined) ?? 'Continuous'),
    authorization_hold_days: hold_days ?? null,
    aging_velocity_time_zone: zone ?? null,
    currency: (given(request, 'currency') as string | undefined) ?? null,
    valid_starting_on: starting,
    valid_ending_on: asked_end ?? lastDayOf(expiry),
    template_id: templateId(request) ?? defaultTemplate(world, aging),
    emails: (given(request, 'emails') as readonly string[] | undefined) ?? null,
    metadata: (given(request, 'metadata') as ReferenceControls['metadata'] | undefined) ?? null,
    supplier_id: (given(request, 'supplier_id') as number | undefined) ?? null,
    merchant_controls: (given(request, 'merchant_controls') as ReferenceControls['merchant_controls']) ?? null,
  });
}

/**
 * The rules of an update. Null resets a field to what a new card has. `used` is the cleared and
 * held amount of the current window.
 */
export function readUpdate(
  request: CardRequest,
  world: World,
  now_ms: number,
  expiry: string,
  before: ReferenceControls,
  used: number,
): Reading {
  const aging = before.authorization_hold_days !== null;
  const today = gmtDate(now_ms);
  const wrong = new Set([...malformed(request), ...changesOfKept(request, before)]);
  if (aging && given(request, 'transactions_max') !== undefined) wrong.add('transactions_max');
  const ending = given(request, 'valid_ending_on') as string | undefined;
  if (ending !== undefined && ending < today) wrong.add('valid_ending_on');
  const total = given(request, 'total_card_amount') as number | undefined;
  if (request.total_card_amount === null || (total !== undefined && total < used)) wrong.add('total_card_amount');
  if (wrong.size > 0) return { kind: 'wrong', fields: [...wrong] };

  const next = <Name extends keyof ReferenceControls>(
    name: Name,
    initial: ReferenceControls[Name],
  ): ReferenceControls[Name] => {
    if (request[name] === null) return initial;
    return (given(request, name) as ReferenceControls[Name] | undefined) ?? before[name];
  };
  return settle(world, expiry, {
    ...before,
    total_card_amount: total ?? before.total_card_amount,
    per_transaction_min: next('per_transaction_min', 0),
    per_transaction_max: next('per_transaction_max', null),
    transactions_max: next('transactions_max', null),
    valid_starting_on: next('valid_starting_on', today),
    valid_ending_on: next('valid_ending_on', lastDayOf(expiry)),
    template_id: Number(next('template_id', defaultTemplate(world, aging))),
    emails: next('emails', null),
    metadata: next('metadata', null),
    merchant_controls: next('merchant_controls', null),
  });
}

/** The fields that a card keeps, but that the request changes. The present value is no change. */
function changesOfKept(request: CardRequest, before: ReferenceControls): string[] {
  const { currency, recurring, authorization_hold_days, aging_velocity_time_zone } = before;
  const kept: Readonly<Record<string, unknown>> = {
    currency,
    recurring,
    authorization_hold_days,
    aging_velocity_time_zone,
    valid_for: null,
  };
  const isDefault = (name: string, value: unknown) => name === 'recurring' && value === 'Continuous';
  return Object.entries(kept)
    .filter(([name, present]) => request[name] !== undefined && request[name] !== present)
    .filter(([name, present]) => !(request[name] === null && isDefault(name, present)))
    .map(([name]) => name);
}

/**
 * The rules between fields, the same for create and update. An end past the expiry is set to the
 * expiry.
 */
function settle(world: World, expiry: string, controls: ReferenceControls): Reading {
  const last_day = lastDayOf(expiry);
  const settled = {
    ...controls,
    valid_ending_on: [controls.valid_ending_on, last_day].sort()[0]!,
  };
  const wrong: string[] = [];
  const max = perTransactionMax(settled);
  const max_name = settled.per_transaction_max === null ? 'total_card_amount' : 'per_transaction_max';
  if (settled.per_transaction_min > max) wrong.push('per_transaction_min', max_name);
  if (max > settled.total_card_amount) wrong.push('per_transaction_max', 'total_card_amount');
  if (settled.valid_starting_on > settled.valid_ending_on)
    wrong.push('valid_starting_on', 'valid_ending_on', 'valid_for');
  const template = world.templates.find(({ id }) => id === settled.template_id);
  const control = settled.authorization_hold_days === null ? 'VELOCITY' : 'AGING_VELOCITY';
  if (template?.required_control !== control) wrong.push('template_id');
  return wrong.length > 0 ? { kind: 'wrong', fields: wrong } : { kind: 'fits', controls: settled };
}

/** Fields with a value that is invalid alone. */
function malformed(request: CardRequest): string[] {
  const rules: Readonly<Record<string, (value: unknown) => boolean>> = {
    total_card_amount: (value) => integerWithin(value, 1, amount_max),
    per_transaction_max: (value) => integerWithin(value, 0, amount_max),
    per_transaction_min: (value) => integerWithin(value, 0, amount_max),
    transactions_max: (value) => integerWithin(value, 0, Number.MAX_SAFE_INTEGER),
    recurring: (value) => recurring_values.includes(value as Recurring),
    authorization_hold_days: (value) => integerWithin(value, 1, 365),
    aging_velocity_time_zone: isZone,
    currency: (value) => typeof value === 'string' && /^[A-Z]{3}$/.test(value),
    valid_starting_on: isDate,
    valid_ending_on: isDate,
    valid_for: (value) => integerWithin(value, 1, 24),
    template_id: (value) => /^\d+$/.test(String(value)),
    emails: (value) => Array.isArray(value) && value.length <= 5 && value.every((address) => /^\S+@\S+$/.test(address)),
    metadata: (value) => isObject(value) && new TextEncoder().encode(JSON.stringify(value)).length <= 8_192,
    network_data: (value) => isObject(value) && Object.values(value).every((text) => typeof text === 'string'),
  };
  return Object.entries(rules)
    .filter(([name, holds]) => request[name] !== undefined && request[name] !== null && !holds(request[name]))
    .map(([name]) => name);
}

/** A null parameter counts as absent, and zero uses also count as absent. */
function given(request: CardRequest, name: string): unknown {
  const value = request[name];
  if (value === null || (name === 'transactions_max' && value === 0)) return undefined;
  return value;
}

function templateId(request: CardRequest): number | undefined {
  const id = given(request, 'template_id');
  return id === undefined ? undefined : Number(id);
}

function defaultTemplate(world: World, aging: boolean): number {
  const control = aging ? 'AGING_VELOCITY' : 'VELOCITY';
  const found = world.templates.find((template) => template.is_default && template.required_control === control);
  if (found === undefined) throw new Error(`the world has no default template for ${control}`);
  return found.id;
}

function integerWithin(value: unknown, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
}

function isDate(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  try {
    return Temporal.PlainDate.from(value).toString() === value;
  } catch {
    return false;
  }
}

function isZone(value: unknown): boolean {
  if (typeof value !== 'string' || !/^[A-Za-z]/.test(value)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(value);
    return true;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
