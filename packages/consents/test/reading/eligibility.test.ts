import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BankCompany, type BankUser, bank_user_statuses } from '@tallystick/accounts';
import {
  type AccessFacts,
  confirmFunds,
  failedCondition,
  findDecidable,
  readAccounts,
  readDirectDebits,
} from '@tallystick/consents';
import { bankAccount, bankCompany, bankUser, directDebit } from '../bank-world.ts';
import { ConsentWorld, callOf, problemsOf, third_party_call, user_id } from '../consent-world.ts';

const not_eligible = ['denied', 'Tallystick.Access.NotEligible'];
const first_page = { cursor: undefined };

/** Grants both kinds of consent, changes the bank, and tries every access. */
async function outcomesAfter(change: (bank: ConsentWorld['bank']) => void) {
  const world = new ConsentWorld();
  const access = await world.grantAccess();
  const funds = await world.grantFunds();
  const awaiting = await world.requestAccess();
  const Data = { ConsentId: funds.consent_id, Reference: 'r', InstructedAmount: { Amount: '1', Currency: 'USD' } };
  change(world.bank);
  const outcome = async (work: Promise<unknown>) => {
    const [settled] = await Promise.allSettled([work]);
    return settled.status === 'fulfilled' ? 'allowed' : await problemsOf(work);
  };
  const { bank } = world;
  const wanted = {
    consent_id: awaiting.consent_id,
    client_id: third_party_call.client_id,
    user_id,
    now_ms: third_party_call.now_ms,
  };
  const decidable = await world.read((tx) => findDecidable(tx, { bank }, wanted));
  return {
    aisp: await outcome(world.read((tx) => readAccounts(tx, { bank }, callOf(access), null, first_page))),
    cbpii: await outcome(world.read((tx) => confirmFunds(tx, world.ports, callOf(funds), { Data }))),
    decide: decidable.kind === 'decidable' ? 'allowed' : decidable.reason,
  };
}

const nothing_allowed = { aisp: not_eligible, cbpii: not_eligible, decide: 'not_eligible' };

