import {
  type Clock,
  invalid,
  type Random,
  Refusal,
  reseal,
  resealAll,
  type Sealer,
  type Sha256,
  toHex,
  type UnitOfWork,
} from '@tallystick/kernel';
import type { IdempotencyOwner, IdempotencyStore } from '../ports.ts';
import type { Principal } from './principal.ts';
import type { SignedParts } from './request-signature.ts';

/** How long the first answer is kept. */
export const idempotency_keep_ms = 24 * 60 * 60 * 1000;

/**
 * How long a claim excludes others after its process died, in machine time. It is longer than any
 * request takes.
 */
export const idempotency_lease_ms = 60 * 1000;

/**
 * Checks an `Idempotency-Key`: 1 to 255 visible ASCII characters, no space. Refuses
 * `validation_failed`.
 */
export function parseIdempotencyKey(text: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text;
  throw invalid({ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' });
}

/**
 * Whether an answer with this status is kept. After a failure of the service (5xx) the request may
 * be tried again.
 */
export function isKept(status: number): boolean {
  return status < 500;
}

/** The result of a claim: the right to do the work, or the first answer in plain text. */
export type ClaimedKey =
  | { readonly kind: 'claimed'; readonly owner: IdempotencyOwner }
  | { readonly kind: 'answered'; readonly answer: Uint8Array };

export interface IdempotencyPorts {
  readonly sealer: Sealer;
  readonly random: Random;
  readonly sha256: Sha256;
  /** Claims expire in machine time, even while the sandbox's clock is frozen. */
  readonly machine_clock: Clock;
}

/**
 * Claims a key for a request, in a separate transaction. Keys of different API keys are
 * independent. The request is identified by its method, path, query and body. `now_ms` is service
 * time; it decides how long answers are kept. Refuses `idempotency_in_progress` and
 * `idempotency_mismatch`.
 */
export async function claimIdempotencyKey(
  tx: { readonly idempotency: IdempotencyStore },
  ports: IdempotencyPorts,
  principal: Pick<Principal, 'key_id'>,
  key: string,
  request: SignedParts,
  now_ms: number,
): Promise<ClaimedKey> {
  const owner = { scope: principal.key_id, key: toStoredKey(ports.sha256, key), token: toHex(ports.random.bytes(16)) };
  const machine_ms = ports.machine_clock.nowMs();
  const claim = await tx.idempotency.claim({
    ...owner,
    request_sha256: hashRequest(ports.sha256, request),
    now_ms,
    keep_ms: idempotency_keep_ms,
    machine_ms,
    lease_until_machine_ms: machine_ms + idempotency_lease_ms,
  });
  switch (claim.kind) {
    case 'claimed':
      return { kind: 'claimed', owner };
    case 'answered':
      return { kind: 'answered', answer: ports.sealer.open(purposeOf(owner), claim.answer) };
    case 'in_progress':
      throw new Refusal('idempotency_in_progress', 'a request with this Idempotency-Key is being worked on; try again');
    case 'mismatch':
      throw new Refusal('idempotency_mismatch', 'this Idempotency-Key was used with another request');
  }
}

/**
 * Stores the sealed answer in the transaction of the change. Refuses (`idempotency_in_progress`)
 * when the claim was lost to another request: the transaction must then roll back.
 */
export function keepAnswer(
  tx: { readonly idempotency: IdempotencyStore },
  sealer: Sealer,
  owner: IdempotencyOwner,
  answer: Uint8Array,
): Promise<void> {
  return tx.idempotency.complete(owner, sealer.seal(purposeOf(owner), answer));
}

/**
 * Deletes at most `limit` answers that were kept for `idempotency_keep_ms`, and claims of dead
 * processes of the same age. `now_ms` is service time, `machine_ms` is machine time. Returns how
 * many: fewer than `limit` when none is left.
 */
export function purgeIdempotencyKeys(
  tx: { readonly idempotency: Pick<IdempotencyStore, 'purge'> },
  now_ms: number,
  machine_ms: number,
  limit: number,
): Promise<number> {
  return tx.idempotency.purge(now_ms - idempotency_keep_ms, machine_ms, limit);
}

/**
 * Seals again with the newest key of the ring every kept answer that an older key sealed, in
 * transactions of at most `batch` answers. Returns how many. The request is never performed a second
 * time, so its answer must outlive the key.
 */
export function resealAnswers(
  unitOfWork: UnitOfWork<{ readonly idempotency: Pick<IdempotencyStore, 'answersAfter' | 'resealAnswer'> }>,
  sealer: Sealer,
  batch = 100,
): Promise<number> {
  return resealAll(unitOfWork, {
    first: { scope: '', key: '' },
    next: ({ idempotency }, after) => idempotency.answersAfter(after, batch),
    async reseal({ idempotency }, record) {
      const answer_sealed = reseal(sealer, purposeOf(record), record.answer_sealed);
      if (answer_sealed === null) return 0;
      await idempotency.resealAnswer({ ...record, answer_sealed });
      return 1;
    },
  });
}

/** A key is arbitrary text of the caller and could be a card number, so only its hash is stored. */
function toStoredKey(sha256: Sha256, key: string): string {
  return toHex(sha256(new TextEncoder().encode(key)));
}

/**
 * Returns SHA-256 over `METHOD LF path LF query LF body`. No part before the body can contain a
 * line feed.
 */
export function hashRequest(sha256: Sha256, { method, path, query, body }: SignedParts): Uint8Array {
  const head = new TextEncoder().encode(`${method}\n${path}\n${query}\n`);
  const all = new Uint8Array(head.length + body.length);
  all.set(head);
  all.set(body, head.length);
  return sha256(all);
}

/** An answer is bound to its key. It cannot be opened in another record. */
function purposeOf({ scope, key }: Pick<IdempotencyOwner, 'scope' | 'key'>): string {
  return `idempotency ${scope} ${key}`;
}
