import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  break_kinds,
  cellChanges,
  cellKeyOf,
  type ItemContent,
  item_statuses,
  type RecordKey,
  type StatementKeySetting,
  type SummaryCell,
  startOf,
  statement_key_default,
  statement_key_settings,
  statementKeyOf,
  summarize,
} from '../../src/index.ts';
import { composeAll } from '../reconciliation-world.ts';
import { type ReconciliationWorld, rearrive, reconciliationWorld } from './drawn-records.ts';
import { referenceItems } from './plain-items.ts';

fc.configureGlobal(propertyParameters({ short: 200, full: 600 }));

const draws = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 60, maxLength: 60 });

function itemsOf(
  {
    records: { purchases, clearings, lines },
    coverage,
    tolerances,
  }: Pick<ReconciliationWorld, 'records' | 'coverage' | 'tolerances'>,
  now_ms: number,
  setting: StatementKeySetting = statement_key_default,
): readonly ItemContent[] {
  const withKey = <Row extends { readonly acquirer_reference: string | null }>(row: Row) => ({
    ...row,
    statement_key: statementKeyOf(row.acquirer_reference, setting),
  });
  const records = { purchases, clearings: clearings.map(withKey), lines: lines.map(withKey) };
  const tolerated = new Map([...tolerances].map(([currency, amount]) => [currency, { amount, since_ms: 0 }] as const));
  return composeAll({ records, acts: [], coverage, tolerances: tolerated, now_ms });
}

describe('items', () => {
  test('are those of a plain computation over all records, with each setting of the statement key', () => {
    const settings = fc.constantFrom(...statement_key_settings);
    fc.assert(
      fc.property(reconciliationWorld(), settings, ({ records, now_ms, ...circumstances }, setting) => {
        const items = itemsOf({ records, ...circumstances }, now_ms, setting).map((item) => ({
          members: membersOf(item).sort(),
          status: item.status,
          kind: item.kind,
          authorized: item.authorized,
          cleared: item.cleared,
          stated: item.stated,
          fees: item.fees,
          due_date: item.due_date,
          tolerated: amountsTolerated(item),
        }));
        const expected = referenceItems(records, circumstances, now_ms, setting);
        assert.deepEqual(items.sort(byMembers), [...expected].sort(byMembers));
      }),
    );
  });

  test('are the same whatever the order in which records arrived, but for their ids', () => {
    fc.assert(
      fc.property(reconciliationWorld(), draws, (world, draw) => {
        const { records, originalOf } = rearrive(world.records, draw);
        const nameOf = (record: RecordKey) => nameIn(world, record);
        const items = itemsOf(world, world.now_ms).map((item) => described(item, nameOf));
        const again = itemsOf({ ...world, records }, world.now_ms).map((item) =>
          described(item, (record) => nameOf(originalOf(record))),
        );
        assert.deepEqual(again.sort(byMembers), items.sort(byMembers));
      }),
    );
  });

  test('change only when they say so', () => {
    fc.assert(
      fc.property(reconciliationWorld(), fc.nat({ max: 60 * 24 }), (world, hours) => {
        const then_ms = world.now_ms + hours * 60 * 60 * 1_000;
        const later = new Map(itemsOf(world, then_ms).map((item) => [item.id, item]));
        for (const item of itemsOf(world, world.now_ms)) {
          if (item.next_change_ms !== null && item.next_change_ms <= then_ms) continue;
          assert.deepEqual(later.get(item.id), item);
        }
      }),
    );
  });

  test('have each record once, and no other', () => {
    fc.assert(
      fc.property(reconciliationWorld(), (world) => {
        const { purchases, clearings, lines } = world.records;
        const members = itemsOf(world, world.now_ms).flatMap(membersOf);
        assert.equal(new Set(members).size, members.length);
        for (const { id } of clearings) assert.ok(members.includes(`clearing ${id}`));
        for (const { id, bai_code, standing } of lines) {
          assert.equal(members.includes(`line ${id}`), standing !== null || bai_code !== '475');
        }
        const records = clearings.length + lines.length + purchases.length;
        assert.ok(members.length <= records);
      }),
    );
  });

  test('of worlds have every status and kind that needs no person', () => {
    const seen = new Set<string | null>();
    fc.assert(
      fc.property(reconciliationWorld(), (world) => {
        for (const { status, kind, rule } of itemsOf(world, world.now_ms)) seen.add(status).add(kind).add(rule);
      }),
      { numRuns: 1_000 },
    );
    const wanted = [...item_statuses, ...break_kinds, 'covering_set', 'ard', '8', '6'];
    const missing = wanted.filter((one) => !seen.has(one));
    assert.deepEqual(missing.sort(), ['ignored', 'late_change']);
  });
});

