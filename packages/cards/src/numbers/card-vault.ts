import type { SealedNumber } from '../issuing/card.ts';
import type { Pan } from './pan.ts';

/** Keeps card numbers and derives their codes. All synchronous: keys are in memory. */
export interface CardVault {
  seal(pan: Pan): SealedNumber;
  /** Throws a `Fault` when its key is not in the ring. */
  open(number_sealed: Uint8Array): Pan;
  /** The keyed hash by which a number is looked up. */
  index(pan: Pan): Uint8Array;
  /** The three-digit code of a number and its expiry (YYYY-MM); the same each time, never stored. */
  cvc(pan: Pan, expiry: string): string;
  /** Whether the code is right; compared in constant time. */
  cvcMatches(pan: Pan, expiry: string, cvc: string): boolean;
}
