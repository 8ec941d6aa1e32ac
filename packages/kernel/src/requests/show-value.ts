import { maskDigitRuns } from '../values/card-number-mask.ts';

/** Longer text is not repeated; its length is reported. */
const shown_length_max = 64;

/**
 * An invalid value as a message may repeat it: short, and without digits that could be a card
 * number sent in the wrong place.
 */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return maskDigitRuns(String(value));
  if (value.length > shown_length_max) return `text of ${value.length} characters`;
  return JSON.stringify(maskDigitRuns(value));
}
