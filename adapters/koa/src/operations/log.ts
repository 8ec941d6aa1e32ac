import { maskUnbrokenNumbers } from '@tallystick/kernel';
import pino from 'pino';

/** The methods that the HTTP interface requires of a logger; pino's is one. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Names whose values are never logged, at any place in the logged value. */
const secret_names: ReadonlySet<string> = new Set([
  'card_number',
  'cvc',
  'authorization',
  'Authorization',
  'body',
  'secret',
  'signing_secret',
  'text',
]);

/** The depth to which the names are searched. Deeper values are not logged. */
const depth_max = 5;

/**
 * Options for a pino logger that cannot print a card number, a cvc, an Authorization header or a
 * body. Values of such names are removed. An error shows its kind, message and stack, and no other
 * property. In the finished line, everything that looks like a card number or an API key is masked.
 * Times are ISO text, because the digits of a number of milliseconds might look like a card number.
 */
export function logOptions(level: string): pino.LoggerOptions {
  return {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    // Pino's `redact` costs a multiple of the whole line when its paths have wildcards.
    formatters: { log: (fields) => removeSecrets(fields, depth_max) as Record<string, unknown> },
    serializers: { err: toLoggedError },
    hooks: {
      streamWrite: (line) =>
        maskUnbrokenNumbers(line.replace(/\btly_(test|live)_[A-Za-z0-9_-]+/g, 'tly_$1_[redacted]')),
    },
  };
}

/** Returns the fields without secret names. Returns the same object when it has none. */
function removeSecrets(value: object, depth_left: number): unknown {
  if (value instanceof Error) return toLoggedError(value);
  if (depth_left === 0) return '[deep]';
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[name];
    const shown = secret_names.has(name)
      ? '[redacted]'
      : typeof inner === 'object' && inner !== null
        ? removeSecrets(inner, depth_left - 1)
        : inner;
    if (shown === inner) continue;
    copy ??= { ...value } as Record<string, unknown>;
    copy[name] = shown;
  }
  return copy ?? value;
}

/** Results of `toLoggedError`. A logger may pass a result to the function again. */
const shown = new WeakSet<object>();

/** Returns the logged form of an error: its kind, message and stack, and the same of its cause. */
export function toLoggedError(error: unknown): object {
  if (typeof error === 'object' && error !== null && shown.has(error)) return error;
  const logged =
    error instanceof Error
      ? {
          type: error.name,
          message: error.message,
          stack: error.stack,
          ...(error.cause === undefined ? {} : { cause: toLoggedError(error.cause) }),
        }
      : { type: typeof error };
  shown.add(logged);
  return logged;
}
