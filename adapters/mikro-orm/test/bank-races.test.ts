import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type BankCaller, openAccount, putAccountProfile } from '@tallystick/accounts';
import { newAccount } from '@tallystick/harness';
import { Refusal } from '@tallystick/kernel';
import { readRows } from '@tallystick/test-support';
import type { Tx } from '../src/index.ts';
import { type Fixture, makeCompany, noon_ms, onEveryDatabase } from './contract/fixture.ts';

const call: BankCaller = { actor: 'bank', request_id: null, now_ms: noon_ms, served_company_id: null };

type Act = (tx: Tx) => Promise<unknown>;

/**
 * Does the acts in transactions of their own. All of them wait for the lock of names when the first
 * one gets it, and they get it in their order. Returns `done` or the refusal.
 */
async function doAtOnce({ run, database }: Fixture, acts: readonly Act[]): Promise<readonly string[]> {
  const [is_held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holder = run(async ({ bank }) => {
    await bank.lockNames();
    is_held.resolve();
    await release.promise;
  });
  await is_held.promise;
  const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  let is_ended = false;
  const outcomes: Promise<string>[] = [];
  for (const act of acts) {
    const outcome = run(act).then(
      () => 'done',
      (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
    );
    outcomes.push(outcome.finally(() => (is_ended = true)));
    while (!is_ended && (await readRows(database, waiting)).length < outcomes.length);
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

  it('never have an account whose number identifies another one in its profile', options, async () => {
    const company_id = await fixture().run(async (tx) => (await makeCompany(tx)).id);
    const open = (number: string) => (tx: Tx) =>
      openAccount(tx, call, { company_id, number, currency: 'USD', kind: 'deposit' });
    const name = (number: string, identification: string) => (tx: Tx) =>
      putAccountProfile(tx, call, number, { scheme_name: 'UK.OBIE.IBAN', identification });
    await fixture().run(open('named'));
    assert.deepEqual(await doAtOnce(fixture(), [open('first'), name('named', 'first')]), ['done', 'conflict']);
    assert.deepEqual(await doAtOnce(fixture(), [name('named', 'second'), open('second')]), ['done', 'conflict']);
  });
});
