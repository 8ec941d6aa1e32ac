import { randomBytes, randomInt } from 'node:crypto';
import { assert, type Random } from '@tallystick/kernel';

/** Randomness from the machine's CSPRNG. */
export const secureRandom: Random = {
  below(bound) {
    assert(Number.isInteger(bound) && bound >= 1 && bound <= 2 ** 47, `not a bound of 1 to 2^47: ${bound}`);
    return randomInt(bound);
  },
  bytes: (count) => randomBytes(count),
};
