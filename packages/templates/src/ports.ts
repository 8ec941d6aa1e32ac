import type { EventStore } from '@tallystick/events';
import type { Page, PageRequest } from '@tallystick/kernel';
import type { PurchaseTemplate, TemplateVersion } from './template.ts';

export interface TemplateStore {
  /**
   * Inserts. Refuses (`validation_failed`, path `name`) a name that another template of the company
   * has and that is not deleted. This includes a template that a racing transaction committed after
   * the call of `nameTaken`.
   */
  insert(template: Omit<PurchaseTemplate, 'id'>): Promise<PurchaseTemplate>;
  /** The company's template or a shared one, if it is not deleted; else null. */
  find(company_id: number, id: number): Promise<PurchaseTemplate | null>;
  /**
   * Whether a template of the company that is not deleted has this name. Of two racing inserts of
   * one name, the second is refused.
   */
  nameTaken(company_id: number, name: string): Promise<boolean>;
  /**
   * Newest first: the company's templates and, without a transaction_key, also the shared defaults.
   */
  list(
    company_id: number,
    filter: { readonly transaction_key?: string },
    page: PageRequest,
  ): Promise<Page<PurchaseTemplate>>;
  /**
   * Up to `limit` PENDING templates whose completion is due, locked for update. Waits for rows that
   * another process has locked. So an empty result means that all due templates are completed.
   */
  claimDue(now_ms: number, limit: number): Promise<readonly PurchaseTemplate[]>;
  /**
   * One PENDING template by id, of any company, locked for update; null when there is none. For the
   * operator.
   */
  claim(id: number): Promise<PurchaseTemplate | null>;
  /** Precondition: the template was locked for update, or inserted, in this transaction. */
  update(template: PurchaseTemplate): Promise<void>;
  /** Keeps a state that is over. Precondition: as for `update`, and its number is not kept yet. */
  keepVersion(ended: TemplateVersion): Promise<void>;
  /** The ended versions of a template with smaller numbers, the newest first, up to `limit`. */
  versionsBelow(template_id: number, version: number, limit: number): Promise<readonly TemplateVersion[]>;
}

/**
 * Reads a company's customer number, within a transaction. The store of companies implements it.
 */
export interface CustomerNumbers {
  find(company_id: number): Promise<{ readonly customer_number: string } | null>;
}

export interface TemplatesTx {
  readonly templates: TemplateStore;
  readonly events: EventStore;
  readonly companies: CustomerNumbers;
}
