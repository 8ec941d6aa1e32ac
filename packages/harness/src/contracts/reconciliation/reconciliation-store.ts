import { money } from '@tallystick/kernel';
import {
  type Approval,
  all_keys,
  break_kinds,
  catchUp,
  cellChanges,
  cellKeyOf,
  cellOf,
  daysAfter,
  type Entry,
  entryKeyOfLine,
  type Item,
  type ItemFilter,
  item_statuses,
  itemIdOf,
  matchCellKeyOf,
  matchCellsOf,
  noItemChanges,
  type RecordKey,
  readCircumstances,
  rebuild,
  recompute,
  type SummaryCell,
  statementKeyOf,
} from '@tallystick/reconciliation';
import fc from 'fast-check';
import { assertEqual } from '../assertions.ts';
import { newAccount, newLine } from '../bank/account-store.ts';
import { anotherOf, type ContractRule, openForRuns, type PropertyRuns, rule } from '../rule.ts';
import { everyPage, makeCompany, type StorageUnderTest } from '../storage/storage.ts';
import { bank_lines_contract } from './bank-lines.ts';
import { nearItemsContract } from './near-items.ts';
import { newAct } from './new-act.ts';
import { newApproval } from './new-approval.ts';
import { newItem } from './new-item.ts';
import { arrival_plans, leftovers_max, StoredWorld, world_plans } from './reconciliation-world.ts';

let items_made = 50_000_000;

/** Items of a company with every status, many kinds, classes, cards and dates, in no order. */
function itemsOf(company_id: number, account_ids: readonly number[]): readonly Item[] {
  return Array.from({ length: 90 }, (_, at): Item => {
    items_made += 1;
    const status = item_statuses[at % item_statuses.length]!;
    const has_kind = status === 'break' || status === 'accepted' || status === 'ignored';
    const has_clearing = at % 5 !== 0;
    const settlement_date = has_clearing ? daysAfter('2026-03-02', at % 9) : null;
    return newItem({
      id: itemIdOf({ kind: 'clearing', id: items_made }),
      company_id,
      status,
      kind: has_kind ? break_kinds[at % break_kinds.length]! : null,
      class: has_clearing ? (['exact', 'over', 'tip'] as const)[at % 3]! : null,
      rule: 'ard',
      vcn_id: 1 + (at % 4),
      merchant_name: at % 6 === 0 ? null : at % 5 === 1 ? 'Harbour Hotel' : 'Joe\'s "Diner" é😀',
      clearing_ids: has_clearing ? [items_made] : [],
      statement_line_id: at % 4 === 0 ? 7 + at : null,
      authorized: at % 4 === 1 ? money(at % 10) : null,
      cleared: at % 8 === 3 ? null : money(at),
      stated: at % 3 === 2 ? money(at + 1) : null,
      difference: money(-at),
      currency: at % 7 === 0 ? 'EUR' : 'USD',
      settlement_date,
      account_id: at % 4 === 0 ? null : account_ids[at % 3 === 0 ? 0 : 1]!,
      booking_date: at % 4 === 0 ? null : daysAfter('2026-03-03', at % 8),
      due_date: has_kind ? daysAfter('2026-03-05', at % 11) : null,
      // Several arrive at one time.
      opened_at_ms: 1_000_000 - (at % 13) * 1_000,
      frozen_item_id: has_clearing ? null : items_made,
      is_touched: at % 3 === 0,
      assignee: at % 5 === 0 ? 'anna' : at % 8 === 0 ? 'ben "é😀"' : null,
      version: 1 + at,
    });
  });
}

const whole_reference = '75432101234567890123456';
const key = statementKeyOf(whole_reference, 'bin+sequence')!;

