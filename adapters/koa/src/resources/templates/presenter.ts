import { type PurchaseTemplate, type StatusUrlOf, type TemplateItem, toTemplateItem } from '@tallystick/templates';
import type { Query } from '../../request/query.ts';

/** The path of the purchase templates. */
export const templates_path = '/v1/content/virtualcard-templates';

/** The path of the query that returns the template's status. Answers and events link to it. */
export function templateStatusPath({ transaction_key }: Pick<PurchaseTemplate, 'transaction_key'>): string {
  return `${templates_path}?filter[transaction_key]=${transaction_key}`;
}

/** The same as a link in the answer to a request: below the prefix under which it was sent. */
export function statusLinkIn({ linkTo }: Pick<Query, 'linkTo'>): StatusUrlOf {
  return (template) => linkTo(templateStatusPath(template));
}

/** A template as lists show it. */
export function presentTemplate(
  template: PurchaseTemplate,
  statusUrlOf: StatusUrlOf = templateStatusPath,
): TemplateItem {
  return toTemplateItem(template, statusUrlOf);
}
