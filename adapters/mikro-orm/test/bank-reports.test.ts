import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type BankCaller, type BankStore, type RecordLine, reportRecords } from '@tallystick/accounts';
import { newAccount } from '@tallystick/harness';
import type { Persistence, Tx } from '../src/index.ts';
import { type Fixture, makeCompany, noon_ms, onEveryDatabase } from './contract/fixture.ts';

const call: BankCaller = { actor: 'bank', request_id: null, now_ms: noon_ms, served_company_id: null };

/** A user, profile, balance and transaction of each account. */
function linesOf(company_id: number, numbers: readonly string[]): readonly RecordLine[] {
  const values = numbers.flatMap((account) => [
    { kind: 'user', user_id: account, company_id, name: 'Alex', status: 'active', viewable_accounts: [account] },
    { kind: 'profile', account, scheme_name: 'UK.OBIE.BBAN', identification: `bban ${account}` },
    { kind: 'balance', account, booked: 5 },
    { kind: 'transaction', account, bank_reference: 'T', booking_date: '2026-05-20', amount: -5, bai_code: '821' },
  ]);
  return values.map((value, at) => ({ line: at + 1, value }));
}

/** Reports the lines as one batch. Returns how often it called the stores. */
async function callsOf({ run }: Fixture, lines: readonly RecordLine[]): Promise<number> {
  let calls = 0;
  const counted = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        calls += 1;
        return Reflect.get(target, name);
      },
    });
  const report = await run(async (tx) => {
    const counting: Tx = { ...tx, bank: counted<BankStore>(tx.bank), accounts: counted(tx.accounts) };
    const unitOfWork = { run: (work: (tx: Tx) => unknown) => work(counting) } as Persistence['unitOfWork'];
    const batches = (async function* () {
      yield lines;
    })();
    return await reportRecords({ unitOfWork, refuseCardNumbers: async () => {} }, call, batches);
  });
  assert.deepEqual([report.applied, report.errors], [lines.length, []]);
  return calls;
}

onEveryDatabase('a report of the bank', (fixture) => {
  it('takes as many calls of the stores for 1,000 lines as for four', async () => {
    const { company_id, numbers } = await fixture().run(async (tx) => {
      const { id } = await makeCompany(tx);
      const made: string[] = [];
      for (let at = 0; at < 251; at += 1) made.push((await tx.accounts.insert(newAccount(id))).number);
      return { company_id: id, numbers: made };
    });
    const of_four = await callsOf(fixture(), linesOf(company_id, numbers.slice(0, 1)));
    const of_thousand = await callsOf(fixture(), linesOf(company_id, numbers.slice(1)));
    assert.equal(of_thousand, of_four);
    assert.ok(of_four > 4, 'the calls are counted');
  });
});
