import type { Random } from '@tallystick/kernel';
import { data_of_domain } from '@tallystick/operations';
import {
  listTemplates,
  type PurchaseTemplate,
  requestTemplate,
  type TemplateOptions,
  toTemplateAcknowledgement,
} from '@tallystick/templates';
import * as z from 'zod';
import { list } from '../../answer/answer.ts';
import { namedIn } from '../../request/query.ts';
import { clientCall, type Route, route } from '../../request/route.ts';
import { presentTemplate, statusLinkIn, templateStatusPath, templates_path } from './presenter.ts';
import { request_template, template_acknowledgement, template_item } from './shapes.ts';

const template_filter = z.object({ transaction_key: z.string() }).partial();

/** `/v1/content/virtualcard-templates` (service specification 4.2). */
export function templateRoutes(ports: { readonly random: Random }, options: TemplateOptions): readonly Route[] {
  return [
    route({
      area: 'templates',
      tag: 'Purchase templates',
      method: 'POST',
      path: templates_path,
      operation_id: 'purchaseTemplates.request',
      summary: 'Request a purchase template',
      description:
        'The template is PENDING until its creation is completed offline. Then it is ACTIVE, and an event of type 11 is recorded.',
      body: data_of_domain,
      documented_body: request_template,
      takes_back: template_item.extend(template_acknowledgement.shape),
      takes_bare_body: true,
      answers_bare: true,
      answer: template_acknowledgement,
      async transaction(tx, request) {
        const template = await requestTemplate(tx, ports, clientCall(request), request.body.data, options);
        return { status: 200, body: toTemplateAcknowledgement(template, statusLinkIn(request.query)) };
      },
    }),
    route({
      area: 'templates',
      tag: 'Purchase templates',
      method: 'GET',
      path: templates_path,
      operation_id: 'purchaseTemplates.list',
      summary: "List the company's templates and the shared defaults, newest first",
      query: { paged: true, filters: namedIn(template_filter) },
      filter: template_filter,
      answer: z.array(template_item),
      async transaction(tx, request) {
        const transaction_key = request.query.filters.get('transaction_key');
        const filter = transaction_key === undefined ? {} : { transaction_key };
        const page = await listTemplates(tx, clientCall(request), filter, request.query.page, options);
        const statusLinkOf = statusLinkIn(request.query);
        const present = (template: PurchaseTemplate) => presentTemplate(template, statusLinkOf);
        return list(request.query, page, present, presentMinimalTemplate);
      },
    }),
  ];
}

function presentMinimalTemplate(template: PurchaseTemplate) {
  return { id: template.id, type: 'virtualcard-template', url: templateStatusPath(template) };
}
