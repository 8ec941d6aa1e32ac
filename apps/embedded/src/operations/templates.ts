import type { Id, TransactionOptions } from './call-options.ts';
import type { FilteredListOptions, List } from './list.ts';

/** The purchase templates of a company (service specification 2.3, 4.2). */
export interface PurchaseTemplateOperations {
  /**
   * Requests a template. It is PENDING until its creation is completed offline; then it is ACTIVE,
   * and an event of type 11 is recorded.
   */
  request(template: RequestPurchaseTemplate, options?: TransactionOptions): Promise<PurchaseTemplateAcknowledgement>;
  /** Lists the company's templates and the shared defaults, newest first. */
  list(options?: FilteredListOptions<PurchaseTemplateFilter>): List<PurchaseTemplate>;
}

/** The completion of templates, for the operator. */
export interface OperatorTemplateOperations {
  /** Completes a PENDING template before its time. Refuses (`not_found`) another one. */
  complete(template_id: Id, options?: TransactionOptions): Promise<PurchaseTemplate>;
}

export interface PurchaseTemplateFilter {
  readonly transaction_key?: string | undefined;
}

/** A request for a purchase template (service specification 2.3). */
export interface RequestPurchaseTemplate {
  /** Unique in the company. */
  readonly name: string;
  /** Distinct merchant category codes. */
  readonly mcc_list: readonly string[];
  readonly mcc_rule: MccRule;
  readonly description: string;
  readonly required_control: RequiredControl;
}

/** What the acknowledgement and the template itself show. */
interface TemplateBase {
  /** The id of the shared default for this control. */
  readonly copy_from_template: string;
  readonly description: string;
  /** The query that shows the status. */
  readonly links: readonly {
    readonly href: string;
    readonly method: 'GET';
    readonly rel: 'self';
  }[];
  /** Merchant category codes, four digits each. */
  readonly mcc_list: readonly string[];
  /** Whether mcc_list names what is allowed or what is denied. */
  readonly mcc_rule: MccRule;
  readonly name: string;
  /** The control that its cards have. */
  readonly required_control: RequiredControl;
  /** Identifies the request. */
  readonly transaction_key: string;
}

/** The answer to the request for a template (service specification 2.3). */
export interface PurchaseTemplateAcknowledgement extends TemplateBase {
  /** The bank's number of the company. */
  readonly customer_number: string;
  readonly status: 'PENDING';
}

/** A purchase template. */
export interface PurchaseTemplate extends TemplateBase {
  readonly id: number;
  /** Null: shared by all companies. */
  readonly company_id: number | null;
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC. */
  readonly deleted_at: string | null;
  readonly environment: 'sandbox' | 'live';
  /** Always null. */
  readonly identity: null;
  readonly status: 'PENDING' | 'ACTIVE';
  /** When it last changed; ISO 8601, UTC. */
  readonly updated_at: string;
}

/** Whether a list of merchant category codes names what is allowed or what is denied. */
export type MccRule = 'ALLOW' | 'DENY';

/** The control that the cards of a template have. */
export type RequiredControl = 'VELOCITY' | 'AGING_VELOCITY';