describe('who may read and decide', () => {
  it('everyone for whom all conditions hold', async () => {
    assert.deepEqual(await outcomesAfter(() => {}), { aisp: 'allowed', cbpii: 'allowed', decide: 'allowed' });
  });

  it('nobody when the company is no active client', async () => {
    const outcomes = await outcomesAfter((bank) => {
      bank.companies = [bankCompany({ is_active: false })];
    });
    assert.deepEqual(outcomes, nothing_allowed);
  });

  it('nobody when the bank does not know the company or the user', async () => {
    for (const list of ['companies', 'users'] as const) {
      assert.deepEqual(
        await outcomesAfter((bank) => {
          bank[list] = [];
        }),
        nothing_allowed,
      );
    }
  });

  it('only the services for which the company is eligible', async () => {
    const outcomes = await outcomesAfter((bank) => {
      bank.companies = [bankCompany({ eligible_services: ['cbpii'] })];
    });
    assert.deepEqual(outcomes, { aisp: not_eligible, cbpii: 'allowed', decide: 'not_eligible' });
    const others = await outcomesAfter((bank) => {
      bank.companies = [bankCompany({ eligible_services: ['aisp'] })];
    });
    assert.deepEqual(others, { aisp: 'allowed', cbpii: not_eligible, decide: 'allowed' });
  });

  it('nobody when the company is not configured for API services', async () => {
    const outcomes = await outcomesAfter((bank) => {
      bank.companies = [bankCompany({ is_configured: false })];
    });
    assert.deepEqual(outcomes, nothing_allowed);
  });

  for (const status of bank_user_statuses.filter((one) => one !== 'active')) {
    it(`nobody when the user is ${status}, which allows no login`, async () => {
      const outcomes = await outcomesAfter((bank) => {
        bank.users = [bankUser({ status })];
      });
      assert.deepEqual(outcomes, nothing_allowed);
    });
  }

  it('only the services for which the user is eligible', async () => {
    const outcomes = await outcomesAfter((bank) => {
      bank.users = [bankUser({ eligible_services: ['aisp'] })];
    });
    assert.deepEqual(outcomes, { aisp: 'allowed', cbpii: not_eligible, decide: 'allowed' });
  });

  it('only the services for which the user is configured', async () => {
    const outcomes = await outcomesAfter((bank) => {
      bank.users = [bankUser({ configured_services: ['cbpii'] })];
    });
    assert.deepEqual(outcomes, { aisp: not_eligible, cbpii: 'allowed', decide: 'not_eligible' });
  });

  it('direct debits only when the user may view mandates', async () => {
    const world = new ConsentWorld();
    const granted = await world.grantAccess();
    world.bank.direct_debits = [directDebit(1, 1)];
    const mandates = (number: string | null) =>
      world.read((tx) => readDirectDebits(tx, world.ports, callOf(granted), number, first_page));
    assert.equal((await mandates(null)).Data.DirectDebit?.length, 1);
    world.bank.users = [bankUser({ may_view_direct_debits: false })];
    for (const number of [null, '1000000001']) assert.deepEqual(await problemsOf(mandates(number)), not_eligible);
    const { Data } = await world.read((tx) => readAccounts(tx, world.ports, callOf(granted), null, first_page));
    assert.equal(Data.Account?.length, 2, 'other reads are allowed');
  });

  it('an account only when the user may view it: a list leaves it out, a read of it is refused', async () => {
    const world = new ConsentWorld();
    const granted = await world.grantAccess();
    const accounts = (number: string | null) =>
      world.read((tx) => readAccounts(tx, world.ports, callOf(granted), number, first_page));
    world.bank.users = [bankUser({ viewable_accounts: ['ceid2000000001'] })];
    const { Data } = await accounts(null);
    assert.deepEqual(
      Data.Account?.map((account) => (account as { AccountId: string }).AccountId),
      ['ceid2000000001'],
    );
    assert.deepEqual(await problemsOf(accounts('1000000001')), not_eligible);
  });

  it('no account of another company, even one that the bank lists as viewable', async () => {
    const world = new ConsentWorld();
    const granted = await world.grantAccess();
    world.bank.accounts = [bankAccount(1, '1000000001', { company_id: 2 }), bankAccount(2, 'ceid2000000001')];
    const accounts = (number: string | null) =>
      world.read((tx) => readAccounts(tx, world.ports, callOf(granted), number, first_page));
    assert.equal((await accounts(null)).Data.Account?.length, 1);
    assert.deepEqual(await problemsOf(accounts('1000000001')), not_eligible);
  });
});

describe('the conditions', () => {
  it('are examined in a fixed order, the company first', () => {
    const company = bankCompany({ is_active: false, eligible_services: [], is_configured: false });
    const user = bankUser({ status: 'locked', eligible_services: [], configured_services: [] });
    let facts: AccessFacts = { service: 'aisp', company, user };
    const failing = [failedCondition(facts)];
    const healCompany = (step: Partial<BankCompany>) => ({ ...facts, company: { ...facts.company!, ...step } });
    const healUser = (step: Partial<BankUser>) => ({ ...facts, user: { ...facts.user, ...step } });
    for (const heal of [
      () => healCompany({ is_active: true }),
      () => healCompany({ eligible_services: ['aisp'] }),
      () => healCompany({ is_configured: true }),
      () => healUser({ status: 'active' }),
      () => healUser({ eligible_services: ['aisp'] }),
      () => healUser({ configured_services: ['aisp'] }),
    ]) {
      facts = heal();
      failing.push(failedCondition(facts));
    }
    assert.deepEqual(failing, [
      'company_is_active',
      'company_is_eligible',
      'company_is_configured',
      'user_may_log_in',
      'user_is_eligible',
      'user_is_configured',
      null,
    ]);
  });

  it('come after the permissions, and before the account', async () => {
    const world = new ConsentWorld();
    const granted = await world.grantAccess({ Permissions: ['ReadAccountsBasic'] });
    world.bank.users = [bankUser({ status: 'frozen' })];
    const mandates = world.read((tx) => readDirectDebits(tx, world.ports, callOf(granted), 'unknown', first_page));
    assert.deepEqual(await problemsOf(mandates), ['denied', 'Tallystick.Permission.Missing']);
    const account = world.read((tx) => readAccounts(tx, world.ports, callOf(granted), 'unknown', first_page));
    assert.deepEqual(await problemsOf(account), not_eligible);
  });
});
