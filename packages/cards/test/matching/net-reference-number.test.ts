import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partsOfKey, referenceKeys } from '../../src/index.ts';
import { cycleDayOf, isWholeNetReference, networkReferenceOf } from '../../src/matching/net-reference-number.ts';

test('the network reference is the characters 4 to 9 of thirteen, and null when one of them is a blank', () => {
  for (const [text, reference] of [
    ['MCC1A2B3C0131', '1A2B3C'],
    ['   1A2B3C    ', '1A2B3C'],
    ['MCC\u00a0A2B3C0131', '\u00a0A2B3C'],
    ['MC\u{1F4B3}1A2B3C0131', '1A2B3C'],
    ['MCC1A2B3C', null],
    ['MCC1A2B3C01311', null],
    ['MCC1A2B3\u{1F4B3}013', null],
    ['MCC1A2B3\u{1F4B3}0131', '1A2B3\u{1F4B3}'],
    ['MCC1A2B3', null],
    ['MCC1A2 3C0131', null],
    ['MCC      0131', null],
    ['', null],
    [null, null],
  ] as const) {
    assert.equal(networkReferenceOf(text), reference, JSON.stringify(text));
  }
});

test('a whole reference has thirteen characters and no blank', () => {
  for (const text of ['MCC1A2B3C0131', 'MCC\u00a0A2B3C0131', 'MCC1A2B3\u{1F4B3}0131'])
    assert.ok(isWholeNetReference(text), text);
  for (const text of ['MCC1A2B3C013', 'MCC1A2B3C01312', 'MC 1A2B3C0131', null]) assert.ok(!isWholeNetReference(text));
});

test('the cycle day is a day of a leap year, and null when the date does not exist', () => {
  assert.equal(cycleDayOf('MCC1A2B3C0101'), 1);
  assert.equal(cycleDayOf('MCC1A2B3C0229'), 60);
  assert.equal(cycleDayOf('MCC1A2B3C1231'), 366);
  assert.equal(cycleDayOf('MCC1A2B3\u{1F4B3}1231'), 366);
  for (const text of ['MCC1A2B3C1301', 'MCC1A2B3C0100', 'MCC1A2B3C', null]) assert.equal(cycleDayOf(text), null);
});

test('a record has one key for each reference that it carries, of its kind and its value', () => {
  const net_reference_number = 'MCC1A2B3C0131';
  const keys = referenceKeys({ acquirer_reference_data: '24445005', approval_code: 'A1 B2C', net_reference_number });
  assert.deepEqual(keys, ['acquirer_reference_data 24445005', 'approval_code A1 B2C', 'network_reference 1A2B3C']);
  assert.deepEqual(keys.map(partsOfKey), [
    { kind: 'acquirer_reference_data', value: '24445005' },
    { kind: 'approval_code', value: 'A1 B2C' },
    { kind: 'network_reference', value: '1A2B3C' },
  ]);
  assert.deepEqual(referenceKeys({ approval_code: null, net_reference_number: null }), []);
});
