import type { Company, CompanyStore } from '@tallystick/access';
import type { AccountStore, BankStore } from '@tallystick/accounts';
import {
  type ActivityStore,
  type BacktestStore,
  type CardsTx,
  type ConsultationStore,
  type Ledger,
  no_details,
  type QuarantineStore,
  type RealCard,
  type SealedNumber,
  type UnknownNumberStore,
  type VirtualCard,
} from '@tallystick/cards';
import type { AuthorisationStore, ConsentStore, ThirdPartyStore } from '@tallystick/consents';
import type { ImportStore } from '@tallystick/imports';
import {
  assert,
  type BacklogStore,
  money,
  type Page,
  type PageRequest,
  type SandboxClockStore,
  type UnitOfWork,
} from '@tallystick/kernel';
import type { ReconciliationReports, ReconciliationStore } from '@tallystick/reconciliation';
import { uniqueHash, uniqueNumber } from '../unique.ts';

export interface StorageTx extends Pick<CardsTx, 'cards' | 'real_cards' | 'templates' | 'events' | 'audit'> {
  readonly companies: CompanyStore;
  readonly sandbox_clock: SandboxClockStore;
  readonly activity: ActivityStore;
  readonly backlog: BacklogStore;
  readonly backtests: BacktestStore;
  readonly unknown_numbers: UnknownNumberStore;
  readonly quarantine: QuarantineStore;
  readonly consultations: ConsultationStore;
  readonly imports: ImportStore;
  readonly accounts: AccountStore;
  readonly bank: BankStore;
  readonly consents: ConsentStore;
  readonly third_parties: ThirdPartyStore;
  readonly authorisation: AuthorisationStore;
  readonly reconciliation: ReconciliationStore;
  readonly reconciliation_reports: ReconciliationReports;
}

/** Storage that several processes may share. */
export interface SharedStorage<Tx> {
  readonly unitOfWork: UnitOfWork<Tx>;
  /**
   * The same storage as another process sees it. Absent for storage that lives in one process: its
   * rules about several processes are checked with this one in place of each.
   */
  another?(): Promise<this>;
}

export type CardStores = Pick<StorageTx, 'companies' | 'real_cards' | 'templates' | 'cards' | 'events'>;

/**
 * Storage of cards for its suites. The rules of a suite may share it, and it may contain data of
 * other rules: each rule creates its own companies. The caller closes it.
 */
export interface CardStorage extends SharedStorage<CardStores> {
  readonly ledger: Ledger;
  /** The time of the ledger's clock, epoch milliseconds. */
  readonly now_ms: number;
  /** Closes this process's part of it. */
  close(): Promise<void>;
  /**
   * Does the work that the adapter leaves for after a commit, such as building an index. Rules call
   * it at any time, and no answer may depend on it. Absent when there is no such work.
   */
  doLaterWork?(): Promise<void>;
}

/** Storage of everything, for its suites. */
export interface StorageUnderTest extends CardStorage {
  readonly unitOfWork: UnitOfWork<StorageTx>;
}

/** Returns a company to insert, with a customer number that no other has. */
export function companyRow(changes: Partial<Omit<Company, 'id'>> = {}): Omit<Company, 'id'> {
  return {
    name: 'Acme',
    customer_number: `CN ${uniqueNumber()}`,
    full_details_in_mail: false,
    hold_days: null,
    status: 'active',
    rate_limit_per_minute: null,
    four_eyes: null,
    endpoint_version: 0,
    created_at_ms: 0,
    ...changes,
  };
}

export function makeCompany({ companies }: Pick<StorageTx, 'companies'>, name = 'Acme'): Promise<Company> {
  return companies.insert(companyRow({ name }));
}

/** Inserts a company, and returns its id. */
export async function newCompany(
  { unitOfWork }: { readonly unitOfWork: UnitOfWork<Pick<StorageTx, 'companies'>> },
  changes: Parameters<typeof companyRow>[0] = {},
): Promise<number> {
  return (await unitOfWork.run(({ companies }) => companies.insert(companyRow(changes)))).id;
}

export function newRealCard(company_id: number, changes: Partial<RealCard> = {}): Omit<RealCard, 'id'> {
  return {
    company_id,
    alias: 'Travel',
    billing_currency: 'USD',
    account_range: '555555',
    velocity_enabled: true,
    network_data_names: null,
    is_default: false,
    created_at_ms: 0,
    ...changes,
  };
}

export interface Owner {
  readonly company_id: number;
  readonly rcn_id: number;
}

export async function makeOwner(tx: Pick<StorageTx, 'companies' | 'real_cards'>): Promise<Owner> {
  const company = await makeCompany(tx);
  const real_card = await tx.real_cards.insert(newRealCard(company.id, { is_default: true }));
  return { company_id: company.id, rcn_id: real_card.id };
}

export type NewCard = Parameters<StorageTx['cards']['insert']>[0];

export function newCard({ company_id, rcn_id }: Owner, changes: Partial<NewCard> = {}): NewCard {
  return {
    company_id,
    rcn_id,
    status: 'Approved',
    last4: '4242',
    expiry: '2028-05',
    ...no_details,
    emails: ['card@example.com'],
    notified: true,
    network_data: { 'Purchase Type': 'Travel' },
    metadata: { project: 'apollo', cost_centre: 17, nested: { deep: [1, 'two'] }, nothing: null },
    supplier_id: null,
    created_at_ms: 0,
    canceled_at_ms: null,
    frozen_at_ms: null,
    per_transaction_min: money(0),
    per_transaction_max: money(1_000),
    per_transaction_max_defaulted: true,
    total_card_amount: money(1_000),
    transactions_max: 3,
    recurring: 'Continuous',
    authorization_hold_days: null,
    aging_velocity_time_zone: null,
    currency: null,
    valid_starting_on: '2026-01-01',
    valid_ending_on: '2028-05-31',
    template_id: 1,
    merchant_controls: {
      merchant_ids: { allow: null, deny: ['Nobody'] },
      merchant_names: { allow: null, deny: ['*Тест*'] },
      countries: null,
      card_present: null,
    },
    controls_version: 1,
    ...changes,
  };
}

/** Returns a number that no other card has. */
export function sealedNumber(key_id = 'key-1'): SealedNumber {
  const number_sealed = new Uint8Array([1, 2, uniqueNumber() % 256]);
  return { number_sealed, number_key_id: key_id, number_index: uniqueHash() };
}

export async function makeCard(
  { cards }: Pick<StorageTx, 'cards'>,
  owner: Owner,
  changes: Partial<NewCard> = {},
  number = sealedNumber(),
): Promise<VirtualCard> {
  const card = await cards.insert(newCard(owner, changes), number, 0);
  assert(card !== null, 'a new number was refused as used');
  return card;
}

export async function everyPage<Item>(
  list: (page: PageRequest) => Promise<Page<Item>>,
  limit: number,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page: Page<Item> = await list({ limit, ...(after === undefined ? {} : { after }) });
    assert(page.items.length <= limit, `a page of ${limit} items has ${page.items.length}`);
    items.push(...page.items);
    after = page.next;
  }
  return items;
}

export function idsOf(rows: readonly { readonly id: number }[]): readonly number[] {
  return rows.map(({ id }) => id);
}

export function rising(numbers: Iterable<number>): readonly number[] {
  return [...numbers].sort((a, b) => a - b);
}
