import type { AuditLog, Page, PageRequest } from '@tallystick/kernel';
import type { Company } from './companies/company.ts';
import type { ApiKey } from './keys/api-key.ts';
import type { ConsoleSession } from './people/console-session.ts';
import type { Person } from './people/person.ts';
import type { PortalLink } from './people/portal-link.ts';

/** Companies, within a transaction. Newest first in lists. */
export interface CompanyStore {
  /**
   * Refuses (`refuseTakenNumber`) the customer number of another company. Of two racing inserts of
   * one number, one is refused.
   */
  insert(company: Omit<Company, 'id'>): Promise<Company>;
  /** Writes the fields that `updateCompany` may change. */
  update(company: Company): Promise<void>;
  find(id: number, options?: { readonly for_update?: boolean }): Promise<Company | null>;
  /** Those that exist, in any order. */
  findByIds(ids: readonly number[]): Promise<readonly Company[]>;
  list(page: PageRequest): Promise<Page<Company>>;
}

/** API keys, within a transaction. Newest first in lists. */
export interface ApiKeyStore {
  insert(key: Omit<ApiKey, 'id'>): Promise<ApiKey>;
  find(id: number, options?: { readonly for_update?: boolean }): Promise<ApiKey | null>;
  /** Those that exist, in any order. */
  findByIds(ids: readonly number[]): Promise<readonly ApiKey[]>;
  /** Writes the fields that `updateKey` may change. */
  update(key: ApiKey): Promise<void>;
  /** Writes the last use of keys that are in ascending order of id, unless a later one is stored. */
  recordUses(uses: readonly Pick<ApiKey, 'id' | 'last_used_at_ms'>[]): Promise<void>;
  list(filter: { readonly company_id?: number }, page: PageRequest): Promise<Page<ApiKey>>;
  /** Sets `revoked_at_ms` if it is not set. Returns false when the key is unknown. */
  revoke(id: number, at_ms: number): Promise<boolean>;
  /**
   * Up to `limit` keys with a signing secret and an id above `after_id`, in id order, locked for
   * update. Revoked keys are included.
   */
  withSigningSecret(after_id: number, limit: number): Promise<readonly ApiKey[]>;
  /**
   * Replaces the sealed value of a key's signing secret. The secret is the same, sealed by a newer
   * key of the ring.
   */
  reseal(id: number, signing_secret_sealed: Uint8Array): Promise<void>;
}

/**
 * One claim of one idempotency key: the fields that identify its record, and the proof of
 * ownership.
 */
export interface IdempotencyOwner {
  /** The API key that the idempotency key belongs to. */
  readonly scope: string;
  /** The stored form of the key that the caller sent: 1 to 255 visible characters. */
  readonly key: string;
  /** Generated at random for this claim, at most 64 characters. */
  readonly token: string;
}

/** A claim of the work on the request that has this idempotency key. */
export interface IdempotencyRequest extends IdempotencyOwner {
  /** The hash of the request: 32 bytes. */
  readonly request_sha256: Uint8Array;
  /** Service time, epoch milliseconds. */
  readonly now_ms: number;
  /** How long an answer is valid, in service time, from the claim that made its record. */
  readonly keep_ms: number;
  /**
   * Machine time, epoch milliseconds. A move of the sandbox's clock ends no claim, and a frozen
   * clock keeps none.
   */
  readonly machine_ms: number;
  /**
   * The end of the lease. Until then the claim excludes others, also when its process has died and
   * can neither complete nor release it.
   */
  readonly lease_until_machine_ms: number;
}

export type IdempotencyClaim =
  /** The caller does the work now, and must `complete` or `release` the claim. */
  | { readonly kind: 'claimed' }
  /** The request was answered before. `answer` is sealed. */
  | { readonly kind: 'answered'; readonly answer: Uint8Array }
  /** Another request does the work. */
  | { readonly kind: 'in_progress' }
  /** The key was used with another request. */
  | { readonly kind: 'mismatch' };

/** A record whose request was answered. */
export interface AnsweredRecord extends Pick<IdempotencyOwner, 'scope' | 'key'> {
  readonly answer_sealed: Uint8Array;
}

/**
 * Records of idempotency keys, within a transaction, scoped by API key.
 *
 * `claim` runs in a separate transaction, so that others see it immediately. `complete` runs in the
 * transaction of the change, so that a crash leaves both or neither. A claim replaces the token,
 * and with it the right of the earlier owner to complete. So at most one of two requests with one
 * key commits, however long the first was paused.
 */
