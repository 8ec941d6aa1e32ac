import { quarantine_reasons, quarantine_sources, quarantine_statuses } from '@tallystick/cards';
import * as z from 'zod';
import { id_number, id_text, resource_url, resourceType, shown_instant, type_names } from '../fields.ts';

export const quarantine_status = z
  .enum(quarantine_statuses)
  .describe('`applied`: a replay recorded the clearing')
  .register(type_names, { id: 'QuarantineStatus' });

export const quarantine_reason = z
  .enum(quarantine_reasons)
  .describe('Why a clearing was refused')
  .register(type_names, { id: 'QuarantineReason' });

export const quarantined = z
  .object({
    id: id_text,
    source: z.enum(quarantine_sources).describe('Whether a message brought it, or a file'),
    import_id: id_number.nullable().describe('The import of its file; null: a message brought it'),
    ordinal: z.int().min(0).nullable().describe('The number of the record in its file; null: a message brought it'),
    position: z
      .int()
      .min(0)
      .nullable()
      .describe('The byte offset or line of the record in its file; null: a message brought it'),
    status: quarantine_status,
    reason: quarantine_reason.describe('Why it was refused the last time'),
    explanation: z.string().describe('The reason in words'),
    message: z.record(z.string(), z.unknown()).describe('The fields that were sent. The card number is masked'),
    count: z.int().min(1).describe('How often the message was refused, replays included'),
    first_seen_at: shown_instant.describe('When it was refused first, UTC'),
    last_seen_at: shown_instant.describe('When it was refused last, UTC'),
    applied_at: shown_instant.nullable().describe('When a replay recorded it, UTC; null: none did'),
    clearing_id: id_number.nullable().describe('The clearing that a replay recorded; null: none did'),
    type: resourceType('quarantined'),
    url: resource_url,
  })
  .meta({ id: 'Quarantined', description: 'A clearing that was refused and is kept' });
