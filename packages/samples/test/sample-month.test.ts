import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { type CardOf, createSampleSet, format_abilities, type SampleOptions } from '../src/index.ts';

const base: SampleOptions = {
  ...{ cards: 10, records: 800, seed: 1, format: 'csv', day: '2030-03-01', statements: true },
  month: { days: 28, breaks: 0.1 },
};

const cardOf: CardOf = (card) => ({ vcn_id: card + 1, card_number: `5454540000${String(card).padStart(6, '0')}` });

const options: fc.Arbitrary<SampleOptions> = fc.record({
  cards: fc.integer({ min: 1, max: 30 }),
  records: fc.integer({ min: 1, max: 600 }),
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  format: fc.constantFrom(...Object.keys(format_abilities).filter((name) => name !== 'vcf4')),
  day: fc.constantFrom('2030-03-01', '2032-02-29'),
  statements: fc.constant(true),
  month: fc.record({ days: fc.integer({ min: 1, max: 40 }), breaks: fc.double({ min: 0, max: 1, noNaN: true }) }),
});

describe('a month of samples', () => {
  it('has the share of breaks that is asked for, every kind in equal parts', () => {
    const breaks = [...createSampleSet(base).scenarios()].filter(({ breaks }) => Object.keys(breaks).length > 0);
    assert.equal(breaks.length, 80);
    // A match of two breaks is about the kind that its scenario begins with.
    const kinds = Map.groupBy(breaks, ({ breaks }) => Object.keys(breaks)[0]!);
    const counts = [...kinds].map(([, of_kind]) => of_kind.length);
    assert.equal(kinds.size, 8);
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, String(counts));
  });

  it('says of every break what is right, and has no other one', () => {
    fc.assert(
      fc.property(options, (of) => {
        const set = createSampleSet(of);
        const today = set.month!.late_day;
        const items = [...set.expectedItems(today)].filter(({ status }) => status === 'break');
        const breaks = [...set.expectedBreaks(today)].filter(
          ({ break_kind }) => break_kind !== 'late_change' && break_kind !== 'bank_line_differs',
        );
        assert.deepEqual(
          breaks.map(({ break_kind, clearings, lines }) => ({ break_kind, clearings, lines })),
          items.map(({ break_kind, clearings, lines }) => ({ break_kind, clearings, lines })),
        );
        for (const { act, with: named } of breaks) {
          const names = [...named.authorizations, ...named.clearings, ...named.lines];
          assert.equal(names.length > 0, act === 'match' || act === 'match_and_accept');
        }
      }),
      propertyParameters({ short: 15, full: 60 }),
    );
  });

  it('sends its authorizations in the order of their days, all within the month', () => {
    fc.assert(
      fc.property(options, (of) => {
        const days = [...createSampleSet(of).authorizations(cardOf)].map((one) =>
          one.transaction_date_time.slice(0, 10),
        );
        assert.deepEqual(days, days.toSorted());
        assert.ok(days.every((day) => day >= of.day));
      }),
      propertyParameters({ short: 15, full: 60 }),
    );
  });

  it('has settled by the end of the period, but for what comes late, which is of one day', () => {
    const set = createSampleSet({ ...base, records: 2_000 });
    const { close_through, late_day } = set.month!;
    assert.deepEqual([close_through, late_day], ['2030-03-31', '2030-04-05']);
    for (const { expected } of set.records(cardOf)) assert.ok(expected.settlement_date <= close_through);
    const late = [...set.lateRecords(cardOf)];
    assert.ok(late.length > 20);
    for (const { expected } of late) assert.equal(expected.settlement_date, late_day);
    const statements = [...set.statements('A1')].map(({ head, lines }) => ({ as_of: head.as_of, lines: [...lines] }));
    assert.equal(statements.at(-1)!.as_of, late_day);
    assert.ok(statements.at(-1)!.lines.length > 20);
  });

  it('lets no records without a partner add up to each other', () => {
    fc.assert(
      fc.property(options, (of) => {
        const set = createSampleSet(of);
        for (const { lines, clearings } of set.scenarios()) {
          const booked = new Set(lines.flatMap((line) => line.clearings));
          for (const line of lines) {
            if (line.acquirer_reference !== null || line.clearings.length > 0) continue;
            const cents = -line.amount % 100;
            assert.ok(cents >= 1 && cents <= 15, `${line.text} has ${cents} cents`);
          }
          for (const { input } of clearings) {
            if (booked.has(input.network_financial_transaction_id)) continue;
            assert.equal(input.billing_amount % 100, 0);
          }
        }
      }),
      propertyParameters({ short: 15, full: 60 }),
    );
  });

  it('is refused without statements, and with a share that is none', () => {
    assert.throws(() => createSampleSet({ ...base, statements: false }), /^RangeError: month: needs statements/);
    const month = { days: 28, breaks: 1.5 };
    assert.throws(() => createSampleSet({ ...base, month }), /^RangeError: breaks: must be a share from 0 to 1/);
  });
});
