/**
 * The random values of one scenario. The same seed and scenario draw the same values on every
 * machine, so any scenario of a set can be made again alone.
 */
export interface Draw {
  /** A whole number, `least` and `most` included. */
  between(least: number, most: number): number;
  pick<Value>(values: readonly Value[]): Value;
}

/** `seed` and `scenario` are whole numbers from 0. */
export function createDraw(seed: number, scenario: number): Draw {
  let state = mix(mix(seed) ^ mix(scenario + 0x6d2b79f5));
  // Mulberry32: one 32-bit state, and enough for sample data.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return { between, pick: (values) => values[between(0, values.length - 1)]! };
}

/** Spreads a number over 32 bits. Numbers beyond 32 bits keep all of their bits in the result. */
function mix(value: number): number {
  let bits = ((value % 0x1_0000_0000) | 0) ^ Math.imul(Math.floor(value / 0x1_0000_0000), 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

const codes = 36 ** 6;
// A prime: consecutive numbers become codes that look random, and no two numbers become one code.
const step = 1_000_003;

/** Six letters and digits, never all zeros. Different for all numbers below 36^6 - 1. */
export function uniqueCode(number: number, seed: number): string {
  const code = 1 + (((number % (codes - 1)) * step + seed) % (codes - 1));
  return code.toString(36).toUpperCase().padStart(6, '0');
}
