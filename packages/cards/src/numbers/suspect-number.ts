import { invalid, type Refusal } from '@tallystick/kernel';
import type { ByNumberIndex } from './by-number-index.ts';

/**
 * A number in a field that names or matches, where no card number may be (ADR 0026). It may be the
 * number of a card, or a reference that looks like one.
 */
export interface SuspectNumber {
  readonly field: string;
  /** Its keyed hash. */
  readonly number_index: Uint8Array;
}

/** The numbers that a pass over these messages looks up. Usually there are none. */
export function suspectNumbers(
  messages: readonly (
    | { readonly suspects: readonly SuspectNumber[] }
    | { readonly kind: 'release' | 'freeze' | 'rematch' }
  )[],
): readonly Uint8Array[] {
  return messages.flatMap((message) =>
    'suspects' in message ? message.suspects.map(({ number_index }) => number_index) : [],
  );
}

/**
 * The refusal (`validation_failed`) of fields with the number of a card; null when none has one.
 */
export function refusalOfNumbers(
  suspects: readonly SuspectNumber[],
  known: Pick<ByNumberIndex<true>, 'get'>,
): Refusal | null {
  const fields = suspects.filter(({ number_index }) => known.get(number_index) === true).map(({ field }) => field);
  const [first, ...others] = [...new Set(fields)].map((path) => ({ path, message: 'must not contain a card number' }));
  return first === undefined ? null : invalid(first, ...others);
}
