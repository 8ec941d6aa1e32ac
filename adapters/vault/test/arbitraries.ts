import { Pan } from '@tallystick/cards';
import type { RingKey } from '@tallystick/vault';
import fc from 'fast-check';

const material = fc.uint8Array({ minLength: 32, maxLength: 32 });
const id = fc
  .string({ unit: fc.constantFrom(...'abkKZ019-_'), minLength: 1, maxLength: 32 })
  .filter((text) => text !== 'index');

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** One to five keys that form a valid ring, newest first, with or without an index key. */
export const ringKeys: fc.Arbitrary<readonly RingKey[]> = fc
  .tuple(
    fc.uniqueArray(fc.record({ id, material }), {
      minLength: 1,
      maxLength: 5,
      comparator: (a, b) => a.id === b.id || hex(a.material) === hex(b.material),
    }),
    fc.option(material, { nil: null }),
  )
  .map(([keys, index]) => (index === null ? keys : [...keys, { id: 'index', material: index }]));

/** A number of 12 to 19 digits. */
export const pan: fc.Arbitrary<Pan> = fc
  .string({ unit: fc.constantFrom(...'0123456789'), minLength: 12, maxLength: 19 })
  .map((digits) => new Pan(digits));

/** A year and month, YYYY-MM. */
export const expiry: fc.Arbitrary<string> = fc
  .tuple(fc.integer({ min: 2024, max: 2060 }), fc.integer({ min: 1, max: 12 }))
  .map(([year, month]) => `${year}-${String(month).padStart(2, '0')}`);

/** The purpose of a sealed value. */
export const purpose: fc.Arbitrary<string> = fc.string({ unit: 'grapheme', maxLength: 40 });
