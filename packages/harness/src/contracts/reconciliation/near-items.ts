import { money } from '@tallystick/kernel';
import {
  dateOf,
  daysAfter,
  daysBetween,
  type Entry,
  type Item,
  item_statuses,
  itemIdOf,
  type NearQuestion,
  near_days_max,
  near_items_max,
  near_sides,
  noItemChanges,
  startOf,
} from '@tallystick/reconciliation';
import fc from 'fast-check';
import { assertEqual } from '../assertions.ts';
import { type ContractRule, openForRuns, type PropertyRuns } from '../rule.ts';
import { makeCompany, type StorageUnderTest } from '../storage/storage.ts';
import { newItem } from './new-item.ts';

const day = '2026-03-02';

let items_made = 90_000_000;

interface ItemPlan {
  readonly side: Pick<Item, 'authorized' | 'cleared' | 'stated'>;
  readonly amount: number;
  readonly days: number;
  readonly status: Item['status'];
  readonly currency: string;
  readonly card: number;
  readonly is_of_other_company: boolean;
  /** 0: no entry under a key. */
  readonly key: number;
}

const amounts = fc.constantFrom(-3, -2, -1, 1, 2, 3);
const has = (authorized: boolean, cleared: boolean, stated: boolean) => {
  const of = (is_there: boolean) => (is_there ? money(1) : null);
  return { authorized: of(authorized), cleared: of(cleared), stated: of(stated) };
};

const item_plan: fc.Arbitrary<ItemPlan> = fc.record({
  side: fc.constantFrom(
    has(true, false, false),
    has(false, true, false),
    has(false, false, true),
    has(true, true, false),
    has(true, true, true),
  ),
  amount: amounts,
  days: fc.integer({ min: -40, max: 40 }),
  status: fc.constantFrom(...item_statuses, 'break' as const, 'awaiting' as const),
  currency: fc.constantFrom('USD', 'USD', 'EUR'),
  card: fc.constantFrom(1, 1, 2),
  is_of_other_company: fc.integer({ min: 0, max: 4 }).map((draw) => draw === 4),
  key: fc.integer({ min: 0, max: 2 }),
});

const question_plan = fc.record({
  side: fc.constantFrom(...near_sides),
  amount: amounts,
  days: fc.integer({ min: -3, max: 3 }),
  currency: fc.constantFrom('USD', 'EUR'),
  card: fc.constantFrom(1, 2),
  key: fc.option(fc.integer({ min: 1, max: 2 })),
});

function itemOf(plan: ItemPlan, company_id: number, card_base: number): Item {
  items_made += 1;
  const { authorized, cleared, stated } = plan.side;
  const date = daysAfter(day, plan.days);
  const signed = (one: number | null) => (one === null ? null : money(plan.amount));
  const kind = authorized !== null ? 'authorization' : cleared !== null ? 'clearing' : 'line';
  return newItem({
    id: itemIdOf({ kind, id: items_made }),
    company_id,
    status: plan.status,
    vcn_id: kind === 'line' ? null : card_base + plan.card,
    authorization_ids: authorized === null ? [] : [items_made],
    clearing_ids: cleared === null ? [] : [items_made],
    line_ids: stated === null ? [] : [items_made],
    authorized: signed(authorized),
    cleared: signed(cleared),
    stated: signed(stated),
    currency: plan.currency,
    settlement_date: cleared === null ? null : date,
    period_date: cleared === null && stated === null ? null : date,
    opened_at_ms: startOf(date) + 60_000 * plan.days,
  });
}

/**
 * Where an item is for a side; null when it is none of that side. Written without the port's own
 * words.
 */
function placeOf(item: Item, side: NearQuestion['side']): { readonly amount: number; readonly date: string } | null {
  const { authorized, cleared, stated } = item;
  if (!['break', 'proposed', 'awaiting'].includes(item.status)) return null;
  if (side === 'lone_line')
    return stated !== null && cleared === null ? { amount: stated, date: item.period_date! } : null;
  if (side === 'uncleared_purchase') {
    return authorized !== null && cleared === null ? { amount: authorized, date: dateOf(item.opened_at_ms) } : null;
  }
  const lacks = side === 'unstated_clearing' ? stated : authorized;
  return cleared !== null && lacks === null ? { amount: cleared, date: item.settlement_date! } : null;
}

/**
 * Throws unless the answer has each item that is nearer than all that fill its list, and no other.
 */
