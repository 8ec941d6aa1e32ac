import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { presentConsent, readConsent } from '@tallystick/consents';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { now_ms } from '../bank-world.ts';
import { all_permissions, ConsentWorld, problemsOf, third_party_call } from '../consent-world.ts';

const world = new ConsentWorld();
const sound = { Data: { Permissions: ['ReadAccountsBasic'] }, Risk: {} };

describe('a new account-access consent', () => {
  it('awaits authorisation and is shown as it was asked for', async () => {
    const consent = await world.requestAccess({
      ExpirationDateTime: '2026-06-01T10:43:07.123+02:00',
      TransactionFromDateTime: '2025-01-01T00:00:00Z',
      TransactionToDateTime: '2027-01-01T00:00:00-05:00',
    });
    const found = await world.read((tx) => readConsent(tx, third_party_call, 'account_access', consent.consent_id));
    assert.deepEqual(found, consent);
    assert.deepEqual(presentConsent(found), {
      ConsentId: consent.consent_id,
      CreationDateTime: '2026-05-20T12:00:00.000Z',
      Status: 'AwaitingAuthorisation',
      StatusUpdateDateTime: '2026-05-20T12:00:00.000Z',
      Permissions: all_permissions,
      ExpirationDateTime: '2026-06-01T10:43:07.123+02:00',
      TransactionFromDateTime: '2025-01-01T00:00:00Z',
      TransactionToDateTime: '2027-01-01T00:00:00-05:00',
    });
    assert.equal(found.expires_at_ms, Date.UTC(2026, 5, 1, 8, 43, 7, 123));
  });

  it('shows no date that was not sent', async () => {
    const names = Object.keys(presentConsent(await world.requestAccess()));
    assert.deepEqual(names, ['ConsentId', 'CreationDateTime', 'Status', 'StatusUpdateDateTime', 'Permissions']);
  });

  it('has a ConsentId that cannot be guessed, for a URL as it is', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, async () => (await world.requestAccess()).consent_id));
    assert.equal(new Set(ids).size, 50);
    for (const id of ids) assert.match(id, /^aac-[A-Za-z0-9_-]{32}$/);
    // Each of the 32 places varies: 192 bits.
    for (let at = 4; at < 36; at += 1) assert(new Set(ids.map((id) => id[at])).size > 10, `place ${at}`);
  });

  it('is refused as InvalidFormat when the body is no object', async () => {
    for (const body of [null, [], 'text', 7, true, undefined]) {
      assert.deepEqual(await problemsOf(world.postAccess(body)), ['invalid', 'UK.OBIE.Resource.InvalidFormat']);
    }
  });

  it('needs Data and Risk', async () => {
    assert.deepEqual(await problemsOf(world.postAccess({})), [
      'invalid',
      'UK.OBIE.Field.Missing Data',
      'UK.OBIE.Field.Missing Risk',
    ]);
    assert.deepEqual(await problemsOf(world.postAccess({ Data: [], Risk: null })), [
      'invalid',
      'UK.OBIE.Field.Invalid Data',
      'UK.OBIE.Field.Invalid Risk',
    ]);
  });

  it('refuses members that the standard does not name, also in Risk', async () => {
    const Data = { ...sound.Data, Permission: [], 'a b': 1 };
    assert.deepEqual(await problemsOf(world.postAccess({ Data, Risk: { Score: 1 }, Links: {} })), [
      'invalid',
      'UK.OBIE.Field.Unexpected Links',
      'UK.OBIE.Field.Unexpected Data.Permission',
      'UK.OBIE.Field.Unexpected Data.["a b"]',
      'UK.OBIE.Field.Unexpected Risk.Score',
    ]);
    const inherited = JSON.parse('{"Data": {"Permissions": ["ReadAccountsBasic"], "__proto__": {}}, "Risk": {}}');
    const problems = await problemsOf(world.postAccess(inherited));
    assert.deepEqual(problems, ['invalid', 'UK.OBIE.Field.Unexpected Data.__proto__']);
  });

  it('reports all problems at once, at most 100 of them', async () => {
    const Data = { Permissions: ['x'], ExpirationDateTime: 'x', TransactionToDateTime: 7, Other: 1 };
    assert.deepEqual(await problemsOf(world.postAccess({ Data })), [
      'invalid',
      'UK.OBIE.Field.Unexpected Data.Other',
      'UK.OBIE.Field.Invalid Data.Permissions[0]',
      'UK.OBIE.Field.InvalidDate Data.ExpirationDateTime',
      'UK.OBIE.Field.InvalidDate Data.TransactionToDateTime',
      'UK.OBIE.Field.Missing Risk',
    ]);
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`M${at}`, 1]));
    assert.equal((await problemsOf(world.postAccess({ ...many }))).length, 1 + 100);
  });

  it('is refused when it expires in the past or now', async () => {
    const expected = ['invalid', 'UK.OBIE.Field.InvalidDate Data.ExpirationDateTime'];
    for (const ExpirationDateTime of ['2026-05-20T12:00:00Z', '2026-05-20T13:59:59+02:00', '0001-01-01T00:00:00Z']) {
      assert.deepEqual(await problemsOf(world.requestAccess({ ExpirationDateTime })), expected, ExpirationDateTime);
    }
    const { expires_at_ms } = await world.requestAccess({ ExpirationDateTime: '2026-05-20T12:00:00.001' });
    assert.equal(expires_at_ms, now_ms + 1);
  });

  it('is refused when TransactionFromDateTime is after TransactionToDateTime, by their instants', async () => {
    const TransactionToDateTime = '2026-01-01T00:00:00+01:00';
    const from = { TransactionFromDateTime: '2025-12-31T23:00:00.001Z', TransactionToDateTime };
    assert.deepEqual(await problemsOf(world.requestAccess(from)), [
      'invalid',
      'UK.OBIE.Field.InvalidDate Data.TransactionToDateTime',
    ]);
    await world.requestAccess({ TransactionFromDateTime: '2025-12-31T23:00:00Z', TransactionToDateTime });
  });
});

