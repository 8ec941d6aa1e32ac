import { after, before, describe } from 'node:test';
import type { Company } from '@tallystick/access';
import type { RealCard, SealedNumber, VirtualCard } from '@tallystick/cards';
import { fixedClock, money } from '@tallystick/kernel';
import { type DatabaseName, database_names, type ScratchDatabase, scratchDatabase } from '@tallystick/test-support';
import { mikroOrmPersistence, type Persistence, type Tx } from '../../src/index.ts';

export const noon_ms = Date.UTC(2026, 4, 20, 12);

/** What a suite works on: an empty, migrated database. */
export interface Fixture {
  readonly name: DatabaseName;
  readonly database: ScratchDatabase;
  /** The first process on it. */
  readonly persistence: Persistence;
  run: Persistence['unitOfWork']['run'];
  /** A further process on the same database; closed with the suite. */
  another(): Promise<Persistence>;
}

/** Runs the suite on every database. The fixture is there once its tests run. */
export function onEveryDatabase(title: string, suite: (fixture: () => Fixture, name: DatabaseName) => void): void {
  for (const name of database_names) {
    describe(`${title}, on ${name}`, () => {
      let fixture: Fixture | undefined;
      const open: Persistence[] = [];

      before(async () => {
        const database = await scratchDatabase(name);
        const another = async () => {
          const persistence = await openPersistence(database);
          open.push(persistence);
          return persistence;
        };
        const persistence = await another();
        await persistence.migrate();
        fixture = { name, database, persistence, run: (work) => persistence.unitOfWork.run(work), another };
      });

      after(async () => {
        for (const persistence of open) await persistence.close();
        await fixture?.database.dispose();
      });

      suite(() => {
        if (fixture === undefined) throw new Error('the fixture is used before the tests run');
        return fixture;
      }, name);
    });
  }
}

export function openPersistence(database: ScratchDatabase): Promise<Persistence> {
  const clock = fixedClock(Temporal.Instant.fromEpochMilliseconds(noon_ms));
  return mikroOrmPersistence({ database_url: database.database_url, clock });
}

export function makeCompany(tx: Tx, name = 'Acme'): Promise<Company> {
  return tx.companies.insert({
    name,
    customer_number: `CN ${name}`,
    full_details_in_mail: false,
    created_at_ms: noon_ms,
  });
}

export function realCard(company_id: number, changes: Partial<RealCard> = {}): Omit<RealCard, 'id'> {
  return {
    company_id,
    alias: 'Travel',
    billing_currency: 'USD',
    account_range: '555555',
    velocity_enabled: true,
    network_data_names: null,
    is_default: false,
    created_at_ms: noon_ms,
    ...changes,
  };
}

export type NewCard = Parameters<Tx['cards']['insert']>[0];

export function newCard(company_id: number, rcn_id: number, changes: Partial<NewCard> = {}): NewCard {
  return {
    company_id,
    rcn_id,
    status: 'Approved',
    last4: '4242',
    expiry: '2028-05',
    emails: ['card@example.com'],
    notified: true,
    network_data: { 'Purchase Type': 'Travel' },
    metadata: { project: 'apollo', cost_centre: 17, nested: { deep: [1, 'two'] }, nothing: null },
    supplier_id: null,
    created_at_ms: noon_ms,
    canceled_at_ms: null,
    per_transaction_min: money(0),
    per_transaction_max: money(50_000),
    per_transaction_max_defaulted: true,
    total_card_amount: money(50_000),
    transactions_max: 3,
    recurring: 'Monthly',
    authorization_hold_days: null,
    aging_velocity_time_zone: null,
    currency: null,
    valid_starting_on: '2026-05-20',
    valid_ending_on: '2028-05-31',
    template_id: 1,
    ...changes,
  };
}

let drawn = 0;

/** A number that no other card has. */
export function sealedNumber(key_id = 'key-1'): SealedNumber {
  drawn += 1;
  const number_index = new Uint8Array(32);
  new DataView(number_index.buffer).setUint32(0, drawn);
  return { number_sealed: new Uint8Array([1, 2, drawn % 256]), number_key_id: key_id, number_index };
}

/** A card of the company with a number of its own. */
export async function makeCard(
  tx: Tx,
  company_id: number,
  rcn_id: number,
  changes: Partial<NewCard> = {},
  number = sealedNumber(),
): Promise<VirtualCard> {
  const card = await tx.cards.insert(newCard(company_id, rcn_id, changes), number, 0);
  if (card === null) throw new Error('the number was taken');
  return card;
}

/** A company with a real card, and that card. */
export async function makeCompanyWithRealCard(tx: Tx): Promise<{ company_id: number; rcn_id: number }> {
  const company = await makeCompany(tx);
  const real = await tx.real_cards.insert(realCard(company.id, { is_default: true }));
  return { company_id: company.id, rcn_id: real.id };
}
