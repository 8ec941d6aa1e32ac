import { card_line_codes } from '@tallystick/accounts';
import {
  type AccountBridge,
  type BridgeDifference,
  type DateRange,
  daysAfter,
  type Item,
  readBridge,
  readRules,
} from '@tallystick/reconciliation';
import fc from 'fast-check';
import { assertEqual } from '../assertions.ts';
import { type ContractRule, openForRuns, type PropertyRuns } from '../rule.ts';
import type { StorageUnderTest } from '../storage/storage.ts';
import { reconciliation_lines_contract } from './reconciliation-lines.ts';
import { first_day, StoredWorld, world_plans } from './reconciliation-world.ts';

const at_once = { order: [], stops: [], batch_max: 500, leftovers_max: 50 };

/** The bridges of both accounts of a world over these dates. */
async function bridgesOf(world: StoredWorld, dates: DateRange): Promise<readonly AccountBridge[]> {
  const { company_id, storage } = world;
  return await storage.unitOfWork.read(async (tx) => {
    const { items: accounts } = await tx.accounts.list({ company_id }, { limit: 10 });
    const bridges: AccountBridge[] = [];
    for (const { number } of accounts) bridges.push(await readBridge(tx, { company_id }, number, dates));
    return bridges;
  });
}

/** Settlement dates of a world, with ends that may be open. */
const date_ranges: fc.Arbitrary<DateRange> = fc
  .tuple(fc.option(fc.integer({ min: -1, max: 8 })), fc.option(fc.integer({ min: -1, max: 8 })))
  .map(([from, to]) => ({
    ...(from === null ? {} : { from: daysAfter(first_day, from) }),
    ...(to === null ? {} : { to: daysAfter(first_day, to) }),
  }));

function sumOf(found: readonly { readonly amount: number }[]): number {
  return found.reduce((sum, { amount }) => sum + amount, 0);
}

function assertAddsUp(bridge: AccountBridge): void {
  const named = (step: BridgeDifference['step']) =>
    bridge.difference_sums.filter((one) => one.step === step).reduce((total, { sum }) => total + sum, 0);
  const { clearings, fees, authorized, unexplained, unexplained_sum } = bridge;
  assertEqual(named('statement') + named('authorization'), sumOf(bridge.differences), 'the differences');
  assertEqual(bridge.card_lines, clearings + fees + named('statement') + unexplained_sum, 'the card lines');
  assertEqual(clearings, authorized + named('authorization'), 'the clearings');
  assertEqual(unexplained_sum, sumOf(unexplained), 'the unexplained lines');
}

/** The contract of every adapter of `ReconciliationReports`, and of the reports that read it. */
export function reconciliationReportsContract(
  runs: PropertyRuns = { numRuns: 25 },
): readonly ContractRule<StorageUnderTest>[] {
  return [
    ...reconciliation_lines_contract,
    {
      rule: 'a bridge adds up over any records and any dates, and lists as unexplained the lines of breaks',
      async check(open) {
        const storageOfRun = openForRuns(open);
        const days = fc.integer({ min: -2, max: 14 });
        await fc.assert(
          fc.asyncProperty(world_plans, days, async (plan, day) => {
            const storage = await storageOfRun();
            const world = await StoredWorld.on(storage);
            await world.arrive(plan, at_once);
            const before = await bridgesOf(world, { to: daysAfter(first_day, day) });
            const after = await bridgesOf(world, { from: daysAfter(first_day, day + 1) });
            const whole = await bridgesOf(world, {});
            for (const bridge of [...before, ...after, ...whole]) assertAddsUp(bridge);
            for (const [at, bridge] of whole.entries()) {
              assertEqual(after[at]!.opening_balance, before[at]!.closing_balance, 'the balance between');
              assertEqual(after[at]!.closing_balance, bridge.closing_balance, 'the closing balance');
            }
            const lone = (await world.storedItems()).filter(
              ({ cleared, status }) => cleared === null && status === 'break',
            );
            assertEqual(
              whole.flatMap(({ unexplained }) => unexplained.map(({ line_id }) => line_id)).sort((a, b) => a - b),
              lone.flatMap(({ line_ids }) => line_ids).sort((a, b) => a - b),
              'the unexplained lines',
            );
          }),
          runs,
        );
      },
    },
    {
      rule: 'the matches of items are counted by rule and side, and records by their kind',
      async check(open) {
        const storageOfRun = openForRuns(open);
        await fc.assert(
          fc.asyncProperty(world_plans, date_ranges, async (plan, range) => {
            const storage = await storageOfRun();
            const world = await StoredWorld.on(storage);
            await world.arrive(plan, at_once);
            const { company_id } = world;
            const items = await world.storedItems();
            const matchesOf = (found: readonly Item[]) =>
              found
                .flatMap((item) => item.matches)
                .filter(
                  ({ rule, authorization_id, side, values }) =>
                    rule !== '8' &&
                    (side === 'statement' || authorization_id !== null || values.earlier_clearing_id !== null),
                );
            const [report, of_dates, counts] = await storage.unitOfWork.read(async (tx) => [
              await readRules(tx, { company_id }, {}),
              await readRules(tx, { company_id }, range),
              await tx.reconciliation_reports.countRecords(company_id),
            ]);
            const within = items.filter(
              ({ settlement_date: date }) =>
                date !== null && date >= (range.from ?? date) && date <= (range.to ?? date),
            );
            for (const [found, counted] of [
              [report, items],
              [of_dates, range.from === undefined && range.to === undefined ? items : within],
            ] as const) {
              const expected = matchesOf(counted);
              const untouched = counted.filter(({ is_touched }) => !is_touched).length;
              assertEqual([found.items, found.items_untouched], [counted.length, untouched], 'the items');
              assertEqual(found.matches, expected.length, 'the matches');
              for (const { rule, authorization_matches, statement_matches } of found.rules) {
                const of_rule = Map.groupBy(
                  expected.filter((match) => match.rule === rule),
                  ({ side }) => side,
                );
                assertEqual(authorization_matches, of_rule.get('authorization')?.length ?? 0, `of rule ${rule}`);
                assertEqual(statement_matches, of_rule.get('statement')?.length ?? 0, `of lines by ${rule}`);
              }
            }
            assertEqual(counts.items, items.length, 'the items');
          }),
          runs,
        );
      },
    },
    {
      rule: 'lines of other companies, and lines without an item, are left out',
      async check(open) {
        const { unitOfWork, ...rest } = await open();
        const world = await StoredWorld.on({ ...rest, unitOfWork });
        const line = {
          id: 1,
          account_id: 1,
          currency: 'USD',
          booking_date: first_day,
          amount: -1,
          is_fee: false,
          bai_code: card_line_codes[0]!,
          acquirer_reference: null,
        };
        const { company_id } = world;
        await unitOfWork.read(async ({ reconciliation_reports: reports }) => {
          assertEqual(await reports.itemsOfLines(company_id, [line]), [], 'the items of an unknown line');
          assertEqual(await reports.linesById(company_id, [1]), [], 'the line of another company');
          assertEqual(await reports.sumBookedBefore(999_999_999, '2100-01-01'), 0, 'no line');
        });
      },
    },
  ];
}