const filters: readonly ItemFilter[] = [
  {},
  { amount: { from: 3, to: 5 } },
  { amount: { from: 88 } },
  { amount: { to: -1 } },
  { amount: { from: 2, to: 60 }, status: 'break' },
  { merchant_name: 'Harbour Hotel' },
  { merchant_name: 'Joe\'s "Diner" é😀', status: 'break' },
  { merchant_name: 'None' },
  { booking_date: { from: '2026-03-05', to: '2026-03-06' } },
  { booking_date: { to: '2026-03-04' }, amount: { from: 1, to: 40 } },
  { reference: whole_reference },
  { reference: key },
  { reference: 'BANK 1' },
  { reference: 'BANK 1', status: 'break' },
  { reference: 'nothing' },
  ...item_statuses.map((status) => ({ status })),
  ...break_kinds.map((kind) => ({ kind })),
  { class: 'exact' },
  { class: 'over' },
  { class: 'reversal' },
  { vcn_id: 2 },
  { currency: 'EUR' },
  { settlement_date: { from: '2026-03-04' } },
  { settlement_date: { from: '2026-03-04', to: '2026-03-05' } },
  { due_date: { from: '2026-03-06', to: '2026-03-09' } },
  { due_date: { to: '2026-03-06' } },
  { due_date: { to: '2026-03-06', with_later_breaks: true } },
  { due_date: { from: '2026-03-07', to: '2026-03-08', with_later_breaks: true } },
  { assignee: 'anna' },
  { assignee: 'ben "é😀"', status: 'break' },
  { assignee: 'nobody' },
  { assignee: null },
  { assignee: null, status: 'break', kind: 'amount' },
  { status: 'break', class: 'over' },
  { status: 'break', kind: 'amount', currency: 'USD' },
  { status: 'matched', settlement_date: { to: '2026-03-06' }, vcn_id: 3 },
  { status: 'matched', class: 'exact', currency: 'USD' },
  { kind: 'unstated', due_date: { from: '2026-03-07' } },
];

function fits(item: Item, filter: ItemFilter): boolean {
  const { settlement_date, due_date, booking_date, amount, reference, account_id, ...equal } = filter;
  const sums = [item.authorized, item.cleared, item.stated];
  const isWithin = (date: string | null, range: ItemFilter['due_date']) =>
    range === undefined || (date !== null && date >= (range.from ?? date) && date <= (range.to ?? date));
  return (
    Object.entries(equal).every(([name, value]) => item[name as keyof Item] === value) &&
    isWithin(item.settlement_date, settlement_date) &&
    isWithin(item.booking_date, booking_date) &&
    (amount === undefined ||
      sums.some((sum) => sum !== null && sum >= (amount.from ?? sum) && sum <= (amount.to ?? sum))) &&
    (isWithin(item.due_date, due_date) ||
      (due_date?.with_later_breaks === true && item.status === 'break' && (item.due_date ?? '') > due_date.to!))
  );
}

