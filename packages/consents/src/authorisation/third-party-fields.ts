import { isName, isPrintable, type RequestFields, showValue, type UrlPolicy } from '@tallystick/kernel';
import { keys_max, type PublicKey, readPublicKey, verifiesSignatures } from './public-key.ts';
import {
  type IdTokenAlgorithm,
  id_token_algorithms,
  isClientId,
  type ThirdPartyScope,
  third_party_scopes,
} from './third-party.ts';

/**
 * The fields of a third party in a request, for its registration and for a change. Each reader
 * returns null for a field that is absent, null or invalid.
 */

const name_length_max = 255;
const redirect_uris_max = 16;
const uri_length_max = 2_048;
const subject_length_max = 1_024;

export function readClientId(fields: RequestFields): string | null {
  return fields.readText('client_id', isClientId, '1 to 64 letters, digits, dots, dashes and underscores');
}

export function readThirdPartyName(fields: RequestFields): string | null {
  const isThirdPartyName = (text: string) => isName(text, name_length_max);
  const expected = `text of 1 to ${name_length_max} printable characters, not all of them blank`;
  return fields.readText('name', isThirdPartyName, expected)?.trim() ?? null;
}

export function readScopes(fields: RequestFields): readonly ThirdPartyScope[] | null {
  const items = fields.readArray('scopes', { min: 1, max: third_party_scopes.length }, 'scopes');
  if (items === null) return null;
  const foreign = items.find((item) => !third_party_scopes.some((scope) => scope === item));
  if (foreign !== undefined) {
    fields.addProblem('scopes', `must be one or more of ${third_party_scopes.join(', ')}, not ${showValue(foreign)}`);
    return null;
  }
  return third_party_scopes.filter((scope) => items.includes(scope));
}

export function readRedirectUris(fields: RequestFields): readonly string[] | null {
  const items = fields.readArray('redirect_uris', { min: 1, max: redirect_uris_max }, 'addresses');
  if (items === null) return null;
  for (const [at, item] of items.entries()) {
    if (typeof item === 'string' && isHttpsUri(item)) continue;
    const expected = `must be an https address without a fragment, of up to ${uri_length_max} characters`;
    fields.addProblem(`redirect_uris[${at}]`, `${expected}, not ${showValue(item)}`);
  }
  return [...new Set(items as readonly string[])];
}

/** The JWK set with the members that are kept. */
export function readKeys(fields: RequestFields): { readonly keys: readonly PublicKey[] } | null {
  const jwks = fields.get('jwks');
  if (jwks === null) return null;
  const keys = typeof jwks === 'object' && Object.hasOwn(jwks, 'keys') ? (jwks as { keys: unknown }).keys : null;
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > keys_max) {
    fields.addProblem('jwks', `must be a JWK set with 1 to ${keys_max} keys`);
    return null;
  }
  const kept: PublicKey[] = [];
  for (const [at, key] of keys.entries()) {
    const read = readPublicKey(key);
    if (typeof read === 'string') fields.addProblem(`jwks.keys[${at}]`, read);
    else kept.push(read);
  }
  const kids = kept.flatMap(({ kid }) => (kid === undefined ? [] : [kid]));
  if (new Set(kids).size < kids.length) fields.addProblem('jwks', 'must not have two keys with one kid');
  if (kept.length === keys.length && !kept.some(verifiesSignatures)) {
    fields.addProblem(
      'jwks',
      'must have a key for signatures: use sig, alg PS256 or ES256, key_ops verify, or without them',
    );
  }
  return { keys: kept };
}

export function readKeysUri(fields: RequestFields, policy: UrlPolicy): string | null {
  const uri = fields.readText('jwks_uri', isHttpsUri, `an https address of up to ${uri_length_max} characters`);
  fields.addProblem('jwks_uri', uri === null ? null : policy(uri));
  return uri;
}

export function readCertificateSubject(fields: RequestFields): string | null {
  return fields.readText(
    'certificate_subject',
    (text) => text.length <= subject_length_max && isPrintable(text) && /^(?!subject *=)[A-Za-z0-9.]+ *=/i.test(text),
    'the subject of a certificate without "subject=", such as CN=example,O=Example Ltd,C=GB',
  );
}

export function readIdTokenAlgorithm(fields: RequestFields): IdTokenAlgorithm | null {
  return fields.readChoice('id_token_signed_response_alg', id_token_algorithms);
}

/**
 * An https address with a host, without user, password and fragment. Written as it is compared:
 * without spaces and characters beyond ASCII.
 */
function isHttpsUri(text: string): boolean {
  if (text.length > uri_length_max || !/^https:\/\/(?![/?#])[\x21-\x7e]+$/.test(text) || text.includes('\\'))
    return false;
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '' && !text.includes('#');
}
