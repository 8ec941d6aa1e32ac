import {
  auditEntry,
  invalid,
  isSharedSecret,
  type Page,
  type PageRequest,
  type Random,
  Refusal,
  RequestFields,
  type Sealer,
  type Sha256,
  shared_secret_expected,
  showValue,
  Temporal,
  toBase64Url,
  toInstantText,
} from '@tallystick/kernel';
import { rate_limit_max, readName } from '../companies/company.ts';
import type { OperatorCall } from '../companies/manage-companies.ts';
import type { AccessTx } from '../ports.ts';
import { type ApiKey, type Environment, hashKeySecret, toKeyText } from './api-key.ts';
import { company_of_role, type Role, roles } from './role.ts';
import { sealSigningSecret } from './signing-secret.ts';

export interface ApiKeyRequest {
  readonly role: Role;
  /** Required for `client`, allowed for `bank`, else absent or null. */
  readonly company_id?: number | null | undefined;
  /** A name for people: 1 to 255 characters. */
  readonly name: string;
  /**
   * If set, every request must be signed with it: 16 to 256 characters, used as UTF-8.
   * `drawSharedSecret` generates one.
   */
  readonly signing_secret?: string | null | undefined;
  /** 1 to 1,000,000; null or absent: the server's default. */
  readonly rate_limit_per_minute?: number | null | undefined;
  /** When it ends, an instant after now in ISO 8601; null or absent: never. */
  readonly expires_at?: string | null | undefined;
}

/** A new key. Its text is sent after `Bearer`, and is shown only once. */
export interface CreatedKey {
  readonly key: ApiKey;
  readonly text: string;
}

/**
 * The ports that `createKey` needs. `environment` is that of the installation: `test` in the
 * sandbox, else `live`.
 */
export interface KeyPorts {
  readonly sealer: Sealer;
  readonly random: Random;
  readonly sha256: Sha256;
  readonly environment: Environment;
}

export const key_name_length_max = 255;

/**
 * Creates a key and writes the audit log. Refuses (`validation_failed`) values out of bounds and
 * unknown companies.
 */
export async function createKey(
  tx: Pick<AccessTx, 'companies' | 'api_keys' | 'audit'>,
  ports: KeyPorts,
  call: OperatorCall,
  request: ApiKeyRequest,
): Promise<CreatedKey> {
  const fields = new RequestFields(request);
  const { role, name, company_id, signing_secret, rate_limit_per_minute } = readKeyRequest(fields);
  const expires_at_ms = readEnd(fields, call.now_ms);
  fields.refuseInvalid();
  if (company_id !== null && (await tx.companies.find(company_id)) === null) {
    throw invalid({ path: 'company_id', message: `is not the id of a company: ${company_id}` });
  }

  const secret = toBase64Url(ports.random.bytes(32));
  const key = await tx.api_keys.insert({
    company_id,
    role: role!,
    environment: ports.environment,
    name: name!,
    secret_sha256: hashKeySecret(ports.sha256, secret),
    signing_secret_sealed: signing_secret === null ? null : sealSigningSecret(ports.sealer, signing_secret),
    rate_limit_per_minute,
    created_at_ms: call.now_ms,
    revoked_at_ms: null,
    expires_at_ms,
    last_used_at_ms: null,
  });
  await audit(tx, call, 'api_key.created', key);
  return { key, text: toKeyText(key.environment, key.id, secret) };
}

/** The operator's change of a key. A field that is absent stays. Null stands for the default. */
export interface ApiKeyChange {
  /** 1 to 255 characters. It has no default, so null is refused. */
  readonly name?: unknown;
  /** 1 to 1,000,000; null: the server's default. */
  readonly rate_limit_per_minute?: number | null | undefined;
  /** When it ends, an instant after now in ISO 8601; null: never. */
  readonly expires_at?: string | null | undefined;
  /** Cannot be changed: only the present value is accepted. */
  readonly role?: unknown;
  /** Cannot be changed: only the present value is accepted. */
  readonly company_id?: unknown;
  /** Cannot be changed. A secret that leaked needs a new key. */
  readonly signing_secret?: unknown;
}

/**
 * Changes a key. Writes the audit log if the change makes a difference. Refuses `not_found`, and
 * `validation_failed` with every invalid field. Other processes know it within the time for which an
 * authenticator remembers keys.
 */
