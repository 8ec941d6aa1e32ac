import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  type CardOf,
  createSampleSet,
  deck_records,
  type ExpectedItem,
  first_statement_days,
  format_abilities,
  last_statement_days,
  type SampleOptions,
  stated_scenario_kinds,
} from '../src/index.ts';

const day = Temporal.PlainDate.from('2030-03-15');
const base: SampleOptions = {
  ...{ cards: 10, records: deck_records, seed: 1, format: 'csv', day: day.toString() },
  statements: true,
};
const stated_formats = Object.keys(format_abilities).filter((name) => format_abilities[name]!.references !== 'none');
const dayAfter = (days: number): string => day.add({ days }).toString();

const cardOf: CardOf = (card) => ({ vcn_id: card + 1, card_number: `5454540000${String(card).padStart(6, '0')}` });

const options: fc.Arbitrary<SampleOptions> = fc.record({
  cards: fc.integer({ min: 1, max: 30 }),
  records: fc.integer({ min: 1, max: 900 }),
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  format: fc.constantFrom(...stated_formats),
  day: fc.constantFrom('2030-03-15', '2031-12-31', '2032-02-29'),
  statements: fc.constant(true),
});

describe('the statements of a set of samples', () => {
  it('lead from each opening balance to the closing balance with which the next one opens', () => {
    fc.assert(
      fc.property(options, (of) => {
        let expected_opening: number | null = null;
        let expected_day = Temporal.PlainDate.from(of.day).add({ days: first_statement_days });
        for (const { head, lines } of createSampleSet(of).statements('A1')) {
          if (expected_opening !== null) assert.equal(head.opening_balance, expected_opening);
          assert.equal(head.as_of, expected_day.toString());
          let balance: number = head.opening_balance;
          for (const line of lines) {
            assert.equal(line.booking_date, head.as_of);
            balance += line.amount;
          }
          assert.equal(balance, head.closing_balance);
          expected_opening = head.closing_balance;
          expected_day = expected_day.add({ days: 1 });
        }
        const last = Temporal.PlainDate.from(of.day).add({ days: last_statement_days });
        assert.equal(expected_day.subtract({ days: 1 }).toString(), last.toString());
      }),
      propertyParameters({ short: 15, full: 40 }),
    );
  });

  it('have each line once, with a reference of the bank that no other has', () => {
    const set = createSampleSet({ ...base, records: 2_000 });
    const booked = Array.from(set.statements('A1')).flatMap(({ lines }) => Array.from(lines));
    const planned = Array.from(set.scenarios()).flatMap(({ lines }) => lines);
    assert.equal(new Set(booked.map(({ bank_reference }) => bank_reference)).size, booked.length);
    assert.equal(booked.length, planned.length);
    const references = booked.map(({ acquirer_reference }) => acquirer_reference?.length ?? 0);
    assert.deepEqual([...new Set(references)].sort(), [0, 17, 23]);
  });

  it('are refused of a format without acquirer references', () => {
    assert.throws(() => createSampleSet({ ...base, format: 'vcf4' }), /^RangeError: statements: vcf4/);
  });
});