export interface IdempotencyStore {
  /**
   * Claims the key for this request. The first rule that applies decides:
   *
   * 1. No record, or a record made `keep_ms` ago or more that is answered or whose lease has
   *   expired: claimed. The new record replaces the old one.
   * 2. A record of another `request_sha256`: mismatch.
   * 3. An answered record: answered.
   * 4. A record with this same `token`: claimed. The transaction was run again.
   * 5. A record whose lease has expired: claimed. The record counts as made now.
   * 6. Else: in_progress.
   *
   * When two claims of a free key race, one returns claimed and the other in_progress. Neither
   * fails.
   */
  claim(request: IdempotencyRequest): Promise<IdempotencyClaim>;
  /**
   * Stores the sealed answer. Rejects with the refusal `idempotency_in_progress` unless the record
   * is unanswered and has this token. In that case the lease was lost, another request does the
   * work, and this transaction must not commit. An expired lease still belongs to its owner until
   * another claim takes it. Locks the record until the transaction ends.
   */
  complete(owner: IdempotencyOwner, answer_sealed: Uint8Array): Promise<void>;
  /**
   * Releases the key after a request without a result (5xx). Does nothing unless the record is
   * unanswered and has this token.
   */
  release(owner: IdempotencyOwner): Promise<void>;
  /** Up to `limit` answered records after this one, in the order of scope and key, locked for update. */
  answersAfter(after: Pick<IdempotencyOwner, 'scope' | 'key'>, limit: number): Promise<readonly AnsweredRecord[]>;
  /** Replaces the sealed answer of an answered record. The answer is the same. */
  resealAnswer(record: AnsweredRecord): Promise<void>;
  /**
   * Deletes at most `limit` records made before the instant, but none whose request is in progress.
   * Returns how many.
   */
  purge(before_ms: number, machine_ms: number, limit: number): Promise<number>;
}

/** People, within a transaction. Newest first in lists. */
export interface PersonStore {
  /**
   * Refuses the handle (`refuseTakenHandle`) and the identity (`refuseTakenSubject`) of another
   * person. Of two racing inserts of one handle, one is refused.
   */
  insert(person: Omit<Person, 'id'>): Promise<Person>;
  /** Writes all but handle and `created_at_ms`. Refuses the identity of another person. */
  update(person: Person): Promise<void>;
  find(id: number, options?: { readonly for_update?: boolean }): Promise<Person | null>;
  findByHandle(handle: string): Promise<Person | null>;
  findBySubject(issuer: string, subject: string): Promise<Person | null>;
  list(page: PageRequest): Promise<Page<Person>>;
  /** Up to `limit` people with a secret of codes and an id above `after_id`, in id order, locked for update. */
  withTotpSecret(after_id: number, limit: number): Promise<readonly Person[]>;
}

/** Sessions of the console, within a transaction. */
export interface ConsoleSessionStore {
  insert(session: Omit<ConsoleSession, 'id'>): Promise<ConsoleSession>;
  /** Those of these tokens, in no order. A token without a session is left out. */
  findAll(token_sha256s: readonly Uint8Array[]): Promise<readonly ConsoleSession[]>;
  /** Writes the last request, unless a later one is stored. */
  touch(id: number, seen_machine_ms: number): Promise<void>;
  /** Those of a person, newest first, also ended ones until they are purged. */
  ofPerson(person_id: number): Promise<readonly ConsoleSession[]>;
  /** Deletes a session, if it exists. */
  end(id: number): Promise<void>;
  /** Deletes all sessions of a person. Returns how many. */
  endAll(person_id: number): Promise<number>;
  /** Deletes at most `limit` sessions that ended, or were seen last, at these times or before. */
  purge(until: { readonly ends: number; readonly seen: number }, limit: number): Promise<number>;
}

/** The stores of visitors of the console and their sessions. */
export interface PeopleTx {
  readonly people: PersonStore;
  readonly console_sessions: ConsoleSessionStore;
  readonly portal_links: PortalLinkStore;
}

/** Links to a company's own view of the console, within a transaction. */
export interface PortalLinkStore {
  insert(link: Omit<PortalLink, 'id'>): Promise<PortalLink>;
  find(id: number): Promise<PortalLink | null>;
  findByToken(token_sha256: Uint8Array): Promise<PortalLink | null>;
  /**
   * Marks an open link as used. Null when it is used, expired or unknown. Of racing uses of one link
   * exactly one gets it.
   */
  use(token_sha256: Uint8Array, now_ms: number): Promise<PortalLink | null>;
  /** Deletes at most `limit` links that expired before the instant. Returns how many. */
  purge(before_ms: number, limit: number): Promise<number>;
}

export interface AccessTx extends PeopleTx {
  readonly companies: CompanyStore;
  readonly api_keys: ApiKeyStore;
  readonly idempotency: IdempotencyStore;
  readonly audit: AuditLog;
}
