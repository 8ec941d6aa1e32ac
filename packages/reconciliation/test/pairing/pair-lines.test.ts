import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import {
  daysAfter,
  type HandPairs,
  pairRecords,
  type StatementKeySetting,
  statement_key_settings,
  statementKeyOf,
} from '../../src/index.ts';
import { clearing, fee, line, no_hands, reference } from '../reconciliation-world.ts';

const settled = '2026-03-03';

function pairs(
  clearings: readonly ReturnType<typeof clearing>[],
  lines: readonly ReturnType<typeof line>[],
  hands: HandPairs = no_hands,
): readonly (readonly [line: number, clearing: number, fit: string])[] {
  return pairRecords({ clearings, lines }, hands)
    .map(({ line_id, clearing_id, fit }) => [line_id, clearing_id, fit] as const)
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

const other = (id: number, change: Parameters<typeof clearing>[0] = {}) =>
  clearing({ id, authorization_id: id, ...change });

describe('a line belongs to a clearing', () => {
  test('of its key, amount and currency within 3 days', () => {
    assert.deepEqual(pairs([clearing()], [line({ booking_date: daysAfter(settled, 3) })]), [[1, 1, 'exact']]);
    assert.deepEqual(pairs([clearing()], [line({ booking_date: daysAfter(settled, -3) })]), [[1, 1, 'exact']]);
    assert.deepEqual(pairs([clearing()], [line({ currency: 'EUR' })]), []);
    assert.deepEqual(pairs([clearing()], [line({ acquirer_reference: '1' })]), []);
  });

  test('whether it has 17 or 23 digits of the reference', () => {
    assert.deepEqual(pairs([clearing()], [line({ acquirer_reference: '41234500000000001' })]), [[1, 1, 'exact']]);
  });

  test('with the nearest date of several, each once', () => {
    const clearings = [other(1), other(2, { settlement_date: daysAfter(settled, 2) })];
    const lines = [line({ booking_date: daysAfter(settled, 2) }), line({ id: 2, booking_date: daysAfter(settled, 1) })];
    assert.deepEqual(pairs(clearings, lines), [
      [1, 2, 'exact'],
      [2, 1, 'exact'],
    ]);
  });

  test('with another amount when it is the only one of the key', () => {
    assert.deepEqual(pairs([clearing()], [line({ amount: money(999) })]), [[1, 1, 'rest']]);
  });

  test('with another amount when it is the only one left', () => {
    assert.deepEqual(
      pairs([other(1), other(2, { amount: money(700) })], [line(), line({ id: 2, amount: money(705) })]),
      [
        [1, 1, 'exact'],
        [2, 2, 'rest'],
      ],
    );
  });

  test('not with another amount when several purchases are left', () => {
    assert.deepEqual(pairs([other(1), other(2)], [line({ amount: money(999) })]), []);
  });

  test('together with the other parts of one purchase when it is the sum of them', () => {
    const parts = [clearing({ amount: money(400) }), clearing({ id: 2, amount: money(600) })];
    assert.deepEqual(pairs(parts, [line()]), [
      [1, 1, 'rest'],
      [1, 2, 'rest'],
    ]);
  });

  test('of one purchase with its reversals and refunds, by sign', () => {
    const reversal = clearing({ id: 2, cycle: 'reversal', clearing_id: 1, amount: money(-1_000) });
    assert.deepEqual(pairs([clearing(), reversal], [line({ amount: money(-1_000) }), line({ id: 2 })]), [
      [1, 2, 'exact'],
      [2, 1, 'exact'],
    ]);
  });

  test('not when it was booked more than 35 days away: the key has come again', () => {
    assert.deepEqual(pairs([clearing()], [line({ booking_date: daysAfter(settled, 35) })]), [[1, 1, 'rest']]);
    assert.deepEqual(pairs([clearing()], [line({ booking_date: daysAfter(settled, 36) })]), []);
  });

  test('not by a reference of zeros', () => {
    const acquirer_reference = '0'.repeat(23);
    assert.deepEqual(pairs([clearing({ acquirer_reference })], [line({ acquirer_reference })]), []);
  });
});

describe('a fee', () => {
  test('joins the clearing of its key with the nearest date', () => {
    const clearings = [other(1), other(2, { settlement_date: daysAfter(settled, 2) })];
    assert.deepEqual(pairs(clearings, [fee({ booking_date: daysAfter(settled, 2) })]), [[2, 2, 'fee']]);
  });

  test('never pairs as a purchase, even with an equal amount', () => {
    assert.deepEqual(pairs([clearing()], [fee({ amount: money(1_000) })]), [[2, 1, 'fee']]);
  });
});

describe('pairs of people', () => {
  const hands = (pins: HandPairs['pins'], bars: HandPairs['bars'] = []) => ({ pins, bars });

  test('are made whatever the keys and amounts', () => {
    const stranger = line({ acquirer_reference: null, amount: money(5) });
    const pin = { line_id: 1, clearing_id: 1 };
    assert.deepEqual(pairRecords({ clearings: [clearing()], lines: [stranger] }, hands([pin])), [
      { ...pin, rule: 'person', fit: 'exact', days: 0 },
    ]);
  });

  test('take their records from the rules, but for fees', () => {
    const lines = [line(), fee(), line({ id: 3, acquirer_reference: null })];
    assert.deepEqual(pairs([clearing(), other(2)], lines, hands([{ line_id: 3, clearing_id: 1 }])), [
      [1, 2, 'exact'],
      [2, 1, 'fee'],
      [3, 1, 'exact'],
    ]);
  });

  test('that were undone are not made by a rule', () => {
    const bars = [{ line_id: 1, clearing_id: 1 }];
    assert.deepEqual(pairs([clearing()], [line()], hands([], bars)), []);
    assert.deepEqual(pairs([other(1), other(2)], [line()], hands([], bars)), [[1, 2, 'exact']]);
    assert.deepEqual(pairs([clearing()], [fee()], hands([], [{ line_id: 2, clearing_id: 1 }])), []);
  });
});

describe('the statement key', () => {
  const dated = '74123456062000000000011';
  const same_key = '74123456065000000000018';

  test('has the BIN and the sequence of 23 digits', () => {
    assert.equal(statementKeyOf(reference, 'bin+sequence'), '41234500000000001');
    assert.equal(statementKeyOf('12345678901234567', 'bin+sequence'), '12345678901234567');
    assert.equal(statementKeyOf('ABC', 'bin+sequence'), 'ABC');
  });

  test('is the reference as it came, when the setting is whole', () => {
    for (const one of [reference, '12345678901234567', 'ABC']) assert.equal(statementKeyOf(one, 'whole'), one);
  });

  test('is null without a reference, with each setting', () => {
    for (const setting of statement_key_settings) {
      for (const none of [null, '', '0'.repeat(17), '0'.repeat(23), '-', '-2026-03-03']) {
        assert.equal(statementKeyOf(none, setting), null);
      }
    }
  });

  test('of two references that differ in the date only is one key, unless the setting is whole', () => {
    const pairsWith = (setting: StatementKeySetting) =>
      pairs([clearing({ acquirer_reference: dated }, setting)], [line({ acquirer_reference: same_key }, setting)]);
    assert.deepEqual(pairsWith('bin+sequence'), [[1, 1, 'exact']]);
    assert.deepEqual(pairsWith('whole'), []);
  });

  test('of 17 and of 23 digits is one key, unless the setting is whole', () => {
    const pairsWith = (setting: StatementKeySetting, line_reference: string) =>
      pairs([clearing({}, setting)], [line({ acquirer_reference: line_reference }, setting)]);
    assert.deepEqual(pairsWith('bin+sequence', '41234500000000001'), [[1, 1, 'exact']]);
    assert.deepEqual(pairsWith('whole', '41234500000000001'), []);
    assert.deepEqual(pairsWith('whole', reference), [[1, 1, 'exact']]);
  });
});
