import type { Random } from '@tallystick/kernel';
import {
  completeTemplate,
  listTemplates,
  requestTemplate,
  type TemplateOptions,
  toTemplateAcknowledgement,
} from '@tallystick/templates';
import * as z from 'zod';
import { withoutAbsent } from '../call/query.ts';
import { data_of_domain } from '../fields.ts';
import { companyCall, type Operation, operation, operatorCall, present } from '../operation.ts';
import { presentTemplate, statusLinkIn, templateStatusPath } from './presenter.ts';
import { request_template, template_acknowledgement, template_item } from './shapes.ts';

const template_filter = z
  .object({ transaction_key: z.string().describe('Only the template of this request') })
  .partial();

/** `/v1/content/virtualcard-templates` (service specification 4.2). */
export function templateOperations(ports: { readonly random: Random }, options: TemplateOptions): readonly Operation[] {
  return [
    operation('templates', {
      id: 'purchaseTemplates.request',
      method: 'company.templates.request',
      summary: 'Request a purchase template',
      description:
        'The template is PENDING until its creation is completed offline. Then it is ACTIVE, and an event of type 11 is recorded.',
      body: data_of_domain,
      documented_body: request_template,
      takes_back: template_item.extend(template_acknowledgement.shape),
      answer: template_acknowledgement,
      async write(tx, call) {
        const template = await requestTemplate(tx, ports, companyCall(call), call.body.data, options);
        return toTemplateAcknowledgement(template, statusLinkIn(call));
      },
    }),
    operation('templates', {
      id: 'purchaseTemplates.list',
      method: 'company.templates.list',
      summary: "List the company's templates and the shared defaults, newest first",
      query: { paged: true, filter: template_filter },
      answer: z.array(template_item),
      async read(tx, call) {
        const filter = withoutAbsent({ transaction_key: call.query.filters.get('transaction_key') });
        const page = await listTemplates(tx, companyCall(call), filter, call.query.page, options);
        const statusLinkOf = statusLinkIn(call);
        return present(page, (template) => presentTemplate(template, statusLinkOf));
      },
    }),
    operation('template_completion', {
      id: 'operator.templates.complete',
      summary: 'Complete a PENDING purchase template before its time',
      description: 'Another template is refused (`not_found`).',
      parameters: ['id'],
      answer: template_item,
      async write(tx, call) {
        const template = await completeTemplate(tx, { statusUrlOf: templateStatusPath }, operatorCall(call), call.id);
        return presentTemplate(template, statusLinkIn(call));
      },
    }),
  ];
}
