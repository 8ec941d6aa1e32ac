import {
  authorization_hold_days_max,
  type BacktestRequest,
  backtest_statuses,
  type ControlsChange,
  type DifferenceSum,
  difference_kinds,
  message_types,
  type ReplayedDecision,
  uses_max,
} from '@tallystick/cards';
import { recurring_values } from '@tallystick/velocity';
import * as z from 'zod';
import {
  amount,
  created_at,
  currency,
  date,
  id_either,
  id_number,
  id_text,
  instant,
  resource_url,
  resourceType,
  type ShapeOf,
  shown_amount,
  shown_instant,
  shown_mcc,
  text_or_null,
  type_names,
} from '../fields.ts';
import { decline_code, shown_decision } from '../network/shapes.ts';
import { asked_merchant_controls, shown_merchant_controls } from '../templates/merchant-controls.ts';

const days = z.int().min(1).max(authorization_hold_days_max);
const uses = z.int().min(0).max(uses_max);
const recurring = z.enum(recurring_values);

const control_texts = {
  per_transaction_min: 'The least of one purchase',
  per_transaction_max: 'The most of one purchase; null: the same as total_card_amount',
  total_card_amount: 'The most in total, per window',
  transactions_max: 'The most uses per window, of cards with velocity; null or 0: unlimited',
  recurring: 'The window of the limits, of cards with velocity',
  hold_days: 'Days after which a hold without a clearing ends, of cards with velocity',
  authorization_hold_days: 'Days after which a hold without a clearing ends, of cards with aging velocity',
  aging_velocity_time_zone: 'The zone in which a hold of aging velocity ends',
  currency: 'The merchant currency that purchases must have; null: any',
  valid_starting_on: 'The first GMT date of use',
  valid_ending_on: 'The last GMT date of use',
  template_id: 'A purchase template, of cards with the kind of control that it requires',
} as const;

/** `POST /v1/backtests`. */
export const create_backtest = z
  .object({
    data: z.object({
      vcn_id: id_either.nullish().describe('The virtual card; null: all cards of the company'),
      changes: z
        .object({
          per_transaction_min: amount.nullish().describe(`${control_texts.per_transaction_min}; null: unchanged`),
          per_transaction_max: amount.nullish().describe(control_texts.per_transaction_max),
          total_card_amount: amount.min(1).nullish().describe(`${control_texts.total_card_amount}; null: unchanged`),
          transactions_max: uses.nullish().describe(control_texts.transactions_max),
          recurring: recurring.nullish().describe(`${control_texts.recurring}; null: unchanged`),
          hold_days: days.nullish().describe(`${control_texts.hold_days}; null: unchanged`),
          authorization_hold_days: days.nullish().describe(`${control_texts.authorization_hold_days}; null: unchanged`),
          aging_velocity_time_zone: z
            .string()
            .max(64)
            .nullish()
            .describe(`${control_texts.aging_velocity_time_zone}: an IANA name; null: unchanged`),
          currency: currency.nullish().describe(`${control_texts.currency}. Not with \`from\``),
          valid_starting_on: date.nullish().describe(`${control_texts.valid_starting_on}; null: unchanged`),
          valid_ending_on: date.nullish().describe(`${control_texts.valid_ending_on}; null: unchanged`),
          template_id: id_either.nullish().describe(`${control_texts.template_id}; null: unchanged`),
          merchant_controls: asked_merchant_controls,
        } satisfies Record<keyof ControlsChange, z.ZodType>)
        .describe(
          'The changed controls. What is absent stays as it was at the time. For all cards of the company, a control is left out where it does not apply',
        ),
      from: z
        .union([date, instant])
        .nullish()
        .describe(
          'From when the changed controls apply, and decisions are compared: a date (UTC) or an instant; null: from the beginning',
        ),
      to: z
        .union([date, instant])
        .nullish()
        .describe('Up to when decisions are compared, itself excluded: a date (UTC) or an instant; null: now'),
    } satisfies Record<keyof BacktestRequest, z.ZodType>),
  })
  .meta({
    id: 'CreateBacktest',
    description: 'Recorded messages to be decided again with changed controls',
    examples: [
      { data: { vcn_id: 1, changes: { total_card_amount: 40_000, recurring: 'Weekly' }, from: '2026-06-01' } },
    ],
  });

