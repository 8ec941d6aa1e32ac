import { type Clock, equalBytes, Refusal, type Sealer, type Sha256, type UnitOfWork } from '@tallystick/kernel';
import type { Company } from '../companies/company.ts';
import { type ApiKey, hashKeySecret, type ParsedKey, parseKey } from '../keys/api-key.ts';
import { company_of_role, type Role } from '../keys/role.ts';
import { openSigningSecret } from '../keys/signing-secret.ts';
import type { AccessTx } from '../ports.ts';
import type { Principal } from './principal.ts';

export interface AuthenticatorPorts {
  readonly unitOfWork: UnitOfWork<Pick<AccessTx, 'api_keys' | 'companies'>>;
  readonly sealer: Sealer;
  readonly sha256: Sha256;
  /**
   * Milliseconds since a fixed origin, never going back. A change of the machine's clock does not
   * affect how long keys are remembered.
   */
  readonly monotonicNow: () => number;
  /** The time at which keys end. */
  readonly clock: Clock;
  /** Called with each stored key that was accepted. */
  readonly keyUsed: (key_id: number) => void;
  /**
   * The company for which the sandbox's fixed keys act. Null outside the sandbox: these keys, and
   * stored `test` keys, are then refused.
   */
  readonly sandbox_company_id: number | null;
}

export interface Authenticator {
  /**
   * Returns the caller, by the text of the `Authorization` header: `Bearer <API key>`. Refuses
   * (`unauthenticated`) unknown, revoked, ended and wrong keys, in the same words. Refuses
   * (`forbidden`) keys of a closed company. A key that is remembered needs no look-up, and is
   * returned without a promise.
   */
  authenticate(authorization: string | undefined): Principal | Promise<Principal>;
  /**
   * Forgets a revoked or changed key in this process immediately. Other processes forget it within
   * `remembered_ms`.
   */
  forget(key_id: number): void;
  /** Forgets the keys of a company that changed, in this process immediately. */
  forgetCompany(company_id: number): void;
}

/**
 * How long a key is remembered, with its company, after both were read. A revoked key, or a key of
 * a closed company, is accepted for at most this time.
 */
const remembered_ms = 2_000;

/** A key that is used when it is this old is read again, before callers have to wait for it. */
const renewed_ms = 1_000;

/** The maximum number of remembered keys. Above it, the key that was read first is forgotten. */
const remembered_max = 10_000;

/** The most keys that are read in one transaction. */
const read_together_max = 256;

interface Remembered {
  /** Null for the sandbox's fixed keys, which are not stored. */
  readonly key: ApiKey | null;
  readonly company: Company | null;
  /** The caller, for whom the signing secret is opened. Throws a `Fault` when it cannot be. */
  readonly principal: () => Principal;
  readonly read_at_ms: number;
}

/** Returns an authenticator with a separate memory, for one process. */
export function createAuthenticator(ports: AuthenticatorPorts): Authenticator {
  const remembered = new Map<string, Remembered>();
  const reading = new Map<string, Promise<Remembered | null>>();
  // Anybody can invent any number of keys. They are read together, and those in use apart from them.
  const readUnknown = createReadsTogether(readStored);
  const readKnown = createReadsTogether(readStored);

  async function readStored(ids: readonly number[]): Promise<ReadonlyMap<number, Remembered>> {
    const read_at_ms = ports.monotonicNow();
    return await ports.unitOfWork.read(async (tx) => {
      const keys = await tx.api_keys.findByIds(ids);
      const company_ids = new Set(keys.flatMap(({ company_id }) => company_id ?? []));
      const companies = new Map((await tx.companies.findByIds([...company_ids])).map((row) => [row.id, row]));
      const found = keys.map((key) => {
        const company = companies.get(key.company_id ?? 0) ?? null;
        let opened: Principal | null = null;
        const principal = () => (opened ??= principalOf(ports.sealer, key, company));
        return [key.id, { key, company, principal, read_at_ms }] as const;
      });
      return new Map(found);
    });
  }

  async function readSandbox(role: Role, sandbox_company_id: number): Promise<Remembered> {
    const read_at_ms = ports.monotonicNow();
    const company_id = company_of_role[role] === 'never' ? null : sandbox_company_id;
    const company = company_id === null ? null : await ports.unitOfWork.read((tx) => tx.companies.find(company_id));
    const principal = sandboxPrincipalOf(role, company_id, company);
    return { key: null, company, principal: () => principal, read_at_ms };
  }

  /** Concurrent callers wait for the same read of a key, unless the key was forgotten meanwhile. */
  function lookUp(key_id: string, read: () => Promise<Remembered | null>): Promise<Remembered | null> {
    const under_way = reading.get(key_id);
    if (under_way !== undefined) return under_way;
    const begun: Promise<Remembered | null> = read().then(
      (found) => {
        if (reading.get(key_id) !== begun) return found;
        reading.delete(key_id);
        if (found !== null) remember(key_id, found);
        return found;
      },
      (error: unknown) => {
        if (reading.get(key_id) === begun) reading.delete(key_id);
        throw error;
      },
    );
    reading.set(key_id, begun);
    return begun;
  }

  function remember(key_id: string, found: Remembered): void {
    remembered.delete(key_id);
    const [first_id] = remembered.size >= remembered_max ? remembered.keys() : [];
    if (first_id !== undefined) remembered.delete(first_id);
    remembered.set(key_id, found);
  }

  /** Without a promise if the key is remembered. */
  function find(
    key_id: string,
    read: () => Promise<Remembered | null>,
    check: (found: Remembered | null) => Principal,
  ): Principal | Promise<Principal> {
    const known = remembered.get(key_id);
    const age_ms = known === undefined ? Number.NaN : ports.monotonicNow() - known.read_at_ms;
    if (known === undefined || !(age_ms >= 0 && age_ms < remembered_ms)) return lookUp(key_id, read).then(check);
    // Without an answer the key stays remembered until its time is over.
    if (age_ms >= renewed_ms && !reading.has(key_id)) lookUp(key_id, read).catch(() => undefined);
    return check(known);
  }

  return {
    authenticate(authorization) {
      const parsed = parseKey(readBearer(authorization));
      if (parsed === null) throw unknownKey();
      if (parsed.kind === 'stored') {
        const { id } = parsed;
        const key_id = String(id);
        return find(
          key_id,
          () => (remembered.has(key_id) ? readKnown(id) : readUnknown(id)),
          (found) => verify(ports, parsed, found),
        );
      }
      const { role } = parsed;
      const { sandbox_company_id } = ports;
      if (sandbox_company_id === null) {
        throw new Refusal('unauthenticated', "the sandbox's fixed keys are refused outside the sandbox");
      }
      return find(`sandbox:${role}`, () => readSandbox(role, sandbox_company_id), principalOfOpenCompany);
    },
    forget(key_id) {
      remembered.delete(String(key_id));
      reading.delete(String(key_id));
    },
    forgetCompany(company_id) {
      for (const [key_id, { company }] of remembered) {
        if (company?.id === company_id) remembered.delete(key_id);
      }
      // What is being read may be older than the change.
      reading.clear();
    },
  };
}