function assertNear(
  found: readonly number[],
  items: readonly Item[],
  entries: readonly Entry[],
  question: NearQuestion,
) {
  const { side, currency, vcn_id, amount, date, key } = question;
  const of_scope = items.filter((item) => (vcn_id === null ? item.currency === currency : item.vcn_id === vcn_id));
  const placed = of_scope.flatMap((item) => {
    const place = placeOf(item, side);
    return place === null || place.amount > 0 !== amount > 0 ? [] : { item, ...place };
  });
  const within = placed.filter((place) => Math.abs(daysBetween(date, place.date)) <= near_days_max);
  const lists = [
    within.filter((place) => place.amount === amount && place.date <= date),
    within.filter((place) => place.amount === amount && place.date > date),
    within.filter((place) => place.amount > amount),
    within.filter((place) => place.amount < amount),
  ];
  const kind = { unstated_clearing: 'clearing', lone_line: 'line' }[side as string];
  const keyed = vcn_id === null ? entries.filter((entry) => entry.key === key && entry.record.kind === kind) : [];
  const allowed = new Set([...lists.flat().map(({ item }) => item.id), ...keyed.map(({ item_id }) => item_id)]);
  assertEqual(
    found.filter((id) => !allowed.has(id)),
    [],
    'items that are not near',
  );
  for (const [at, list] of lists.entries()) {
    const distance = (place: (typeof list)[number]) =>
      at < 2 ? Math.abs(daysBetween(date, place.date)) : Math.abs(place.amount - amount);
    const missing = list.filter(({ item }) => !found.includes(item.id));
    const listed = list.filter(({ item }) => found.includes(item.id)).map(distance);
    if (missing.length === 0) continue;
    assertEqual(listed.length >= near_items_max, true, `list ${at} is short`);
    const nearest = listed.sort((a, b) => a - b)[near_items_max - 1]!;
    assertEqual(
      missing.some((place) => distance(place) < nearest),
      false,
      `list ${at} lacks a nearer item`,
    );
  }
  const keyed_missing = keyed.filter(({ item_id }) => !found.includes(item_id));
  assertEqual(keyed_missing.length === 0 || keyed.length > near_items_max, true, 'the items under the key');
}

/** The contract of `ReconciliationStore.nearItems`. */
export function nearItemsContract(runs: PropertyRuns = { numRuns: 40 }): readonly ContractRule<StorageUnderTest>[] {
  return [
    {
      rule: 'the open items near an amount and a date are found for each side, and none of another company',
      async check(open) {
        const storageOfRun = openForRuns(open);
        await fc.assert(
          fc.asyncProperty(
            fc.array(item_plan, { maxLength: 60 }),
            fc.array(question_plan, { minLength: 1, maxLength: 25 }),
            async (plans, asked) => {
              const { unitOfWork } = await storageOfRun();
              const [company_id, other_id] = await unitOfWork.run(async (tx) => [
                (await makeCompany(tx)).id,
                (await makeCompany(tx)).id,
              ]);
              const card_base = 1_000_000 + company_id! * 1_000;
              const items = plans.map((plan) =>
                itemOf(
                  plan,
                  plan.is_of_other_company ? other_id! : company_id!,
                  card_base + (plan.is_of_other_company ? 10 : 0),
                ),
              );
              const entries = items.flatMap((item, at): Entry[] => {
                const [kind, id] =
                  item.clearing_ids.length > 0
                    ? (['clearing', item.clearing_ids[0]!] as const)
                    : (['line', item.line_ids[0]] as const);
                if (id === undefined || plans[at]!.key === 0) return [];
                const key = `${item.currency} ${plans[at]!.key}`;
                return [{ company_id: item.company_id, key, record: { kind, id }, item_id: item.id }];
              });
              await unitOfWork.run(async ({ reconciliation }) => {
                for (const owner of [company_id!, other_id!]) {
                  await reconciliation.lockCompany(owner);
                  await reconciliation.write({
                    ...noItemChanges(owner),
                    inserted: items.filter((item) => item.company_id === owner),
                    entries_inserted: entries.filter((entry) => entry.company_id === owner),
                  });
                }
              });
              const questions = asked.map(({ side, amount, days, currency, card, key }): NearQuestion => {
                const is_of_card = side === 'uncleared_purchase' || side === 'unauthorized_clearing';
                return {
                  side,
                  currency,
                  vcn_id: is_of_card ? card_base + card : null,
                  amount,
                  date: daysAfter(day, days),
                  key: key === null ? null : `${currency} ${key}`,
                };
              });
              const answers = await unitOfWork.read((tx) => tx.reconciliation.nearItems(company_id!, questions));
              assertEqual(answers.length, questions.length, 'the answers');
              const own = items.filter((item) => item.company_id === company_id);
              const its_entries = entries.filter((entry) => entry.company_id === company_id);
              for (const [at, question] of questions.entries()) {
                assertNear(answers[at]!, own, its_entries, question);
              }
            },
          ),
          runs,
        );
      },
    },
  ];
}
