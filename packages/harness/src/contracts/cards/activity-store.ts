import { type ActivityCount, no_changes } from '@tallystick/cards';
import { assertEqual } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { newCompany, type StorageUnderTest } from '../storage/storage.ts';
import { refused } from './quarantine-store.ts';

const hour_ms = 3_600_000;

const sorted = (counts: readonly ActivityCount[]) =>
  counts.toSorted((a, b) => a.at_ms - b.at_ms || (a.outcome < b.outcome ? -1 : 1));

export const activity_store_contract: readonly ContractRule<StorageUnderTest>[] = [
  rule('counts of racing transactions add up by company, hour and outcome', async (here) => {
    const other = await anotherOf(here);
    const company_id = await newCompany(here);
    const another_id = await newCompany(here);
    const rows: readonly ActivityCount[] = [
      { company_id, at_ms: 0, outcome: 'V', count: 2 },
      { company_id, at_ms: hour_ms, outcome: 'F', count: 1 },
      { company_id, at_ms: hour_ms, outcome: 'timeout', count: 5 },
      { company_id: another_id, at_ms: hour_ms, outcome: 'V', count: 9 },
    ];
    const adders = [here, other, here, other, here, other];
    await Promise.all(adders.map(({ unitOfWork }) => unitOfWork.run((tx) => tx.activity.add(rows))));
    const read = (from_ms: number) => other.unitOfWork.read((tx) => tx.activity.read(company_id, from_ms));
    const own = rows.slice(0, 3).map((row) => ({ ...row, count: 6 * row.count }));
    assertEqual(sorted(await read(0)), own, 'the counts of the company');
    assertEqual(sorted(await read(1)), own.slice(1), 'the counts from a later hour on');
  }),

  rule('a purge deletes at most so many counts, all of hours before the instant', async (here) => {
    const company_id = await newCompany(here);
    const rows = [-3, -2, -1].map((at) => ({ company_id, at_ms: at * hour_ms, outcome: 'V', count: 1 }) as const);
    await here.unitOfWork.run((tx) => tx.activity.add(rows));
    const purge = (limit: number) => here.unitOfWork.run((tx) => tx.activity.purge(-hour_ms, limit));
    assertEqual([await purge(1), await purge(100), await purge(100)], [1, 1, 0], 'the numbers of deleted counts');
    const left = await here.unitOfWork.read((tx) => tx.activity.read(company_id, -10 * hour_ms));
    assertEqual(left, [rows[2]], 'what is left');
  }),

  rule('the backlog counts what waits, and no more than it was asked for', async (here) => {
    const count = (max: number) => here.unitOfWork.read((tx) => tx.backlog.count(here.now_ms, max));
    const { quarantine_open: before, ...others } = await count(1_000_000);
    const quarantined = [refused(), refused()];
    await here.ledger.pass([], () => ({ changes: { ...no_changes, quarantined }, result: null }));
    assertEqual(await count(1_000_000), { ...others, quarantine_open: before + 2 }, 'all that waits');
    assertEqual((await count(1)).quarantine_open, 1, 'counted up to one');
  }),
];
