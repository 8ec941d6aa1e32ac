import { randomBytes, randomInt } from 'node:crypto';
import { assert, type Random } from '@tallystick/kernel';

/** The cryptographic randomness of the machine. */
export const machine_random: Random = {
  below(bound) {
    assert(Number.isInteger(bound) && bound >= 1 && bound <= 2 ** 47, `not a bound of 1 to 2^47: ${bound}`);
    return randomInt(bound);
  },
  bytes: (count) => randomBytes(count),
};
