import {
  activity_max,
  alias_length_max,
  authorization_hold_days_max,
  card_statuses,
  code_failures_max,
  email_length_max,
  emails_max,
  type IssueCardRequest,
  metadata_bytes_max,
  note_length_max,
  type UpdateCardRequest,
  uses_max,
  valid_for_months_max,
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
  last4,
  object_of_domain,
  resource_url,
  resourceType,
  shown_amount,
  shown_instant,
  shown_month,
  type_names,
} from '../fields.ts';
import { authorization_item, clearing_item } from '../network/shapes.ts';
import { asked_merchant_controls, shown_merchant_controls } from '../templates/merchant-controls.ts';

/** One schema for each field that the domain reads, so that the document cannot lose a field. */
type BodyOf<Request> = Readonly<Record<keyof Request | 'mastercard_data', z.ZodType>>;

const emails = z
  .array(z.string().max(email_length_max).meta({ format: 'email' }))
  .max(emails_max)
  .nullish()
  .describe(
    `Up to ${emails_max} addresses that receive the card details when the card is created; null: none. A change sends no mail`,
  );

const names_and_values = z.record(z.string(), z.string()).nullish();

export const card_status = z
  .enum(card_statuses)
  .describe('Only Approved cards can be used')
  .register(type_names, { id: 'VirtualCardStatus' });

const recurring = z
  .enum(recurring_values)
  .describe('The window of the limits. Windows start at midnight UTC')
  .register(type_names, { id: 'Recurring' });

const uses = z.int().min(0).max(uses_max).nullish();

/** The fields that PATCH may change (decision: virtual cards). A null stands for the default. */
const changeable = {
  total_card_amount: amount
    .min(1)
    .describe('The most in total, per window; minor units of `currency`, else of the billing currency'),
  per_transaction_min: amount
    .nullish()
    .describe('The least of one purchase; minor units of the same currency; null: 0'),
  per_transaction_max: amount
    .nullish()
    .describe('The most of one purchase; minor units of the same currency; null: the same as total_card_amount'),
  transactions_max: uses.describe('The most uses per window; null or 0: unlimited'),
  valid_starting_on: date.nullish().describe('The first GMT date of use, YYYY-MM-DD; null: today'),
  valid_ending_on: date
    .nullish()
    .describe('The last GMT date of use, YYYY-MM-DD; null: the last day of the month of expiry'),
  template_id: id_either
    .nullish()
    .describe(
      'The purchase template that limits its merchant categories; null: the shared template that allows all merchant categories',
    ),
  merchant_controls: asked_merchant_controls,
  emails,
  network_data: names_and_values.describe('Values of the names that the card network knows; null: none'),
  mastercard_data: names_and_values.describe('The old name of network_data; null: not used'),
  metadata: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe(`Any JSON object, at most ${metadata_bytes_max} bytes of UTF-8, with no number past 2^53; null: none`),
} satisfies BodyOf<UpdateCardRequest>;

const unchangeable = z.unknown().optional().describe('Cannot be changed. Only its present value is accepted');

const show_card_number = z
  .boolean()
  .nullish()
  .describe('True: the result shows the number and the code, and the audit log records it; null: false');

/**
 * The check of a body about a card. The domain checks its content. `is_sent_back` comes from the
 * check of the names, never from a caller.
 */
export const card_body = z.object({
  data: object_of_domain,
  show_card_number,
  is_sent_back: z.literal(true).optional(),
});

/** `POST /v1/virtualcards`. */
export const create_card = z
  .object({
    data: z.object({
      ...changeable,
      currency: currency
        .nullish()
        .describe(
          'ISO 4217. If set, purchases must be in this merchant currency, and limits are in it; null: any currency',
        ),
      recurring: recurring.nullish().describe('The window of the limits; null: Continuous'),
      authorization_hold_days: z
        .int()
        .min(1)
        .max(authorization_hold_days_max)
        .nullish()
        .describe('Days after which a hold without a clearing ends: aging velocity; null: velocity'),
      aging_velocity_time_zone: z
        .string()
        .max(64)
        .nullish()
        .describe(
          'The zone in which a hold of aging velocity ends: an IANA name, such as America/New_York; null: velocity',
        ),
      valid_for: z
        .int()
        .min(1)
        .max(valid_for_months_max)
        .nullish()
        .describe('Months from valid_starting_on to the last day of use; not with valid_ending_on; null: not used'),
      rcn_id: id_either.nullish().describe("The real card: one of the company's own; null: its default real card"),
      supplier_id: z.int().min(0).nullish().describe('Your own number of the supplier; null: none'),
    } satisfies BodyOf<IssueCardRequest>),
    show_card_number,
  })
  .meta({
    id: 'CreateVirtualCard',
    description:
      'A new virtual card. Velocity (`recurring`, `transactions_max`) and aging velocity (`authorization_hold_days`, `aging_velocity_time_zone`) exclude each other',
    examples: [
      {
        data: {
          total_card_amount: 50_000,
          transactions_max: 10,
          recurring: 'Monthly',
          metadata: { project: 'Apollo' },
        },
        show_card_number: true,
      },
    ],
  });

