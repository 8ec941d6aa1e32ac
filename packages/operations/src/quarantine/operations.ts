import type { QuarantinedRecord } from '@tallystick/cards';
import {
  listQuarantine,
  quarantine_reasons,
  quarantine_statuses,
  type ReplayPorts,
  readQuarantined,
  replayQuarantined,
} from '@tallystick/cards';
import { toInstantText } from '@tallystick/kernel';
import * as z from 'zod';
import { readChoiceFilter, withoutAbsent } from '../call/query.ts';
import { showAs, type_names } from '../fields.ts';
import { type Operation, operation, operatorCall, present, shares_pass } from '../operation.ts';
import { quarantine_reason, quarantine_status, quarantined } from './shapes.ts';

const filter = z
  .object({ status: quarantine_status, reason: quarantine_reason })
  .partial()
  .register(type_names, { id: 'QuarantineFilter' });

/** `/operator/v1/quarantine`: clearings that were refused and are kept (decision: clearing). */
export function quarantineOperations(ports: ReplayPorts): readonly Operation[] {
  return [
    operation('quarantine', {
      id: 'operator.quarantine.list',
      summary: 'List the clearings that were refused and are kept, newest first',
      query: { paged: true, filter },
      answer: z.array(quarantined),
      async read(tx, { query }) {
        const status = readChoiceFilter(query, 'status', quarantine_statuses);
        const reason = readChoiceFilter(query, 'reason', quarantine_reasons);
        const page = await listQuarantine(tx, withoutAbsent({ status, reason }), query.page);
        return present(page, presentQuarantined);
      },
    }),
    operation('quarantine', {
      id: 'operator.quarantine.read',
      summary: 'Read a quarantined record',
      parameters: ['id'],
      answer: quarantined,
      async read(tx, { id }) {
        return presentQuarantined(await readQuarantined(tx, id));
      },
    }),
    operation('quarantine', {
      id: 'operator.quarantine.replay',
      summary: 'Send the message of a quarantined record again, once the cause is gone',
      parameters: ['id'],
      description:
        'Refused (`conflict`) when the message is refused again, with the reason, or when it is applied already.',
      refusals: ['conflict'],
      runs_alone: shares_pass,
      answer: quarantined,
      async perform(call) {
        return presentQuarantined(await replayQuarantined(ports, operatorCall(call), call.id));
      },
    }),
  ];
}

/** A quarantined record as operators see it. The card number in its message is masked. */
export function presentQuarantined(record: QuarantinedRecord) {
  return showAs(quarantined, {
    ...record,
    id: String(record.id),
    message: record.excerpt,
    first_seen_at: toInstantText(record.first_seen_at_ms),
    last_seen_at: toInstantText(record.last_seen_at_ms),
    applied_at: record.applied_at_ms === null ? null : toInstantText(record.applied_at_ms),
    type: 'quarantined',
    url: `/operator/v1/quarantine/${record.id}`,
  });
}
