import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  authoriseConsent,
  type Consent,
  deleteConsent,
  findDecidable,
  readConsent,
  rejectConsent,
  withdrawConsent,
} from '@tallystick/consents';
import { accountProfile, bankAccount, bankUser, now_ms } from '../bank-world.ts';
import { ConsentWorld, codeOf, decision_call, problemsOf, third_party_call, user_id } from '../consent-world.ts';

const later = { ...decision_call, now_ms: now_ms + 1_000 };
const both = ['1000000001', 'ceid2000000001'];

function decidable(world: ConsentWorld, { consent_id }: Consent, changes: object = {}) {
  const wanted = { consent_id, client_id: third_party_call.client_id, user_id, now_ms, ...changes };
  return world.read((tx) => findDecidable(tx, world.ports, wanted));
}

async function reasonOf(world: ConsentWorld, consent: Consent, changes: object = {}) {
  const found = await decidable(world, consent, changes);
  return found.kind === 'undecidable' ? found.reason : found.kind;
}

function authorise(world: ConsentWorld, { consent_id }: Consent, changes: object = {}, call = decision_call) {
  const decision = { consent_id, user_id, account_numbers: both, ...changes };
  return world.run((tx) => authoriseConsent(tx, world.ports, call, decision));
}

function reject(world: ConsentWorld, { consent_id }: Consent, changes: object = {}) {
  return world.run((tx) => rejectConsent(tx, later, { consent_id, user_id, ...changes }));
}

function withdraw(world: ConsentWorld, { consent_id }: Consent, changes: object = {}, call = later) {
  return world.run((tx) => withdrawConsent(tx, call, { consent_id, ...changes }));
}

function remove(world: ConsentWorld, { kind, consent_id }: Consent, changes: object = {}) {
  return world.run((tx) => deleteConsent(tx, { ...third_party_call, ...changes }, kind, consent_id));
}

function read(world: ConsentWorld, { kind, consent_id }: Consent, changes: object = {}) {
  return world.read((tx) => readConsent(tx, { ...third_party_call, ...changes }, kind, consent_id));
}

/** Stores a token of the consent, and returns whether it is still there. */
async function withToken(world: ConsentWorld, { consent_id }: Consent): Promise<() => Promise<boolean>> {
  const record = {
    model: 'AccessToken',
    id_hash: `hash of ${consent_id}`,
    payload_sealed: new Uint8Array([1]),
    client_id: third_party_call.client_id,
    consent_id,
    user_id,
    grant_id: null,

    expires_at_ms: null,
    ends_by: 'service' as const,
    consumed_at_ms: null,
  };
  await world.run((tx) => tx.authorisation.put(record));
  return () => world.read(async (tx) => (await tx.authorisation.find(record.model, record.id_hash)) !== null);
}