/** The rules of lists of items, and of the inbox. */
const reconciliation_list_contract: readonly ContractRule<StorageUnderTest>[] = [
  {
    rule: 'items are listed newest first by each filter and by several, on pages that omit none',
    async check(open) {
      const { unitOfWork } = await open();
      const [company_id, other_id] = await unitOfWork.run(async (tx) => [
        (await makeCompany(tx)).id,
        (await makeCompany(tx)).id,
      ]);
      const accounts = await unitOfWork.run((tx) =>
        Promise.all([company_id!, company_id!, other_id!].map((of) => tx.accounts.insert(newAccount(of)))),
      );
      const account_ids = accounts.map(({ id }) => id);
      await unitOfWork.run((tx) =>
        tx.accounts.recordLines(
          Array.from({ length: 8 }, (_, at) =>
            newLine(accounts[at % 2]!, { bank_reference: 'BANK 1', amount: money(-at) }),
          ),
        ),
      );
      const { items: lines } = await unitOfWork.read((tx) =>
        tx.reconciliation_reports.listLines(company_id!, {}, { limit: 50 }),
      );
      const drawn = itemsOf(company_id!, account_ids);
      const of_lines = drawn.slice(0, lines.length).map((item, at) => ({ ...item, line_ids: [lines[at]!.id] }));
      const items = [...of_lines, ...drawn.slice(lines.length)];
      const of_clearings = items.filter(({ clearing_ids }, at) => at % 7 === 2 && clearing_ids.length > 0);
      const references = new Map<number, readonly string[]>([
        ...of_clearings.map(({ id }) => [id, [whole_reference, key]] as const),
        ...of_lines.map(
          ({ id }) =>
            [id, ['BANK 1', ...(of_clearings.some((one) => one.id === id) ? [whole_reference, key] : [])]] as const,
        ),
      ]);
      const entries: readonly Entry[] = [
        ...of_clearings.map((item) => ({
          company_id: company_id!,
          key: `${item.currency} ${key}`,
          record: { kind: 'clearing', id: item.clearing_ids[0]! } as const,
          item_id: item.id,
        })),
        ...of_lines.map((item, at) => ({
          company_id: company_id!,
          key: entryKeyOfLine({ ...lines[at]!, statement_key: null }),
          record: { kind: 'line', id: lines[at]!.id } as const,
          item_id: item.id,
        })),
      ];
      await unitOfWork.run(async ({ reconciliation }) => {
        for (const [of, inserted] of [
          [company_id!, items],
          [other_id!, itemsOf(other_id!, [account_ids[2]!, account_ids[2]!])],
        ] as const) {
          await reconciliation.lockCompany(of);
          await reconciliation.write({
            ...noItemChanges(of),
            inserted,
            entries_inserted: of === company_id ? entries : [],
            cells: cellChanges(inserted.map((item) => ({ before: null, after: item }))),
          });
        }
      });
      const numbers = [undefined, accounts[1]!, accounts[2]!];
      const of_accounts = filters.flatMap((one) =>
        numbers.map((account) => (account === undefined ? one : { ...one, account_id: account.number })),
      );
      for (const filter of of_accounts) {
        const account = accounts.find(({ number }) => number === filter.account_id);
        const expected = items
          .filter(
            (item) =>
              fits(item, filter) &&
              (account === undefined || item.account_id === account.id) &&
              (filter.reference === undefined || references.get(item.id)?.includes(filter.reference) === true),
          )
          .sort((a, b) => b.opened_at_ms - a.opened_at_ms || b.id - a.id);
        for (const oldest_first of [false, true]) {
          const in_order = oldest_first ? expected.toReversed() : expected;
          const listed = `${JSON.stringify(filter)} ${oldest_first ? 'oldest' : 'newest'} first`;
          const found = await unitOfWork.read((tx) =>
            everyPage((page) => tx.reconciliation.list(company_id!, filter, { ...page, oldest_first }), 4),
          );
          assertEqual(found, in_order, listed);
          const { items: second } = await unitOfWork.read((tx) =>
            tx.reconciliation.list(company_id!, filter, { limit: 3, offset: 2, oldest_first }),
          );
          assertEqual(second, in_order.slice(2, 5), `${listed} with an offset`);
        }
      }
    },
  },
  {
    rule: 'acts are found by the records that they concern, and are no work by themselves',
    async check(open) {
      const { unitOfWork } = await open();
      const { id: company_id } = await unitOfWork.run((tx) => makeCompany(tx));
      const item_id = itemIdOf({ kind: 'clearing', id: 9 });
      const [act] = await unitOfWork.run(async ({ reconciliation }) => {
        await reconciliation.lockCompany(company_id);
        return await reconciliation.insertActs([newAct(company_id, item_id, [{ line_id: 7, clearing_id: 8 }])]);
      });
      await unitOfWork.read(async ({ reconciliation }) => {
        for (const record of [
          { kind: 'line', id: 7 },
          { kind: 'clearing', id: 8 },
          { kind: 'clearing', id: 9 },
        ] as const) {
          assertEqual(await reconciliation.actsOn(company_id, [record]), [act], `${record.kind} ${record.id}`);
        }
        assertEqual(await reconciliation.actsOn(company_id, [{ kind: 'line', id: 8 }]), [], 'another line');
        assertEqual(await reconciliation.hasWork(company_id, 0), false, 'work');
      });
    },
  },
  rule(
    'approvals are found by records while they are open, and listed by each filter, newest first',
    async (storage) => {
      const { unitOfWork } = storage;
      const company = await unitOfWork.run((tx) => makeCompany(tx));
      const { id: company_id } = company;
      const record = { kind: 'line', id: 77 } as const;
      const of_item = newApproval(company_id, itemIdOf(record), {
        authorization_id: 78,
        clearing_ids: [79],
        line_ids: [],
      });
      const inserted = await unitOfWork.run(async (tx) => {
        await tx.companies.update({ ...company, four_eyes: { above: { EUR: 5, USD: 0 } } });
        await tx.reconciliation.lockCompany(company_id);
        return await tx.reconciliation.insertApprovals([of_item, newApproval(company_id, null), of_item]);
      });
      const [first, of_period, last] = inserted as [Approval, Approval, Approval];
      assertEqual([first.id < of_period.id, of_period.id < last.id], [true, true], 'rising ids');
      const ended = { ...first, status: 'refused', decided_by: 'é😀', decided_at_ms: 9, decided_note: 'no' } as const;
      await unitOfWork.run(({ reconciliation }) => reconciliation.updateApproval(ended));
      await unitOfWork.read(async ({ reconciliation }) => {
        assertEqual(await reconciliation.readFourEyes(company_id), { above: { EUR: 5, USD: 0 } }, 'the setting');
        assertEqual(await reconciliation.readFourEyes(company_id + 1_000), null, 'the setting of no company');
        assertEqual(await reconciliation.findApproval(company_id, first.id), ended, 'one that was changed');
        assertEqual(await reconciliation.findApproval(company_id + 1, first.id), null, 'that of another company');
        const openOf = (...records: readonly RecordKey[]) => reconciliation.openApprovals(company_id, records);
        assertEqual(await openOf(record), [last], 'the open ones of the item');
        const [root, cleared] = [{ kind: 'authorization', id: 78 } as const, { kind: 'clearing', id: 79 } as const];
        assertEqual([await openOf(root), await openOf(cleared)], [[last], [last]], 'those of what a match names');
        assertEqual(await openOf(cleared, record, root), [last], 'each once');
        assertEqual(await reconciliation.openApprovals(company_id + 1, [record]), [], 'those of another company');
        assertEqual(await reconciliation.openApprovals(company_id, [{ kind: 'line', id: 78 }]), [], 'of another item');
        assertEqual(await reconciliation.openPeriodApproval(company_id), of_period, 'the open one of a period');
        for (const [filter, expected] of [
          [{}, [last, of_period, ended]],
          [{ status: 'pending' }, [last, of_period]],
          [{ item_id: of_item.item_id! }, [last, ended]],
          [{ asked_by: 'key:1', status: 'refused' }, [ended]],
          [{ asked_by: 'key:2' }, []],
        ] as const) {
          const found = await everyPage((page) => reconciliation.listApprovals(company_id, filter, page), 2);
          assertEqual(found, expected, JSON.stringify(filter));
        }
      });
    },
  ),
  rule(
    'comments are found by the first records of items, and an assignee stays until the next one',
    async (storage) => {
      const { id: company_id } = await storage.unitOfWork.run((tx) => makeCompany(tx));
      items_made += 1;
      const record = { kind: 'clearing', id: items_made } as const;
      const item = newItem({ id: itemIdOf(record), company_id });
      const comment = { company_id, at_ms: 5, actor: 'key:1', item_id: item.id, text: 'é😀\n' };
      const [first, second] = await storage.unitOfWork.run(async ({ reconciliation }) => {
        await reconciliation.lockCompany(company_id);
        await reconciliation.write({ ...noItemChanges(company_id), inserted: [item] });
        await reconciliation.assign(company_id, item.id, 'anna');
        await reconciliation.assign(company_id + 1, item.id, 'ben');
        return [await reconciliation.insertComment(comment), await reconciliation.insertComment(comment)];
      });
      await storage.unitOfWork.read(async ({ reconciliation }) => {
        assertEqual(await reconciliation.items(company_id, [item.id]), [{ ...item, assignee: 'anna' }], 'the item');
        const other = { kind: 'line', id: record.id } as const;
        assertEqual(await reconciliation.commentsOn(company_id, [other, record]), [first, second], 'the comments');
        assertEqual(await reconciliation.commentsOn(company_id, [other]), [], 'those of another record');
        assertEqual(await reconciliation.commentsOn(company_id + 1, [record]), [], 'those of another company');
      });
    },
  ),
  rule('numbers of breaks by day are added up, and those of old days and of no break are removed', async (storage) => {
    const { id: company_id } = await storage.unitOfWork.run((tx) => makeCompany(tx));
    const counted = async (day: string, count: number, kept_from = '2026-05-01') => {
      await storage.unitOfWork.run(async ({ reconciliation }) => {
        await reconciliation.lockCompany(company_id);
        const added = [{ day, currency: 'USD', due_date: '2026-05-20', count }];
        await reconciliation.write({ ...noItemChanges(company_id), break_days: { added, kept_from } });
      });
      const days = await storage.unitOfWork.read((tx) => tx.reconciliation.breakDays(company_id));
      return days.map((one) => [one.day, one.currency, one.due_date, one.count]);
    };
    assertEqual(await counted('2026-05-20', 2), [['2026-05-20', 'USD', '2026-05-20', 2]], 'one number');
    assertEqual(await counted('2026-05-20', -3), [['2026-05-20', 'USD', '2026-05-20', -1]], 'both numbers');
    assertEqual(await counted('2026-05-20', 1), [], 'no break');
    assertEqual(await counted('2026-05-20', 1), [['2026-05-20', 'USD', '2026-05-20', 1]], 'a number again');
    const of_last_day = [['2026-05-21', 'USD', '2026-05-20', 1]];
    assertEqual(await counted('2026-05-21', 1, '2026-05-21'), of_last_day, 'without old days');
  }),
];

