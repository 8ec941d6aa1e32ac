import {
  event_types,
  event_types_without_id,
  type FilterField,
  filter_fields,
  filter_value_forms,
  indexed_text_max,
} from '@tallystick/events';
import * as z from 'zod';

/** A single text, not a range. */
const text = z
  .string()
  .min(1)
  .max(indexed_text_max)
  .regex(/^(?!\[[\s\S]*\]$)/);

/** An instant, a date or a range of these: `parseInstants` reads it. */
export const instants_filter: z.ZodType = filterOf(filter_fields.created_at);

/** The filters of `GET /v1/events`, for the document (service specification 4.3). */
export const event_filter: z.ZodObject = z
  .object({
    ...Object.fromEntries(Object.entries(filter_fields).map(([name, field]) => [name, filterOf(field)])),
    event_type: z
      .enum([...event_types.map(({ name }) => name), ...event_types_without_id])
      .describe('`all` is every type'),
    'payload.card_number': text
      .regex(/^(?![\s\S]*\d{5})/)
      .describe('The masked number, as events show it. Never send a whole number in a query'),
  })
  .partial()
  .describe('Several filters are ANDed. A range is `[from,to]` with both ends included. Either end may be empty.');

/** One value, or a range where the field supports one. */
function filterOf({ type, range }: Omit<FilterField, 'name'>): z.ZodType {
  const value = {
    integer: z.int(),
    text,
    instant: z
      .string()
      .regex(filter_value_forms.instant)
      .describe('An instant, or a date, which means its whole GMT day. Write the + of an offset as %2B'),
  }[type];
  return range ? z.union([value, rangeOf(type)]) : value;
}

function rangeOf(type: FilterField['type']): z.ZodType {
  const end = type === 'text' ? '[^,]*' : `(?:${filter_value_forms[type].source.slice(1, -1)})?`;
  return z.string().regex(new RegExp(`^\\[(?!\\s*,\\s*\\]$)\\s*${end}\\s*,\\s*${end}\\s*\\]$`));
}
