import { toInstantText } from '@tallystick/kernel';
import type { PurchaseTemplate } from './template.ts';

/**
 * Returns the URL of the query that reads a template's status. The interface that serves the query
 * decides the URL.
 */
export type StatusUrlOf = (template: Pick<PurchaseTemplate, 'transaction_key'>) => string;

/** The link of a template to the query that reads its status. */
export interface TemplateLink {
  readonly href: string;
  readonly method: 'GET';
  readonly rel: 'self';
}

/** The answer to the request for a template (service specification 2.3). */
export type TemplateAcknowledgement = Readonly<ReturnType<typeof toTemplateAcknowledgement>>;

/** A template in lists and in the event virtualcard.purchasetemplate.created. */
export type TemplateItem = Readonly<ReturnType<typeof toTemplateItem>>;

function linksOf(template: PurchaseTemplate, statusUrlOf: StatusUrlOf): readonly TemplateLink[] {
  return [{ href: statusUrlOf(template), method: 'GET', rel: 'self' }];
}

export function toTemplateAcknowledgement(template: PurchaseTemplate, statusUrlOf: StatusUrlOf) {
  return {
    copy_from_template: template.copy_from_template,
    customer_number: template.customer_number,
    description: template.description,
    links: linksOf(template, statusUrlOf),
    mcc_list: template.mcc_list,
    mcc_rule: template.mcc_rule,
    merchant_controls: template.merchant_controls,
    name: template.name,
    required_control: template.required_control,
    status: template.status,
    transaction_key: template.transaction_key,
  };
}

/** `company_id` is null for a shared default. Times are in ISO 8601, UTC. */
export function toTemplateItem(template: PurchaseTemplate, statusUrlOf: StatusUrlOf) {
  return {
    company_id: template.company_id,
    copy_from_template: template.copy_from_template,
    created_at: toInstantText(template.created_at_ms),
    deleted_at: template.deleted_at_ms === null ? null : toInstantText(template.deleted_at_ms),
    description: template.description,
    environment: template.environment,
    id: template.id,
    identity: null,
    links: linksOf(template, statusUrlOf),
    mcc_list: template.mcc_list,
    mcc_rule: template.mcc_rule,
    merchant_controls: template.merchant_controls,
    name: template.name,
    required_control: template.required_control,
    status: template.status,
    transaction_key: template.transaction_key,
    updated_at: toInstantText(template.updated_at_ms),
  };
}
