import {
  listMails,
  type Mail,
  type MailFilter,
  mail_states,
  maskAddress,
  readMail,
  retryMail,
} from '@tallystick/cards';
import { toInstantText } from '@tallystick/kernel';
import * as z from 'zod';
import { list, type MinimalItem, resource } from '../../answer/answer.ts';
import { type Query, readChoiceFilter } from '../../request/query.ts';
import { type Route, route } from '../../request/route.ts';
import { callOf, readCompanyFilter } from '../operator/routes.ts';
import { mail } from './shapes.ts';

const path = '/operator/v1/mails';

const of_mails = { area: 'mails', tag: 'Operator' } as const;

const filter_names = ['state', 'company_id'];

/** `/operator/v1/mails`: what became of the mails about cards, and another try for those that failed. */
export function mailRoutes(): readonly Route[] {
  return [
    route({
      ...of_mails,
      method: 'GET',
      path,
      summary: 'List the mails about cards, newest first; addresses are masked',
      query: { paged: true, filters: (name) => filter_names.includes(name) },
      filter_names,
      answer: z.array(mail),
      async transaction(tx, { query }) {
        return list(query, await listMails(tx, readMailFilter(query), query.page), mailResource, minimalMail);
      },
    }),
    route({
      ...of_mails,
      method: 'GET',
      path: `${path}/:id`,
      summary: 'Read what became of a mail',
      answer: mail,
      async transaction(tx, { id }) {
        return resource(mailResource(await readMail(tx, id)));
      },
    }),
    route({
      ...of_mails,
      method: 'POST',
      path: `${path}/:id/retry`,
      summary: 'Send a mail that failed again, from the start of the schedule',
      description: 'Refused (400) for a mail that is sent or on its way, and when its card is Canceled.',
      answer: mail,
      async transaction(tx, request) {
        return resource(mailResource(await retryMail(tx, callOf(request), request.id)));
      },
    }),
  ];
}

function readMailFilter(query: Query): MailFilter {
  const company_id = readCompanyFilter(query);
  const state = readChoiceFilter(query, 'state', mail_states);
  return { ...(company_id === null ? {} : { company_id }), ...(state === undefined ? {} : { state }) };
}

function mailResource(one: Mail) {
  const { id, type, url } = minimalMail(one);
  return {
    id,
    company_id: one.company_id,
    vcn_id: one.card_id,
    recipient: maskAddress(one.recipient),
    state: one.state,
    attempts: one.attempts,
    error: one.error,
    created_at: toInstantText(one.created_at_ms),
    next_attempt_at: one.due_at_ms === null ? null : toInstantText(one.due_at_ms),
    finished_at: one.finished_at_ms === null ? null : toInstantText(one.finished_at_ms),
    type,
    url,
  };
}

function minimalMail({ id }: Mail): MinimalItem {
  return { id: String(id), type: 'mail', url: `${path}/${id}` };
}
