import { hash } from 'node:crypto';

/** A `Random` of the kernel whose values repeat with their seed, from SHA-256 of a counter. */
export function repeatableRandom(seed: number) {
  let count = 0;
  const block = () => {
    count += 1;
    return hash('sha256', `${seed} ${count}`, 'buffer');
  };
  return {
    below(bound: number) {
      const most = 2 ** 48 - (2 ** 48 % bound);
      for (;;) {
        const drawn = block().readUIntBE(0, 6);
        if (drawn < most) return drawn % bound;
      }
    },
    bytes: (count: number) => Buffer.concat(Array.from({ length: Math.ceil(count / 32) }, block)).subarray(0, count),
  };
}
