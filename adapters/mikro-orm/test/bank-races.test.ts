import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import {
  type BankCaller,
  openAccount,
  putAccountBalance,
  putAccountProfile,
  type RecordLine,
  type RecordReport,
  reportRecords,
  type StatementLine,
} from '@tallystick/accounts';
import { newAccount, newLine } from '@tallystick/harness';
import { money, Refusal } from '@tallystick/kernel';
import { readRows, until } from '@tallystick/test-support';
import type { Persistence, Tx } from '../src/index.ts';
import { type Fixture, makeCompany, noon_ms, onEveryDatabase } from './contract/fixture.ts';

const call: BankCaller = { actor: 'bank', request_id: null, now_ms: noon_ms, served_company_id: null };

type Act = (tx: Tx) => Promise<unknown>;

/**
 * Does the acts in transactions of their own. All of them wait for what another transaction has
 * locked or written before it ends, and they go on in their order. Returns `done` or the refusal.
 */
async function doBehind({ run, database }: Fixture, holder_act: Act, acts: readonly Act[]): Promise<readonly string[]> {
  const [is_held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holder = run(async (tx) => {
    await holder_act(tx);
    is_held.resolve();
    await release.promise;
  });
  await is_held.promise;
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  let is_ended = false;
  const outcomes: Promise<string>[] = [];
  for (const act of acts) {
    const outcome = run(act).then(
      () => 'done',
      (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
    );
    outcomes.push(outcome.finally(() => (is_ended = true)));
    await until(async () => is_ended || (await readRows(database, waiting)).length >= outcomes.length);
  }
  release.resolve();
  await holder;
  return await Promise.all(outcomes);
}

const lockNames: Act = ({ bank }) => bank.lockNames();

onEveryDatabase('bank data that several transactions change at once', (fixture, name) => {
  // On SQLite one transaction writes at a time, so none waits within.
  const options = { skip: name === 'sqlite' };
  const makeAccount = (tx: Tx, company_id: number) => tx.accounts.insert(newAccount(company_id));

  it('dates a status from its change, also when each has read the profile before', options, async () => {
    const { number } = await fixture().run(async (tx) => makeAccount(tx, (await makeCompany(tx)).id));
    const put = (status: string, status_updated_at?: string) => (tx: Tx) =>
      putAccountProfile(tx, call, number, { status, status_updated_at });
    await fixture().run(put('Enabled', '2020-01-01T00:00:00Z'));
    assert.deepEqual(await doBehind(fixture(), lockNames, [put('Disabled'), put('Enabled')]), ['done', 'done']);
    const [account] = await fixture().run(({ bank }) => bank.accountsByNumber([number]));
    const { status, status_updated_at_ms } = account!.profile!;
    assert.deepEqual([status, status_updated_at_ms], ['Enabled', noon_ms]);
  });

  it('never has an account whose number identifies another one in its profile', options, async () => {
    const company_id = await fixture().run(async (tx) => (await makeCompany(tx)).id);
    const open = (number: string) => (tx: Tx) =>
      openAccount(tx, call, { company_id, number, currency: 'USD', kind: 'deposit' });
    const name = (number: string, identification: string) => (tx: Tx) =>
      putAccountProfile(tx, call, number, { scheme_name: 'UK.OBIE.BBAN', identification });
    await fixture().run(open('named'));
    assert.deepEqual(await doBehind(fixture(), lockNames, [open('first'), name('named', 'first')]), [
      'done',
      'conflict',
    ]);
    assert.deepEqual(await doBehind(fixture(), lockNames, [name('named', 'second'), open('second')]), [
      'done',
      'conflict',
    ]);
  });

  it('keeps a later balance that was not there when an earlier one was compared', options, async () => {
    const { number } = await fixture().run(async (tx) => makeAccount(tx, (await makeCompany(tx)).id));
    const put = (booked: number, as_of: string) => (tx: Tx) => putAccountBalance(tx, call, number, { booked, as_of });
    const later = put(9, '2026-05-20T09:00:00Z');
    assert.deepEqual(await doBehind(fixture(), later, [put(5, '2026-05-20T08:00:00Z')]), ['conflict']);
    assert.deepEqual(await doBehind(fixture(), put(1, '2026-05-20T10:00:00Z'), [later]), ['conflict']);
    const [account] = await fixture().run(({ bank }) => bank.accountsByNumber([number]));
    const [balance] = await fixture().run(({ bank }) => bank.balancesOf([account!.id]));
    assert.equal(balance!.booked, 1);
  });

  describe('records of transactions while another process records lines of the account', options, () => {
    const line = (number: string, bank_reference: string, line_number: number) => ({
      line: line_number,
      value: {
        kind: 'transaction',
        account: number,
        bank_reference,
        booking_date: '2026-05-20',
        amount: -5,
        bai_code: '821',
      },
    });

    /** Reports lines behind an act of another transaction. */
    async function reportBehind(holder_act: Act, lines: readonly RecordLine[]): Promise<RecordReport> {
      const outcome = Promise.withResolvers<RecordReport>();
      const report: Act = async (tx) => {
        const unitOfWork = { run: (work: Act) => work(tx), read: (work: Act) => work(tx) } as Persistence['unitOfWork'];
        const batches = Readable.from([lines]);
        outcome.resolve(await reportRecords({ unitOfWork, refuseCardNumbers: async () => {} }, call, batches));
      };
      assert.deepEqual(await doBehind(fixture(), holder_act, [report]), ['done']);
      return await outcome.promise;
    }

    const recordBy =
      (...lines: readonly Omit<StatementLine, 'id'>[]): Act =>
      async ({ accounts }) => {
        await accounts.lockAll(lines.map(({ account_id }) => account_id));
        await accounts.recordLines(lines);
      };
    const reported = { bank_reference: 'T1', value_date: '2026-05-20', amount: money(-5) };

    it('are counted for each company, and not those that the other one recorded', async () => {
      const [one, two] = await fixture().run(async (tx) => {
        const companies = [await makeCompany(tx), await makeCompany(tx)];
        return [await makeAccount(tx, companies[0]!.id), await makeAccount(tx, companies[1]!.id)];
      });
      const lines = [line(two!.number, 'T1', 1), line(one!.number, 'T1', 2), line(two!.number, 'T2', 3)];
      const { applied, duplicates, rejected } = await reportBehind(recordBy(newLine(one!, reported)), lines);
      assert.deepEqual([applied, duplicates, rejected], [2, 1, 0]);
      const { items } = await fixture().run(({ audit }) => audit.list({}, { limit: 100 }));
      const entries = items.filter(({ action }) => action === 'bank_records.reported');
      assert.deepEqual(
        entries.map(({ company_id, details }) => [company_id, details]),
        [[two!.company_id, { transaction: 2 }]],
      );
    });

    it('are compared with each line of their reference that a statement brought', async () => {
      const account = await fixture().run(async (tx) => makeAccount(tx, (await makeCompany(tx)).id));
      const ofStatement = (place: number, changes: Partial<StatementLine>) =>
        newLine(account, { ...reported, statement_id: account.id, place, ...changes });
      const payment = ofStatement(1, { bank_reference: 'T1', amount: money(-900) });
      const fee = ofStatement(2, { bank_reference: 'T1' });
      const other = ofStatement(3, { bank_reference: 'T2', amount: money(-6) });
      const lines = [line(account.number, 'T1', 1), line(account.number, 'T2', 2), line(account.number, 'T3', 3)];
      const { applied, duplicates, errors } = await reportBehind(recordBy(payment, fee, other), lines);
      assert.deepEqual(
        [applied, duplicates, errors.map((error) => [error.line, error.path])],
        [1, 1, [[2, 'bank_reference']]],
      );
    });
  });
});
