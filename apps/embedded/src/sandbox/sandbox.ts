import { type Company, createCompany, type OperatorCall } from '@tallystick/access';
import { type AccountRequest, openAccount } from '@tallystick/accounts';
import { createRealCard } from '@tallystick/cards';
import { assert, page_limit_max, toInstantText } from '@tallystick/kernel';
import type { Persistence, Tx } from '@tallystick/mikro-orm';
import type { Sandbox } from '@tallystick/operations';
import { seedPeople, seedThirdParties } from './logins.ts';
import { seedOpenBankingData } from './open-banking-data.ts';
import type { SharedClock } from './shared-clock.ts';

/** The sandbox's own company is the first with this number. Its users may create others. */
const sandbox_customer_number = 'SANDBOX';

/** The accounts of the sandbox's company (decision: statement lines). */
const sandbox_deposit: Omit<AccountRequest, 'company_id'> = {
  number: '1000000001',
  currency: 'USD',
  kind: 'deposit',
  name: 'Sandbox deposit account',
};
const sandbox_card: Omit<AccountRequest, 'company_id'> = {
  number: 'ceid2000000001',
  currency: 'USD',
  kind: 'card',
  name: 'Sandbox card account',
};

/**
 * Opens the sandbox: finds its company in the database, or creates it with a real card. Its
 * accounts are opened if the database lacks them: a former version may have created it.
 * `runDueWork` is called after each move of the clock. It returns the work that still waits, or
 * null.
 */
export async function openSandbox(
  persistence: Persistence,
  clock: SharedClock,
  runDueWork: () => Promise<string | null>,
): Promise<Sandbox> {
  const company = await seed(persistence, clock);
  return {
    company_id: company.id,
    async moveClock(move) {
      const { now_ms, frozen } = await clock.move(persistence.unitOfWork, move);
      const waiting = await runDueWork();
      return { now: toInstantText(now_ms), frozen, ...(waiting === null ? {} : { waiting }) };
    },
    refreshClock: () => clock.refresh(persistence.look_ups),
  };
}

/**
 * Two processes that start on an empty database create one company, because both lock the row of
 * the clock.
 */
async function seed(persistence: Persistence, clock: SharedClock): Promise<Company> {
  return await persistence.unitOfWork.run(async (tx) => {
    await tx.sandbox_clock.read({ for_update: true });
    const own = await findSandboxCompany(tx);
    const call = { actor: 'job:sandbox', request_id: null, now_ms: clock.nowMs() };
    const company = own ?? (await createSandboxCompany(tx, call));
    const openOwn = async (request: Omit<AccountRequest, 'company_id'>) =>
      (await tx.accounts.findByNumber(String(request.number))) ??
      (await openAccount(tx, call, { ...request, company_id: company.id }));
    const accounts = { deposit: await openOwn(sandbox_deposit), card: await openOwn(sandbox_card) };
    await seedThirdParties(tx, call.now_ms);
    await seedPeople(tx, call.now_ms);
    await seedOpenBankingData(tx, company.id, accounts, call.now_ms);
    return company;
  });
}

/** The oldest company with the number of the sandbox's own; undefined when there is none. */
export async function findSandboxCompany({ companies }: Pick<Tx, 'companies'>): Promise<Company | undefined> {
  let own: Company | undefined;
  let after: string | null | undefined;
  do {
    // Newest first, so the last company found is the oldest.
    const page = await companies.list({ limit: page_limit_max, ...(after ? { after } : {}) });
    own = page.items.findLast((company) => company.customer_number === sandbox_customer_number) ?? own;
    after = page.next;
  } while (after !== null);
  return own;
}

async function createSandboxCompany(tx: Tx, call: OperatorCall): Promise<Company> {
  const company = await createCompany(tx, call, {
    name: 'Sandbox company',
    customer_number: sandbox_customer_number,
  });
  const request = { alias: 'Sandbox real card', billing_currency: 'USD', account_range: '54545454' };
  const real_card = await createRealCard(tx, { ...call, company_id: company.id }, request);
  assert(real_card.is_default, 'the first real card of a company is its default');
  return company;
}
