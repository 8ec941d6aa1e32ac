import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { confirmFunds, withdrawConsent } from '@tallystick/consents';
import { money } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { accountBalance, bankAccount, bankUser } from '../bank-world.ts';
import { ConsentWorld, callOf, decision_call, problemsOf } from '../consent-world.ts';

async function opened(balance: { readonly available?: number; readonly credit_line?: number | null } = {}) {
  const world = new ConsentWorld();
  const consent = await world.grantFunds();
  const { available = 10_000, credit_line = null } = balance;
  const line = credit_line === null ? null : money(credit_line);
  world.bank.balances = [accountBalance(1, { booked: money(-1), available: money(available), credit_line: line })];
  const ask = (data: object = {}, call = callOf(consent)) => {
    const InstructedAmount = { Amount: '100.00', Currency: 'USD' };
    const Data = { ConsentId: consent.consent_id, Reference: 'Purchase 01', InstructedAmount, ...data };
    return world.read((tx) => confirmFunds(tx, world.ports, call, { Data }));
  };
  const isAvailable = async (Amount: string, Currency = 'USD') =>
    (await ask({ InstructedAmount: { Amount, Currency } })).FundsAvailable;
  return { world, consent, ask, isAvailable };
}

const at = 'Data.InstructedAmount';

