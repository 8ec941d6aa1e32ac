import type { Consent } from './consent.ts';

/**
 * Whether a consent may be removed once it is old enough: nobody ever authorised it. It awaits
 * authorisation, was rejected, or was deleted before. A consent that a user authorised once stays
 * for ever, because it is the evidence of who granted what.
 *
 * One that a user is deciding about also stays: an interaction of the authorisation server belongs
 * to it, until 30 minutes after its beginning.
 */
export function mayBeRemoved({ authorised_at_ms }: Pick<Consent, 'authorised_at_ms'>): boolean {
  return authorised_at_ms === null;
}
