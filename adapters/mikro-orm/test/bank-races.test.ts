import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type BankCaller, putAccountProfile } from '@tallystick/accounts';
import { newAccount } from '@tallystick/harness';
import { Refusal } from '@tallystick/kernel';
import type { Tx } from '../src/index.ts';
import { type Fixture, makeCompany, noon_ms, onEveryDatabase } from './contract/fixture.ts';

const call: BankCaller = { actor: 'bank', request_id: null, now_ms: noon_ms, served_company_id: null };

type Act = (tx: Tx) => Promise<unknown>;

/**
 * Does the acts in transactions of their own. Each has read what it reads before the lock of names
 * when the first one gets the lock. They get it in their order. Returns `done` or the refusal.
 */
async function doAtOnce({ run }: Fixture, acts: readonly Act[]): Promise<readonly string[]> {
  const [is_held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holder = run(async ({ bank }) => {
    await bank.lockNames();
    is_held.resolve();
    await release.promise;
  });
  await is_held.promise;
  const outcomes: Promise<string>[] = [];
  for (const act of acts) {
    const reached = Promise.withResolvers<void>();
    const done = run((tx) => {
      const lockNames = () => {
        const locked = tx.bank.lockNames();
        reached.resolve();
        return locked;
      };
      return act({ ...tx, bank: { ...tx.bank, lockNames } });
    });
    const outcome = done.then(
      () => 'done',
      (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
    );
    outcomes.push(outcome);
    await Promise.race([reached.promise, outcome]);
  }
  release.resolve();
  await holder;
  return await Promise.all(outcomes);
}

onEveryDatabase('bank data that several transactions change at once', (fixture, name) => {
  // On SQLite one transaction writes at a time, so none waits for the lock of names.
  const options = { skip: name === 'sqlite' };
  const makeAccount = (tx: Tx, company_id: number) => tx.accounts.insert(newAccount(company_id));

  it('dates a status from its change, also when each has read the profile before', options, async () => {
    const { number } = await fixture().run(async (tx) => makeAccount(tx, (await makeCompany(tx)).id));
    const put = (status: string, status_updated_at?: string) => (tx: Tx) =>
      putAccountProfile(tx, call, number, { status, status_updated_at });
    await fixture().run(put('Enabled', '2020-01-01T00:00:00Z'));
    assert.deepEqual(await doAtOnce(fixture(), [put('Disabled'), put('Enabled')]), ['done', 'done']);
    const [account] = await fixture().run(({ bank }) => bank.accountsByNumber([number]));
    const { status, status_updated_at_ms } = account!.profile!;
    assert.deepEqual([status, status_updated_at_ms], ['Enabled', noon_ms]);
  });
});
