import { randomBytes, randomFillSync, randomInt } from 'node:crypto';
import { assert, type Random } from '@tallystick/kernel';

/** Bytes that were drawn and not used yet. A call of the generator takes longer than 100 bytes do. */
const drawn = new Uint8Array(4_096);
let used = drawn.length;

/** The cryptographic randomness of the machine. */
export const machine_random: Random = {
  below(bound) {
    assert(Number.isInteger(bound) && bound >= 1 && bound <= 2 ** 47, `not a bound of 1 to 2^47: ${bound}`);
    return randomInt(bound);
  },
  bytes(count) {
    if (count > 64) return randomBytes(count);
    if (used + count > drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    const bytes = drawn.slice(used, used + count);
    // A byte is used once, and is not kept.
    drawn.fill(0, used, used + count);
    used += count;
    return bytes;
  },
};