test('cells that are kept by differences are those counted from all items', () => {
  fc.assert(
    fc.property(fc.array(reconciliationWorld(), { minLength: 1, maxLength: 4 }), (worlds) => {
      const kept = new Map<string, SummaryCell>();
      let before: readonly ItemContent[] = [];
      for (const { now_ms, ...world } of worlds) {
        const after = itemsOf(world, now_ms);
        const changes = [
          ...before.map((item) => ({ before: item, after: null })),
          ...after.map((item) => ({ before: null, after: item })),
        ];
        for (const cell of cellChanges(changes)) {
          const { count, sum } = kept.get(cellKeyOf(cell)) ?? { count: 0, sum: 0 };
          kept.set(cellKeyOf(cell), { ...cell, count: count + cell.count, sum: sum + cell.sum });
        }
        before = after;
      }
      const cells = [...kept.values()].filter(({ count }) => count !== 0);
      const counted = cellChanges(before.map((item) => ({ before: null, after: item })));
      assert.deepEqual(cells.sort(byText), [...counted].sort(byText));
      const now_ms = startOf('2026-05-01');
      for (const [currency, { by_status, by_kind, by_age }] of summarize(cells, now_ms)) {
        const of_currency = before.filter((item) => item.currency === currency);
        const total = (of: Readonly<Record<string, { readonly count: number }>>) =>
          Object.values(of).reduce((count, one) => count + one.count, 0);
        assert.equal(total(by_status), of_currency.length);
        assert.equal(total(by_kind), by_status.break.count);
        assert.equal(total(by_age), by_status.break.count);
      }
    }),
  );
});

function byText(a: SummaryCell, b: SummaryCell): number {
  return cellKeyOf(a) < cellKeyOf(b) ? -1 : 1;
}

function amountsTolerated({ tolerated }: ItemContent): readonly number[] {
  return tolerated.map(({ amount }) => amount).sort((a, b) => a - b);
}

function membersOf({ authorization_ids, clearing_ids, line_ids }: ItemContent): string[] {
  return [
    ...authorization_ids.map((id) => `authorization ${id}`),
    ...clearing_ids.map((id) => `clearing ${id}`),
    ...line_ids.map((id) => `line ${id}`),
  ];
}

function byMembers(a: { readonly members: readonly string[] }, b: { readonly members: readonly string[] }): number {
  return a.members.join() < b.members.join() ? -1 : 1;
}

/**
 * The name of a record. Lines that differ in nothing have one name: either may have either pair.
 */
function nameIn({ records }: ReconciliationWorld, { kind, id }: RecordKey): string {
  const line = kind === 'line' ? records.lines.find((one) => one.id === id) : undefined;
  if (line === undefined || line.bank_reference !== null) return `${kind} ${id}`;
  const { account_id, currency, amount, is_fee, booking_date, acquirer_reference } = line;
  return [kind, account_id, currency, amount, is_fee, booking_date, acquirer_reference].join(' ');
}

/** An item in the names of the records of the world; without its id and times of arrival. */
function described(item: ItemContent, nameOf: (record: RecordKey) => string) {
  const namesOf = (kind: RecordKey['kind'], ids: readonly number[]) => ids.map((id) => nameOf({ kind, id })).sort();
  const named = (of: {
    readonly rule: string;
    readonly clearing_ids: readonly number[];
    readonly line_ids: readonly number[];
  }) => [of.rule, ...namesOf('clearing', of.clearing_ids), ...namesOf('line', of.line_ids)].join(' ');
  const {
    id: _id,
    opened_at_ms: _at,
    authorization_ids,
    clearing_ids,
    line_ids,
    matches,
    alternatives,
    tolerated: _tolerated,
    ...content
  } = item;
  return {
    ...content,
    tolerated: amountsTolerated(item),
    // A hold that never ends counts from its arrival.
    next_change_ms: content.next_change_ms === null ? null : Math.floor(content.next_change_ms / 1_000),
    members: [
      ...namesOf('authorization', authorization_ids),
      ...namesOf('clearing', clearing_ids),
      ...namesOf('line', line_ids),
    ].sort(),
    matches: matches.map(named).sort(),
    alternatives: alternatives.map(named).sort(),
  };
}
