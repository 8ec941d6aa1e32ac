import {
  auditEntry,
  type Call,
  type Page,
  type PageRequest,
  type Random,
  Refusal,
  RequestFields,
  showValue,
  type UrlPolicy,
} from '@tallystick/kernel';
import { unguessableId } from '../consent/consent.ts';
import type { ConsentsTx } from '../ports.ts';
import { id_token_algorithms, type ThirdParty, type ThirdPartyStatus } from './third-party.ts';
import {
  readCertificateSubject,
  readClientId,
  readIdTokenAlgorithm,
  readKeys,
  readKeysUri,
  readRedirectUris,
  readScopes,
  readThirdPartyName,
} from './third-party-fields.ts';

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
  /** Null or absent: PS256. */
  readonly id_token_signed_response_alg?: unknown;
}

/**
 * The operator's change of a third party. A field that is absent stays. Null stands for the
 * default, and what has no default refuses it. A scope that is taken away ends all tokens. `jwks`
 * and `jwks_uri` take the place of each other.
 */
export interface ThirdPartyChange extends Partial<ThirdPartyRequest> {
  /** Cannot be changed: only the present value is accepted. */
  readonly client_id?: unknown;
  /** Cannot be changed here: only the present value is accepted. */
  readonly status?: unknown;
}

export interface ThirdPartyPorts {
  readonly random: Random;
  /** Which addresses keys may be fetched from. */
  readonly url_policy: UrlPolicy;
}

type OperatorCall = Omit<Call, 'company_id'>;

/**
 * Registers a third party, and writes the audit log. Refuses `validation_failed` with every invalid
 * field, and `conflict` for the client id of another third party.
 */
export async function registerThirdParty(
  tx: Pick<ConsentsTx, 'third_parties' | 'audit'>,
  { random, url_policy }: ThirdPartyPorts,
  call: OperatorCall,
  request: ThirdPartyRequest,
): Promise<ThirdParty> {
  const fields = new RequestFields(request);
  for (const required of ['name', 'scopes', 'redirect_uris']) fields.require(required);
  const client_id = readClientId(fields);
  const name = readThirdPartyName(fields);
  const scopes = readScopes(fields);
  const redirect_uris = readRedirectUris(fields);
  const jwks = readKeys(fields);
  const jwks_uri = readKeysUri(fields, url_policy);
  if (fields.has('jwks') === fields.has('jwks_uri')) fields.addProblem('jwks', one_source_of_keys);
  const certificate_subject = readCertificateSubject(fields);
  const id_token_signed_response_alg = readIdTokenAlgorithm(fields) ?? id_token_algorithms[0];
  fields.refuseInvalid();

  const third_party = await tx.third_parties.insert({
    client_id: client_id ?? unguessableId(random, 'tp-'),
    name: name!,
    scopes: scopes!,
    redirect_uris: redirect_uris!,
    jwks,
    jwks_uri,
    certificate_subject,
    id_token_signed_response_alg,
    is_sandbox: false,
    status: 'active',
    created_at_ms: call.now_ms,
  });
  await record(tx, call, third_party, 'third_party.registered');
  return third_party;
}

const one_source_of_keys = 'is required, or jwks_uri, and not both';

/** What a change can set. */
const changeable = [
  'name',
  'scopes',
  'redirect_uris',
  'jwks',
  'jwks_uri',
  'certificate_subject',
  'id_token_signed_response_alg',
] as const;

/**
 * Changes a third party. Writes the audit log if the change makes a difference. A scope that is
 * taken away ends all its tokens. New keys and another certificate end none, because third parties
 * replace them as a routine: the authorisation server refuses the old ones from then on. Refuses
 * `not_found`, and `validation_failed` with every invalid field.
 */
