import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestBounds } from '@tallystick/consents';

const current = new AsyncLocalStorage<RequestBounds>();

/** Serves a request within its bounds, which the library does not pass on. */
export function withinBounds<Result>(bounds: RequestBounds, work: () => Promise<Result>): Promise<Result> {
  return current.run(bounds, work);
}

/** The bounds of the request that is served. Null: none is, such as for the look-up of a token. */
export function boundsOfRequest(): RequestBounds | null {
  return current.getStore() ?? null;
}

/** The request and its address, for the audit log. */
export function originOfRequest(): RequestBounds['origin'] {
  return boundsOfRequest()?.origin ?? { request_id: null, source_address: null };
}

/** A caller who is known is past its limit of requests a minute. */
export class TooManyRequests extends Error {
  override readonly name = 'TooManyRequests';
  /** Whole seconds after which it may send the next one. */
  readonly wait_s: number;

  constructor(wait_s: number) {
    super('too many requests');
    this.wait_s = wait_s;
  }
}

/** Notes that the request is from this user. Throws `TooManyRequests` past the user's limit. */
export function noteUser(user: string): void {
  const wait_s = boundsOfRequest()?.identify({ user }) ?? null;
  if (wait_s !== null) throw new TooManyRequests(wait_s);
}