/**
 * `PATCH /v1/virtualcards/:id`. Fields that cannot be changed are accepted with any value, so that
 * the domain refuses them by name.
 */
export const update_card = z
  .object({
    data: z.object({
      ...changeable,
      total_card_amount: changeable.total_card_amount.optional(),
      transactions_max: uses.describe('The most uses per window; null: unlimited; 0: unchanged'),
      currency: unchangeable,
      recurring: unchangeable,
      authorization_hold_days: unchangeable,
      aging_velocity_time_zone: unchangeable,
      valid_for: unchangeable,
      rcn_id: unchangeable,
      supplier_id: unchangeable,
      expiry: unchangeable,
      status: unchangeable,
      frozen: unchangeable,
    }),
    show_card_number,
  })
  .meta({
    id: 'UpdateVirtualCard',
    description: 'A change of a card. What is absent stays, and null resets a field to its default',
    examples: [{ data: { total_card_amount: 75_000 } }],
  });

/** `POST /v1/virtualcards/:id/email`. */
export const email_card = z
  .object({
    data: z.object({
      email: z
        .string()
        .max(email_length_max)
        .meta({ format: 'email', description: 'The address to which the details are mailed' }),
    }),
  })
  .meta({
    id: 'EmailVirtualCard',
    description: 'Where the details of a card are mailed to',
    examples: [{ data: { email: 'ada@example.com' } }],
  });

/** What is left of a card in its present window, and what that is made of. */
export const balance = z
  .object({
    limit: amount.describe('The total of a window: `total_card_amount`'),
    cleared: shown_amount.min(0).describe('What has cleared in the window: debits less credits, at least 0'),
    held: shown_amount.min(0).describe('The open holds of the window'),
    available: shown_amount.describe('`limit` less `cleared` less `held`: the same as `available_balance`'),
    window_start: shown_instant.describe('When the window began; the creation of a card with one window for ever'),
    window_ends: shown_instant.nullable().describe('When the next window begins; null: never'),
    uses: z.int().min(0).describe('The uses that count in the window'),
    uses_left: z.int().min(0).nullable().describe('What is left of `transactions_max`; null: unlimited'),
    next_hold_end: shown_instant.nullable().describe('When the next of the open holds ends by itself; null: none does'),
  })
  .meta({
    id: 'CardBalance',
    description: 'What is left of a card in its present window, and what that is made of. Amounts as in its limits',
  });

const frozen = z.boolean().describe('True: it declines requests, until it is no longer frozen');

const frozen_at = shown_instant.nullable().describe('Since when it is frozen; null: it is not frozen');

/** A virtual card as answers show it (service specification 2.1). */
export const virtual_card = z
  .object({
    id: id_text,
    available_balance: shown_amount.describe(
      'What is left in the present window; minor units of `currency`, else of the billing currency. Negative after a clearing above the limit',
    ),
    balance,
    authorizations: z
      .array(authorization_item)
      .max(activity_max)
      .describe('Its newest authorizations, the newest first; empty in a list without `show_realtime_auths`'),
    clearings: z
      .array(clearing_item)
      .max(activity_max)
      .describe('Its newest clearings, the newest first; empty in a list without `show_realtime_auths`'),
    card_number: z
      .string()
      .regex(/^(\*{12}\d{4}|\d{12,19})$/)
      .describe('The card number; ************ and the last four digits, unless `show_card_number` asked for it'),
    cvc: z.string().describe('The card verification code; ***, unless `show_card_number` asked for it'),
    last4,
    currency: currency
      .nullable()
      .describe('The currency of its limits, ISO 4217: purchases must be in this merchant currency; null: in any'),
    emails: z
      .array(z.string().max(email_length_max))
      .max(emails_max)
      .nullable()
      .describe('The addresses that received the card details when it was created; null: none'),
    notified: z.boolean().describe('True: a mail to the addresses in emails was triggered'),
    expiry: shown_month.describe('The month in which it expires, YYYY-MM: on its last day at 23:59:59 UTC'),
    network_data: z.record(z.string(), z.string()).describe('Values of the names that the card network knows'),
    metadata: z.record(z.string(), z.unknown()).nullable().describe('Your own data; null: none'),
    per_transaction_max: amount.describe(
      'The most of one purchase; minor units of `currency`, else of the billing currency',
    ),
    per_transaction_min: amount.describe(
      'The least of one purchase; minor units of `currency`, else of the billing currency',
    ),
    total_card_amount: amount.describe(
      'The most in total, per window; minor units of `currency`, else of the billing currency',
    ),
    transactions_max: z.int().min(1).max(uses_max).nullable().describe('The most uses per window; null: unlimited'),
    rcn_id: id_number.describe('The real card'),
    rcn_alias: z.string().max(alias_length_max).describe('The name of the real card'),
    supplier_id: z.int().min(0).nullable().describe('Your own number of the supplier; null: none'),
    template_id: id_number.describe('The purchase template that limits its merchant categories'),
    merchant_controls: shown_merchant_controls,
    status: card_status,
    frozen,
    frozen_at,
    recurring: recurring.nullable().describe('The window of the limits; null with aging velocity'),
    authorization_hold_days: z
      .int()
      .min(1)
      .max(authorization_hold_days_max)
      .optional()
      .describe('Days after which a hold without a clearing ends; present with aging velocity'),
    aging_velocity_time_zone: z
      .string()
      .max(64)
      .optional()
      .describe('The zone in which a hold ends, by its IANA name; present with aging velocity'),
    valid_starting_on: date.describe('The first GMT date of use, YYYY-MM-DD'),
    valid_ending_on: date.describe('The last GMT date of use, YYYY-MM-DD'),
    created_at,
    type: resourceType('virtualcard'),
    url: resource_url,
  })
  .meta({ id: 'VirtualCard', description: 'A virtual card' });

