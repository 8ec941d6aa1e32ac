import { createHash, createHmac, randomBytes, randomInt } from 'node:crypto';
import type { AccessTx, ApiKey, Company, IdempotencyOwner, IdempotencyStore } from '@tallystick/access';
import {
  type AuditEntry,
  Fault,
  type HmacSha256,
  type Page,
  type PageRequest,
  type Random,
  Refusal,
  type Sealer,
  type Sha256,
  type UnitOfWork,
} from '@tallystick/kernel';

export const sha256: Sha256 = (bytes) => createHash('sha256').update(bytes).digest();

export const hmacSha256: HmacSha256 = (secret, message) => createHmac('sha256', secret).update(message).digest();

export const random: Random = { below: (bound) => randomInt(bound), bytes: (count) => randomBytes(count) };

/** Seals by writing key and purpose in front of the bytes: enough to see what was sealed for what, and by which key. */
export function plainSealer(key_id = 'k1'): Sealer {
  const head = (id: string, purpose: string): string => `${id}|${purpose}|`;
  return {
    seal: (purpose, clear) => Buffer.concat([Buffer.from(head(key_id, purpose)), clear]),
    open(purpose, sealed) {
      for (const id of ['k1', 'k2']) {
        const expected = Buffer.from(head(id, purpose));
        if (Buffer.from(sealed).subarray(0, expected.length).equals(expected)) return sealed.subarray(expected.length);
      }
      throw new Fault('not sealed for this', { retryable: false });
    },
    isCurrent: (sealed) => Buffer.from(sealed).toString('latin1').startsWith(`${key_id}|`),
  };
}

interface IdempotencyRecord {
  readonly token: string;
  readonly request_sha256: string;
  readonly made_at_ms: number;
  readonly lease_until_machine_ms: number;
  readonly answer: Uint8Array | null;
}

/** The stores in memory: one transaction at a time, undone when its work rejects. */
export class Memory implements AccessTx, UnitOfWork<AccessTx> {
  state = {
    companies: [] as readonly Company[],
    keys: [] as readonly ApiKey[],
    records: new Map<string, IdempotencyRecord>() as ReadonlyMap<string, IdempotencyRecord>,
    audit: [] as readonly AuditEntry[],
  };
  /** How many keys were looked up. */
  key_reads = 0;
  /** What the next look-ups of keys wait for. */
  gate: Promise<void> = Promise.resolve();

  async run<Result>(work: (tx: AccessTx) => Promise<Result>): Promise<Result> {
    const before = this.state;
    try {
      return await work(this);
    } catch (error) {
      this.state = before;
      throw error;
    }
  }

  read<Result>(work: (tx: AccessTx) => Promise<Result>): Promise<Result> {
    return work(this);
  }

  readonly companies = {
    insert: async (company: Omit<Company, 'id'>) => {
      const made = { ...company, id: this.state.companies.length + 1 };
      this.state = { ...this.state, companies: [...this.state.companies, made] };
      return made;
    },
    update: async (company: Company) => {
      const companies = this.state.companies.map((kept) => (kept.id === company.id ? company : kept));
      this.state = { ...this.state, companies };
    },
    find: async (id: number) => this.state.companies.find((company) => company.id === id) ?? null,
    list: async (page: PageRequest) => onePage(this.state.companies, page),
  };

  readonly api_keys = {
    insert: async (key: Omit<ApiKey, 'id'>) => {
      const made = { ...key, id: this.state.keys.length + 1 };
      this.state = { ...this.state, keys: [...this.state.keys, made] };
      return made;
    },
    find: async (id: number) => {
      this.key_reads += 1;
      const found = this.state.keys.find((key) => key.id === id) ?? null;
      await this.gate;
      return found;
    },
    list: async ({ company_id }: { readonly company_id?: number }, page: PageRequest) =>
      onePage(
        this.state.keys.filter((key) => company_id === undefined || key.company_id === company_id),
        page,
      ),
    revoke: async (id: number, at_ms: number) => {
      if (!this.state.keys.some((key) => key.id === id)) return false;
      this.change(id, (key) => ({ revoked_at_ms: key.revoked_at_ms ?? at_ms }));
      return true;
    },
    withSigningSecret: async (after_id: number, limit: number) =>
      this.state.keys.filter((key) => key.id > after_id && key.signing_secret_sealed !== null).slice(0, limit),
    reseal: async (id: number, signing_secret_sealed: Uint8Array) => this.change(id, () => ({ signing_secret_sealed })),
  };

  readonly audit = {
    record: async (entry: AuditEntry) => {
      this.state = { ...this.state, audit: [...this.state.audit, entry] };
    },
  };

  readonly idempotency: IdempotencyStore = {
    claim: async ({ scope, key, token, request_sha256, now_ms, keep_ms, machine_ms, lease_until_machine_ms }) => {
      const asked = Buffer.from(request_sha256).toString('hex');
      const found = this.record({ scope, key, token });
      const in_progress = found !== undefined && found.answer === null && found.lease_until_machine_ms > machine_ms;
      if (found !== undefined && (in_progress || now_ms - found.made_at_ms < keep_ms)) {
        if (found.request_sha256 !== asked) return { kind: 'mismatch' };
        if (found.answer !== null) return { kind: 'answered', answer: found.answer };
        if (found.token === token) return { kind: 'claimed' };
        if (in_progress) return { kind: 'in_progress' };
      }
      const record = { token, request_sha256: asked, made_at_ms: now_ms, lease_until_machine_ms, answer: null };
      this.keep({ scope, key, token }, record);
      return { kind: 'claimed' };
    },
    complete: async (owner, answer) => {
      const found = this.record(owner);
      if (found === undefined || found.answer !== null || found.token !== owner.token) {
        throw new Refusal('idempotency_in_progress', 'the lease was lost');
      }
      this.keep(owner, { ...found, answer });
    },
    release: async (owner) => {
      const found = this.record(owner);
      if (found?.answer === null && found.token === owner.token) this.keep(owner, null);
    },
    purge: async (before_ms, machine_ms, limit) => {
      const ended = ({ answer, lease_until_machine_ms }: IdempotencyRecord) =>
        answer !== null || lease_until_machine_ms <= machine_ms;
      const old = [...this.state.records]
        .filter(([, record]) => record.made_at_ms < before_ms && ended(record))
        .slice(0, limit);
      const records = new Map(this.state.records);
      for (const [name] of old) records.delete(name);
      this.state = { ...this.state, records };
      return old.length;
    },
  };

  private record({ scope, key }: IdempotencyOwner): IdempotencyRecord | undefined {
    return this.state.records.get(`${scope} ${key}`);
  }

  private keep({ scope, key }: IdempotencyOwner, record: IdempotencyRecord | null): void {
    const records = new Map(this.state.records);
    if (record === null) records.delete(`${scope} ${key}`);
    else records.set(`${scope} ${key}`, record);
    this.state = { ...this.state, records };
  }

  private change(id: number, change: (key: ApiKey) => Partial<ApiKey>): void {
    const keys = this.state.keys.map((key) => (key.id === id ? { ...key, ...change(key) } : key));
    this.state = { ...this.state, keys };
  }
}

function onePage<Item>(items: readonly Item[], page: PageRequest): Page<Item> {
  return { items: items.toReversed().slice(0, page.limit), next: null };
}
