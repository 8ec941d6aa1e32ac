import { equalBytes, Refusal, type Sealer, type Sha256, type UnitOfWork } from '@tallystick/kernel';
import type { ApiKey } from '../keys/api-key.ts';
import { hashKeySecret, type ParsedKey, parseKey } from '../keys/key-text.ts';
import { company_of_role } from '../keys/role.ts';
import { openSigningSecret } from '../keys/signing-secret.ts';
import type { AccessTx } from '../ports.ts';
import type { Principal } from './principal.ts';

/** The ports and options of an authenticator. */
export interface AuthenticatorPorts {
  readonly unitOfWork: UnitOfWork<Pick<AccessTx, 'api_keys'>>;
  readonly sealer: Sealer;
  readonly sha256: Sha256;
  /**
   * Milliseconds since a fixed origin, never going back. A change of the machine's clock does not
   * affect how long keys are remembered.
   */
  readonly monotonicNow: () => number;
  /**
   * The company for which the sandbox's fixed keys act. Null outside the sandbox: these keys, and
   * stored `test` keys, are then refused.
   */
  readonly sandbox_company_id: number | null;
}

/** Identifies the caller. */
export interface Authenticator {
  /**
   * Returns the caller, by the text of the `Authorization` header: `Bearer <API key>`. Refuses
   * (`unauthenticated`) unknown, revoked and wrong keys, in the same words. A key that is
   * remembered needs no look-up, and is returned without a promise.
   */
  authenticate(authorization: string | undefined): Principal | Promise<Principal>;
  /**
   * Forgets a revoked key in this process immediately. Other processes forget it within
   * `remembered_ms`.
   */
  forget(key_id: number): void;
}

/**
 * How long a key is remembered after it was read. A revoked key is accepted for at most this time.
 */
export const remembered_ms = 2_000;

/** The maximum number of remembered keys. Above it, the key that was read first is forgotten. */
const remembered_max = 10_000;

interface Remembered {
  readonly key: ApiKey;
  readonly principal: Principal;
  readonly read_at_ms: number;
}

/** Returns an authenticator with a separate memory, for one process. */
export function createAuthenticator(ports: AuthenticatorPorts): Authenticator {
  const remembered = new Map<number, Remembered>();
  const reading = new Map<number, Promise<Remembered | null>>();

  async function read(id: number): Promise<Remembered | null> {
    const read_at_ms = ports.monotonicNow();
    const key = await ports.unitOfWork.read((tx) => tx.api_keys.find(id));
    return key === null ? null : { key, principal: principalOf(ports.sealer, key), read_at_ms };
  }

  /** Concurrent callers wait for the same read of a key, unless the key was forgotten meanwhile. */
  function lookUp(id: number): Promise<Remembered | null> {
    const under_way = reading.get(id);
    if (under_way !== undefined) return under_way;
    const begun: Promise<Remembered | null> = read(id).then(
      (found) => {
        if (reading.get(id) !== begun) return found;
        reading.delete(id);
        if (found !== null) remember(id, found);
        return found;
      },
      (error: unknown) => {
        if (reading.get(id) === begun) reading.delete(id);
        throw error;
      },
    );
    reading.set(id, begun);
    return begun;
  }

  function remember(id: number, found: Remembered): void {
    remembered.delete(id);
    const [first_id] = remembered.size >= remembered_max ? remembered.keys() : [];
    if (first_id !== undefined) remembered.delete(first_id);
    remembered.set(id, found);
  }

  return {
    authenticate(authorization) {
      const parsed = parseKey(readBearer(authorization));
      if (parsed === null) throw unknownKey();
      if (parsed.kind === 'sandbox') return sandboxPrincipalOf(parsed.role, ports.sandbox_company_id);
      const known = remembered.get(parsed.id);
      const age_ms = known === undefined ? Number.NaN : ports.monotonicNow() - known.read_at_ms;
      if (known !== undefined && age_ms >= 0 && age_ms < remembered_ms) return verify(ports, parsed, known);
      return lookUp(parsed.id).then((found) => verify(ports, parsed, found));
    },
    forget(key_id) {
      remembered.delete(key_id);
      reading.delete(key_id);
    },
  };
}

function readBearer(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new Refusal('unauthenticated', 'the Authorization header is missing; send "Bearer <API key>"');
  }
  const [, text] = /^Bearer +([\x21-\x7e]{1,200}) *$/i.exec(authorization) ?? [];
  if (text === undefined) {
    throw new Refusal('unauthenticated', 'the Authorization header must be "Bearer <API key>"');
  }
  return text;
}

function verify(
  ports: AuthenticatorPorts,
  parsed: ParsedKey & { readonly kind: 'stored' },
  found: Remembered | null,
): Principal {
  const given = hashKeySecret(ports.sha256, parsed.secret);
  if (found === null || !equalBytes(given, found.key.secret_sha256)) throw unknownKey();
  const { environment, revoked_at_ms } = found.key;
  if (revoked_at_ms !== null || environment !== parsed.environment) throw unknownKey();
  if (environment !== (ports.sandbox_company_id === null ? 'live' : 'test')) {
    throw new Refusal('unauthenticated', `a ${environment} key is not for this installation`);
  }
  return found.principal;
}

function principalOf(sealer: Sealer, key: ApiKey): Principal {
  const { signing_secret_sealed: sealed } = key;
  return {
    key_id: String(key.id),
    role: key.role,
    company_id: key.company_id,
    environment: key.environment,
    signing_secret: sealed === null ? null : openSigningSecret(sealer, sealed),
    rate_limit_per_minute: key.rate_limit_per_minute,
  };
}

function sandboxPrincipalOf(role: Principal['role'], sandbox_company_id: number | null): Principal {
  if (sandbox_company_id === null) {
    throw new Refusal('unauthenticated', "the sandbox's fixed keys are refused outside the sandbox");
  }
  return {
    key_id: `sandbox:${role}`,
    role,
    company_id: company_of_role[role] === 'never' ? null : sandbox_company_id,
    environment: 'test',
    signing_secret: null,
    rate_limit_per_minute: null,
  };
}

function unknownKey(): Refusal {
  return new Refusal('unauthenticated', 'the API key is unknown or revoked');
}
