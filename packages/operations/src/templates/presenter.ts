import { type PurchaseTemplate, type StatusUrlOf, type TemplateItem, toTemplateItem } from '@tallystick/templates';
import type { OperationCall } from '../operation.ts';

const templates_path = '/v1/content/virtualcard-templates';

/** The path of the query that returns the template's status. Answers and events link to it. */
export function templateStatusPath({ transaction_key }: Pick<PurchaseTemplate, 'transaction_key'>): string {
  return `${templates_path}?filter[transaction_key]=${transaction_key}`;
}

export function statusLinkIn({ linkTo }: Pick<OperationCall, 'linkTo'>): StatusUrlOf {
  return (template) => linkTo(templateStatusPath(template));
}

export function presentTemplate(
  template: PurchaseTemplate,
  statusUrlOf: StatusUrlOf = templateStatusPath,
): TemplateItem {
  return toTemplateItem(template, statusUrlOf);
}