describe('what a user can decide', () => {
  it('is every account that the user may view, by rising number', async () => {
    const world = new ConsentWorld();
    const consent = await world.requestAccess();
    const found = await decidable(world, consent);
    assert(found.kind === 'decidable');
    assert.deepEqual(
      found.accounts.map(({ number }) => number),
      both,
    );
    assert.equal(found.may_choose, true);
    assert.deepEqual([found.consent, found.user], [consent, world.bank.users[0]]);
  });

  it('is nothing of a consent that is unknown, deleted, another party’s, expired, or decided otherwise', async () => {
    const world = new ConsentWorld();
    const [open, deleted, rejected, expiring] = [
      await world.requestAccess(),
      await world.requestAccess(),
      await world.requestAccess(),
      await world.requestAccess({ ExpirationDateTime: '2026-05-20T12:00:01Z' }),
    ];
    await remove(world, deleted);
    await reject(world, rejected);
    assert.equal(await reasonOf(world, { ...open, consent_id: 'aac-none' }), 'not_awaiting');
    assert.equal(await reasonOf(world, open, { client_id: 'other' }), 'not_awaiting');
    for (const consent of [deleted, rejected]) assert.equal(await reasonOf(world, consent), 'not_awaiting');
    assert.equal(await reasonOf(world, expiring), 'decidable');
    assert.equal(await reasonOf(world, expiring, { now_ms: now_ms + 1_000 }), 'not_awaiting');
  });

  it('is the named account only, when the user may view it', async () => {
    const world = new ConsentWorld();
    const found = await decidable(world, await world.requestFunds());
    assert(found.kind === 'decidable');
    assert.deepEqual([found.accounts.map(({ number }) => number), found.may_choose], [['1000000001'], false]);
    const named = (Identification: string) => ({
      DebtorAccount: { SchemeName: 'Tallystick.AccountNumber', Identification },
    });
    world.bank.accounts.push(bankAccount(3, '1000000009'));
    for (const number of ['9999999999', '1000000009']) {
      assert.equal(await reasonOf(world, await world.requestFunds(named(number))), 'no_account', number);
    }
  });

  it('is an account by the scheme of its profile, unless its secondary identification differs', async () => {
    const world = new ConsentWorld();
    const iban = { SchemeName: 'UK.OBIE.IBAN', Identification: 'GB82WEST12345698765432' };
    const profile = accountProfile(1, { scheme_name: iban.SchemeName, identification: iban.Identification });
    const withSecondary = (secondary_identification: string | null) => {
      world.bank.accounts[0] = bankAccount(1, '1000000001', { profile: { ...profile, secondary_identification } });
    };
    const consent = await world.requestFunds({ DebtorAccount: { ...iban, SecondaryIdentification: '0002' } });
    for (const [known, reason] of [
      ['0002', 'decidable'],
      ['0003', 'no_account'],
      [null, 'decidable'],
    ] as const) {
      withSecondary(known);
      assert.equal(await reasonOf(world, consent), reason, String(known));
    }
  });

  it('is nothing for text that is no id of a user: the bank is not asked', async () => {
    const world = new ConsentWorld();
    const consent = await world.requestAccess();
    world.bank.calls = 0;
    for (const wrong of ['', 'a b', 'a\0b', '\ud800', 'x'.repeat(65)]) {
      assert.equal(await reasonOf(world, consent, { user_id: wrong }), 'not_eligible', wrong);
    }
    assert.equal(world.bank.calls, 0);
  });

  it('is nothing of a consent that another user authorised, or without an account to view', async () => {
    const world = new ConsentWorld();
    const granted = await world.grantAccess();
    world.bank.users.push(bankUser({ user_id: 'ben' }));
    assert.equal(await reasonOf(world, granted, { user_id: 'ben' }), 'other_user');
    world.bank.users = [bankUser({ viewable_accounts: [] })];
    for (const consent of [granted, await world.requestAccess()]) {
      assert.equal(await reasonOf(world, consent), 'no_account');
    }
  });
});

