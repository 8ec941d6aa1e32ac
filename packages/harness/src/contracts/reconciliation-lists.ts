import { money } from '@tallystick/kernel';
import {
  break_kinds,
  daysAfter,
  type Item,
  type ItemFilter,
  item_statuses,
  itemIdOf,
  noItemChanges,
} from '@tallystick/reconciliation';
import type { ContractRule } from './contract-rule.ts';
import { assertEqual } from './equality.ts';
import { everyPage, makeCompany, type StorageUnderTest } from './storage.ts';

let items_made = 50_000_000;

/** Items of a company with every status, many kinds, classes, cards and dates, in no order. */
function itemsOf(company_id: number): readonly Item[] {
  return Array.from({ length: 90 }, (_, at): Item => {
    items_made += 1;
    const status = item_statuses[at % item_statuses.length]!;
    const has_kind = status === 'break' || status === 'accepted' || status === 'ignored';
    const has_clearing = at % 5 !== 0;
    const settlement_date = has_clearing ? daysAfter('2026-03-02', at % 9) : null;
    return {
      id: itemIdOf({ kind: 'clearing', id: items_made }),
      company_id,
      status,
      kind: has_kind ? break_kinds[at % break_kinds.length]! : null,
      class: has_clearing ? (['exact', 'over', 'tip'] as const)[at % 3]! : null,
      rule: 'ard',
      vcn_id: 1 + (at % 4),
      merchant_name: 'Joe\'s "Diner" é😀',
      authorization_ids: [],
      clearing_ids: has_clearing ? [items_made] : [],
      line_ids: [],
      matches: [],
      alternatives: [],
      authorized: null,
      cleared: money(at),
      stated: null,
      fees: money(0),
      difference: money(-at),
      currency: at % 7 === 0 ? 'EUR' : 'USD',
      sides: 2,
      settlement_date,
      period_date: settlement_date,
      due_date: has_kind ? daysAfter('2026-03-05', at % 11) : null,
      next_change_ms: null,
      // Several arrive at one time.
      opened_at_ms: 1_000_000 - (at % 13) * 1_000,
      version: 1 + at,
      period_id: null,
    };
  });
}

const filters: readonly ItemFilter[] = [
  {},
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
  { status: 'break', class: 'over' },
  { status: 'break', kind: 'amount', currency: 'USD' },
  { status: 'matched', settlement_date: { to: '2026-03-06' }, vcn_id: 3 },
  { status: 'matched', class: 'exact', currency: 'USD' },
  { kind: 'unstated', due_date: { from: '2026-03-07' } },
];

function fits(item: Item, filter: ItemFilter): boolean {
  const { settlement_date, due_date, ...equal } = filter;
  const isWithin = (date: string | null, range: ItemFilter['due_date']) =>
    range === undefined || (date !== null && date >= (range.from ?? date) && date <= (range.to ?? date));
  return (
    Object.entries(equal).every(([name, value]) => item[name as keyof Item] === value) &&
    isWithin(item.settlement_date, settlement_date) &&
    (isWithin(item.due_date, due_date) ||
      (due_date?.with_later_breaks === true && item.status === 'break' && (item.due_date ?? '') > due_date.to!))
  );
}

/** The rules of lists of items, and of the inbox. */
export const reconciliation_list_contract: readonly ContractRule<StorageUnderTest>[] = [
  {
    rule: 'items are listed newest first by each filter and by several, on pages that omit none',
    async check(open) {
      const { unitOfWork } = await open();
      const [company_id, other_id] = await unitOfWork.run(async (tx) => [
        (await makeCompany(tx)).id,
        (await makeCompany(tx)).id,
      ]);
      const items = itemsOf(company_id!);
      await unitOfWork.run(async ({ reconciliation }) => {
        for (const [of, inserted] of [
          [company_id!, items],
          [other_id!, itemsOf(other_id!)],
        ] as const) {
          await reconciliation.lockCompany(of);
          await reconciliation.write({
            ...noItemChanges(of),
            inserted,
          });
        }
      });
      for (const filter of filters) {
        const expected = items
          .filter((item) => fits(item, filter))
          .sort((a, b) => b.opened_at_ms - a.opened_at_ms || b.id - a.id);
        const found = await unitOfWork.read((tx) =>
          everyPage((page) => tx.reconciliation.list(company_id!, filter, page), 4),
        );
        assertEqual(found, expected, JSON.stringify(filter));
        const { items: second } = await unitOfWork.read((tx) =>
          tx.reconciliation.list(company_id!, filter, { limit: 3, offset: 2 }),
        );
        assertEqual(second, expected.slice(2, 5), `${JSON.stringify(filter)} with an offset`);
      }
    },
  },
  {
    rule: 'acts are found by the records that they concern, and enter their items into the inbox',
    async check(open) {
      const { unitOfWork } = await open();
      const { id: company_id } = await unitOfWork.run((tx) => makeCompany(tx));
      const subject = {
        fingerprint: 'f',
        pairs: [{ line_id: 7, clearing_id: 8 }],
        authorization: null,
        rule: null,
        confirmed: [],
      };
      const fields = { company_id, at_ms: 5, actor: 'key:1', note: 'é😀', reason: null, request_id: null };
      const [act] = await unitOfWork.run(async ({ reconciliation }) => {
        await reconciliation.lockCompany(company_id);
        const item_id = itemIdOf({ kind: 'clearing', id: 9 });
        return await reconciliation.insertActs([{ ...fields, action: 'match', item_id, subject }]);
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
        assertEqual(await reconciliation.hasWork(company_id, 0), true, 'work');
      });
      const taken = await unitOfWork.run(async ({ reconciliation }) => {
        await reconciliation.lockCompany(company_id);
        return await reconciliation.takeArrivals(company_id, 10);
      });
      assertEqual(taken, { rows: 1, records: [{ kind: 'clearing', id: 9 }] }, 'the arrival');
      const none = await unitOfWork.run((tx) => tx.reconciliation.takeArrivals(company_id, 10));
      assertEqual(none, { rows: 0, records: [] }, 'what is left');
    },
  },
];
