/** A delivery as a receiver received it. */
export interface ReceivedDelivery {
  readonly headers: DeliveryHeaders;
  /** The body exactly as it arrived, before any parsing: its text or its bytes. */
  readonly body: string | Uint8Array;
}

/**
 * Headers: the headers of a `Request` (fetch), or an object in the form of Node, Express, Koa and
 * AWS Lambda.
 */
export type DeliveryHeaders = HeaderReader | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The part of a `Headers` object that is needed. */
export interface HeaderReader {
  /** Returns the value of the header, or null. The case of the name does not matter. */
  get(name: string): string | null;
}

/**
 * Returns the value of a header by its name in lower case: null when it is absent, all values
 * joined when there are several.
 */
export function headerOf(headers: DeliveryHeaders, name: string): string | null {
  if (isReader(headers)) return headers.get(name);
  for (const [written, value] of Object.entries(headers)) {
    if (value === undefined || value === null || written.toLowerCase() !== name) continue;
    return Array.isArray(value) ? value.join(', ') : String(value);
  }
  return null;
}

function isReader(headers: DeliveryHeaders): headers is HeaderReader {
  return typeof headers.get === 'function';
}
