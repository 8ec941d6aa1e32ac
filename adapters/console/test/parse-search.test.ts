import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cardNumbersIn, decimalsOf, luhnCheckDigit, showDecimal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { kinds, minorUnits, parseSearch } from '../src/search/parse-search.ts';

const currency = fc.constantFrom('EUR', 'JPY', 'KWD', 'USD');

/** Separators as people of several countries write them: before the decimals, and between thousands. */
const separators = fc.constantFrom(['.', ''], ['.', ','], [',', '.'], [',', ' '], ['.', "'"], [',', '\u202f']);

describe('what is typed into the search', () => {
  it('is every amount that it may mean, in any way of writing it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10 ** 12 }),
        currency,
        separators,
        fc.constantFrom('none', 'before', 'after'),
        (units, code, [point, group], place) => {
          const [whole = '', fraction] = showDecimal(units, code).split('.');
          const spaced = whole.replace(/\B(?=(\d{3})+$)/g, group!);
          const number = fraction === undefined ? spaced : spaced + point + fraction;
          const read = parseSearch({ none: number, before: `${code} ${number}`, after: `${number} ${code}` }[place]!);
          assert.ok(read !== null && minorUnits(read, decimalsOf(code)).includes(units), number);
          assert.equal(read.currency, place === 'none' ? null : code);
        },
      ),
      propertyParameters(),
    );
  });

  it('is an id, also after the word for its kind', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 15 - 1 }), fc.constantFrom(...kinds), (id, kind) => {
        assert.equal(parseSearch(String(id))?.id, String(id));
        const named = parseSearch(`${kind.toUpperCase()} #${id}`);
        assert.deepEqual([named?.kind, named?.id], [kind, String(id)]);
      }),
      propertyParameters(),
    );
  });

  it('is a card by the words of its page, and declines by their reason', () => {
    for (const typed of ['4711', 'ending in 4711', 'Card ending in 4711', 'ends in 4711', '•••• 4711']) {
      assert.equal(parseSearch(typed)?.last4, '4711', typed);
    }
    const declined = ['declined', 'Declined f', 'declined F', 'declined Foo', 'undeclined'];
    assert.deepEqual(
      declined.map((typed) => parseSearch(typed)?.declined),
      ['any', 'F', 'F', null, null],
    );
  });

  it('never has the number of a card, which becomes its last four digits', () => {
    const number = fc.stringMatching(/^5\d{14}$/).map((digits) => digits + luhnCheckDigit(digits));
    fc.assert(
      fc.property(number, fc.constantFrom('', 'card ', 'order:'), (digits, before) => {
        const read = parseSearch(before + digits);
        assert.deepEqual(cardNumbersIn(JSON.stringify(read)), []);
        if (before !== 'order:') assert.equal(read?.last4, digits.slice(-4));
      }),
      propertyParameters(),
    );
  });

  it('is read whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const read = parseSearch(text);
        for (const decimals of [0, 2, 3]) {
          for (const units of read === null ? [] : minorUnits(read, decimals)) assert.ok(Number.isSafeInteger(units));
        }
      }),
      propertyParameters(),
    );
  });

  for (const [text, expected] of [
    ['*4711', { last4: '4711', id: null }],
    ['4711', { last4: '4711', id: '4711' }],
    ['order: PO 7', { metadata: { name: 'order', value: 'PO 7' } }],
    ['shell berlin', { merchants: ['shell berlin', 'SHELL BERLIN', 'Shell Berlin'], reference: null }],
    ['Break 12', { kind: 'item', id: '12', text: '12' }],
    ['card', { kind: null, text: 'card' }],
    ['A1B2C3', { approval_code: 'A1B2C3', reference: 'A1B2C3' }],
    ['120 abc', { decimals: [], merchants: ['120 abc', '120 ABC', '120 Abc'] }],
    ['Grand Hotel 115.50', { decimals: [{ whole: '115', fraction: '50' }], at: 'Grand Hotel', currency: null }],
    ['115.50 at Grand Hotel', { decimals: [{ whole: '115', fraction: '50' }], at: 'Grand Hotel' }],
    ['115.50 USD Grand Hotel', { decimals: [{ whole: '115', fraction: '50' }], at: 'Grand Hotel', currency: 'USD' }],
    ['115 @ Café', { decimals: [{ whole: '115', fraction: '' }], at: 'Café' }],
    ['Bar €1 250,00', { decimals: [{ whole: '1250', fraction: '00' }], at: 'Bar', currency: 'EUR' }],
    ['115.50 at the hotel', { decimals: [{ whole: '115', fraction: '50' }], at: 'hotel' }],
    ['115.50 The Grand', { at: 'The Grand', currency: null }],
    ['Merchant 7', { decimals: [], at: null }],
    ['Merchant 7 12.00', { decimals: [{ whole: '12', fraction: '00' }], at: 'Merchant 7' }],
    ['115.50', { at: null }],
    ['-12.50', { is_negative: true, decimals: [{ whole: '12', fraction: '50' }] }],
  ] as const) {
    it(`reads ${text}`, () => {
      const read = parseSearch(text);
      for (const [name, value] of Object.entries(expected)) assert.deepEqual(read?.[name as 'id'], value, name);
    });
  }

  it('is nothing when it is blank', () => {
    for (const text of ['', ' \u00a0\n', '\ud800']) assert.equal(parseSearch(text), null);
  });
});
