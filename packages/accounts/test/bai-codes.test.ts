import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bai_codes, bookingSignOf, card_line_codes } from '@tallystick/accounts';

describe('the BAI codes', () => {
  test('are those of the service', () => {
    const codes =
      '171 174 195 206 208 252 266 295 354 359 369 391 398 399 475 481 495 501 506 508 552 555 566 595 654 659 669 ' +
      '691 698 699 721 722 726 760 821 822 824 825 826 827 828 829 831 835 836 837 964';
    assert.equal([...bai_codes.keys()].toSorted().join(' '), codes);
    for (const [code, stated] of bai_codes) assert.equal(stated.code, code);
  });

  test('contain every code of card lines, refunds as credits', () => {
    const signs = Object.fromEntries(card_line_codes.map((code) => [code, bookingSignOf(code)]));
    assert.deepEqual(signs, {
      391: 'credit',
      691: 'debit',
      821: 'debit',
      822: 'credit',
      824: 'credit',
      825: 'debit',
      826: 'credit',
    });
  });

  test('have the sign of their range where the service does not list them', () => {
    const ranges: Readonly<Record<string, string | null>> = {
      '101': 'credit',
      '142': 'credit',
      '401': 'debit',
      '451': 'debit',
      '720': 'credit',
      '761': 'debit',
      '920': 'credit',
      '999': 'debit',
    };
    for (const [code, sign] of Object.entries(ranges)) assert.equal(bookingSignOf(code), sign, code);
    const unknown = '000 010 100 400 700 800 850 890 910 82 8211 ABC'.split(' ');
    for (const code of [...unknown, '', '1 5']) {
      assert.equal(bookingSignOf(code), null, code);
    }
  });

  test('have no sign against their range', () => {
    for (const { code, sign } of bai_codes.values()) {
      if (code < '700') assert.equal(sign, code < '400' ? 'credit' : 'debit', code);
    }
  });
});