export async function changeThirdParty(
  tx: ConsentsTx,
  { url_policy }: Pick<ThirdPartyPorts, 'url_policy'>,
  call: OperatorCall,
  id: number,
  change: ThirdPartyChange,
): Promise<ThirdParty> {
  const third_party = known(await tx.third_parties.lock(id), id);
  const fields = new RequestFields(change);
  for (const without_default of ['name', 'scopes', 'redirect_uris']) {
    if (fields.resets(without_default)) fields.addProblem(without_default, 'must have a value, not null');
  }
  if (fields.carries('client_id') && change.client_id !== third_party.client_id) {
    fields.addProblem('client_id', `cannot be changed; it is ${showValue(third_party.client_id)}`);
  }
  if (fields.carries('status') && change.status !== third_party.status) {
    fields.addProblem('status', `cannot be changed here; it is ${third_party.status}: suspend or activate it`);
  }
  const certificate_subject = readCertificateSubject(fields);
  if (third_party.is_sandbox && fields.has('certificate_subject')) {
    fields.addProblem('certificate_subject', 'must be absent: a third party of the sandbox has a secret');
  }
  const id_token_signed_response_alg = readIdTokenAlgorithm(fields) ?? id_token_algorithms[0];
  const changed: ThirdParty = {
    ...third_party,
    name: readThirdPartyName(fields) ?? third_party.name,
    scopes: readScopes(fields) ?? third_party.scopes,
    redirect_uris: readRedirectUris(fields) ?? third_party.redirect_uris,
    ...changeKeys(fields, url_policy, third_party),
    ...(fields.carries('certificate_subject') ? { certificate_subject } : {}),
    ...(fields.carries('id_token_signed_response_alg') ? { id_token_signed_response_alg } : {}),
  };
  fields.refuseInvalid();
  const differing = changeable.filter((name) => JSON.stringify(changed[name]) !== JSON.stringify(third_party[name]));
  if (differing.length === 0) return third_party;
  await tx.third_parties.update(changed);
  const loses_a_scope = third_party.scopes.some((scope) => !changed.scopes.includes(scope));
  if (loses_a_scope) await stop(tx, third_party, call);
  await record(tx, call, changed, 'third_party.changed', { changed: differing });
  return changed;
}

/** Where the keys are after a change: in one place, of which the sandbox's third parties need none. */
function changeKeys(
  fields: RequestFields,
  url_policy: UrlPolicy,
  third_party: ThirdParty,
): Pick<ThirdParty, 'jwks' | 'jwks_uri'> {
  const jwks = readKeys(fields);
  const jwks_uri = readKeysUri(fields, url_policy);
  const kept = {
    jwks: fields.carries('jwks') || fields.has('jwks_uri') ? jwks : third_party.jwks,
    jwks_uri: fields.carries('jwks_uri') || fields.has('jwks') ? jwks_uri : third_party.jwks_uri,
  };
  if (!fields.areSound('jwks', 'jwks_uri')) return kept;
  const both = kept.jwks !== null && kept.jwks_uri !== null;
  const neither = kept.jwks === null && kept.jwks_uri === null;
  if (both || (neither && !third_party.is_sandbox)) fields.addProblem('jwks', one_source_of_keys);
  return kept;
}

/**
 * Suspends a third party and ends all its tokens, or activates it again without them. Writes the
 * audit log. Refuses `not_found`.
 */
export async function setThirdPartyStatus(
  tx: ConsentsTx,
  call: OperatorCall,
  id: number,
  status: ThirdPartyStatus,
): Promise<ThirdParty> {
  const third_party = known(await tx.third_parties.lock(id), id);
  const changed = { ...third_party, status };
  await tx.third_parties.update(changed);
  // Also at an activation: another node may have issued a token while the suspension committed.
  const was_suspended = third_party.status === 'suspended';
  if (status === 'suspended' || was_suspended) await stop(tx, third_party, call);
  if (third_party.status !== status) {
    await record(tx, call, changed, status === 'suspended' ? 'third_party.suspended' : 'third_party.activated');
  }
  return changed;
}

/** Ends all tokens of a third party. Its users see that the bank stopped it. */
async function stop(
  tx: Pick<ConsentsTx, 'authorisation' | 'consents'>,
  { client_id }: ThirdParty,
  { now_ms }: OperatorCall,
): Promise<void> {
  // Consents first: a withdrawal locks the consent, and then ends its tokens.
  await tx.consents.stopOfClient(client_id, now_ms);
  await tx.authorisation.endByClient(client_id);
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

export function refuseTakenClientId(client_id: string): Refusal {
  return new Refusal(
    'conflict',
    `the client id ${showValue(client_id)} belongs to another third party; choose another one`,
  );
}

function record(
  tx: Pick<ConsentsTx, 'audit'>,
  call: OperatorCall,
  { id, client_id }: ThirdParty,
  action: string,
  details: object = {},
): Promise<void> {
  const entry = auditEntry({ ...call, company_id: null }, action, `third_party:${id}`, { client_id, ...details });
  return tx.audit.record(entry, call.now_ms);
}
