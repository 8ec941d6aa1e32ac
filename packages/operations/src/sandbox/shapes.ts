import * as z from 'zod';
import { amount, asked_country, currency, id_either, type ShapeOf, short_text, type_names } from '../fields.ts';

const positive_amount = amount.min(1);

/** `POST /sandbox/v1/purchases`. */
export const purchase = z
  .object({
    data: z.object({
      vcn_id: id_either.describe('A virtual card of the company'),
      amount: positive_amount.describe('Minor units (cents) of the currency'),
      currency: currency
        .nullish()
        .describe(
          "The merchant's currency, ISO 4217; null: that of the card, else the billing currency. Converted at a rate of 1",
        ),
      mcc: z
        .string()
        .regex(/^\d{4}$/, { error: () => 'must be four digits' })
        .nullish()
        .describe('Merchant category code, four digits; null: 5411, groceries'),
      merchant_name: short_text.min(1).max(60).nullish().describe('The merchant; null: one of the sandbox'),
      merchant_id: short_text.nullish().describe('The merchant, by its id; null: one made of its name'),
      merchant_country: asked_country.describe('The country of the merchant, as DEU or DE; null: not known'),
      card_present: z.boolean().nullish().describe('Whether the card is present; null: not known'),
    }),
  })
  .meta({
    id: 'SandboxPurchase',
    description: 'A purchase with a virtual card',
    examples: [{ data: { vcn_id: 1, amount: 12_500, merchant_name: 'Corner Grocer' } }],
  });

export const follow_up = z
  .object({
    data: z.object({
      amount: positive_amount
        .nullish()
        .describe("Minor units of the currency of the card's limits; null: all that is left"),
    }),
  })
  .meta({ id: 'SandboxFollowUp', description: 'How much of an authorization', examples: [{ data: { amount: 40 } }] });

/** The result of a move of the sandbox's clock. */
export interface MovedClock {
  /** Service time after the move, ISO 8601. */
  readonly now: string;
  readonly frozen: boolean;
  /** The due work that is not done yet, and why. Absent when all is done. */
  readonly waiting?: string;
}

/** `POST /sandbox/v1/clock`. */
export const move_clock = z
  .object({
    data: z.object({
      advance: z
        .string()
        .max(64)
        .nullish()
        .describe(
          'ISO 8601 duration of weeks, days (24 hours) and times, such as P1W, P1DT2H or PT0.5S; null: not by a duration',
        ),
      set: z
        .string()
        .max(64)
        .nullish()
        .describe('ISO 8601 instant; not together with advance; null: not to an instant'),
      frozen: z.boolean().nullish().describe('True: the clock stands still there. False: it runs. Null: as before'),
    }),
  })
  .meta({ id: 'MoveClock', description: 'A move of the clock', examples: [{ data: { advance: 'PT10M' } }] })
  .register(type_names, { id: 'MoveSandboxClock' });

export const clock = z
  .object({
    now: z.string().meta({ format: 'date-time' }).describe("The service's time after the move, UTC"),
    frozen: z.boolean().describe('Whether the clock is frozen'),
    waiting: z.string().optional().describe('Due work that is not done yet, and why; absent: all is done'),
  } satisfies ShapeOf<MovedClock>)
  .meta({ id: 'Clock', description: 'The clock after a move' })
  .register(type_names, { id: 'SandboxClock' });
