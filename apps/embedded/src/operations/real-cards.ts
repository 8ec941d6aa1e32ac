import type { Id, TransactionOptions } from './call-options.ts';
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

/** A real card. */
export interface RealCard {
  /** Digits. */
  readonly id: string;
  /** The id as a number: the rcn_id of its virtual cards. */
  readonly rcn_id: number;
  /** The name of the real card. */
  readonly rcn_alias: string;
  /** The company. */
  readonly company_id: number;
  /** ISO 4217. */
  readonly billing_currency: string;
  /** The first digits of the numbers of its virtual cards. */
  readonly account_range: string;
  /** False: its virtual cards can only be Continuous. */
  readonly velocity_enabled: boolean;
  /** The names that network_data may have; null: any name. */
  readonly network_data_names: readonly string[] | null;
  /** Whether a virtual card without rcn_id is tied to it. */
  readonly is_default: boolean;
  /** When it was created; ISO 8601, UTC. */
  readonly created_at: string;
  readonly type: 'realcard';
  /** Its path in the HTTP interface. */
  readonly url: string;
}

/** A new real card. */
export interface CreateRealCard {
  /** The company. */
  readonly company_id: Id;
  readonly alias: string;
  /** ISO 4217. */
  readonly billing_currency: string;
  /** The first digits of the numbers of its virtual cards. */
  readonly account_range: string;
  /** Default true. */
  readonly velocity_enabled?: boolean | null | undefined;
  /** Null: any name. */
  readonly network_data_names?: readonly string[] | null | undefined;
  /** Default true for the first real card of a company, else false. */
  readonly is_default?: boolean | null | undefined;
}
