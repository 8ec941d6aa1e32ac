import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OpenBankingRefusal, type Permission, permissions, unsupported_permissions } from '@tallystick/consents';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { ConsentWorld, problemsOf } from '../consent-world.ts';

async function granted(Permissions: readonly unknown[]): Promise<readonly Permission[]> {
  return (await new ConsentWorld().requestAccess({ Permissions })).permissions;
}

function refused(Permissions: unknown): Promise<readonly string[]> {
  return problemsOf(new ConsentWorld().requestAccess({ Permissions }));
}

/** What the refusal says of each problem. */
async function reasons(Permissions: readonly unknown[]): Promise<readonly string[]> {
  const [outcome] = await Promise.allSettled([new ConsentWorld().requestAccess({ Permissions })]);
  assert(outcome.status === 'rejected' && outcome.reason instanceof OpenBankingRefusal);
  return outcome.reason.problems.map(({ message }) => message);
}

const of_the_list = ['invalid', 'UK.OBIE.Field.Invalid Data.Permissions'];

describe('the permissions of a new consent', () => {
  it('are refused when there is none', async () => {
    assert.deepEqual(await refused([]), of_the_list);
  });

  it('are refused when one is unknown, by its place', async () => {
    assert.deepEqual(await refused(['ReadAccountsBasic', 'readbalances', 7, null, 'ReadBalances ', 'toString']), [
      'invalid',
      'UK.OBIE.Field.Invalid Data.Permissions[1]',
      'UK.OBIE.Field.Invalid Data.Permissions[2]',
      'UK.OBIE.Field.Invalid Data.Permissions[3]',
      'UK.OBIE.Field.Invalid Data.Permissions[4]',
      'UK.OBIE.Field.Invalid Data.Permissions[5]',
    ]);
  });

  for (const unsupported of unsupported_permissions) {
    it(`are refused with ${unsupported}, which is not supported`, async () => {
      const expected = ['invalid', 'UK.OBIE.Field.Invalid Data.Permissions[1]'];
      assert.deepEqual(await refused(['ReadAccountsBasic', unsupported]), expected);
    });
  }

  it('are refused with the reason: none, not supported, or unknown, with those that are known', async () => {
    assert.deepEqual(await reasons([]), ['Data.Permissions must name at least one permission']);
    const [unsupported] = unsupported_permissions;
    const known = permissions.join(', ');
    assert.deepEqual(await reasons([unsupported, 'ReadBalance', 7, '\ud800']), [
      `Data.Permissions[0] is "${unsupported}", which this service does not support`,
      `Data.Permissions[1] must be one of ${known}, not "ReadBalance"`,
      `Data.Permissions[2] must be one of ${known}, not 7`,
      `Data.Permissions[3] must be one of ${known}, not "\ufffd"`,
    ]);
  });

  it('are refused without ReadAccountsBasic and ReadAccountsDetail', async () => {
    assert.deepEqual(await refused(['ReadBalances', 'ReadDirectDebits']), of_the_list);
    assert.deepEqual(await granted(['ReadAccountsBasic']), ['ReadAccountsBasic']);
    assert.deepEqual(await granted(['ReadAccountsDetail']), ['ReadAccountsDetail']);
  });

  for (const kind of ['ReadTransactionsBasic', 'ReadTransactionsDetail']) {
    it(`are refused with ${kind} without both Credits and Debits`, async () => {
      for (const sides of [[], ['ReadTransactionsCredits'], ['ReadTransactionsDebits']]) {
        assert.deepEqual(await refused(['ReadAccountsBasic', kind, ...sides]), of_the_list, String(sides));
      }
      const both = ['ReadAccountsBasic', kind, 'ReadTransactionsDebits', 'ReadTransactionsCredits'];
      assert.deepEqual(await granted(both), both);
    });
  }

  it('are refused with Credits or Debits without Basic and Detail of transactions', async () => {
    for (const sides of [
      ['ReadTransactionsCredits'],
      ['ReadTransactionsDebits'],
      ['ReadTransactionsCredits', 'ReadTransactionsDebits'],
    ]) {
      assert.deepEqual(await refused(['ReadAccountsBasic', ...sides]), of_the_list, String(sides));
    }
  });

  it('take ReadTransactionBasic as ReadTransactionsBasic', async () => {
    const asked = ['ReadAccountsBasic', 'ReadTransactionBasic', 'ReadTransactionsCredits', 'ReadTransactionsDebits'];
    const expected = [
      'ReadAccountsBasic',
      'ReadTransactionsBasic',
      'ReadTransactionsCredits',
      'ReadTransactionsDebits',
    ];
    assert.deepEqual(await granted(asked), expected);
    assert.deepEqual(await granted([...asked, 'ReadTransactionsBasic']), expected);
  });

  it('are kept as asked, each once: Detail adds no Basic', async () => {
    assert.deepEqual(await granted(['ReadBalances', 'ReadAccountsDetail', 'ReadBalances']), [
      'ReadBalances',
      'ReadAccountsDetail',
    ]);
  });

  it('are refused when they are no array, null, missing, or more than 100', async () => {
    for (const wrong of ['ReadAccountsBasic', {}, null, 7]) assert.deepEqual(await refused(wrong), of_the_list);
    assert.deepEqual(await refused(Array(101).fill('ReadAccountsBasic')), of_the_list);
    const missing = ['invalid', 'UK.OBIE.Field.Missing Data.Permissions'];
    assert.deepEqual(await problemsOf(new ConsentWorld().postAccess({ Data: {}, Risk: {} })), missing);
  });

  it('are granted exactly when they keep every rule', async () => {
    const world = new ConsentWorld();
    await fc.assert(
      fc.asyncProperty(fc.subarray([...permissions]), async (asked) => {
        const has = (name: Permission) => asked.includes(name);
        const accounts = has('ReadAccountsBasic') || has('ReadAccountsDetail');
        const kinds = has('ReadTransactionsBasic') || has('ReadTransactionsDetail');
        const sides = [has('ReadTransactionsCredits'), has('ReadTransactionsDebits')];
        const is_sound = accounts && (kinds ? sides.every(Boolean) : !sides.some(Boolean));
        const [outcome] = await Promise.allSettled([world.requestAccess({ Permissions: asked })]);
        assert.equal(outcome.status === 'fulfilled', is_sound);
        if (outcome.status === 'fulfilled') assert.deepEqual(outcome.value.permissions, asked);
      }),
      propertyParameters({ short: 100, full: 300 }),
    );
  });
});
