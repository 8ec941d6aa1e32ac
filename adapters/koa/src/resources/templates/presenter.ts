import { type PurchaseTemplate, type TemplateItem, toTemplateItem } from '@tallystick/templates';

/** The path of the purchase templates. */
export const templates_path = '/v1/content/virtualcard-templates';

/** The path of the query that returns the template's status. Answers and events link to it. */
export function templateStatusPath({ transaction_key }: Pick<PurchaseTemplate, 'transaction_key'>): string {
  return `${templates_path}?filter[transaction_key]=${transaction_key}`;
}

/** A template as lists show it. */
export function presentTemplate(template: PurchaseTemplate): TemplateItem {
  return toTemplateItem(template, templateStatusPath);
}
