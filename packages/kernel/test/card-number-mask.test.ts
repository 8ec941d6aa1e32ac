import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { luhnCheckDigit, maskCardNumbers, maskEmbossedNumbers, maskUnbrokenNumbers } from '../src/index.ts';

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
const masks = { maskUnbrokenNumbers, maskEmbossedNumbers, maskCardNumbers };

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

describe('a number in groups', () => {
  const embossed = [
    ['4111111111111111', [4, 4, 4, 4]],
    ['4222222222222', [4, 4, 4, 1]],
    ['6304000000000000000', [4, 4, 4, 4, 3]],
    ['378282246310005', [4, 6, 5]],
    ['30569309025904', [4, 6, 4]],
  ] as const;

  it('is masked in data of other systems in the groups of embossed cards, with any text after it', () => {
    for (const [number, sizes] of embossed) {
      const masked = `************${number.slice(-4)}`;
      for (const between of [' ', '-', '.', '/']) {
        const written = inGroups(number, sizes, between);
        assert.equal(maskEmbossedNumbers(`no ${written} 123, (${written})`), `no ${masked} 123, (${masked})`);
        assert.equal(maskEmbossedNumbers(`1234 ${written}`), `1234 ${masked}`);
      }
    }
  });

  it('is masked in free text, in any groups', () => {
    assert.equal(maskCardNumbers('Ink 1234 4111 1111 1111 1111'), 'Ink 1234 ************1111');
    for (const written of ['4111 1111 1111 1111', '41-11-11-11-11-11-11-11', '4111111 111111111']) {
      assert.equal(maskCardNumbers(`Ink ${written}.`), 'Ink ************1111.');
    }
  });

  it('is not found in a UUID, in a date or in the decimals of a fraction', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => assert.equal(maskEmbossedNumbers(uuid), uuid)),
      propertyParameters(),
    );
    for (const text of [
      '00000000-4111-1111-1111-111100000000',
      '4111-1111-1111-1112',
      '2026-11-21-000128',
      '2026-11-21 09:10:00.000000',
      '0.4111111111111111',
    ]) {
      assert.equal(maskEmbossedNumbers(text), text);
    }
  });
});
