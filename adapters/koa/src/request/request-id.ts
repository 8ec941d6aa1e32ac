import { drawUuid, maskCardNumbers, type Random } from '@tallystick/kernel';

const sane = /^[A-Za-z0-9._~:+/=@-]{1,128}$/;

/**
 * Returns the caller's `X-Request-Id` if it is valid (1 to 128 plain characters that are not a card
 * number), else a new one.
 */
export function readRequestId(header: string | string[] | undefined, random: Random): string {
  return typeof header === 'string' && sane.test(header) && !showsNumber(header) ? header : drawUuid(random);
}

/**
 * The id is logged, stored in events and returned to the caller, so it must not contain a card
 * number in any notation.
 */
function showsNumber(text: string): boolean {
  return maskCardNumbers(text) !== text;
}
