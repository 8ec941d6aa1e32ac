import type { AuditLog, Page, PageRequest } from '@tallystick/kernel';
import type { Company } from './companies/company.ts';
import type { ApiKey } from './keys/api-key.ts';

/** Companies, within a transaction. Newest first in lists. */
export interface CompanyStore {
  insert(company: Omit<Company, 'id'>): Promise<Company>;
  /** Writes what `updateCompany` may change. */
  update(company: Company): Promise<void>;
  find(id: number): Promise<Company | null>;
  list(page: PageRequest): Promise<Page<Company>>;
}

/** API keys, within a transaction. Newest first in lists. */
export interface ApiKeyStore {
  insert(key: Omit<ApiKey, 'id'>): Promise<ApiKey>;
  find(id: number): Promise<ApiKey | null>;
  list(filter: { readonly company_id?: number }, page: PageRequest): Promise<Page<ApiKey>>;
  /** Sets `revoked_at_ms` if it is not set. False when the key is unknown. */
  revoke(id: number, at_ms: number): Promise<boolean>;
  /** Up to `limit` keys with a signing secret and an id above `after_id`, in id order, held for update; revoked ones too. */
  withSigningSecret(after_id: number, limit: number): Promise<readonly ApiKey[]>;
  /** Replaces the sealed form of a key's signing secret: the same secret, under a newer key of the ring. */
  reseal(id: number, signing_secret_sealed: Uint8Array): Promise<void>;
}

/** One claim of one idempotency key: what its record is found by, and the proof of who holds it. */
export interface IdempotencyOwner {
  /** The API key that the idempotency key belongs to. */
  readonly scope: string;
  /** What stands for the key that the caller sent: 1 to 255 visible characters. */
  readonly key: string;
  /** Drawn at random for this claim, at most 64 characters. */
  readonly token: string;
}

/** A wish to work on the request that an idempotency key stands for. */
export interface IdempotencyRequest extends IdempotencyOwner {
  /** What was asked: 32 bytes. */
  readonly request_sha256: Uint8Array;
  /** The service's clock, epoch milliseconds. */
  readonly now_ms: number;
  /** How long an answer counts, from the claim that made its record, by the service's clock. */
  readonly keep_ms: number;
  /** The machine's time, epoch milliseconds: moving the sandbox's clock ends no claim, and a clock that stands still keeps none. */
  readonly machine_ms: number;
  /** How long this claim keeps others out when its owner neither completes nor releases it: its process died. */
  readonly lease_until_machine_ms: number;
}

/** What became of claiming an idempotency key. */
export type IdempotencyClaim =
  /** The caller works on it now, and must `complete` or `release` it. */
  | { readonly kind: 'claimed' }
  /** It was answered before. `answer` is sealed. */
  | { readonly kind: 'answered'; readonly answer: Uint8Array }
  /** Another request works on it. */
  | { readonly kind: 'in_progress' }
  /** It was used with another request. */
  | { readonly kind: 'mismatch' };

/**
 * Records of idempotency keys, within a transaction, scoped by API key.
 *
 * `claim` runs in a transaction of its own, so that others see it at once. `complete` runs in the transaction of the
 * change, so that a crash leaves both or neither. Whoever claims takes over the token; with it, the earlier owner's right
 * to complete. So of two requests with one key at most one commits, however long the first was asleep.
 */
export interface IdempotencyStore {
  /**
   * Takes the key for this request. The first rule that applies:
   * no record, or one made `keep_ms` ago or more that is answered or whose lease has run out: claimed (the old record gives way);
   * a record of another `request_sha256`: mismatch;
   * an answered one: answered;
   * one that this same `token` holds: claimed (the transaction was run again);
   * one whose lease has run out: claimed, the record as if made now;
   * else: in_progress.
   * Two racing claims of a free key: one is claimed, the other is told in_progress; neither fails.
   */
  claim(request: IdempotencyRequest): Promise<IdempotencyClaim>;
  /**
   * Keeps the sealed answer. Rejects with the refusal `idempotency_in_progress` unless the record is unanswered and
   * holds this token: the lease was lost, another request does the work, and this transaction must not commit. A lease that has run
   * out but that nobody took is still the owner's. Holds the record until the transaction ends.
   */
  complete(owner: IdempotencyOwner, answer_sealed: Uint8Array): Promise<void>;
  /** Gives the key back: the request came to nothing (5xx). Does nothing unless the record is unanswered and holds this token. */
  release(owner: IdempotencyOwner): Promise<void>;
  /** Drops records made before the instant, but none whose request is in progress; at most `limit`; returns how many. */
  purge(before_ms: number, machine_ms: number, limit: number): Promise<number>;
}

/** What the use cases of this package need of a transaction. */
export interface AccessTx {
  readonly companies: CompanyStore;
  readonly api_keys: ApiKeyStore;
  readonly idempotency: IdempotencyStore;
  readonly audit: AuditLog;
}
