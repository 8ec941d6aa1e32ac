import { mail_states } from '@tallystick/cards';
import * as z from 'zod';
import { id_number, id_text } from '../fields.ts';

/** A mail as an operator sees it: whose it is, and what became of it. */
export const mail = z
  .object({
    id: id_text,
    company_id: id_number,
    vcn_id: id_number.describe('The card that it tells of'),
    recipient: z.string().describe('The address, masked: j***@example.com'),
    state: z.enum(mail_states),
    attempts: z.int().describe('Attempts made since it was queued, or retried'),
    error: z.string().nullable().describe('Why the last attempt came to nothing, such as "refused 451"'),
    created_at: z.string(),
    next_attempt_at: z.string().nullable(),
    finished_at: z.string().nullable().describe('When it was sent, or failed'),
    type: z.literal('mail'),
    url: z.string(),
  })
  .meta({ id: 'Mail' });
