import type { EndedVersion } from '@tallystick/kernel';
import type { MerchantControls } from './merchant-controls.ts';

/** The control that the cards of a template must have (service specification 2.2, 2.3). */
export const required_controls = ['VELOCITY', 'AGING_VELOCITY'] as const;

export type RequiredControl = (typeof required_controls)[number];

/** Whether `mcc_list` lists the allowed or the denied codes. */
export const mcc_rules = ['ALLOW', 'DENY'] as const;

export type MccRule = (typeof mcc_rules)[number];

export const template_statuses = ['PENDING', 'ACTIVE'] as const;

export type TemplateStatus = (typeof template_statuses)[number];

/** Whether a template belongs to a sandbox or to a live installation. */
export const template_environments = ['sandbox', 'live'] as const;

/**
 * A purchase template. It decides with which merchants and merchant category codes (MCCs) its cards
 * may be used.
 */
export interface PurchaseTemplate {
  readonly id: number;
  /** Null for the shared defaults, which every company may use. */
  readonly company_id: number | null;
  readonly name: string;
  readonly description: string;
  /**
   * Distinct four-digit codes. A DENY rule with an empty list allows all, as in the shared
   * defaults.
   */
  readonly mcc_list: readonly string[];
  readonly mcc_rule: MccRule;
  /** Null: any merchant of these categories. */
  readonly merchant_controls: MerchantControls | null;
  readonly required_control: RequiredControl;
  readonly status: TemplateStatus;
  /** UUID of the creation request. */
  readonly transaction_key: string;
  readonly copy_from_template: string;
  readonly customer_number: string;
  readonly environment: (typeof template_environments)[number];
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
  readonly deleted_at_ms: number | null;
  /** The earliest completion of a PENDING template. Null once ACTIVE. */
  readonly completes_at_ms: number | null;
  /** The number of its state (`TemplateState`): 1 at first, one more with each change of it. */
  readonly version: number;
}

/** Ids of the shared defaults that allow all MCCs (decision: templates). */
export const default_template_ids: Readonly<Record<RequiredControl, number>> = { VELOCITY: 1, AGING_VELOCITY: 2 };

/** What a decision reads of a template. */
export type TemplateRule = Pick<PurchaseTemplate, 'mcc_rule' | 'mcc_list' | 'merchant_controls' | 'version'>;

export function isMccAllowed(rule: Pick<PurchaseTemplate, 'mcc_rule' | 'mcc_list'>, mcc: string): boolean {
  return rule.mcc_list.includes(mcc) === (rule.mcc_rule === 'ALLOW');
}

export type TemplateState = Omit<TemplateRule, 'version'> & Pick<PurchaseTemplate, 'status'>;

/** A state of a template that is over. `version` is the number that the template had then. */
export interface TemplateVersion extends EndedVersion<TemplateState> {
  readonly template_id: number;
}

/** Returns the part of a template that its versions keep. */
export function templateStateOf({ status, mcc_rule, mcc_list, merchant_controls }: TemplateState): TemplateState {
  return { status, mcc_rule, mcc_list, merchant_controls };
}
