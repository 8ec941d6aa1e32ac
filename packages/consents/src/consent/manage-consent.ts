import { Violation } from '@tallystick/kernel';
import type { ConsentsTx, ThirdPartyCall } from '../ports.ts';
import type { Consent } from './consent.ts';

/**
 * The third party's own consent of this kind. Refuses `UK.OBIE.Resource.NotFound` (`invalid`) one
 * that is unknown, deleted, of another kind or another party's, all alike.
 */
export async function readConsent<Kind extends Consent['kind']>(
  _tx: ConsentsTx,
  _call: ThirdPartyCall,
  _kind: Kind,
  _consent_id: string,
): Promise<Extract<Consent, { kind: Kind }>> {
  throw new Violation('not built');
}

/** Deletes the third party's own consent, and ends its tokens. Refuses like `readConsent`. */
export async function deleteConsent(
  _tx: ConsentsTx,
  _call: ThirdPartyCall,
  _kind: Consent['kind'],
  _consent_id: string,
): Promise<void> {
  throw new Violation('not built');
}

/** The consent as the standard shows it: `Data` of the answer. */
export function presentConsent(_consent: Consent): Readonly<Record<string, unknown>> {
  throw new Violation('not built');
}