describe('a confirmation of funds', () => {
  it('answers with what was asked', async () => {
    const { consent, ask } = await opened();
    const { FundsConfirmationId, ...answer } = await ask();
    assert.deepEqual(answer, {
      ConsentId: consent.consent_id,
      CreationDateTime: '2026-05-20T12:00:00.000Z',
      FundsAvailable: true,
      Reference: 'Purchase 01',
      InstructedAmount: { Amount: '100.00', Currency: 'USD' },
    });
    assert.match(String(FundsConfirmationId), /^fc-[A-Za-z0-9_-]{32}$/);
    assert.notEqual((await ask()).FundsConfirmationId, FundsConfirmationId);
  });

  it('is positive when the amount is just available', async () => {
    const { isAvailable } = await opened({ available: 10_000 });
    assert.deepEqual([await isAvailable('100.00'), await isAvailable('100.01')], [true, false]);
    assert.deepEqual([await isAvailable('0'), await isAvailable('9999999999999.99')], [true, false]);
  });

  it('counts the credit line, also against a debt', async () => {
    const { isAvailable } = await opened({ available: -5_000, credit_line: 10_000 });
    assert.deepEqual([await isAvailable('50'), await isAvailable('50.01')], [true, false]);
    const debt = await opened({ available: -5_000 });
    assert.equal(await debt.isAvailable('0.00'), false);
  });

  it('compares exactly in every currency', async () => {
    for (const [currency, decimals] of [
      ['USD', 2],
      ['JPY', 0],
      ['BHD', 3],
    ] as const) {
      const amounts = fc.integer({ min: 0, max: 10 ** 12 });
      const { world, isAvailable } = await opened();
      world.bank.accounts[0] = bankAccount(1, '1000000001', { currency });
      await fc.assert(
        fc.asyncProperty(amounts, amounts, fc.integer({ min: -1, max: 1 }), async (any, wanted, step) => {
          const available = step === 0 ? any : Math.max(0, wanted + step);
          world.bank.balances = [accountBalance(1, { available: money(available) })];
          const digits = String(wanted).padStart(decimals + 1, '0');
          const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
          assert.equal(await isAvailable(text, currency), available >= wanted, `${available} ${text}`);
        }),
        propertyParameters({ short: 50, full: 150 }),
      );
    }
  });

  it('refuses another consent than that of the token', async () => {
    const { world, ask } = await opened();
    const other = await world.grantFunds();
    for (const ConsentId of [other.consent_id, 'fcc-none']) {
      assert.deepEqual(await problemsOf(ask({ ConsentId })), [
        'invalid',
        'UK.OBIE.Resource.ConsentMismatch Data.ConsentId',
      ]);
    }
  });

  it('refuses another currency than that of the account, and what is no currency', async () => {
    const { ask } = await opened();
    const inCurrency = (Currency: unknown) => problemsOf(ask({ InstructedAmount: { Amount: '1', Currency } }));
    assert.deepEqual(await inCurrency('EUR'), ['invalid', `UK.OBIE.Unsupported.Currency ${at}.Currency`]);
    for (const wrong of ['usd', 'US', 'XYQ', '', 7, null]) {
      assert.deepEqual(await inCurrency(wrong), ['invalid', `UK.OBIE.Field.Invalid ${at}.Currency`], String(wrong));
    }
  });

  it('refuses an amount that the standard or the currency does not allow', async () => {
    const { world, ask, isAvailable } = await opened();
    const wrong = [
      '',
      '-1',
      '+1',
      '1.',
      '.5',
      '1,00',
      '1e3',
      '12345678901234',
      '1.234567',
      ' 1',
      '١',
      1,
      null,
      '100.001',
      '1.999',
    ];
    for (const Amount of wrong) {
      const problems = await problemsOf(ask({ InstructedAmount: { Amount, Currency: 'USD' } }));
      assert.deepEqual(problems, ['invalid', `UK.OBIE.Field.Invalid ${at}.Amount`], String(Amount));
    }
    // Zeros say nothing.
    assert.equal(await isAvailable('100.00000'), true);
    world.bank.accounts[0] = bankAccount(1, '1000000001', { currency: 'JPY' });
    assert.equal(await isAvailable('100.0', 'JPY'), true);
    const fraction = ask({ InstructedAmount: { Amount: '1.5', Currency: 'JPY' } });
    assert.deepEqual(await problemsOf(fraction), ['invalid', `UK.OBIE.Field.Invalid ${at}.Amount`]);
  });

  it('refuses a wrong body with every problem', async () => {
    const { world, consent, ask } = await opened();
    const post = (body: unknown) =>
      problemsOf(world.read((tx) => confirmFunds(tx, world.ports, callOf(consent), body)));
    assert.deepEqual(await post([]), ['invalid', 'UK.OBIE.Resource.InvalidFormat']);
    assert.deepEqual(await post({ Risk: {} }), [
      'invalid',
      'UK.OBIE.Field.Unexpected Risk',
      'UK.OBIE.Field.Missing Data',
    ]);
    assert.deepEqual(await post({ Data: { InstructedAmount: { Unit: 1 }, Other: 1 } }), [
      'invalid',
      'UK.OBIE.Field.Unexpected Data.Other',
      'UK.OBIE.Field.Missing Data.ConsentId',
      'UK.OBIE.Field.Missing Data.Reference',
      `UK.OBIE.Field.Unexpected ${at}.Unit`,
      `UK.OBIE.Field.Missing ${at}.Amount`,
      `UK.OBIE.Field.Missing ${at}.Currency`,
    ]);
    for (const Reference of ['', 'x'.repeat(36), 'a\0', '\ud800', 7, null]) {
      assert.deepEqual(await problemsOf(ask({ Reference })), ['invalid', 'UK.OBIE.Field.Invalid Data.Reference']);
    }
    await ask({ Reference: '😀'.repeat(35) });
  });

  it('refuses a consent that is not in force', async () => {
    const { world, consent, ask } = await opened();
    await world.run((tx) => withdrawConsent(tx, decision_call, { consent_id: consent.consent_id }));
    assert.deepEqual(await problemsOf(ask()), ['invalid', 'UK.OBIE.Resource.InvalidConsentStatus Data.Status']);
  });

  it('refuses a consent that is expired, unknown, another party’s, or of account access', async () => {
    const { world, consent, ask } = await opened();
    const not_granted = ['denied', 'Tallystick.Consent.NotGranted'];
    for (const call of [
      callOf({ consent_id: 'fcc-none' }),
      callOf(consent, { client_id: 'other' }),
      callOf(consent, { user_id: 'ben' }),
      callOf(await world.grantAccess()),
    ]) {
      assert.deepEqual(await problemsOf(ask({}, call)), not_granted);
    }
    const expiring = await world.grantFunds({ ExpirationDateTime: '2026-05-20T12:00:01Z' });
    const late = callOf(expiring, { now_ms: expiring.expires_at_ms! });
    assert.equal((await problemsOf(ask({ ConsentId: expiring.consent_id }, late)))[0], 'unauthenticated');
  });

  it('refuses an account that the user may no longer view, or that is gone', async () => {
    const { world, ask } = await opened();
    world.bank.users = [bankUser({ viewable_accounts: ['ceid2000000001'] })];
    assert.deepEqual(await problemsOf(ask()), ['denied', 'Tallystick.Access.NotEligible']);
    world.bank.accounts = [];
    assert.deepEqual(await problemsOf(ask()), ['denied', 'Tallystick.Consent.NotGranted']);
  });
});
