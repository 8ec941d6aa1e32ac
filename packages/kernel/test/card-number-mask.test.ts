import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  cardNumbersIn,
  hasNumberAsName,
  isLuhnValid,
  luhnCheckDigit,
  maskCardNumbers,
  maskJson,
  maskUnbrokenNumbers,
  separator_length_max,
  showValue,
} from '../src/index.ts';

const withCheckDigit = (leading: string): string => leading + luhnCheckDigit(leading);

/** Numbers of 16 digits, and of the other lengths of the networks' numbers. */
const numbers = fc
  .oneof(
    fc.stringMatching(/^\d{15}$/),
    fc.stringMatching(/^4(\d{11}|\d{17})$/),
    fc.stringMatching(/^3[47]\d{12}$/),
    fc.stringMatching(/^3(0[0-5]|[689]\d)\d{10}$/),
    fc.stringMatching(/^5[0678]\d{10,16}$/),
    fc.stringMatching(/^6\d{15,17}$/),
  )
  .map(withCheckDigit);
const masks = { maskUnbrokenNumbers, maskCardNumbers };

for (const [name, mask] of Object.entries(masks)) {
  describe(name, () => {
    it('masks every run of digits that could be a card number, at any position', () => {
      fc.assert(
        fc.property(numbers, fc.stringMatching(/^[a-z {}":.,=]{0,20}$/), (number, around) => {
          const masked = mask(`${around}${number}${around}`);
          assert.equal(masked, `${around}************${number.slice(-4)}${around}`);
        }),
        propertyParameters(),
      );
    });

    it('does not mask other digits', () => {
      for (const text of [
        '',
        '4111111111111112',
        'amount 1000000000000',
        '2026-01-31T12:00:00.123Z',
        'a 411111111111 b',
        // 12 and 20 digits, although they pass the check.
        '411111111116',
        '41111111111111111113',
      ]) {
        assert.equal(mask(text), text);
      }
    });

    it('does not mask references of other systems, even if they pass the check', () => {
      const ach_trace_number = withCheckDigit('02100002123456');
      const epoch_ms = withCheckDigit('179525340000');
      const acquirer_reference = withCheckDigit('2430312345678901');
      for (const text of [ach_trace_number, epoch_ms, acquirer_reference]) assert.equal(mask(text), text);
    });
  });
}

/** Characters that may be between two digits of a number. */
const separators = [
  ' ',
  '-',
  '.',
  '/',
  '_',
  ':',
  '\u00a0',
  '\u2009',
  '\u2011',
  '\u2014',
  '\u200b',
  '\u2060',
  '\ufeff',
  '\u3164',
  '\ufe0f\u20e3',
  ' - ',
  '\r\n',
  '|',
] as const;

/** The zeros of scripts: ASCII, Arabic, Devanagari, full-width, mathematical, and others. */
const zeros = [0x30, 0x660, 0x6f0, 0x966, 0xff10, 0x1d7ce, 0x1d7ec, 0x1fbf0, 0x104a0, 0x17e0] as const;

/** A number in the groups of its length on a card. */
function inGroups(number: string, sizes: readonly number[], between: string): string {
  let at = 0;
  return sizes
    .map((size) => {
      at += size;
      return number.slice(at - size, at);
    })
    .join(between);
}

/** An IBAN of a country with these characters of the account. */
function ibanOf(country: string, account: string): string {
  const digits = [...`${account}${country}00`].map((character) => Number.parseInt(character, 36)).join('');
  return `${country}${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${account}`;
}

describe('an IBAN', () => {
  const ibans = fc
    .tuple(fc.stringMatching(/^[A-Z]{2}$/), fc.stringMatching(/^[0-9A-Z]{11,30}$|^[0-9]{11,17}$/))
    .map(([country, account]) => ibanOf(country, account));

  it('is not masked, whatever its digits', () => {
    fc.assert(
      fc.property(ibans, fc.stringMatching(/^[a-z {}":.,=]{0,20}$/), (iban, after) => {
        assert.equal(maskCardNumbers(`account ${iban} ${after}`), `account ${iban} ${after}`);
      }),
      propertyParameters(),
    );
  });

  it('hides no card number: it has right check digits and is whole', () => {
    const number = '4111111111111111';
    assert.notEqual(ibanOf('FI', number.slice(2)), `FI${number}`);
    for (const before of ['FI', 'no. ', 'FI21 ', `${ibanOf('FI', '12345600000785')} `]) {
      assert.equal(maskCardNumbers(`${before}${number}`), `${before}************1111`);
    }
  });
});

describe('a number in groups', () => {
  const embossed = [
    ['4111111111111111', [4, 4, 4, 4]],
    ['4222222222222', [4, 4, 4, 1]],
    ['6304000000000000000', [4, 4, 4, 4, 3]],
    ['378282246310005', [4, 6, 5]],
    ['30569309025904', [4, 6, 4]],
  ] as const;

  it('is masked with any text around it', () => {
    for (const [number, sizes] of embossed) {
      const masked = `************${number.slice(-4)}`;
      for (const between of separators) {
        const written = inGroups(number, sizes, between);
        assert.equal(maskCardNumbers(`no ${written} x, (${written})`), `no ${masked} x, (${masked})`, between);
        assert.equal(maskCardNumbers(`Ink 1234 ${written}`), `Ink 1234 ${masked}`, between);
      }
    }
  });

  it('is masked before other digits, too', () => {
    for (const after of ['1', '12', '123', '1234 5678']) {
      assert.equal(maskCardNumbers(`4111 1111 1111 1111 ${after}`), `************1111 ${after}`);
    }
  });

  it('is masked in the digits of any script, with any separators, at any place', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^\d{15}$/).map(withCheckDigit),
        fc.array(fc.tuple(fc.constantFrom(...zeros), fc.constantFrom('', ...separators)), {
          minLength: 16,
          maxLength: 16,
        }),
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.string({ unit: 'binary', maxLength: 20 }),
        (number, writing, before, after) => {
          const written = writing
            .map(([zero, gap], at) => String.fromCodePoint(zero + Number(number[at])) + (at < 15 ? gap : ''))
            .join('');
          const masked = maskCardNumbers(`${before}x${written}x${after}`);
          assert.ok(masked.includes(`x************${number.slice(-4)}x`), masked);
          assert.ok(!readDigits(masked).includes(number), masked);
          assert.equal(maskCardNumbers(masked), masked, 'masked once');
        },
      ),
      propertyParameters(),
    );
  });

  it('is not readable in a text of many digits, in groups of its own', () => {
    const groups = fc.array(fc.stringMatching(/^\d{1,6}$/), { maxLength: 4 });
    fc.assert(
      fc.property(
        fc.stringMatching(/^\d{15}$/).map(withCheckDigit),
        fc.array(fc.constantFrom('', ...separators), { minLength: 15, maxLength: 15 }),
        groups,
        groups,
        (number, gaps, before, after) => {
          const written = [...number].map((digit, at) => digit + (gaps[at] ?? '')).join('');
          const masked = maskCardNumbers([...before, written, ...after].join(' '));
          const digits = masked.replace(/\D/g, '');
          const joined = [...before, number, ...after].join('');
          // The digits of the text are those before and after; the number is not between them.
          assert.ok(digits.length <= joined.length - 12, masked);
        },
      ),
      propertyParameters(),
    );
  });

  it('has at most so many characters between two digits, and invisible ones do not count', () => {
    const written = (gap: string) => [...'4111111111111111'].join(gap);
    const widest = '.'.repeat(separator_length_max);
    assert.equal(maskCardNumbers(written(widest)), '************1111');
    assert.equal(maskCardNumbers(written(`${widest}${'\u200b'.repeat(500)}`)), '************1111');
    assert.equal(maskCardNumbers(written(`${widest}.`)), written(`${widest}.`));
    assert.equal(maskCardNumbers(written('a')), written('a'));
  });

  it('becomes one mask with the numbers that it overlaps', () => {
    const masked = maskCardNumbers([...'41111111111111114111111111111111'].join(' '));
    assert.match(masked, /^[\d ]{0,30}\*{12}\d{4}[\d ]{0,30}$/);
    assert.ok(!masked.replace(/\D/g, '').includes('4111111111111111'));
  });

  it('is not found in a UUID or in a date and time', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => assert.equal(maskCardNumbers(`id ${uuid}`), `id ${uuid}`)),
      propertyParameters(),
    );
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1900-01-01T00:00:00Z'), max: new Date('2199-12-31T00:00:00Z'), noInvalidDate: true }),
        fc.stringMatching(/^\d{3,9}$/),
        (date, fraction) => {
          for (const between of ['T', ' ']) {
            const text = `${date.toISOString().slice(0, 19).replace('T', between)}.${fraction}`;
            assert.equal(maskCardNumbers(text), text);
          }
        },
      ),
      propertyParameters(),
    );
    for (const text of ['4111-1111-1111-1112', '2026-11-21-000128', '+1 (555) 010-9999', 'EUR 1,299.00 2,499.00']) {
      assert.equal(maskCardNumbers(text), text);
    }
  });

  it('is masked in time that grows with the length of the text', () => {
    const worst = [
      '1 '.repeat(50_000),
      '4111 1111 1111 1112 a '.repeat(5_000),
      '2026-11-21 '.repeat(10_000),
      `4${'\u200b'.repeat(100_000)}1`,
      `${'-'.repeat(100_000)}4`,
    ];
    for (const text of worst) assert.equal(typeof maskCardNumbers(text), 'string');
  });
});

