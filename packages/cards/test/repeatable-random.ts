import { hash } from 'node:crypto';
import type { Random } from '@tallystick/kernel';

/** Random values that repeat with their seed, from SHA-256 of a counter. */
export function repeatableRandom(seed: number): Random {
  let count = 0;
  const block = () => {
    count += 1;
    return hash('sha256', `${seed} ${count}`, 'buffer');
  };
  return {
    below(bound) {
      const most = 2 ** 48 - (2 ** 48 % bound);
      for (;;) {
        const drawn = block().readUIntBE(0, 6);
        if (drawn < most) return drawn % bound;
      }
    },
    bytes: (length) => block().subarray(0, length),
  };
}
