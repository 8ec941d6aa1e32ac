import {
  listQuarantine,
  quarantine_reasons,
  quarantine_statuses,
  type ReplayPorts,
  readQuarantined,
  replayQuarantined,
} from '@tallystick/cards';
import * as z from 'zod';
import { list, resource } from '../../answer/answer.ts';
import { namedIn, readChoiceFilter } from '../../request/query.ts';
import { type Route, route } from '../../request/route.ts';
import { callOf } from '../operator/routes.ts';
import { presentMinimalQuarantined, presentQuarantined } from './presenter.ts';
import { quarantine_reason, quarantine_status, quarantined } from './shapes.ts';

const path = '/operator/v1/quarantine';

const of_quarantine = { area: 'quarantine', tag: 'Operator' } as const;

const filter = z.object({ status: quarantine_status, reason: quarantine_reason }).partial();

/** `/operator/v1/quarantine`: clearings that were refused and are kept (decision: clearing). */
export function quarantineRoutes(ports: ReplayPorts): readonly Route[] {
  return [
    route({
      ...of_quarantine,
      method: 'GET',
      path,
      operation_id: 'operator.quarantine.list',
      summary: 'List the clearings that were refused and are kept, newest first',
      query: { paged: true, filters: namedIn(filter) },
      filter,
      answer: z.array(quarantined),
      async transaction(tx, { query }) {
        const status = readChoiceFilter(query, 'status', quarantine_statuses);
        const reason = readChoiceFilter(query, 'reason', quarantine_reasons);
        const wanted = { ...(status === undefined ? {} : { status }), ...(reason === undefined ? {} : { reason }) };
        const page = await listQuarantine(tx, wanted, query.page);
        return list(query, page, presentQuarantined, presentMinimalQuarantined);
      },
    }),
    route({
      ...of_quarantine,
      method: 'GET',
      path: `${path}/:id`,
      operation_id: 'operator.quarantine.read',
      summary: 'Read a quarantined record',
      answer: quarantined,
      async transaction(tx, { id }) {
        return resource(presentQuarantined(await readQuarantined(tx, id)));
      },
    }),
    route({
      ...of_quarantine,
      method: 'POST',
      path: `${path}/:id/replay`,
      operation_id: 'operator.quarantine.replay',
      summary: 'Send the message of a quarantined record again, once the cause is gone',
      description:
        'Refused with 409 when the message is refused again, with the reason, or when it is applied already.',
      refusals: ['conflict'],
      answer: quarantined,
      async perform(request) {
        return resource(presentQuarantined(await replayQuarantined(ports, callOf(request), request.id)));
      },
    }),
  ];
}
