import type { EventStore } from '@tallystick/events';
import type { Page, PageRequest } from '@tallystick/kernel';
import type { PurchaseTemplate } from './template.ts';

/** Purchase templates, within a transaction. */
export interface TemplateStore {
  /**
   * Inserts. Refuses (`validation_failed`, path `name`) a name that another template of the company has, not deleted,
   * even one that a racing transaction committed after `nameTaken` was asked.
   */
  insert(template: Omit<PurchaseTemplate, 'id'>): Promise<PurchaseTemplate>;
  /** The company's own or a shared one, not deleted; else null. */
  find(company_id: number, id: number): Promise<PurchaseTemplate | null>;
  /** Whether a template of the company, not deleted, has this name. Two racing inserts of one name: the second is refused. */
  nameTaken(company_id: number, name: string): Promise<boolean>;
  /** Newest first; the company's own and, without a transaction_key, the shared defaults too. */
  list(
    company_id: number,
    filter: { readonly transaction_key?: string },
    page: PageRequest,
  ): Promise<Page<PurchaseTemplate>>;
  /**
   * Up to `limit` PENDING templates whose completion is due, held for update. Waits for rows that another process holds: when
   * none is given, all that were due are completed.
   */
  claimDue(now_ms: number, limit: number): Promise<readonly PurchaseTemplate[]>;
  /** One PENDING template by id, any company, held for update; null when there is none. For the operator. */
  claim(id: number): Promise<PurchaseTemplate | null>;
  update(template: PurchaseTemplate): Promise<void>;
}

/** Where a company's customer number is found, within a transaction. The store of companies is one. */
export interface CustomerNumbers {
  find(company_id: number): Promise<{ readonly customer_number: string } | null>;
}

/** What the use cases of this package need of a transaction. */
export interface TemplatesTx {
  readonly templates: TemplateStore;
  readonly events: EventStore;
  readonly companies: CustomerNumbers;
}
