import type { TransactionOptions } from './call-options.ts';
import type {
  Id,
  PurchaseTemplate,
  PurchaseTemplateAcknowledgement,
  RequestPurchaseTemplate,
} from './generated/resources.ts';
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
