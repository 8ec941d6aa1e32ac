import type { Random } from '@tallystick/kernel';
import {
  listTemplates,
  type PurchaseTemplate,
  requestTemplate,
  type TemplateOptions,
  toTemplateAcknowledgement,
  toTemplateItem,
} from '@tallystick/templates';
import * as z from 'zod';
import { list } from '../../answer/answer.ts';
import { clientCall, type Route, route } from '../../request/route.ts';
import { data_of_domain } from '../fields.ts';
import { request_template, template_acknowledgement, template_item } from './shapes.ts';

const path = '/v1/content/virtualcard-templates';

/** `/v1/content/virtualcard-templates` (service specification 4.2). */
export function templateRoutes(ports: { readonly random: Random }, options: TemplateOptions): readonly Route[] {
  return [
    route({
      area: 'templates',
      tag: 'Purchase templates',
      method: 'POST',
      path,
      summary: 'Request a purchase template',
      description:
        'It is PENDING until its creation is completed offline; then it is ACTIVE, and event 11 tells of it.',
      body: data_of_domain,
      documented_body: request_template,
      takes_bare_body: true,
      answers_bare: true,
      answer: template_acknowledgement,
      async transaction(tx, request) {
        const template = await requestTemplate(tx, ports, clientCall(request), request.body.data, options);
        return { status: 200, body: toTemplateAcknowledgement(template) };
      },
    }),
    route({
      area: 'templates',
      tag: 'Purchase templates',
      method: 'GET',
      path,
      summary: "List the company's templates and the shared defaults, newest first",
      query: { paged: true, filters: (name) => name === 'transaction_key' },
      filter_names: ['transaction_key'],
      answer: z.array(template_item),
      async transaction(tx, request) {
        const transaction_key = request.query.filters.get('transaction_key');
        const filter = transaction_key === undefined ? {} : { transaction_key };
        const page = await listTemplates(tx, clientCall(request), filter, request.query.page, options);
        return list(request.query, page, toTemplateItem, minimalTemplate);
      },
    }),
  ];
}

function minimalTemplate({ id, transaction_key }: PurchaseTemplate) {
  return { id, type: 'virtualcard-template', url: `${path}?filter[transaction_key]=${transaction_key}` };
}