describe('an authorisation', () => {
  it('grants the chosen accounts, once each and by rising number, and is audited', async () => {
    const world = new ConsentWorld();
    const consent = await world.requestAccess();
    const authorised = await authorise(
      world,
      consent,
      { account_numbers: ['ceid2000000001', '1000000001', 'ceid2000000001'] },
      later,
    );
    assert.deepEqual(authorised, {
      ...consent,
      status: 'Authorised',
      status_updated_at_ms: later.now_ms,
      user_id,
      company_id: 1,
      account_numbers: both,
      authorised_at_ms: later.now_ms,
    });
    assert.deepEqual(await read(world, consent), authorised);
    assert.deepEqual(await world.audited(), ['consent.authorised']);
  });

  it('is refused without an account, or with one that the user may not choose', async () => {
    const world = new ConsentWorld();
    world.bank.accounts.push(bankAccount(3, '1000000009'));
    const consent = await world.requestAccess();
    for (const account_numbers of [[], ['1000000001', '1000000009'], ['9999999999']]) {
      assert.equal(await codeOf(authorise(world, consent, { account_numbers })), 'validation_failed');
    }
    const funds = await world.requestFunds();
    assert.equal(await codeOf(authorise(world, funds, { account_numbers: ['ceid2000000001'] })), 'validation_failed');
    assert.equal((await read(world, consent)).status, 'AwaitingAuthorisation');
    assert.deepEqual(await world.audited(), []);
  });

  it('of a funds confirmation grants the named account', async () => {
    const world = new ConsentWorld();
    for (const account_numbers of [[], ['1000000001']]) {
      const authorised = await authorise(world, await world.requestFunds(), { account_numbers });
      assert.deepEqual([authorised.status, authorised.account_numbers], ['Authorised', ['1000000001']]);
    }
  });

  it('is refused for a consent that is not decidable', async () => {
    const world = new ConsentWorld();
    const [rejected, deleted, expiring] = [
      await world.requestAccess(),
      await world.requestAccess(),
      await world.requestAccess({ ExpirationDateTime: '2026-05-20T12:00:01Z' }),
    ];
    await reject(world, rejected);
    await remove(world, deleted);
    for (const consent of [rejected, deleted]) assert.equal(await codeOf(authorise(world, consent)), 'conflict');
    assert.equal(await codeOf(authorise(world, expiring, {}, later)), 'conflict');
    assert.equal(await codeOf(authorise(world, { ...rejected, consent_id: 'aac-none' })), 'not_found');
    world.bank.users = [bankUser({ status: 'frozen' })];
    assert.equal(await codeOf(authorise(world, await world.requestAccess())), 'conflict');
  });

  it('is repeated by the same user: the accounts and the status stay', async () => {
    const world = new ConsentWorld();
    for (const granted of [await world.grantAccess({}, ['1000000001']), await world.grantFunds()]) {
      const again = await authorise(world, granted, { account_numbers: [] }, later);
      assert.deepEqual(again, { ...granted, authorised_at_ms: later.now_ms });
      world.bank.users.push(bankUser({ user_id: 'ben' }));
      assert.equal(await codeOf(authorise(world, granted, { user_id: 'ben' })), 'conflict');
    }
    assert.equal((await world.audited()).at(-1), 'consent.authenticated_again');
  });

  it('that is repeated keeps an account that the user may not view at that time', async () => {
    const world = new ConsentWorld();
    const granted = await world.grantAccess();
    world.bank.users = [bankUser({ viewable_accounts: ['1000000001'] })];
    for (const account_numbers of [[], ['1000000001'], both]) {
      assert.deepEqual((await authorise(world, granted, { account_numbers })).account_numbers, both);
    }
    assert.equal(await codeOf(authorise(world, granted, { account_numbers: ['9'] })), 'validation_failed');
  });

  it('that the sandbox decides ahead is only of a consent that awaits one', async () => {
    const world = new ConsentWorld();
    const consent = await world.requestAccess();
    assert.equal((await authorise(world, consent, { decided_ahead: true })).decided_ahead, true);
    assert.equal(await codeOf(authorise(world, consent, { decided_ahead: true })), 'conflict');
    assert.equal((await authorise(world, consent)).decided_ahead, true);
    assert.equal((await withdraw(world, consent)).decided_ahead, false);
    assert.equal((await authorise(world, consent)).decided_ahead, false);
  });
});

describe('a rejection', () => {
  it('is final and is audited', async () => {
    const world = new ConsentWorld();
    const consent = await world.requestFunds();
    const rejected = await reject(world, consent, { decided_ahead: true });
    const expected = { ...consent, status: 'Rejected', status_updated_at_ms: later.now_ms, decided_ahead: true };
    assert.deepEqual(rejected, expected);
    assert.deepEqual(await read(world, consent), rejected);
    assert.deepEqual(await world.audited(), ['consent.rejected']);
    assert.equal(await codeOf(reject(world, consent)), 'conflict');
  });

  it('is refused for a consent that does not await authorisation', async () => {
    const world = new ConsentWorld();
    const deleted = await world.requestAccess();
    await remove(world, deleted);
    const expiring = await world.requestAccess({ ExpirationDateTime: '2026-05-20T12:00:01Z' });
    for (const consent of [await world.grantAccess(), deleted, expiring]) {
      assert.equal(await codeOf(reject(world, consent)), 'conflict');
    }
    assert.equal(await codeOf(reject(world, { ...deleted, consent_id: 'x' })), 'not_found');
  });
});

