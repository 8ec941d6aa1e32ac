import * as z from 'zod';
import { date } from '../fields.ts';

export const compared_text = z.string().min(1).meta({ maxLength: 200 });

const date_form = String.raw`\d{4}-\d\d-\d\d`;

/** `[from,to]`, of which one end may be empty. */
export function rangeOf(end: string): z.ZodType {
  return z.string().regex(new RegExp(String.raw`^\[(?!\s*,\s*\])\s*(?:${end})?\s*,\s*(?:${end})?\s*\]$`));
}

export const dates = z.union([date, rangeOf(date_form)]);

export const amounts = z.union([z.int(), rangeOf(String.raw`-?\d{1,16}`)]);
