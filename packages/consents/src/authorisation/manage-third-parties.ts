import {
  auditEntry,
  type Call,
  isName,
  isPrintable,
  type Page,
  type PageRequest,
  type Random,
  Refusal,
  RequestFields,
  showValue,
} from '@tallystick/kernel';
import { unguessableId } from '../consent/unguessable-id.ts';
import type { ConsentsTx } from '../ports.ts';
import { keys_max, type PublicKey, readPublicKey } from './public-key.ts';
import { type ThirdParty, type ThirdPartyScope, third_party_scopes } from './third-party.ts';

/** The operator's request for a third party. */
export interface ThirdPartyRequest {
  /** 1 to 64 characters of `A-Za-z0-9._-`; null or absent: one is made. */
  readonly client_id?: unknown;
  readonly name: unknown;
  readonly scopes: unknown;
  /** Of https, without a fragment: 1 to 16. */
  readonly redirect_uris: unknown;
  /** Exactly one of `jwks` and `jwks_uri`, because every third party signs something. */
  readonly jwks?: unknown;
  readonly jwks_uri?: unknown;
  /** The subject of the client certificate with which it authenticates; null: by private_key_jwt. */
  readonly certificate_subject?: unknown;
}

type OperatorCall = Omit<Call, 'company_id'>;

const name_length_max = 255;
const redirect_uris_max = 16;
const uri_length_max = 2_048;
const subject_length_max = 1_024;

/**
 * Registers a third party, and writes the audit log. Refuses `validation_failed` with every invalid
 * field, and `conflict` for the client id of another third party.
 */
export async function registerThirdParty(
  tx: Pick<ConsentsTx, 'third_parties' | 'audit'>,
  { random }: { readonly random: Random },
  call: OperatorCall,
  request: ThirdPartyRequest,
): Promise<ThirdParty> {
  const fields = new RequestFields(request);
  for (const required of ['name', 'scopes', 'redirect_uris']) fields.require(required);
  const isClientId = (text: string) => /^[A-Za-z0-9._-]{1,64}$/.test(text);
  const client_id = fields.readText('client_id', isClientId, '1 to 64 letters, digits, dots, dashes and underscores');
  const name = fields.readText(
    'name',
    (text) => isName(text, name_length_max),
    `text of 1 to ${name_length_max} printable characters, not all of them blank`,
  );
  const scopes = readScopes(fields);
  const redirect_uris = readRedirectUris(fields);
  const keys = readKeys(fields);
  const jwks_uri = fields.readText('jwks_uri', isHttpsUri, `an https address of up to ${uri_length_max} characters`);
  if (fields.has('jwks') === fields.has('jwks_uri')) {
    fields.addProblem('jwks', 'is required, or jwks_uri, and not both');
  }
  const certificate_subject = fields.readText(
    'certificate_subject',
    (text) => text.length <= subject_length_max && isPrintable(text) && /^(?!subject *=)[A-Za-z0-9.]+ *=/i.test(text),
    'the subject of a certificate without "subject=", such as CN=example,O=Example Ltd,C=GB',
  );
  fields.refuseInvalid();

  const third_party = await tx.third_parties.insert({
    client_id: client_id ?? unguessableId(random, 'tp-'),
    name: name!.trim(),
    scopes: scopes!,
    redirect_uris: redirect_uris!,
    jwks: keys === null ? null : { keys },
    jwks_uri,
    certificate_subject,
    is_sandbox: false,
    status: 'active',
    created_at_ms: call.now_ms,
  });
  await record(tx, call, third_party, 'third_party.registered');
  return third_party;
}

/**
 * Suspends a third party and ends all its tokens, or activates it again without them. Writes the
 * audit log. Refuses `not_found`.
 */
export async function setThirdPartyStatus(
  tx: Pick<ConsentsTx, 'third_parties' | 'audit' | 'authorisation'>,
  call: OperatorCall,
  id: number,
  status: ThirdParty['status'],
): Promise<ThirdParty> {
  const third_party = known(await tx.third_parties.lock(id), id);
  const changed = { ...third_party, status };
  await tx.third_parties.update(changed);
  // Also at an activation: another node may have issued a token while the suspension committed.
  const was_suspended = third_party.status === 'suspended';
  if (status === 'suspended' || was_suspended) await tx.authorisation.endByClient(third_party.client_id);
  if (third_party.status !== status) {
    await record(tx, call, changed, status === 'suspended' ? 'third_party.suspended' : 'third_party.activated');
  }
  return changed;
}

/** The newest first. */
export function listThirdParties(tx: Pick<ConsentsTx, 'third_parties'>, page: PageRequest): Promise<Page<ThirdParty>> {
  return tx.third_parties.list(page);
}

/** Refuses `not_found`. */
export async function readThirdParty(tx: Pick<ConsentsTx, 'third_parties'>, id: number): Promise<ThirdParty> {
  return known(await tx.third_parties.find(id), id);
}

function known(third_party: ThirdParty | null, id: number): ThirdParty {
  if (third_party === null) throw new Refusal('not_found', `there is no third party ${id}`);
  return third_party;
}

/** The refusal of a client id that another third party has. */
export function refuseTakenClientId(client_id: string): Refusal {
  return new Refusal(
    'conflict',
    `the client id ${showValue(client_id)} belongs to another third party; choose another one`,
  );
}

function readScopes(fields: RequestFields): readonly ThirdPartyScope[] | null {
  const items = fields.readArray('scopes', { min: 1, max: third_party_scopes.length }, 'scopes');
  if (items === null) return null;
  const foreign = items.find((item) => !third_party_scopes.some((scope) => scope === item));
  if (foreign !== undefined) {
    fields.addProblem('scopes', `must be of ${third_party_scopes.join(', ')}, not ${showValue(foreign)}`);
    return null;
  }
  return third_party_scopes.filter((scope) => items.includes(scope));
}

function readRedirectUris(fields: RequestFields): readonly string[] | null {
  const items = fields.readArray('redirect_uris', { min: 1, max: redirect_uris_max }, 'addresses');
  if (items === null) return null;
  for (const [at, item] of items.entries()) {
    if (typeof item === 'string' && isHttpsUri(item)) continue;
    const expected = `must be an https address without a fragment, of up to ${uri_length_max} characters`;
    fields.addProblem(`redirect_uris.${at}`, `${expected}, not ${showValue(item)}`);
  }
  return [...new Set(items as readonly string[])];
}

/**
 * An https address with a host, without user, password and fragment. Written as it is compared:
 * without spaces and characters beyond ASCII.
 */
function isHttpsUri(text: string): boolean {
  if (text.length > uri_length_max || !/^https:\/\/[\x21-\x7e]+$/.test(text) || text.includes('\\')) return false;
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '' && !text.includes('#');
}

function readKeys(fields: RequestFields): readonly PublicKey[] | null {
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
    if (typeof read === 'string') fields.addProblem(`jwks.keys.${at}`, read);
    else kept.push(read);
  }
  const kids = kept.flatMap(({ kid }) => (kid === undefined ? [] : [kid]));
  if (new Set(kids).size < kids.length) fields.addProblem('jwks', 'must not have two keys with one kid');
  return kept;
}

function record(
  tx: Pick<ConsentsTx, 'audit'>,
  call: OperatorCall,
  { id, client_id }: ThirdParty,
  action: string,
): Promise<void> {
  const entry = auditEntry({ ...call, company_id: null }, action, `third_party:${id}`, { client_id });
  return tx.audit.record(entry, call.now_ms);
}
