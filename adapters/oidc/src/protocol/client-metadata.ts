import type { ThirdParty } from '@tallystick/consents';
import type { ClientMetadata } from 'oidc-provider';
import type { AuthorisationServerPorts } from '../ports.ts';
import type { Records } from '../records.ts';

/** What the library knows of a client; null: unknown, or suspended. */
export type ClientMetadataOf = (client_id: string) => Promise<ClientMetadata | null>;

/**
 * What our clients have beside the metadata of the standard. The library keeps a client as long as
 * its metadata are the same, and keys from a `jwks_uri` until an unknown key asks for newer ones.
 * `keys_minute` makes it another client each minute, so that a key that the third party withdrew
 * ends.
 */
export const extra_metadata = ['is_sandbox', 'keys_minute'];

/** How an authorisation may be answered. Without form_post, whose page needs a script. */
export const response_modes = ['query', 'fragment', 'jwt', 'query.jwt', 'fragment.jwt'] as const;

/** Reads clients from the third parties, each time, so that a suspension or new keys count at once. */
export function readClientMetadata(
  records: Records,
  { sandbox, machine_clock }: Pick<AuthorisationServerPorts, 'sandbox' | 'machine_clock'>,
): ClientMetadataOf {
  return async (client_id) => {
    const third_party = await records.read((tx) => tx.third_parties.findByClientId(client_id));
    return third_party === null || !isAdmitted(third_party, sandbox)
      ? null
      : clientMetadata(third_party, machine_clock.nowMs());
  };
}

export function isAdmitted({ status, is_sandbox }: ThirdParty, sandbox: boolean): boolean {
  return status === 'active' && (sandbox || !is_sandbox);
}

function clientMetadata(third_party: ThirdParty, machine_ms: number): ClientMetadata {
  const { client_id, name, scopes, redirect_uris, jwks, jwks_uri, is_sandbox } = third_party;
  const { id_token_signed_response_alg } = third_party;
  return {
    client_id,
    client_name: name,
    is_sandbox,
    redirect_uris: [...redirect_uris],
    scope: ['openid', ...scopes].join(' '),
    grant_types: ['authorization_code', 'client_credentials', 'refresh_token', 'implicit'],
    response_types: ['code', 'code id_token'],
    response_modes: [...response_modes],
    id_token_signed_response_alg,
    authorization_signed_response_alg: id_token_signed_response_alg,
    ...authentication(third_party),
    ...(jwks === null ? {} : { jwks: { keys: jwks.keys.map((key) => ({ ...key })) } as ClientMetadata['jwks'] }),
    ...(jwks_uri === null ? {} : { jwks_uri, keys_minute: Math.floor(machine_ms / 60_000) }),
  } as ClientMetadata;
}

function authentication({ client_id, certificate_subject, is_sandbox }: ThirdParty): Partial<ClientMetadata> {
  if (is_sandbox) {
    return { token_endpoint_auth_method: 'client_secret_basic', client_secret: `${client_id}-secret` };
  }
  if (certificate_subject === null) return { token_endpoint_auth_method: 'private_key_jwt' };
  return {
    token_endpoint_auth_method: 'tls_client_auth',
    tls_client_auth_subject_dn: certificate_subject,
    tls_client_certificate_bound_access_tokens: true,
  };
}

/** Whether two subjects have the same parts (RFC 4514), regardless of spaces and case of names. */
export function isSameSubject(subject: string | undefined, expected: string): boolean {
  return subject !== undefined && partsOf(subject) === partsOf(expected);
}

function partsOf(subject: string): string {
  const parts = subject.split(/(?<!\\),/).map((part) => {
    const at = part.indexOf('=');
    return `${part.slice(0, at).trim().toUpperCase()}=${part.slice(at + 1).trim()}`;
  });
  return parts.join(',');
}
