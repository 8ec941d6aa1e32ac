import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Permission,
  readAccounts,
  readBalances,
  readDirectDebits,
  readScheduledPayments,
  readStandingOrders,
  readTransactions,
} from '@tallystick/consents';
import { ConsentWorld, callOf, problemsOf } from '../consent-world.ts';

const page = { cursor: undefined };
const account = '1000000001';

type Read = (world: ConsentWorld, call: ReturnType<typeof callOf>) => Promise<unknown>;

const reads: Readonly<Record<string, Read>> = {
  accounts: (world, call) => world.read((tx) => readAccounts(tx, world.ports, call, null, page)),
  balances: (world, call) => world.read((tx) => readBalances(tx, world.ports, call, account)),
  transactions: (world, call) =>
    world.read((tx) => readTransactions(tx, world.ports, call, account, { from: undefined, to: undefined }, page)),
  direct_debits: (world, call) => world.read((tx) => readDirectDebits(tx, world.ports, call, null, page)),
  standing_orders: (world, call) => world.read((tx) => readStandingOrders(tx, world.ports, call, null, page)),
  scheduled_payments: (world, call) => world.read((tx) => readScheduledPayments(tx, world.ports, call, null, page)),
};

/**
 * Which of the reads a consent with exactly these permissions allows. It is stored as it is: some
 * such consents cannot be created.
 */
async function allowedWith(...granted: readonly Permission[]): Promise<readonly string[]> {
  const world = new ConsentWorld();
  const consent = await world.grantAccess();
  await world.run((tx) => tx.consents.update({ ...consent, permissions: granted }));
  const allowed: string[] = [];
  for (const [name, read] of Object.entries(reads)) {
    const [outcome] = await Promise.allSettled([read(world, callOf(consent))]);
    if (outcome.status === 'fulfilled') allowed.push(name);
    else assert.deepEqual(await problemsOf(read(world, callOf(consent))), ['denied', 'Tallystick.Permission.Missing']);
  }
  return allowed;
}

describe('the permissions that a read needs', () => {
  it('rule 1: ReadAccountsBasic or ReadAccountsDetail for every resource', async () => {
    const all_others: readonly Permission[] = [
      'ReadBalances',
      'ReadTransactionsBasic',
      'ReadTransactionsDetail',
      'ReadTransactionsCredits',
      'ReadTransactionsDebits',
      'ReadDirectDebits',
      'ReadStandingOrdersBasic',
      'ReadStandingOrdersDetail',
      'ReadScheduledPaymentsBasic',
      'ReadScheduledPaymentsDetail',
    ];
    assert.deepEqual(await allowedWith(...all_others), []);
    for (const accounts of ['ReadAccountsBasic', 'ReadAccountsDetail'] as const) {
      assert.deepEqual(await allowedWith(accounts, ...all_others), Object.keys(reads));
    }
  });

  it('rule 2: accounts need nothing else', async () => {
    assert.deepEqual(await allowedWith('ReadAccountsBasic'), ['accounts']);
    assert.deepEqual(await allowedWith('ReadAccountsDetail'), ['accounts']);
  });

  it('rule 3: balances need ReadBalances', async () => {
    assert.deepEqual(await allowedWith('ReadAccountsBasic', 'ReadBalances'), ['accounts', 'balances']);
  });

  for (const kind of ['ReadTransactionsBasic', 'ReadTransactionsDetail'] as const) {
    it(`rule 4: transactions need ${kind} with both Credits and Debits`, async () => {
      const [credits, debits] = ['ReadTransactionsCredits', 'ReadTransactionsDebits'] as const;
      assert.deepEqual(await allowedWith('ReadAccountsBasic', kind, credits, debits), ['accounts', 'transactions']);
      for (const too_few of [[kind], [kind, credits], [kind, debits], [credits, debits]]) {
        assert.deepEqual(await allowedWith('ReadAccountsBasic', ...too_few), ['accounts'], String(too_few));
      }
    });
  }

  it('rule 5: direct debits need ReadDirectDebits', async () => {
    assert.deepEqual(await allowedWith('ReadAccountsBasic', 'ReadDirectDebits'), ['accounts', 'direct_debits']);
  });

  for (const kind of ['ReadStandingOrdersBasic', 'ReadStandingOrdersDetail'] as const) {
    it(`rule 6: standing orders need ${kind}, or its sibling`, async () => {
      assert.deepEqual(await allowedWith('ReadAccountsDetail', kind), ['accounts', 'standing_orders']);
    });
  }

  for (const kind of ['ReadScheduledPaymentsBasic', 'ReadScheduledPaymentsDetail'] as const) {
    it(`rule 7: scheduled payments need ${kind}, or its sibling`, async () => {
      assert.deepEqual(await allowedWith('ReadAccountsDetail', kind), ['accounts', 'scheduled_payments']);
    });
  }
});

describe('the consent that a read needs', () => {
  const not_granted = ['denied', 'Tallystick.Consent.NotGranted'];

  for (const [name, read] of Object.entries(reads)) {
    it(`${name}: known, of this third party, this user and this kind, authorised`, async () => {
      const world = new ConsentWorld();
      const granted = await world.grantAccess();
      await read(world, callOf(granted));
      const cases = [
        callOf({ consent_id: 'aac-none' }),
        callOf(granted, { client_id: 'other' }),
        callOf(granted, { user_id: 'ben' }),
        callOf(await world.grantFunds()),
        callOf(await world.requestAccess()),
      ];
      for (const call of cases) assert.deepEqual(await problemsOf(read(world, call)), not_granted);
    });

    it(`${name}: not expired, else the token is worth nothing`, async () => {
      const world = new ConsentWorld();
      const granted = await world.grantAccess({ ExpirationDateTime: '2026-05-20T12:00:01Z' });
      const at = (now_ms: number) => read(world, callOf(granted, { now_ms }));
      await at(granted.expires_at_ms! - 1);
      assert.equal((await problemsOf(at(granted.expires_at_ms!)))[0], 'unauthenticated');
    });
  }

  it('an account that is unknown and one that is not granted are refused alike', async () => {
    const world = new ConsentWorld();
    const granted = await world.grantAccess({}, ['1000000001']);
    const refusals = new Set<string>();
    for (const number of ['ceid2000000001', '9999999999', '', '%', 'x'.repeat(1_000)]) {
      for (const work of [
        world.read((tx) => readAccounts(tx, world.ports, callOf(granted), number, page)),
        world.read((tx) => readBalances(tx, world.ports, callOf(granted), number)),
        world.read((tx) => readStandingOrders(tx, world.ports, callOf(granted), number, page)),
      ]) {
        const [outcome] = await Promise.allSettled([work]);
        assert(outcome.status === 'rejected');
        refusals.add(JSON.stringify([outcome.reason.kind, outcome.reason.problems]));
      }
    }
    assert.deepEqual(
      [...refusals],
      [
        JSON.stringify([
          'denied',
          [{ code: 'Tallystick.Consent.NotGranted', message: 'the user has not granted this' }],
        ]),
      ],
    );
    // The account was closed at the bank after it was granted.
    world.bank.accounts = [];
    const gone = world.read((tx) => readAccounts(tx, world.ports, callOf(granted), '1000000001', page));
    assert.deepEqual(await problemsOf(gone), not_granted);
  });
});
