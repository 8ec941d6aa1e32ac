/** A delivery as a receiver got it. */
export interface ReceivedDelivery {
  readonly headers: DeliveryHeaders;
  /** The body exactly as it arrived, before any parsing: its text or its bytes. */
  readonly body: string | Uint8Array;
}

/**
 * Headers: those of a `Request` (fetch), or an object as Node, Express, Koa and AWS Lambda have it.
 */
export type DeliveryHeaders = HeaderReader | Readonly<Record<string, string | readonly string[] | undefined>>;

/** What is needed of a `Headers` object. */
export interface HeaderReader {
  /** The value of the header whatever the case of its name, or null. */
  get(name: string): string | null;
}

/**
 * The value of a header by its name in lower case; null when it is absent, all values joined when
 * there are several.
 */
export function headerOf(headers: DeliveryHeaders, name: string): string | null {
  if (isReader(headers)) return headers.get(name);
  for (const [written, value] of Object.entries(headers)) {
    if (value === undefined || written.toLowerCase() !== name) continue;
    return typeof value === 'string' ? value : value.join(', ');
  }
  return null;
}

function isReader(headers: DeliveryHeaders): headers is HeaderReader {
  return typeof headers.get === 'function';
}
