import type { TransactionOptions } from './call-options.ts';
import type { CreateRealCard, Id, RealCard } from './generated/resources.ts';
import type { CompanyFilter, FilteredListOptions, List, ListOptions } from './list.ts';

/** The real cards of a company, to which its virtual cards belong. */
export interface RealCardOperations {
  /** Lists the company's real cards, newest first. */
  list(options?: ListOptions): List<RealCard>;
  /** Reads a real card. Refuses `not_found`. */
  read(rcn_id: Id, options?: TransactionOptions): Promise<RealCard>;
}

/** The real cards of all companies, for the operator. */
export interface OperatorRealCardOperations {
  /** Creates a real card of a company. */
  create(real_card: CreateRealCard, options?: TransactionOptions): Promise<RealCard>;
  /** Lists the real cards of one company or of all companies, newest first. */
  list(options?: FilteredListOptions<CompanyFilter>): List<RealCard>;
}
