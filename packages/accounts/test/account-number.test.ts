import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { accountNumberOf, showAccountNumber, written_account_number_form } from '../src/index.ts';

describe('the number of an account', () => {
  it('is its letters and digits, however the bank writes it', () => {
    for (const [written, number] of [
      ['1000000001', '1000000001'],
      ['19-2000123/0800', '1920001230800'],
      ['20041010/1234567', '200410101234567'],
      ['10 20.30-40/5', '102030405'],
      ['0\u00a0123', '0123'],
      ['ceid2000000001', 'ceid2000000001'],
      ['aB-1', 'aB1'],
    ] as const) {
      assert.equal(accountNumberOf(written), number);
      assert.match(written, written_account_number_form);
    }
  });

  it('is in capitals when it is an IBAN with right check digits', () => {
    assert.equal(accountNumberOf('de89 3704 0044 0532 0130 00'), 'DE89370400440532013000');
    assert.equal(accountNumberOf('RO49 AAAA 1B31 0075 9384 0000'), 'RO49AAAA1B31007593840000');
    assert.equal(accountNumberOf('de88370400440532013000'), 'de88370400440532013000');
  });

  it('is none without a letter or digit, with other characters, or beyond 34', () => {
    for (const text of ['', ' /-. ', '1_2', 'é1', '１２', '1'.repeat(35), '1,2']) {
      assert.equal(accountNumberOf(text), null, text);
      assert.doesNotMatch(text, written_account_number_form);
    }
  });

  it('is the same with separators at any place', () => {
    const separated = fc.array(fc.tuple(fc.stringMatching(/^[\s./-]{0,3}$/), fc.stringMatching(/^[A-Za-z0-9]$/)), {
      minLength: 1,
      maxLength: 34,
    });
    fc.assert(
      fc.property(separated, (parts) => {
        const written = parts.flat().join('');
        const number = accountNumberOf(written);
        assert.equal(number, accountNumberOf(parts.map(([, character]) => character).join('')));
        assert.equal(accountNumberOf(number!), number);
        assert.match(written, written_account_number_form);
      }),
      propertyParameters(),
    );
  });

  it('is shown whole in messages, unless it is the number of a card', () => {
    for (const number of ['001212345678', '1920001230800', 'DE89370400440532013000', 'AT611904300234573201']) {
      assert.equal(showAccountNumber(number), `"${number}"`);
    }
    assert.equal(showAccountNumber('4111111111111111'), '"************1111"');
    assert.equal(showAccountNumber('4111 1111 1111 1112'), '"(many digits)"');
  });
});