/**
 * Throws unless a recomputation of everything finds no difference, and the cells count the items.
 */
async function assertConsistent({ storage, company_id, now_ms }: StoredWorld): Promise<void> {
  await storage.unitOfWork.read(async (tx) => {
    const store = tx.reconciliation;
    const records = [];
    for (const kind of ['authorization', 'clearing', 'line'] as const) {
      const ids = await store.recordsAfter(company_id, kind, 0, 1_000);
      records.push(...ids.map((id) => ({ kind, id })));
    }
    const items = await store.itemsAfter(company_id, null, 1_000);
    const item_ids = items.map(({ id }) => id);
    const circumstances = { ...(await readCircumstances(store, company_id, now_ms)), leftovers_max };
    const { changes } = await recompute(store, { records, item_ids }, circumstances);
    const differences = { ...changes, cells: [], match_cells: [] };
    assertEqual(differences, noItemChanges(company_id), 'a recomputation of all records');
    const counted = new Map<string, SummaryCell>();
    for (const item of items) {
      const cell = cellOf(item);
      const { count, sum } = counted.get(cellKeyOf(cell)) ?? { count: 0, sum: 0 };
      counted.set(cellKeyOf(cell), { ...cell, count: count + 1, sum: sum + cell.sum });
    }
    const inOrder = (cells: Iterable<SummaryCell>) => [...cells].sort((a, b) => (cellKeyOf(a) < cellKeyOf(b) ? -1 : 1));
    assertEqual(inOrder(await store.cells(company_id)), inOrder(counted.values()), 'the cells');
    const matches = Map.groupBy(items.flatMap(matchCellsOf), matchCellKeyOf);
    const cells = await store.matchCells(company_id);
    assertEqual(
      cells.map((cell) => [matchCellKeyOf(cell), cell.count]).sort(),
      [...matches].map(([key, of_key]) => [key, of_key.length]).sort(),
      'the cells of matches',
    );
  });
}

