import {
  account_number_expected,
  account_number_form,
  user_id_expected,
  user_id_form,
  written_account_number_form,
} from '@tallystick/accounts';
import { network_text_length_max } from '@tallystick/cards';
import { amount_max, type Money, sum_max } from '@tallystick/kernel';
import * as z from 'zod';

/** Shapes of single fields. The domain checks rules that need several fields or the database. */

/**
 * The names of TypeScript types, of schemas that have another name in the document, or none:
 * `schema.register(type_names, { id: 'VirtualCardStatus' })`.
 */
export const type_names = z.registry<{ id: string }>();

/** An amount that a caller may name, in minor units. */
export const amount = z.int().min(0).max(amount_max).describe('Minor units (cents)');

/** A sum of amounts in an answer, in minor units; may be negative. */
export const shown_amount = z.int().min(-sum_max).max(sum_max).describe('Minor units (cents)');

export const id_number = z.int().min(1);

const id_expected = 'must be an integer, or a string of digits';

/** An id in a filter, as long as an id in a path may be. */
export const filter_id = z.int().min(1).max(999_999_999_999_999);

/** The filter of lists of one company or of all companies. */
export const company_filter = z
  .object({ company_id: filter_id.describe('Only those of this company') })
  .partial()
  .register(type_names, { id: 'CompanyFilter' });

export const id_text = z
  .string()
  .regex(/^[1-9]\d*$/, { error: () => id_expected })
  .describe('The id of this resource, as digits');

const id_or_digits = z.union([id_number, id_text], {
  error: ({ input }) => (input === undefined ? 'is required' : id_expected),
});

/** An id that a caller may write as a number or as digits. */
export const id_either = id_or_digits
  .transform(Number)
  .pipe(id_number)
  .describe('An id, as a number or as digits')
  .register(type_names, { id: 'Id' });

export const account_number = z
  .string()
  .regex(account_number_form, { error: () => `must be ${account_number_expected}` })
  .describe('The number of the account');

/** The number of an account as its bank writes it. */
export const written_account_number = z
  .string()
  .regex(written_account_number_form, { error: () => `must be ${account_number_expected}` });

export const user_id = z.string().regex(user_id_form, { error: () => `must be ${user_id_expected}` });

export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, { error: () => 'must be a currency code of three capital letters, such as USD' })
  .describe('ISO 4217');

export const asked_country = z
  .string()
  .regex(/^[A-Za-z]{2,3}$/, { error: () => 'must be two or three letters' })
  .nullish();

/** A text in an answer, or null where there is none. */
export const text_or_null = z.string().nullable();

/** GMT calendar date. */
export const date = z.iso.date();

export const instant = z.iso.datetime({ offset: true }).describe('ISO 8601, with an offset');

/** Instant in an answer. */
export const shown_instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/)
  .meta({ format: 'date-time' })
  .describe('ISO 8601, UTC');

export const created_at = shown_instant.describe("When it was created, by the service's clock, UTC");

export const updated_at = shown_instant.describe("When it was changed last, by the service's clock, UTC");

/** The kind of a resource, which each of its kind has. */
export function resourceType<Name extends string>(name: Name) {
  return z.literal(name).describe(`Always \`${name}\`: the kind of this resource`);
}

export const shown_month = z.string().regex(/^\d{4}-\d\d$/);

export const resource_url = z.string().meta({ format: 'uri-reference', description: 'The path of this resource' });

/** A card number in an answer that does not show it. */
export const masked_number = z
  .string()
  .regex(/^\*{12}\d{4}$/)
  .describe('The card number, masked: asterisks and the last four digits');

export const last4 = z
  .string()
  .regex(/^\d{4}$/)
  .describe('The last four digits of the card number');

/** A merchant category code in an answer. */
export const shown_mcc = z
  .string()
  .regex(/^\d{4}$/)
  .describe('Merchant category code, four digits');

/** An id as text: digits, the number of an account, a ConsentId, or the id of a user of the bank. */
const any_id = z.string().regex(/^[A-Za-z0-9._~-]{1,128}$/);

/** The fields of a list item with `Prefer: return-minimal`. */
export const minimal_item = z
  .object({
    id: z
      .union([any_id, id_number])
      .describe('The id of the item as its list shows it: a number for a template, else text'),
    type: z.string().describe('The kind of the resource, such as `virtualcard`'),
    url: z.string().describe('The path of this item. That of a template is the query that shows its status'),
  })
  .meta({ id: 'MinimalItem', description: 'An item of a list of which only its id, type and path are shown' });

/** The fields of a list item when its caller prefers minimal ones. */
export type MinimalItem = z.output<typeof minimal_item>;

/**
 * Text in a network message. JSON Schema counts code points and zod counts UTF-16 units, so the
 * domain checks the length.
 */
export const short_text = z.string().meta({ maxLength: network_text_length_max });

/**
 * A name that a person chooses: 1 to `length_max` characters (code points). The domain checks it.
 */
export function nameText(length_max: number) {
  return z.string().meta({ minLength: 1, maxLength: length_max });
}

/** A JSON object that is passed on unchanged. The domain checks its fields. */
export const object_of_domain = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: (issue) => (issue.input === undefined ? 'is required: the content of the request' : 'must be an object') },
);

/** A body with `data` only. The domain checks its content. */
export const data_of_domain = z.object({ data: object_of_domain });

/**
 * One schema for each field of a resource. A field without a schema does not compile, so the
 * document cannot lose a field.
 */
export type ShapeOf<Shown> = {
  readonly [Name in keyof Shown as string extends Name ? never : Name]-?: z.ZodType<Unbranded<Shown[Name]>>;
};

/** An amount as JSON has it: a number, or null where the type allows it. */
type Unbranded<Value> = Value extends Money ? number : Value;

export type Shown<Shape extends z.ZodType> = ReadOnly<z.output<Shape>>;

type ReadOnly<Value> = Value extends readonly (infer Item)[]
  ? readonly ReadOnly<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: ReadOnly<Value[Name]> }
    : Value;

/**
 * Shows a resource as its shape has it: the fields of the shape, in its order. A record may be
 * spread into the values: fields that the shape does not have are left out. A field of the shape
 * without a value does not compile.
 */
export function showAs<Shape extends z.ZodObject>(shape: Shape, values: Shown<Shape>): Shown<Shape> {
  const shown: Record<string, unknown> = {};
  for (const name of Object.keys(shape.shape)) {
    const value = (values as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) shown[name] = value;
  }
  return shown as Shown<Shape>;
}
