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
