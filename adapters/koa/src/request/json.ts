import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { isStorable } from '@tallystick/kernel';
import { nesting_max, values_max } from '@tallystick/operations';
import { HttpProblem } from '../answer/error-answer.ts';

/**
 * Refuses (`unsupported_media_type`) a body unless its headers state uncompressed JSON in UTF-8.
 */
export function requireJsonType(req: IncomingMessage): void {
  requireMediaType(req, ['application/json']);
  requireUncompressed(req);
}

/**
 * Refuses (`unsupported_media_type`) a body unless its headers state one of these media types, in
 * UTF-8. Other parameters of the type have no effect.
 */
export function requireMediaType(req: IncomingMessage, types: readonly string[]): void {
  const type = req.headers['content-type'];
  if (type !== undefined && (types.includes(type) || isOneOf(type, types))) return;
  throw new HttpProblem('unsupported_media_type', `the Content-Type must be ${types.join(' or ')} (in UTF-8)`);
}

/** Refuses (`unsupported_media_type`) a compressed body. */
export function requireUncompressed(req: IncomingMessage): void {
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new HttpProblem(
      'unsupported_media_type',
      'the body must not be compressed: Content-Encoding is not supported',
    );
  }
}

function isOneOf(type: string, types: readonly string[]): boolean {
  const [essence, ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  if (!types.includes(essence!)) return false;
  return parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter));
}

/**
 * Parses the JSON value of a body. Refuses (`malformed_json`) a body that is not UTF-8, is not
 * JSON, is nested deeper than `nesting_max`, has more than `values_max` values, or contains text that
 * cannot be stored (a NUL, half a surrogate pair). A repeated name has its last value, and `__proto__`
 * is an ordinary name.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed('the body is not valid UTF-8');
  if (mayNestDeeper(bytes) || bytes.length > 2 * values_max) refuseTooComplex(bytes);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    // The parser's message repeats the text around the problem, which may be a card number.
    throw malformed(bytes.length === 0 ? 'the body is empty; a JSON object is required' : 'the body is not valid JSON');
  }
  if (bytes.includes('\\u')) requireStorable(value, '');
  return value;
}

function malformed(message: string, path?: string): HttpProblem {
  if (path === undefined) return new HttpProblem('malformed_json', message);
  return new HttpProblem('malformed_json', `${path} ${message}`, {}, [{ path, message }]);
}

/** Whether there are more opening brackets than `nesting_max`. Most bodies have a few. */
function mayNestDeeper(bytes: Buffer): boolean {
  let opened = 0;
  for (const bracket of [0x7b, 0x5b]) {
    for (let at = bytes.indexOf(bracket); at >= 0; at = bytes.indexOf(bracket, at + 1)) {
      opened += 1;
      if (opened > nesting_max) return true;
    }
  }
  return false;
}

/**
 * Refuses too many levels and values: each but the first follows a comma or an opening bracket. It
 * reads bytes, because a parser would build the whole value first: the objects of 1 MiB take it
 * 80 ms.
 */
function refuseTooComplex(bytes: Buffer): void {
  let depth = 0;
  let values = 1;
  let in_string = false;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (in_string) {
      if (byte === 0x5c) i += 1;
      else if (byte === 0x22) in_string = false;
      continue;
    }
    if (byte === 0x22) in_string = true;
    else if (byte === 0x2c) values += 1;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      values += 1;
      if (depth > nesting_max) throw malformed(`the body nests deeper than ${nesting_max} levels`);
    }
    if (values > values_max) throw malformed(`the body has more than ${values_max} values`);
  }
}

function requireStorable(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (!isStorable(value))
      throw malformed('contains a NUL or half a surrogate pair, which is not text', path || 'body');
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) requireStorable(item, `${path}[${index}]`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      if (!isStorable(name))
        throw malformed('has a name with a NUL or half a surrogate pair, which is not text', path || 'body');
      requireStorable(item, path === '' ? name : `${path}.${name}`);
    }
  }
}