describe('a date and time of a consent', () => {
  it('without a zone is UTC, and is returned with a zone', async () => {
    const consent = await world.requestAccess({ ExpirationDateTime: '2026-06-01T10:43:07' });
    assert.equal(presentConsent(consent).ExpirationDateTime, '2026-06-01T10:43:07Z');
    assert.equal(consent.expires_at_ms, Date.UTC(2026, 5, 1, 10, 43, 7));
  });

  it('is any of RFC 3339, returned as it was sent', async () => {
    for (const text of [
      '2028-02-29T23:59:59Z',
      '2027-01-01T00:00:00+00:00',
      '2027-01-01T00:00:00-00:00',
      '2027-01-01t00:00:00z',
      '2027-01-01T00:00:00.1+23:59',
      '2027-01-01T00:00:00.123456789012Z',
      '9999-12-31T23:59:59Z',
    ]) {
      const consent = await world.requestAccess({ ExpirationDateTime: text, TransactionToDateTime: text });
      assert.equal(consent.expiration_date_time, text);
      assert.equal(consent.transaction_to_date_time, text);
    }
  });

  it('is refused when it does not exist or is another form', async () => {
    for (const text of [
      '',
      '2027-02-29T00:00:00Z',
      '2027-13-01T00:00:00Z',
      '2027-01-01T24:00:00Z',
      '2027-01-01T00:60:00Z',
      '2027-01-01T00:00:60Z',
      '2027-01-01T00:00:00+24:00',
      '2027-01-01T00:00:00+0000',
      '2027-01-01 00:00:00Z',
      '2027-01-01',
      '2027-01-01T00:00Z',
      '20270101T000000Z',
      '2027-01-01T00:00:00Z ',
      '2027-01-01T00:00:00[UTC]',
      '٢٠٢٧-01-01T00:00:00Z',
      `2027-01-01T00:00:00.${'1'.repeat(5_000)}Z`,
      1_800_000_000,
      null,
      {},
    ]) {
      const problems = await problemsOf(world.requestAccess({ TransactionFromDateTime: text }));
      assert.deepEqual(problems, ['invalid', 'UK.OBIE.Field.InvalidDate Data.TransactionFromDateTime'], String(text));
    }
  });
});