/**
 * Reads many at a time, in one transaction after another. What is asked for during one waits for the
 * next, so any number of callers costs few transactions.
 */
function createReadsTogether<Found>(
  read: (ids: readonly number[]) => Promise<ReadonlyMap<number, Found>>,
): (id: number) => Promise<Found | null> {
  const waiting = new Map<number, PromiseWithResolvers<Found | null>>();
  let is_reading = false;

  async function readWaiting(): Promise<void> {
    is_reading = true;
    while (waiting.size > 0) {
      const together = [...waiting].slice(0, read_together_max);
      for (const [id] of together) waiting.delete(id);
      try {
        const found = await read(together.map(([id]) => id));
        for (const [id, { resolve }] of together) resolve(found.get(id) ?? null);
      } catch (error) {
        for (const [, { reject }] of together) reject(error);
      }
    }
    is_reading = false;
  }

  return (id) => {
    const asked = waiting.get(id) ?? Promise.withResolvers<Found | null>();
    waiting.set(id, asked);
    if (!is_reading) void readWaiting();
    return asked.promise;
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
  const sent = hashKeySecret(ports.sha256, parsed.secret);
  const key = found?.key ?? null;
  if (key === null || !equalBytes(sent, key.secret_sha256)) throw unknownKey();
  const { environment, revoked_at_ms, expires_at_ms } = key;
  if (revoked_at_ms !== null || environment !== parsed.environment) throw unknownKey();
  if (expires_at_ms !== null && ports.clock.nowMs() >= expires_at_ms) throw unknownKey();
  if (environment !== (ports.sandbox_company_id === null ? 'live' : 'test')) {
    throw new Refusal('unauthenticated', `a ${environment} key is not for this installation`);
  }
  const principal = principalOfOpenCompany(found);
  ports.keyUsed(key.id);
  return principal;
}

function principalOfOpenCompany(found: Remembered | null): Principal {
  if (found === null) throw unknownKey();
  if (found.company?.status === 'closed') throw new Refusal('forbidden', 'the company of this key is closed');
  return found.principal();
}

function principalOf(sealer: Sealer, key: ApiKey, company: Company | null): Principal {
  const { signing_secret_sealed: sealed } = key;
  return {
    key_id: String(key.id),
    role: key.role,
    company_id: key.company_id,
    signing_secret: sealed === null ? null : openSigningSecret(sealer, sealed),
    rate_limit_per_minute: key.rate_limit_per_minute,
    company_rate_limit_per_minute: company?.rate_limit_per_minute ?? null,
  };
}

function sandboxPrincipalOf(role: Role, company_id: number | null, company: Company | null): Principal {
  return {
    key_id: `sandbox:${role}`,
    role,
    company_id,
    signing_secret: null,
    rate_limit_per_minute: null,
    company_rate_limit_per_minute: company?.rate_limit_per_minute ?? null,
  };
}

function unknownKey(): Refusal {
  return new Refusal('unauthenticated', 'the API key is unknown, revoked or ended');
}
