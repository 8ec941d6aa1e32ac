import type { SeededRandom } from './random.ts';

/** The keys of an installation, which follow from the seed. */
export function drawKeyRing(random: SeededRandom): string {
  const material = (): string => Buffer.from(random.bytes(32)).toString('base64');
  return `k1:${material()},index:${material()}`;
}
