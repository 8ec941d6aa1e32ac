import { createCompany } from '@tallystick/access';
import { type CardReading, createRealCard, issueCard } from '@tallystick/cards';
import { fixedClock, type UnitOfWork } from '@tallystick/kernel';
import { mikroOrmPersistence, type Persistence, type PersistencePorts, type Tx } from '@tallystick/mikro-orm';
import { type DatabaseName, type ScratchDatabase, scratchDatabase } from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';

const start_ms = Date.UTC(2026, 0, 15, 12);
const { audit_mac, card_vault, random } = createVault(parseKeyRing(Buffer.alloc(32, 'embedding').toString('base64')));

/** A migrated database with a company and its account range: what a host shares with an instance. */
export interface HostWorld {
  readonly scratch: ScratchDatabase;
  readonly persistence: Persistence;
  readonly company_id: number;
  /** Issues a card in this unit of work. */
  issue(unit: UnitOfWork<Tx>, request?: Readonly<Record<string, unknown>>): Promise<CardReading>;
  dispose(): Promise<void>;
}

export async function hostWorld(name: DatabaseName, options: Partial<PersistencePorts> = {}): Promise<HostWorld> {
  const scratch = await scratchDatabase(name);
  const persistence = await mikroOrmPersistence({
    database_url: scratch.database_url,
    clock: fixedClock(start_ms),
    audit_mac,
    ...options,
  });
  await persistence.migrate();
  const call = { actor: 'test', request_id: null, now_ms: start_ms };
  const company_id = await persistence.unitOfWork.run(async (tx) => {
    const { id } = await createCompany(tx, call, { name: 'Example Ltd', customer_number: '4711' });
    await createRealCard(
      tx,
      { ...call, company_id: id },
      { alias: 'Travel', billing_currency: 'USD', account_range: '555555' },
    );
    return id;
  });
  return {
    scratch,
    persistence,
    company_id,
    issue: (unit, request = {}) =>
      unit.run((tx) =>
        issueCard(tx, { vault: card_vault, random }, { ...call, company_id }, { total_card_amount: 1_000, ...request }),
      ),
    async dispose() {
      await persistence.close();
      await scratch.dispose();
    },
  };
}
