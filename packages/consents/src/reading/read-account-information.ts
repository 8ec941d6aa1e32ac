import { Violation } from '@tallystick/kernel';
import type { ConsentsTx, GrantedCall, ReadPorts } from '../ports.ts';

/** A list as the standard shows it: one name in `Data`, with its items. */
export interface OpenBankingPage {
  readonly Data: Readonly<Record<string, readonly object[]>>;
  /** Cursors of the pages before and after it; null: there is none. */
  readonly next: string | null;
  readonly prev: string | null;
  /** The range of booking instants that was served, ISO 8601 with a zone; only of transactions. */
  readonly first_available?: string;
  readonly last_available?: string;
}

/** The items of a page. */
export const open_banking_page_items = 100;

/** The page to return, by a cursor of an earlier page. */
export interface ReadPage {
  readonly cursor: string | undefined;
}

/**
 * The accounts of the grant that the user may still view. With an AccountId: just that one. All
 * reads refuse a consent that is expired (`unauthenticated`), and `denied`: a consent that grants
 * nothing, a missing permission, a condition of service specification 5.6, and an account that is
 * unknown or not granted.
 */
export async function readAccounts(
  _tx: ConsentsTx,
  _ports: ReadPorts,
  _call: GrantedCall,
  _account_number: string | null,
  _page: ReadPage,
): Promise<OpenBankingPage> {
  throw new Violation('not built');
}

/** The balances of one account: InterimBooked and InterimAvailable. */
export async function readBalances(
  _tx: ConsentsTx,
  _ports: ReadPorts,
  _call: GrantedCall,
  _account_number: string,
): Promise<OpenBankingPage> {
  throw new Violation('not built');
}

/** What a third party asks of the transactions: `fromBookingDateTime` and `toBookingDateTime`. */
export interface TransactionQuery {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The booked transactions of one account, within the range of the seven rules and the consent. */
export async function readTransactions(
  _tx: ConsentsTx,
  _ports: ReadPorts,
  _call: GrantedCall,
  _account_number: string,
  _query: TransactionQuery,
  _page: ReadPage,
): Promise<OpenBankingPage> {
  throw new Violation('not built');
}

/** The active mandates of one account, or of all accounts of the grant (null). */
export async function readDirectDebits(
  _tx: ConsentsTx,
  _ports: ReadPorts,
  _call: GrantedCall,
  _account_number: string | null,
  _page: ReadPage,
): Promise<OpenBankingPage> {
  throw new Violation('not built');
}

/** The pending standing orders. */
export async function readStandingOrders(
  _tx: ConsentsTx,
  _ports: ReadPorts,
  _call: GrantedCall,
  _account_number: string | null,
  _page: ReadPage,
): Promise<OpenBankingPage> {
  throw new Violation('not built');
}

/** The pending scheduled payments. */
export async function readScheduledPayments(
  _tx: ConsentsTx,
  _ports: ReadPorts,
  _call: GrantedCall,
  _account_number: string | null,
  _page: ReadPage,
): Promise<OpenBankingPage> {
  throw new Violation('not built');
}
