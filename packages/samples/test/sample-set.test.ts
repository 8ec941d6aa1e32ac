import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  clearing_classes,
  match_rule_by_hand,
  match_rules,
  normalizeAuthorization,
  normalizeClearing,
} from '@tallystick/cards';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  type CardOf,
  createSampleSet,
  deck_records,
  format_abilities,
  type SampleOptions,
  type SampleSet,
  sample_formats,
  scenario_kinds,
} from '../src/index.ts';

const base: SampleOptions = { cards: 10, records: deck_records, seed: 1, format: 'csv', day: '2030-03-15' };

/** Cards as they could have been issued. */
const cardOf: CardOf = (card) => ({ vcn_id: card + 1, card_number: `5454540000${String(card).padStart(6, '0')}` });

const vault = { index: (pan: { reveal(): string }) => createHash('sha256').update(pan.reveal()).digest() };

function everythingOf(set: SampleSet): string {
  const parts = [set.cards(), set.authorizations(cardOf), set.records(cardOf), set.expectedAuthorizations()];
  return JSON.stringify([...parts, set.expectedCards()].map((part) => [...part]));
}

const options = fc.record({
  cards: fc.integer({ min: 1, max: 30 }),
  records: fc.integer({ min: 1, max: 500 }),
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  format: fc.constantFrom(...sample_formats),
  day: fc.constantFrom('2030-03-15', '2031-12-31', '2032-02-29'),
});

describe('a set of samples', () => {
  it('is the same for the same options, and another for another seed', () => {
    assert.equal(everythingOf(createSampleSet(base)), everythingOf(createSampleSet(base)));
    assert.notEqual(everythingOf(createSampleSet(base)), everythingOf(createSampleSet({ ...base, seed: 2 })));
  });

  it('has as many records as were wanted, and messages that can be read', () => {
    fc.assert(
      fc.property(options, (of) => {
        const set = createSampleSet(of);
        let records = 0;
        for (const { message, expected, written } of set.records(cardOf)) {
          records += 1;
          assert.equal(expected.number, records);
          assert.equal(message === null, written.malformed === true || expected.quarantine === 'card_mismatch');
          if (message !== null) normalizeClearing(message, vault, null);
        }
        assert.equal(records, of.records);
        for (const message of set.authorizations(cardOf)) normalizeAuthorization(message, vault, null);
      }),
      propertyParameters({ short: 20, full: 50 }),
    );
  });

  for (const format of sample_formats) {
    it(`of ${format} can have any number of records`, () => {
      for (let records = 1; records <= deck_records; records += 1) {
        const scenarios = Array.from(createSampleSet({ ...base, format, records }).scenarios());
        assert.equal(
          scenarios.reduce((sum, { clearings }) => sum + clearings.length, 0),
          records,
        );
      }
    });

    it(`has every kind of scenario that ${format} can state in ${deck_records} records`, () => {
      const able = format_abilities[format]!;
      const set = createSampleSet({ ...base, format });
      const found = new Set(Array.from(set.scenarios(), ({ name }) => name));
      const possible = scenario_kinds.filter((kind) => kind.records(able) !== null);
      assert.deepEqual(
        possible.map(({ name }) => name).filter((name) => !found.has(name)),
        [],
      );
    });
  }

  it('has every rule, class, review and quarantine', () => {
    const expected = Array.from(createSampleSet(base).records(cardOf), (record) => record.expected);
    const rules = new Set(expected.map(({ rule }) => rule));
    assert.deepEqual(
      // No person matches clearings of the samples.
      match_rules.map(({ rule }) => rule).filter((rule) => rule !== match_rule_by_hand && !rules.has(rule)),
      [],
    );
    const classes = new Set(expected.map((one) => one.class));
    assert.deepEqual(
      clearing_classes.filter((one) => !classes.has(one)),
      [],
    );
    assert.ok(expected.some(({ review }) => review));
    assert.ok(expected.some(({ sent_before }) => sent_before));
    assert.ok(expected.some(({ duplicate_of }) => duplicate_of !== null));
  });

  it('of a format without references has the rules of merchants and amounts, for review', () => {
    const expected = Array.from(
      createSampleSet({ ...base, format: 'vcf4' }).records(cardOf),
      (record) => record.expected,
    );
    const applied = expected.filter(({ quarantine }) => quarantine === null);
    assert.deepEqual([...new Set(applied.map(({ rule }) => rule))].sort(), [0, 6, 7, 8]);
    assert.deepEqual([...new Set(applied.map((one) => one.class))].sort(), [
      'exact',
      'force_post',
      'fx_drift',
      'late',
      'refund_linked',
      'refund_unlinked',
    ]);
    assert.ok(applied.every(({ rule, review }) => rule !== 6 || review));
  });

  it('states sums for each card that are those of its authorizations and of what stands alone', () => {
    fc.assert(
      fc.property(options, (of) => {
        const set = createSampleSet(of);
        const sums = Array.from({ length: of.cards }, () => ({ held: 0, cleared: 0, uses: 0 }));
        for (const { card, expected, alone } of set.scenarios()) {
          for (const part of [...expected, { held: 0, ...alone }]) {
            sums[card]!.held += part.held;
            sums[card]!.cleared += part.cleared;
            sums[card]!.uses += part.uses;
          }
        }
        const stated = Array.from(set.expectedCards(), ({ held, cleared, uses }) => ({ held, cleared, uses }));
        assert.deepEqual(stated, sums);
      }),
      propertyParameters({ short: 20, full: 50 }),
    );
  });

  it('shares no reference between scenarios', () => {
    const set = createSampleSet({ ...base, cards: 2, records: 2_000 });
    const owners = new Map<string, number>();
    let scenario = 0;
    for (const { authorizations, clearings } of set.scenarios()) {
      scenario += 1;
      for (const one of [...authorizations.map(({ message }) => message), ...clearings.map(({ input }) => input)]) {
        const { approval_code, net_reference_number, merchant_id } = one;
        for (const reference of [approval_code, net_reference_number?.slice(3, 9), merchant_id]) {
          if (reference === null || reference === undefined) continue;
          assert.equal(owners.get(reference) ?? scenario, scenario, `${reference} belongs to two scenarios`);
          owners.set(reference, scenario);
        }
      }
    }
  });

  it('settles the clearings of a scenario on later and later days, so that their order is canonical', () => {
    for (const { name, clearings } of createSampleSet(base).scenarios()) {
      for (const [place, { input, expected }] of clearings.entries()) {
        const before = clearings[place - 1];
        if (before === undefined || expected.duplicate_of !== null) continue;
        assert.ok(before.input.settlement_date < input.settlement_date, name);
      }
    }
  });

  it('refuses sizes and formats of which no set can be made', () => {
    for (const wrong of [
      { cards: 0 },
      { records: 0 },
      { seed: -1 },
      { seed: 2 ** 32 },
      { format: 'pdf' },
      { format: 'constructor' },
    ]) {
      assert.throws(() => createSampleSet({ ...base, ...wrong }), RangeError);
    }
  });
});
