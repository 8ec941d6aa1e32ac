import { type Call, type Page, type PageRequest, Violation } from '@tallystick/kernel';
import type { ConsentsTx } from '../ports.ts';
import type { ThirdParty } from './third-party.ts';

/** The operator's request for a third party. */
export interface ThirdPartyRequest {
  readonly client_id?: unknown;
  readonly name: unknown;
  readonly scopes: unknown;
  readonly redirect_uris: unknown;
  /** Exactly one of `jwks` and `jwks_uri`. */
  readonly jwks?: unknown;
  readonly jwks_uri?: unknown;
  readonly certificate_subject?: unknown;
}

type OperatorCall = Omit<Call, 'company_id'>;

/** Registers a third party. Refuses `validation_failed` with every invalid field. */
export async function registerThirdParty(
  _tx: ConsentsTx,
  _ports: { readonly random: import('@tallystick/kernel').Random },
  _call: OperatorCall,
  _request: ThirdPartyRequest,
): Promise<ThirdParty> {
  throw new Violation('not built');
}

/** Suspends a third party and ends all its tokens, or activates it again. Refuses `not_found`. */
export async function setThirdPartyStatus(
  _tx: ConsentsTx,
  _call: OperatorCall,
  _id: number,
  _status: ThirdParty['status'],
): Promise<ThirdParty> {
  throw new Violation('not built');
}

export async function listThirdParties(_tx: ConsentsTx, _page: PageRequest): Promise<Page<ThirdParty>> {
  throw new Violation('not built');
}

/** Refuses `not_found`. */
export async function readThirdParty(_tx: ConsentsTx, _id: number): Promise<ThirdParty> {
  throw new Violation('not built');
}