describe('a new funds-confirmation consent', () => {
  const iban = { SchemeName: 'UK.OBIE.IBAN', Identification: 'GB82WEST12345698765432' };
  const at = 'Data.DebtorAccount';

  it('awaits authorisation and is shown as it was asked for', async () => {
    const DebtorAccount = { ...iban, Name: 'Ünïcode – é😀', SecondaryIdentification: '0002' };
    const consent = await world.requestFunds({ DebtorAccount, ExpirationDateTime: '2026-06-01T00:00:00Z' });
    assert.deepEqual(presentConsent(consent), {
      ConsentId: consent.consent_id,
      CreationDateTime: '2026-05-20T12:00:00.000Z',
      Status: 'AwaitingAuthorisation',
      StatusUpdateDateTime: '2026-05-20T12:00:00.000Z',
      ExpirationDateTime: '2026-06-01T00:00:00Z',
      DebtorAccount,
    });
    assert.deepEqual(presentConsent(await world.requestFunds({ DebtorAccount: iban })).DebtorAccount, iban);
  });

  it('has no Risk', async () => {
    const problems = await problemsOf(world.postFunds({ Data: { DebtorAccount: iban }, Risk: {} }));
    assert.deepEqual(problems, ['invalid', 'UK.OBIE.Field.Unexpected Risk']);
  });

  it('is created for an account that does not exist', async () => {
    const DebtorAccount = { SchemeName: 'Tallystick.AccountNumber', Identification: '9999999999' };
    assert.equal((await world.requestFunds({ DebtorAccount })).status, 'AwaitingAuthorisation');
  });

  it('needs a DebtorAccount with a scheme and an identification', async () => {
    assert.deepEqual(await problemsOf(world.postFunds({ Data: {} })), ['invalid', `UK.OBIE.Field.Missing ${at}`]);
    assert.deepEqual(await problemsOf(world.requestFunds({ DebtorAccount: {} })), [
      'invalid',
      `UK.OBIE.Field.Missing ${at}.SchemeName`,
      `UK.OBIE.Field.Missing ${at}.Identification`,
    ]);
  });

  it('takes each supported scheme with an identification that fits it', async () => {
    for (const [SchemeName, Identification] of [
      ['UK.OBIE.SortCodeAccountNumber', '11280001234567'],
      ['UK.OBIE.SortCodeAccountNumber', '12345678'],
      ['UK.OBIE.BBAN', 'WEST12345698765432'],
      ['UK.OBIE.IBAN', 'DE89370400440532013000'],
      ['Tallystick.AccountNumber', 'ceid2000000001'],
    ]) {
      const consent = await world.requestFunds({ DebtorAccount: { SchemeName, Identification } });
      assert.equal(consent.debtor_account.identification, Identification);
    }
  });

  for (const scheme of ['UK.OBIE.PAN', 'UK.OBIE.Paym', 'UK.OBIE.Wallet', 'uk.obie.iban', 'constructor']) {
    it(`refuses the scheme ${scheme}`, async () => {
      const DebtorAccount = { SchemeName: scheme, Identification: '5555555555554444' };
      const refusal = await world.requestFunds({ DebtorAccount }).catch((error: Error) => error);
      assert(!JSON.stringify(refusal).includes('5555555555554444'));
      assert.deepEqual(await problemsOf(world.requestFunds({ DebtorAccount })), [
        'invalid',
        `UK.OBIE.Unsupported.Scheme ${at}.SchemeName`,
      ]);
    });
  }

  it('refuses an identification that does not fit its scheme, or that could be a card number', async () => {
    for (const [SchemeName, Identification] of [
      ['UK.OBIE.SortCodeAccountNumber', '1234567'],
      ['UK.OBIE.SortCodeAccountNumber', '1'.repeat(19)],
      ['UK.OBIE.SortCodeAccountNumber', '11-28-00 01234567'],
      ['UK.OBIE.SortCodeAccountNumber', '5555555555554444'],
      ['UK.OBIE.IBAN', 'GB83WEST12345698765432'],
      ['UK.OBIE.IBAN', 'gb82west12345698765432'],
      ['UK.OBIE.IBAN', 'GB82 WEST 1234 5698 7654 32'],
      ['UK.OBIE.BBAN', 'a b'],
      ['UK.OBIE.BBAN', '5555555555554444'],
      ['Tallystick.AccountNumber', 'x'.repeat(35)],
      ['Tallystick.AccountNumber', '5555555555554444'],
    ]) {
      const problems = await problemsOf(world.requestFunds({ DebtorAccount: { SchemeName, Identification } }));
      const expected = ['invalid', `UK.OBIE.Unsupported.AccountIdentifier ${at}.Identification`];
      assert.deepEqual(problems, expected, `${SchemeName} ${Identification}`);
    }
  });

  it('refuses text that is empty, too long, no text, not storable, or contains a card number', async () => {
    const wrong = ['', 'x'.repeat(351), 7, null, 'a\0b', '\ud800', 'my card 5555 5555 5555 4444'];
    for (const Name of wrong) {
      const problems = await problemsOf(world.requestFunds({ DebtorAccount: { ...iban, Name } }));
      assert.deepEqual(problems, ['invalid', `UK.OBIE.Field.Invalid ${at}.Name`], String(Name));
    }
    const secondary = { ...iban, SecondaryIdentification: 'x'.repeat(35), Other: 1 };
    assert.deepEqual(await problemsOf(world.requestFunds({ DebtorAccount: secondary })), [
      'invalid',
      `UK.OBIE.Field.Unexpected ${at}.Other`,
      `UK.OBIE.Field.Invalid ${at}.SecondaryIdentification`,
    ]);
    // 350 characters beyond the basic plane are 700 code units.
    await world.requestFunds({ DebtorAccount: { ...iban, Name: '😀'.repeat(350) } });
  });
});

it('whatever the body is, creating a consent returns one or refuses as the standard says', async () => {
  const keys = fc.constantFrom('Data', 'Risk', 'Permissions', 'DebtorAccount', 'SchemeName', 'Identification', 'Name');
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), fc.string({ unit: 'binary' }), tie('object'), fc.array(tie('any'))),
    object: fc.dictionary(fc.oneof(keys, fc.string({ unit: 'binary' })), tie('any')),
  })).object;
  const parameters = propertyParameters({ short: 200, full: 600 });
  await fc.assert(
    fc.asyncProperty(value, fc.boolean(), async (body, is_access) => {
      const created = is_access ? world.postAccess(body) : world.postFunds(body);
      const [outcome] = await Promise.allSettled([created]);
      if (outcome.status === 'rejected') assert.equal((await problemsOf(created))[0], 'invalid');
    }),
    parameters,
  );
});