const shown_changes = z
  .object({
    per_transaction_min: amount.optional().describe(control_texts.per_transaction_min),
    per_transaction_max: amount.nullable().optional().describe(control_texts.per_transaction_max),
    total_card_amount: amount.optional().describe(control_texts.total_card_amount),
    transactions_max: uses.nullable().optional().describe(control_texts.transactions_max),
    recurring: recurring.optional().describe(control_texts.recurring),
    hold_days: days.optional().describe(control_texts.hold_days),
    authorization_hold_days: days.optional().describe(control_texts.authorization_hold_days),
    aging_velocity_time_zone: z.string().optional().describe(control_texts.aging_velocity_time_zone),
    currency: currency.nullable().optional().describe(control_texts.currency),
    valid_starting_on: date.optional().describe(control_texts.valid_starting_on),
    valid_ending_on: date.optional().describe(control_texts.valid_ending_on),
    template_id: id_number.optional().describe(control_texts.template_id),
    merchant_controls: shown_merchant_controls.optional(),
  } satisfies Record<keyof ControlsChange, z.ZodType>)
  .describe('The changed controls')
  .register(type_names, { id: 'ChangedControls' });

const kind = z
  .enum(difference_kinds)
  .describe(
    '`declined`: it was approved and would have been declined. `approved`: the reverse. `reason`: only the reason would have been another',
  )
  .register(type_names, { id: 'BacktestDifferenceKind' });

const sum = z
  .object({
    kind,
    recorded: z.string().describe('The reason as it was recorded: a code, V when approved'),
    replayed: z.string().describe('The reason with the changed controls: a code, or V'),
    currency: currency.describe('The currency of the limits of their cards, ISO 4217'),
    count: z.int().min(1).describe('How many messages'),
    amount: shown_amount.describe('The sum of their amounts, in minor units of the currency'),
  } satisfies ShapeOf<DifferenceSum>)
  .register(type_names, { id: 'BacktestSum' });

const count = z.int().min(0);

export const backtest = z
  .object({
    id: id_text,
    vcn_id: id_number.nullable().describe('The virtual card; null: all cards of the company'),
    changes: shown_changes,
    from: shown_instant.nullable().describe('From when the changed controls apply, UTC; null: from the beginning'),
    to: shown_instant.describe('Up to when decisions are compared, itself excluded, UTC'),
    status: z
      .enum(backtest_statuses)
      .describe('`pending`: it waits for its turn')
      .register(type_names, { id: 'BacktestStatus' }),
    error: text_or_null.describe('Why it failed; null: it did not'),
    progress: z
      .object({
        cards_done: count.describe('Cards that were replayed'),
        cards_total: count.describe('Cards in all'),
        messages: count.describe('Recorded messages, clearings and acts that were replayed'),
      })
      .describe('How far it is')
      .register(type_names, { id: 'BacktestProgress' }),
    differences: count.describe('How many messages would have been decided otherwise, as far as it is'),
    result: z.array(sum).describe('The differences by their reasons, as far as it is'),
    created_at,
    finished_at: shown_instant.nullable().describe('When it ended, UTC; null while it waits or runs'),
    type: resourceType('backtest'),
    url: resource_url,
  })
  .meta({ id: 'Backtest', description: 'Recorded messages decided again with changed controls' });

const replayed_decision = z
  .object({
    code: shown_decision.shape.code,
    broken_reason: decline_code
      .nullable()
      .describe('The reason that an advice broke, although it was applied; null: none'),
    facts: shown_decision.shape.facts,
  } satisfies ShapeOf<ReplayedDecision>)
  .register(type_names, { id: 'ReplayedDecision' });

export const difference = z
  .object({
    id: id_text,
    kind,
    vcn_id: id_number.describe('The virtual card'),
    authorization_id: id_number.describe('The message'),
    message_type_indicator: z
      .enum(Object.values(message_types) as [string, ...string[]])
      .describe('What the message is'),
    decided_at: shown_instant.describe('When it was decided, UTC'),
    amount: amount.describe('The amount that limits compare, in minor units of the currency'),
    currency: currency.describe('The currency of the limits of the card, ISO 4217'),
    merchant_id: text_or_null.describe('The merchant; null: the message named none'),
    mcc: shown_mcc,
    recorded: replayed_decision.describe('The decision as it was'),
    replayed: replayed_decision
      .nullable()
      .describe('The decision with the changed controls; null: the message would have been refused without one'),
    type: resourceType('backtestdifference'),
    url: resource_url.describe('Where the recorded decision is explained'),
  })
  .meta({ id: 'BacktestDifference', description: 'A message that would have been decided otherwise' });
