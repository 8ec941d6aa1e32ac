import { randomUUID } from 'node:crypto';
import { isLuhnValid } from '@tallystick/cards';
import { holdsNumber } from './card-number-guard.ts';

const sane = /^[A-Za-z0-9._~:+/=@-]{1,128}$/;

/** Digits in the groups that are embossed on cards: four by four, or 4-6-5. Other groups are those of dates and UUIDs. */
const card_groups =
  /(?<![0-9A-Za-z])(?:\d{4}[^0-9A-Za-z]\d{4}[^0-9A-Za-z]\d{4}[^0-9A-Za-z]\d{1,7}|\d{4}[^0-9A-Za-z]\d{6}[^0-9A-Za-z]\d{5})(?![0-9A-Za-z])/g;

/** The caller's `X-Request-Id` if it is sane (1 to 128 plain characters that are no card number), else a new one. */
export function requestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && sane.test(header) && !showsNumber(header) ? header : randomUUID();
}

/** It goes into the log, onto events and back to the caller, so that it must not carry a number in either way of writing. */
function showsNumber(text: string): boolean {
  const grouped = text.match(card_groups) ?? [];
  return holdsNumber(text) || grouped.some((digits) => isLuhnValid(digits.replace(/\D/g, '')));
}