export async function updateKey(
  tx: Pick<AccessTx, 'api_keys' | 'audit'>,
  call: OperatorCall,
  id: number,
  change: ApiKeyChange,
): Promise<ApiKey> {
  const key = await readKey(tx, id, { for_update: true });
  const fields = new RequestFields(change);
  const name = fields.carries('name') ? readName(fields, key_name_length_max) : key.name;
  const rate_limit_per_minute = readRateLimit(fields);
  const expires_at_ms = readEnd(fields, call.now_ms, key.expires_at_ms);
  for (const fixed of ['role', 'company_id'] as const) {
    const is_present = String(change[fixed]) === String(key[fixed]);
    if (fields.carries(fixed) && !is_present) {
      fields.addProblem(fixed, `cannot be changed; it is ${showValue(key[fixed])}`);
    }
  }
  if (fields.has('signing_secret')) fields.addProblem('signing_secret', 'cannot be changed; create a new key');
  fields.refuseInvalid();
  const changed: ApiKey = {
    ...key,
    name: name!,
    ...(change.rate_limit_per_minute === undefined ? {} : { rate_limit_per_minute }),
    ...(change.expires_at === undefined ? {} : { expires_at_ms }),
  };
  if (Object.entries(changed).every(([name, value]) => key[name as keyof ApiKey] === value)) return key;
  await tx.api_keys.update(changed);
  await audit(tx, call, 'api_key.updated', changed);
  return changed;
}

/**
 * Revokes a key and writes the audit log. A key that is revoked already stays as it is. Refuses
 * `not_found`. Processes that remember the key still accept it, for as long as an authenticator
 * remembers keys.
 */
export async function revokeKey(
  tx: Pick<AccessTx, 'api_keys' | 'audit'>,
  call: OperatorCall,
  id: number,
): Promise<ApiKey> {
  const key = await readKey(tx, id);
  if (key.revoked_at_ms !== null) return key;
  await tx.api_keys.revoke(id, call.now_ms);
  await audit(tx, call, 'api_key.revoked', key);
  return { ...key, revoked_at_ms: call.now_ms };
}

/** Returns the key. Refuses `not_found`. */
export async function readKey(
  tx: Pick<AccessTx, 'api_keys'>,
  id: number,
  options?: { readonly for_update?: boolean },
): Promise<ApiKey> {
  const key = await tx.api_keys.find(id, options);
  if (key === null) throw new Refusal('not_found', `there is no API key ${id}`);
  return key;
}

/** Lists keys, newest first, also revoked ones: the keys of one company, or all. */
export function listKeys(
  tx: Pick<AccessTx, 'api_keys'>,
  filter: { readonly company_id?: number },
  page: PageRequest,
): Promise<Page<ApiKey>> {
  return tx.api_keys.list(filter, page);
}

/** Reads the fields of the request. A field that is absent or invalid is null. */
function readKeyRequest(fields: RequestFields) {
  fields.require('role', roles.join(', '));
  const role = fields.readChoice('role', roles);
  const company = role === null ? null : company_of_role[role];
  if (company === 'always') fields.require('company_id', `a key of the role ${role} belongs to a company`);
  if (company === 'never' && fields.has('company_id')) {
    fields.addProblem('company_id', `must be absent: a key of the role ${role} belongs to no company`);
  }
  return {
    role,
    company_id: fields.readId('company_id'),
    name: readName(fields, key_name_length_max),
    signing_secret: fields.readSecret('signing_secret', isSharedSecret, shared_secret_expected),
    rate_limit_per_minute: readRateLimit(fields),
  };
}

function readRateLimit(fields: RequestFields): number | null {
  return fields.readInteger('rate_limit_per_minute', { min: 1, max: rate_limit_max });
}

/** An instant in an answer has a year of four digits. */
const end_max_ms = Date.UTC(9999, 11, 31);

/** The end of a key: an instant after now, or the one that it has; null: it never ends. */
function readEnd(fields: RequestFields, now_ms: number, present_ms: number | null = null): number | null {
  const expected = 'an ISO 8601 instant after now, such as 2030-01-31T00:00:00Z';
  const at_ms = fields.readParsed('expires_at', (text) => Temporal.Instant.from(text).epochMilliseconds, expected);
  if (at_ms === null || at_ms === present_ms) return at_ms;
  if (at_ms <= now_ms || at_ms > end_max_ms) fields.addProblem('expires_at', `must be ${expected}`);
  return at_ms;
}

function audit(tx: Pick<AccessTx, 'audit'>, call: OperatorCall, action: string, key: ApiKey): Promise<void> {
  const { company_id, role, name, signing_secret_sealed, rate_limit_per_minute, expires_at_ms } = key;
  const expires_at = expires_at_ms === null ? null : toInstantText(expires_at_ms);
  const details = { role, name, signed: signing_secret_sealed !== null, rate_limit_per_minute, expires_at };
  return tx.audit.record(auditEntry({ ...call, company_id }, action, `api_key:${key.id}`, details), call.now_ms);
}