/**
 * The contract of every adapter of `ReconciliationStore`, and of what keeps its items up to date.
 */
export function reconciliationStoreContract(
  runs: PropertyRuns = { numRuns: 25 },
): readonly ContractRule<StorageUnderTest>[] {
  return [
    ...reconciliation_list_contract,
    ...nearItemsContract(),
    ...bank_lines_contract,
    {
      rule: 'any order of arrival and any split over steps end with the same items',
      async check(open) {
        const storageOfRun = openForRuns(open);
        await fc.assert(
          fc.asyncProperty(world_plans, arrival_plans, async (plan, arrival) => {
            const storage = await storageOfRun();
            const expected = await StoredWorld.arrived(storage, plan);
            const found = await StoredWorld.arrived(storage, plan, arrival);
            assertEqual(await found.items(), await expected.items(), 'the items');
            await assertConsistent(expected);
            await assertConsistent(found);
          }),
          runs,
        );
      },
    },
    {
      rule: 'a rebuild finds no difference in what was kept up to date, and mends what was lost, while records wait',
      async check(open) {
        const storageOfRun = openForRuns(open);
        await fc.assert(
          fc.asyncProperty(world_plans, arrival_plans, async (plan, arrival) => {
            const storage = await storageOfRun();
            const world = await StoredWorld.arrived(storage, plan, arrival);
            const { company_id } = world;
            const ports = { unitOfWork: storage.unitOfWork, clock: world.clock() };
            const before = await world.items();
            const options = { company_id, batch_max: 3, leftovers_max: arrival.leftovers_max };
            for (const check_only of [true, false]) {
              const found = await rebuild(ports, { ...options, check_only });
              assertEqual(
                [found.items_different, found.entries_different, found.cells_different],
                [0, 0, 0],
                'the differences',
              );
            }
            await lose(world);
            await world.touchClearings();
            await rebuild(ports, { ...options, check_only: false });
            assertEqual(await world.items(), before, 'the mended items');
            await assertConsistent(world);
          }),
          runs,
        );
      },
    },
    {
      rule: 'what is stopped begins no further transaction, and the next one does the rest',
      async check(open) {
        const storageOfRun = openForRuns(open);
        await fc.assert(
          fc.asyncProperty(world_plans, arrival_plans, fc.nat(20), async (plan, arrival, steps_before) => {
            const storage = await storageOfRun();
            const world = await StoredWorld.arrived(storage, plan, arrival);
            const { company_id } = world;
            const ports = { unitOfWork: storage.unitOfWork, clock: world.clock() };
            const before = await world.items();
            await world.touchClearings();
            const kept_up = new AbortController();
            let steps = 0;
            const afterStep = async (): Promise<void> => {
              assertEqual(kept_up.signal.aborted, false, 'a step after the stop');
              steps += 1;
              if (steps > steps_before) kept_up.abort();
            };
            await catchUp(ports, company_id, { batch_max: 1, afterStep, signal: kept_up.signal });
            await catchUp(ports, company_id, { batch_max: 1 });
            assertEqual(await world.items(), before, 'the items after keeping up');
            await world.touchClearings();
            const while_keeping_up = new AbortController();
            let begun_after_stop = 0;
            const unitOfWork: typeof storage.unitOfWork = {
              read: (work) => storage.unitOfWork.read(work),
              async run(work) {
                if (while_keeping_up.signal.aborted) begun_after_stop += 1;
                const result = await storage.unitOfWork.run(work);
                while_keeping_up.abort();
                return result;
              },
            };
            const stopped = { company_id, check_only: false, batch_max: 1, signal: while_keeping_up.signal };
            await rebuild({ ...ports, unitOfWork }, stopped).catch((reason: unknown) =>
              assertEqual(reason, while_keeping_up.signal.reason, 'the reason'),
            );
            assertEqual(begun_after_stop, 0, 'transactions after a stop while a rebuild keeps up');
            await lose(world);
            await rebuild(ports, { company_id, check_only: false, batch_max: 3, signal: AbortSignal.abort() }).then(
              () => assertEqual('resolved', 'rejected', 'a rebuild that is stopped before it begins'),
              (reason: unknown) => assertEqual((reason as Error).name, 'AbortError', 'the reason'),
            );
            const rebuilt = new AbortController();
            let reports = 0;
            const onProgress = (): void => {
              assertEqual(rebuilt.signal.aborted, false, 'a batch after the stop');
              reports += 1;
              if (reports > steps_before) rebuilt.abort();
            };
            const { signal } = rebuilt;
            await rebuild(ports, { company_id, check_only: false, batch_max: 3, onProgress, signal }).catch(
              (reason: unknown) => assertEqual(reason, signal.reason, 'the reason'),
            );
            await rebuild(ports, { company_id, check_only: false, batch_max: 3 });
            assertEqual(await world.items(), before, 'the items in the end');
          }),
          runs,
        );
      },
    },
    {
      rule: 'nothing is lost or done twice when several processes keep up while records arrive',
      async check(open) {
        const storagesOfRun = openForRuns(async () => {
          const storage = await open();
          return [storage, await anotherOf(storage)] as const;
        });
        await fc.assert(
          fc.asyncProperty(world_plans, async (plan) => {
            const [storage, other] = await storagesOfRun();
            const expected = await StoredWorld.arrived(storage, plan);
            const world = await StoredWorld.on(storage);
            world.now_ms = expected.now_ms;
            const { company_id } = world;
            const follow = ({ unitOfWork }: StorageUnderTest) =>
              catchUp({ unitOfWork, clock: world.clock() }, company_id, { batch_max: 2, leftovers_max: 0 });
            const arrivals = [...world.arrivalsOf(plan)];
            // Moves come after what they move.
            const in_order = arrivals.toSorted((a, b) => Number(a.kind === 'move') - Number(b.kind === 'move'));
            for (let at = 0; at < in_order.length; at += 3) {
              const write = async () => {
                for (const arrival of in_order.slice(at, at + 3)) await world.write(arrival);
              };
              await Promise.all([write(), follow(storage), follow(other)]);
            }
            await world.catchUp({});
            assertEqual(await world.items(), await expected.items(), 'the items');
            await assertConsistent(world);
          }),
          { ...runs, numRuns: runs.numRuns ?? 10 },
        );
      },
    },
  ];
}

/** Removes every second item and all cells and entries, as no use case does. */
async function lose({ company_id, storage }: StoredWorld): Promise<void> {
  await storage.unitOfWork.run(async (tx) => {
    const store = tx.reconciliation;
    await store.lockCompany(company_id);
    const items = await store.itemsAfter(company_id, null, 1_000);
    const entries = await store.entriesBetween(company_id, all_keys, null, 1_000);
    await store.write({
      ...noItemChanges(company_id),
      removed_ids: items.filter((_item, at) => at % 2 === 0).map(({ id }) => id),
      entries_removed: entries.filter((_entry, at) => at % 3 !== 0),
      cells: (await store.cells(company_id)).map((cell) => ({ ...cell, count: -cell.count, sum: -cell.sum })),
      match_cells: (await store.matchCells(company_id)).map((cell) => ({ ...cell, count: -cell.count })),
    });
  });
}
