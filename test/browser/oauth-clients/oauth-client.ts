import type { Certified } from '@tallystick/test-support';

/** How a client asks for an authorisation, always by a signed request object. */
export const ways = ['code id_token', 'signed answer', 'pushed'] as const;

export type Way = (typeof ways)[number];

/** What a third party was registered with, and what it trusts. */
export interface Registration {
  readonly issuer: string;
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly authentication: 'private_key_jwt' | 'tls_client_auth';
  /** An RSA key, as a JWK: it signs by PS256. */
  readonly private_jwk: Readonly<Record<string, string>>;
  /** The client certificate of its connections. */
  readonly certificate: Certified;
  /** The certificate of the service, PEM. */
  readonly ca: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
}

/**
 * An authorisation that has begun: where the user's browser goes, and what is done when it comes
 * back.
 */
export interface Begun {
  readonly url: string;
  /** Verifies the answer and exchanges the code. */
  finish(callback: URL): Promise<Tokens>;
}

/**
 * A client library as its authors ship it, with its defaults: the least that a third party writes.
 */
export interface OAuthClient {
  clientCredentials(): Promise<string>;
  begin(way: Way, consent_id: string): Promise<Begun>;
  refresh(refresh_token: string): Promise<Tokens>;
  /** Reads a resource with an access token. */
  read(url: string, access_token: string): Promise<unknown>;
  close?(): Promise<void>;
}

export const scope = 'openid accounts';

/** The `claims` that ask for a consent. */
export function claimsFor(consent_id: string) {
  return { id_token: { openbanking_intent_id: { value: consent_id, essential: true } } };
}
