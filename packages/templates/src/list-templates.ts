import type { Call, Page, PageRequest } from '@tallystick/kernel';
import type { TemplatesTx } from './ports.ts';
import type { TemplateOptions } from './request-template.ts';
import type { PurchaseTemplate } from './template.ts';

/**
 * Lists the company's templates and the shared defaults, newest first. With a `transaction_key`,
 * lists only the template of that request, or nothing. The shared defaults are those of the
 * environment.
 */
export async function listTemplates(
  tx: Pick<TemplatesTx, 'templates'>,
  call: Pick<Call, 'company_id'>,
  filter: { readonly transaction_key?: string },
  page: PageRequest,
  { environment }: Pick<TemplateOptions, 'environment'>,
): Promise<Page<PurchaseTemplate>> {
  const { items, next } = await tx.templates.list(call.company_id, filter, page);
  return { items: items.map((item) => (item.company_id === null ? { ...item, environment } : item)), next };
}