describe('the items that a set of samples expects', () => {
  it('have every applied clearing, every card line and every standing authorization once', () => {
    fc.assert(
      fc.property(options, (of) => {
        const set = createSampleSet(of);
        const items = Array.from(set.expectedItems(of.day));
        const clearings = Array.from(set.records(cardOf), ({ expected }) => expected)
          .filter(({ quarantine, duplicate_of }) => quarantine === null && duplicate_of === null)
          .map(({ transaction_id }) => transaction_id);
        assert.deepEqual(items.flatMap((item) => item.clearings).sort(), clearings.sort());
        const lines = Array.from(set.scenarios()).flatMap((scenario) => scenario.lines);
        const card_lines = lines.filter(({ bai_code }) => /^82[1-6]$|^[36]91$/.test(bai_code));
        assert.deepEqual(
          items.flatMap((item) => item.lines).sort(),
          card_lines.map(({ bank_reference }) => bank_reference).sort(),
        );
        const authorizations = items.flatMap((item) => item.authorizations);
        assert.equal(new Set(authorizations).size, authorizations.length);
      }),
      propertyParameters({ short: 15, full: 40 }),
    );
  });

  for (const format of stated_formats) {
    it(`come from every kind of scenario that ${format} can state in ${deck_records} records`, () => {
      const able = format_abilities[format]!;
      const found = new Set(Array.from(createSampleSet({ ...base, format }).scenarios(), ({ name }) => name));
      const possible = stated_scenario_kinds.filter((kind) => kind.records(able) !== null);
      assert.deepEqual(
        possible.map(({ name }) => name).filter((name) => !found.has(name)),
        [],
      );
    });
  }

  it('have every status, kind of break, age and rule of lines in one deck', () => {
    const set = createSampleSet(base);
    const at = (days: number): readonly ExpectedItem[] => Array.from(set.expectedItems(dayAfter(days)));
    const late = at(last_statement_days + 4);
    const all = Array.from({ length: last_statement_days }, (_, days) => at(days))
      .concat([late])
      .flat();
    const found = <Value>(of: (item: ExpectedItem) => Value): readonly Value[] => [...new Set(all.map(of))].sort();
    assert.deepEqual(
      found(({ status }) => status),
      ['awaiting', 'break', 'matched', 'proposed'],
    );
    assert.deepEqual(
      found(({ break_kind }) => break_kind ?? ''),
      ['', 'amount', 'suspected_duplicate', 'unauthorized', 'uncleared', 'unexplained_line', 'unstated'],
    );
    assert.deepEqual(
      found(({ age }) => age ?? ''),
      ['', '0-1', '2-3', '4-7', '8-30', 'over 30'],
    );
    const rules = found(({ rule }) => rule ?? '');
    for (const rule of ['', '3', '4', '5', '6', '7', '8', 'covering_set']) assert.ok(rules.includes(rule), rule);
    assert.ok(all.some(({ offers }) => offers > 1));
    assert.ok(all.some(({ fees }) => fees > 0));
    assert.ok(
      late.every(({ status }) => status !== 'awaiting'),
      'in the end nothing is awaited any more',
    );
  });

  it('state a summary and a bridge that are the sums of the items', () => {
    fc.assert(
      fc.property(options, fc.integer({ min: 0, max: 90 }), (of, days) => {
        const set = createSampleSet(of);
        const today = Temporal.PlainDate.from(of.day).add({ days }).toString();
        const items = Array.from(set.expectedItems(today));
        const { by_status, by_kind, by_age } = set.expectedSummary(today);
        const counts = (totals: object): number =>
          Object.values(totals).reduce((sum: number, { count }: { count: number }) => sum + count, 0);
        const breaks = items.filter(({ status }) => status === 'break').length;
        assert.deepEqual([counts(by_status), counts(by_kind), counts(by_age)], [items.length, breaks, breaks]);
        const bridge = set.expectedBridge(today);
        assert.equal(bridge.opening_balance + bridge.card_lines + bridge.other_lines, bridge.closing_balance);
        const statements = Array.from(set.statements('A1'), ({ head }) => head);
        assert.equal(bridge.opening_balance, statements[0]?.opening_balance);
        assert.equal(bridge.closing_balance, statements.at(-1)?.closing_balance);
      }),
      propertyParameters({ short: 15, full: 40 }),
    );
  });

  it('do not change a set without statements', () => {
    const plain = createSampleSet({ ...base, statements: false });
    const names = new Set(Array.from(plain.scenarios(), ({ name }) => name));
    assert.ok(!names.has('line_missing'));
  });
});

describe('the covering sets of a set of samples', () => {
  it('are the only ones: no other records near them add up to one of theirs', () => {
    const set = createSampleSet({ ...base, records: 4_000 });
    const clearings: Leftover[] = [];
    const lines: Leftover[] = [];
    let planned = 0;
    for (const scenario of set.scenarios()) {
      const referenced = scenario.lines.filter(({ acquirer_reference }) => acquirer_reference !== null);
      const explained = new Set(referenced.flatMap((line) => line.clearings));
      for (const { expected, input } of scenario.clearings) {
        if (expected.quarantine !== null || expected.duplicate_of !== null) continue;
        planned += scenario.offersOf(expected.transaction_id);
        if (explained.has(expected.transaction_id)) continue;
        const days = day.until(Temporal.PlainDate.from(input.settlement_date), { largestUnit: 'days' }).days;
        clearings.push({ days, amount: input.billing_amount });
      }
      if (scenario.lines.some(({ fit }) => fit === 'set')) planned += 1;
      for (const { acquirer_reference, bai_code, booking_days, amount } of scenario.lines) {
        if (acquirer_reference === null && bai_code === '821') lines.push({ days: booking_days, amount: -amount });
      }
    }
    // A line and a clearing of one amount are one set.
    const of_lines = lines.reduce((sum, line) => sum + countSets(line, clearings, 1), 0);
    const of_clearings = clearings.reduce((sum, clearing) => sum + countSets(clearing, lines, 2), 0);
    assert.ok(planned >= 25);
    assert.equal(of_lines + of_clearings, planned);
  });
});

/** A record that no reference explains. */
interface Leftover {
  readonly days: number;
  readonly amount: number;
}

/** How many sets of so many to 5 records at most 3 days away add up to the subject. */
function countSets(subject: Leftover, candidates: readonly Leftover[], members_min: number): number {
  const near = candidates.filter(
    ({ days, amount }) => Math.abs(days - subject.days) <= 3 && amount <= subject.amount && amount > 0,
  );
  assert.ok(near.length <= 30, 'no candidate is left out');
  const count = (from: number, left: number, members: number): number => {
    if (left === 0) return members >= members_min ? 1 : 0;
    if (members === 5) return 0;
    let sets = 0;
    for (let place = from; place < near.length; place += 1) {
      if (near[place]!.amount <= left) sets += count(place + 1, left - near[place]!.amount, members + 1);
    }
    return sets;
  };
  return count(0, subject.amount, 0);
}