/** A virtual card as events show it (service specification 2.8). */
export const card_state = virtual_card
  .pick({
    available_balance: true,
    currency: true,
    per_transaction_max: true,
    per_transaction_min: true,
    rcn_id: true,
    rcn_alias: true,
    recurring: true,
    status: true,
    transactions_max: true,
    total_card_amount: true,
    valid_starting_on: true,
    valid_ending_on: true,
  })
  .extend({
    id: id_number.describe('The virtual card'),
    released: z
      .object({
        authorization_id: id_number.describe('The authorization whose hold ended'),
        amount: amount.describe("What it held; minor units of the currency of the card's limits"),
        note: z.string().max(note_length_max).describe('Why, in the words of the person'),
      })
      .optional()
      .describe('Of an update: the hold that was ended by hand'),
    frozen: frozen.optional().describe('Of an update: whether the card is frozen now'),
    frozen_at: frozen_at.optional().describe('Of an update: since when it is frozen; null: it is not frozen'),
    note: z
      .string()
      .max(note_length_max)
      .nullish()
      .describe('Of an update: why the card was frozen, or is no longer; null: not said'),
    rematched: z
      .object({
        clearing_id: id_number.describe('The clearing'),
        from_authorization_id: id_number.nullable().describe('The authorization that it belonged to; null: none'),
        authorization_id: id_number.nullable().describe('The authorization that it belongs to now; null: none'),
        note: z.string().describe('Why, in the words of the person'),
      })
      .optional()
      .describe('Of an update: the clearing that was matched by hand, or taken from its authorization'),
    code_failures: z
      .int()
      .min(0)
      .max(code_failures_max)
      .optional()
      .describe(
        `Of an update: the wrong codes of the UTC day. At ${code_failures_max} every code of the card counts as wrong until the day is over, at 0 it no longer does`,
      ),
  })
  .meta({ id: 'VirtualCardState', description: 'A virtual card as events show it' });

/** `POST /v1/virtualcards/:id/authorizations/:authorization_id/release`. */
export const release_hold = z
  .object({
    data: z.object({
      note: z.string().min(1).max(note_length_max).describe('Why. Card numbers in it are masked'),
    }),
  })
  .meta({
    id: 'ReleaseHold',
    description: 'Why a hold ends',
    examples: [{ data: { note: 'The merchant confirmed that it will not clear' } }],
  });

/** `POST /v1/virtualcards/:id/freeze` and `/unfreeze`. */
export const freeze_card = z
  .object({
    data: z.object({
      note: z
        .string()
        .min(1)
        .max(note_length_max)
        .nullish()
        .describe('Why; null: not said. Card numbers in it are masked'),
    }),
  })
  .meta({
    id: 'FreezeVirtualCard',
    description: 'Why a card is frozen, or is no longer',
    examples: [{ data: { note: 'The phone with the card was lost' } }],
  });

export const code_failures = z
  .object({
    id: id_text.describe('The virtual card'),
    company_id: id_number.describe('The company of the card'),
    last4,
    code_failures: z.int().min(0).max(code_failures_max).describe('Wrong codes that count on this UTC day'),
    type: resourceType('code_failures'),
  })
  .meta({ id: 'CodeFailures', description: 'The wrong codes of a card' });
