import { listMails, type MailFilter, mail_states, readMail, retryMail } from '@tallystick/cards';
import { filter_id } from '@tallystick/operations';
import * as z from 'zod';
import { list, resource } from '../../answer/answer.ts';
import { namedIn, type Query, readChoiceFilter } from '../../request/query.ts';
import { type Route, route } from '../../request/route.ts';
import { readCompanyFilter } from '../id-filter.ts';
import { callOf } from '../operator/routes.ts';
import { presentMail, presentMinimalMail } from './presenter.ts';
import { mail, mail_state } from './shapes.ts';

const path = '/operator/v1/mails';

const of_mails = { area: 'mails', tag: 'Operator' } as const;

const mail_filter = z.object({ state: mail_state, company_id: filter_id }).partial();

/** `/operator/v1/mails`: the state of the mails about cards, and a retry of failed ones. */
export function mailRoutes(): readonly Route[] {
  return [
    route({
      ...of_mails,
      method: 'GET',
      path,
      operation_id: 'operator.mails.list',
      summary: 'List the mails about cards, newest first; addresses are masked',
      query: { paged: true, filters: namedIn(mail_filter) },
      filter: mail_filter,
      answer: z.array(mail),
      async transaction(tx, { query }) {
        return list(query, await listMails(tx, readMailFilter(query), query.page), presentMail, presentMinimalMail);
      },
    }),
    route({
      ...of_mails,
      method: 'GET',
      path: `${path}/:id`,
      operation_id: 'operator.mails.read',
      summary: 'Read the state of a mail',
      answer: mail,
      async transaction(tx, { id }) {
        return resource(presentMail(await readMail(tx, id)));
      },
    }),
    route({
      ...of_mails,
      method: 'POST',
      path: `${path}/:id/retry`,
      operation_id: 'operator.mails.retry',
      summary: 'Send a failed mail again, from the start of the schedule',
      description: 'A mail that is sent or pending is refused (400), and so is a mail of a Canceled card.',
      answer: mail,
      async transaction(tx, request) {
        return resource(presentMail(await retryMail(tx, callOf(request), request.id)));
      },
    }),
  ];
}

function readMailFilter(query: Query): MailFilter {
  const company_id = readCompanyFilter(query);
  const state = readChoiceFilter(query, 'state', mail_states);
  return { ...(company_id === null ? {} : { company_id }), ...(state === undefined ? {} : { state }) };
}