describe('the numbers to look up', () => {
  it('are those of 16 digits that pass the check, in any notation', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{16}$/), fc.constantFrom('', ...separators), (digits, gap) => {
        const written = [...digits].join(gap);
        assert.deepEqual(cardNumbersIn(`ref:${written}`), isLuhnValid(digits) ? [digits] : []);
      }),
      propertyParameters(),
    );
  });

  it('are none in a longer or shorter run', () => {
    for (const text of ['24111111111111111111111', '411111111111111', 'MCC1234560520', '']) {
      assert.deepEqual(cardNumbersIn(text), []);
    }
  });
});

describe('a JSON value', () => {
  it('is masked in texts and whole numbers, at any depth, and in no name', () => {
    const value = { a: ['4111/1111/1111/1111', 4111111111111111, 0.5, null, true], b: { c: -4111111111111111 } };
    assert.deepEqual(maskJson(value), {
      a: ['************1111', '************1111', 0.5, null, true],
      b: { c: '-************1111' },
    });
    assert.equal(hasNumberAsName(value), false);
    assert.equal(hasNumberAsName({ a: [{ '4111 1111 1111 1111': 1 }] }), true);
  });
});

it('an invalid value is shown without many digits in any script, and with a date', () => {
  assert.equal(showValue('x٤١١١١١١١١١١١'), '"x(many digits)"');
  assert.equal(showValue('4111:1111:1111'), '"(many digits)"');
  assert.equal(showValue('2026-11-21T09:10:00Z'), '"2026-11-21T09:10:00Z"');
});

/** The digits of a text without everything else, as a reader could take them. */
function readDigits(text: string): string {
  return text.replace(/[^0-9*]/g, '');
}

it('finds the same numbers in a text, in ASCII or beside a letter of another alphabet', () => {
  const pieces = fc.oneof(numbers, fc.stringMatching(/^[0-9]{1,6}$/), fc.stringMatching(/^[ -~\t\0]{0,10}$/));
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 6 }), (parts) => {
      const text = parts.join('');
      // The Greek letter ends the text, so it separates no digits.
      assert.deepEqual(cardNumbersIn(text), cardNumbersIn(`${text}\u03a9`), text);
      assert.equal(`${maskCardNumbers(text)}\u03a9`, maskCardNumbers(`${text}\u03a9`), text);
    }),
    propertyParameters(),
  );
});
