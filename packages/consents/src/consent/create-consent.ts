import { Violation } from '@tallystick/kernel';
import type { ConsentsTx, CreatePorts, ThirdPartyCall } from '../ports.ts';
import type { AccountAccessConsent, FundsConfirmationConsent } from './consent.ts';

/**
 * Creates an account-access consent from the body of a request (OBReadConsent1). Refuses (`invalid`)
 * with every problem at once.
 */
export async function createAccountAccessConsent(
  _tx: ConsentsTx,
  _ports: CreatePorts,
  _call: ThirdPartyCall,
  _body: unknown,
): Promise<AccountAccessConsent> {
  throw new Violation('not built');
}

/** The same for a funds-confirmation consent (OBFundsConfirmationConsent1). */
export async function createFundsConfirmationConsent(
  _tx: ConsentsTx,
  _ports: CreatePorts,
  _call: ThirdPartyCall,
  _body: unknown,
): Promise<FundsConfirmationConsent> {
  throw new Violation('not built');
}
