import type { Payload } from '@tallystick/events';
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
export interface TemplateAcknowledgement {
  readonly copy_from_template: string;
  readonly customer_number: string;
  readonly description: string;
  readonly links: readonly TemplateLink[];
  readonly mcc_list: readonly string[];
  readonly mcc_rule: PurchaseTemplate['mcc_rule'];
  readonly name: string;
  readonly required_control: PurchaseTemplate['required_control'];
  readonly status: PurchaseTemplate['status'];
  readonly transaction_key: string;
}

/**
 * A template in lists and events (service specification 2.3). `company_id` is null for a shared
 * default.
 */
export interface TemplateItem extends Payload {
  readonly company_id: number | null;
  readonly copy_from_template: string;
  /** ISO 8601, UTC, like all its times. */
  readonly created_at: string;
  readonly deleted_at: string | null;
  readonly description: string;
  readonly environment: PurchaseTemplate['environment'];
  readonly id: number;
  readonly identity: null;
  readonly links: readonly TemplateLink[];
  readonly mcc_list: readonly string[];
  readonly mcc_rule: PurchaseTemplate['mcc_rule'];
  readonly name: string;
  readonly required_control: PurchaseTemplate['required_control'];
  readonly status: PurchaseTemplate['status'];
  readonly transaction_key: string;
  readonly updated_at: string;
}

export function toTemplateAcknowledgement(
  template: PurchaseTemplate,
  statusUrlOf: StatusUrlOf,
): TemplateAcknowledgement {
  return {
    copy_from_template: template.copy_from_template,
    customer_number: template.customer_number,
    description: template.description,
    links: [{ href: statusUrlOf(template), method: 'GET', rel: 'self' }],
    mcc_list: template.mcc_list,
    mcc_rule: template.mcc_rule,
    name: template.name,
    required_control: template.required_control,
    status: template.status,
    transaction_key: template.transaction_key,
  };
}

/** Returns the template as lists and the event virtualcard.purchasetemplate.created show it. */
export function toTemplateItem(template: PurchaseTemplate, statusUrlOf: StatusUrlOf): TemplateItem {
  return {
    company_id: template.company_id,
    copy_from_template: template.copy_from_template,
    created_at: toInstantText(template.created_at_ms),
    deleted_at: template.deleted_at_ms === null ? null : toInstantText(template.deleted_at_ms),
    description: template.description,
    environment: template.environment,
    id: template.id,
    identity: null,
    links: [{ href: statusUrlOf(template), method: 'GET', rel: 'self' }],
    mcc_list: template.mcc_list,
    mcc_rule: template.mcc_rule,
    name: template.name,
    required_control: template.required_control,
    status: template.status,
    transaction_key: template.transaction_key,
    updated_at: toInstantText(template.updated_at_ms),
  };
}
