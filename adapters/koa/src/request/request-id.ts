import { randomUUID } from 'node:crypto';
import { maskEmbossedNumbers } from '@tallystick/kernel';

const sane = /^[A-Za-z0-9._~:+/=@-]{1,128}$/;

/** The caller's `X-Request-Id` if it is sane (1 to 128 plain characters that are no card number), else a new one. */
export function readRequestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && sane.test(header) && !showsNumber(header) ? header : randomUUID();
}

/** It goes into the log, onto events and back to the caller, so that it must not carry a number in either way of writing. */
function showsNumber(text: string): boolean {
  return maskEmbossedNumbers(text) !== text;
}
