/**
 * What the host applications have in common: each sells things, and pays every order with a card of
 * its own. They differ in the framework, in the library for their database, and in how they hand
 * over their transaction.
 */
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DatabaseName } from '@tallystick/test-support';
import type { SubscribedEvent, SubscriptionTx, Tallystick } from 'tallystick';

export interface HostApplication {
  /** The framework and the library for the database. */
  readonly name: string;
  readonly databases: readonly DatabaseName[];
  /** Opens the database, migrates both parts, and serves on a free port. */
  open(options: OpenOptions): Promise<RunningHost>;
}

export interface OpenOptions {
  readonly database_url: string;
  readonly keys: string;
}

export interface RunningHost {
  readonly tally: Tallystick;
  readonly company_id: string;
  /** The address of the server, without a path. The interface is under `/cards`. */
  readonly address: string;
  /** The rows of the host's own tables, read by its own handle. */
  orders(): Promise<readonly Order[]>;
  ledger(): Promise<readonly LedgerEntry[]>;
  /** Ends the server, Tallystick and the host's own handle. */
  close(): Promise<void>;
}

/** A row of `orders`, and the body of the answer to `POST /orders`. */
export interface Order {
  readonly id: string;
  readonly item: string;
  readonly card_id: string;
}

/** A row of `ledger`. The table has no key, so an effect that happens twice is seen. */
export interface LedgerEntry {
  readonly event_id: string;
  readonly event_type: string;
  readonly card_id: string;
}

export interface OrderRequest {
  readonly item: string;
  readonly amount: number;
}

export const host_tables = [
  'create table if not exists orders (id varchar(40) primary key, item varchar(100) not null, card_id varchar(20) not null)',
  'create table if not exists ledger (event_id varchar(20) not null, event_type varchar(60) not null, card_id varchar(20) not null)',
] as const;

/** The rule of the host that fails after the card was issued. */
export class SoldOut extends Error {
  override readonly name = 'SoldOut';
}

export function orderOf({ item }: OrderRequest, card_id: string): Order {
  return { id: randomUUID(), item, card_id };
}

export function assertInStock({ item }: OrderRequest): void {
  if (item === 'sold out') throw new SoldOut('the item is sold out');
}

export const ledger_types = ['virtualcard.realtime.auths', 'virtualcard.clearings'] as const;

/** Writes an entry for each event, in the transaction of the subscription. */
export async function writeLedger(
  events: readonly SubscribedEvent<(typeof ledger_types)[number]>[],
  tx: SubscriptionTx,
): Promise<void> {
  const places = tx.host.dialect === 'postgres' ? '$1, $2, $3' : '?, ?, ?';
  for (const { id, event_type, payload } of events) {
    const { vcn_id } = payload as { readonly vcn_id: number };
    const values = [String(id), event_type, String(vcn_id)];
    await tx.query(`insert into ledger (event_id, event_type, card_id) values (${places})`, values);
  }
}

/** The company of the host: created at its first start. Returns its id. */
export async function openCompany({ operator }: Tallystick): Promise<string> {
  const [known] = (await operator.companies.list()).items;
  if (known !== undefined) return known.id;
  const { id } = await operator.companies.create({ name: 'Shop', customer_number: '4711' });
  await operator.realCards.create({
    company_id: id,
    alias: 'Purchasing',
    billing_currency: 'USD',
    account_range: '555555',
  });
  return id;
}

export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
