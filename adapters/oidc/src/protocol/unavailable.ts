import { Fault } from '@tallystick/kernel';
import type { Adapter } from 'oidc-provider';
import { errors } from './oidc-provider.ts';

/** Seconds after which a client may try again. */
export const retry_after_s = 1;

/** The service cannot do this now (RFC 6749, 4.1.2.1). The library would answer any fault with 500. */
export class Unavailable extends errors.OIDCProviderError {
  override readonly error_description = 'the service cannot do this now; try again';

  constructor(cause: Fault) {
    super(503, 'temporarily_unavailable', { cause });
    this.expose = true;
  }
}

/** Whether the same request may succeed later. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Unavailable || (error instanceof Fault && error.retryable);
}

/** The same storage, which reports retryable faults so that the library answers them with 503. */
export function reportingFaults(storage: Adapter): Adapter {
  const entries = Object.entries(storage).map(([name, method]) => [
    name,
    async (...values: never[]) => {
      try {
        return await (method as (...values: never[]) => Promise<unknown>)(...values);
      } catch (error) {
        throw error instanceof Fault && error.retryable ? new Unavailable(error) : error;
      }
    },
  ]);
  return Object.fromEntries(entries) as Adapter;
}
