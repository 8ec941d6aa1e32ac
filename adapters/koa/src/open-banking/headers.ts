import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { drawUuid, type Random } from '@tallystick/kernel';
import { BodylessProblem, problem } from './error-response.ts';

export const interaction_id_header = 'x-fapi-interaction-id';

/** RFC 4122. */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** RFC 7231, 7.1.1.1: the preferred form. */
const http_date =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} (GMT|UTC)$/;

/** The interaction id of the answer: the one that was sent, if it is valid, else a new one. */
export function interactionIdOf(headers: IncomingHttpHeaders, random: Random): string {
  const sent = headers[interaction_id_header];
  return typeof sent === 'string' && uuid.test(sent) ? sent : drawUuid(random);
}

/**
 * Checks the headers of the standard that were sent. Those of older 3.1 versions that are not
 * needed are accepted (decision: consents and reading).
 */
export function checkHeaders(headers: IncomingHttpHeaders): void {
  const checks: readonly (readonly [string, (text: string) => boolean, string])[] = [
    [interaction_id_header, (text) => uuid.test(text), 'must be a UUID (RFC 4122)'],
    ['x-fapi-auth-date', isHttpDate, 'must be a date such as Sun, 10 Sep 2017 19:43:31 GMT'],
    ['x-fapi-customer-ip-address', (text) => isIP(text) !== 0, 'must be an IPv4 or IPv6 address'],
  ];
  for (const [name, fits, message] of checks) {
    const sent = headers[name];
    if (sent === undefined || (typeof sent === 'string' && fits(sent))) continue;
    throw problem('UK.OBIE.Header.Invalid', `${name} ${message}`, name);
  }
}

function isHttpDate(text: string): boolean {
  const at = Date.parse(text);
  if (!http_date.test(text) || Number.isNaN(at)) return false;
  // 31 Feb would be read as a day of March, and the name of the day is not checked.
  return new Date(at).toUTCString() === text.replace(/UTC$/, 'GMT');
}

/** Refuses (406) a request that does not accept JSON. */
export function requireAcceptsJson(accept: string | undefined): void {
  if (accept === undefined || ['', 'application/json', '*/*'].includes(accept)) return;
  const ranges = accept.split(',').map(readRange);
  const [most_specific] = ranges.filter(({ precision }) => precision > 0).sort((a, b) => b.precision - a.precision);
  if (most_specific === undefined || most_specific.quality === 0) throw new BodylessProblem(406);
}

/** Reads a media range. `precision` is 0 when it does not match JSON in UTF-8. */
function readRange(range: string): { readonly precision: number; readonly quality: number } {
  const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const precision = ['*/*', 'application/*', 'application/json'].indexOf(type!) + 1;
  let quality = 1;
  for (const parameter of parameters) {
    const [name, value = ''] = parameter.split('=').map((part) => part.trim());
    if (name === 'charset' && !/^"?utf-?8"?$/.test(value)) return { precision: 0, quality };
    if (name !== 'q') continue;
    quality = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(value) ? Number(value) : 1;
  }
  return { precision, quality };
}
