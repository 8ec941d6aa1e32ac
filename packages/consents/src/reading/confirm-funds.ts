import { Violation } from '@tallystick/kernel';
import type { ConsentsTx, CreatePorts, GrantedCall, ReadPorts } from '../ports.ts';

/**
 * Confirms whether funds are available, from the body of a request (OBFundsConfirmation1). Returns
 * `Data` of OBFundsConfirmationResponse1.
 */
export async function confirmFunds(
  _tx: ConsentsTx,
  _ports: ReadPorts & CreatePorts,
  _call: GrantedCall,
  _body: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  throw new Violation('not built');
}