describe('a withdrawal', () => {
  it('of account access leaves it Authorised and ends its tokens', async () => {
    const world = new ConsentWorld();
    const granted = await world.grantAccess();
    const other = await world.grantAccess();
    const [hasToken, hasOther] = [await withToken(world, granted), await withToken(world, other)];
    assert.deepEqual(await withdraw(world, granted), { ...granted, withdrawn_at_ms: later.now_ms });
    assert.deepEqual([await hasToken(), await hasOther()], [false, true]);
    assert.equal((await world.audited()).at(-1), 'consent.withdrawn');
  });

  it('of a funds confirmation revokes it for good', async () => {
    const world = new ConsentWorld();
    const granted = await world.grantFunds();
    const hasToken = await withToken(world, granted);
    const withdrawn = await withdraw(world, granted);
    assert.deepEqual([withdrawn.status, withdrawn.status_updated_at_ms], ['Revoked', later.now_ms]);
    assert.equal(await hasToken(), false);
    assert.equal(await codeOf(authorise(world, granted)), 'conflict');
  });

  it('is repeated without an effect', async () => {
    const world = new ConsentWorld();
    for (const granted of [await world.grantAccess(), await world.grantFunds()]) {
      const withdrawn = await withdraw(world, granted);
      const before = await world.audited();
      assert.deepEqual(await withdraw(world, granted, {}, { ...later, now_ms: later.now_ms + 1 }), withdrawn);
      assert.deepEqual(await world.audited(), before);
    }
  });

  it('of account access is undone when the user authenticates again', async () => {
    const world = new ConsentWorld();
    const granted = await world.grantAccess();
    await withdraw(world, granted);
    assert.equal(await reasonOf(world, granted), 'decidable');
    assert.deepEqual(await authorise(world, granted), granted);
  });

  it('is refused for the consent of another user or company, one that is unknown or deleted', async () => {
    const world = new ConsentWorld();
    const granted = await world.grantAccess();
    for (const other of [{ user_id: 'ben' }, { company_id: 2 }, { user_id, company_id: 2 }]) {
      assert.equal(await codeOf(withdraw(world, granted, other)), 'not_found');
    }
    await withdraw(world, granted, { user_id, company_id: 1 });
    await remove(world, granted);
    assert.equal(await codeOf(withdraw(world, granted)), 'not_found');
    assert.equal(await codeOf(withdraw(world, granted, { consent_id: 'none' })), 'not_found');
    assert.equal(await codeOf(withdraw(world, await world.requestAccess(), { user_id })), 'not_found');
  });

  it('is refused for a consent that is not authorised', async () => {
    const world = new ConsentWorld();
    const consent = await world.requestAccess();
    assert.equal(await codeOf(withdraw(world, consent)), 'conflict');
    await reject(world, consent);
    assert.equal(await codeOf(withdraw(world, consent)), 'conflict');
  });

  it('ends no token when its transaction rolls back', async () => {
    const world = new ConsentWorld();
    const granted = await world.grantAccess();
    const hasToken = await withToken(world, granted);
    const work = world.run(async (tx) => {
      await withdrawConsent(tx, later, { consent_id: granted.consent_id });
      throw new RangeError('planned');
    });
    await assert.rejects(work, RangeError);
    assert.equal(await hasToken(), true);
    assert.deepEqual(await read(world, granted), granted);
  });
});

describe('a deletion', () => {
  it('hides the consent from its third party, ends its tokens, and is audited', async () => {
    const world = new ConsentWorld();
    for (const granted of [await world.grantAccess(), await world.grantFunds()]) {
      const hasToken = await withToken(world, granted);
      await remove(world, granted);
      assert.equal(await hasToken(), false);
      const expected = ['invalid', 'UK.OBIE.Resource.NotFound ConsentId'];
      assert.deepEqual(await problemsOf(read(world, granted)), expected);
      assert.deepEqual(await problemsOf(remove(world, granted)), expected);
      assert.equal((await world.audited()).at(-1), 'consent.deleted');
    }
  });

  it('and reading treat an unknown consent, another party’s and one of another kind alike', async () => {
    const world = new ConsentWorld();
    const access = await world.requestAccess();
    const funds = await world.requestFunds();
    const refusals = new Set<string>();
    for (const [consent, changes] of [
      [{ ...access, consent_id: 'aac-none' }, {}],
      [{ ...access, consent_id: '' }, {}],
      [{ ...access, consent_id: 'a\0b' }, {}],
      [{ ...access, consent_id: 'x'.repeat(10_000) }, {}],
      [access, { client_id: 'other' }],
      [{ ...access, consent_id: funds.consent_id }, {}],
      [{ ...funds, consent_id: access.consent_id }, {}],
    ] as const) {
      for (const work of [read(world, consent, changes), remove(world, consent, changes)]) {
        const [outcome] = await Promise.allSettled([work]);
        assert(outcome.status === 'rejected');
        refusals.add(JSON.stringify([outcome.reason.kind, outcome.reason.problems]));
      }
    }
    assert.equal(refusals.size, 1);
    assert.equal((await read(world, access)).status, 'AwaitingAuthorisation');
  });

  it('leaves an expired consent readable before', async () => {
    const world = new ConsentWorld();
    const expiring = await world.requestAccess({ ExpirationDateTime: '2026-05-20T12:00:01Z' });
    assert.deepEqual(await read(world, expiring, { now_ms: now_ms + 10 ** 9 }), expiring);
  });
});
