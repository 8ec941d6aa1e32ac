import type { SealedNumber } from '../issuing/card.ts';
import type { Pan } from './pan.ts';

/**
 * Seals card numbers and derives their codes. All calls are synchronous, because the keys are in
 * memory.
 */
export interface CardVault {
  seal(pan: Pan): SealedNumber;
  /** Throws a `Fault` when its key is not in the ring. */
  open(number_sealed: Uint8Array): Pan;
  index(pan: Pan): Uint8Array;
  /** The three-digit code of a number and its expiry (YYYY-MM). Always the same, never stored. */
  cvc(pan: Pan, expiry: string): string;
  /** Whether the code is correct; compared in constant time. */
  cvcMatches(pan: Pan, expiry: string, cvc: string): boolean;
}
