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
    source: z.enum(quarantine_sources),
    import_id: id_number.nullable().describe('Of a file: its import'),
    ordinal: z.int().min(0).nullable().describe('Of a file: the number of the record'),
    position: z.int().min(0).nullable().describe('Of a file: the byte offset or line of the record'),
    status: quarantine_status,
    reason: quarantine_reason.describe('Why it was refused the last time'),
    explanation: z.string().describe('The reason in words'),
    message: z.record(z.string(), z.unknown()).describe('The fields that were sent. The card number is masked'),
    count: z.int().min(1).describe('How often the message was refused, replays included'),
    first_seen_at: shown_instant,
    last_seen_at: shown_instant,
    applied_at: shown_instant.nullable(),
    clearing_id: id_number.nullable().describe('The clearing of an applied record'),
    type: resourceType('quarantined'),
    url: resource_url,
  })
  .meta({ id: 'Quarantined', description: 'A clearing that was refused and is kept' });
