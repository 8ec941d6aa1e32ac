import {
  type AuditChain,
  type AuditHasher,
  type AuditMac,
  type AuditRow,
  auditContentHash,
  auditLink,
  type SealedAuditRow,
} from './audit-chain.ts';

/**
 * What is wrong with the audit log:
 *
 * - `changed`: an entry has another content, hash or link than when it was written or sealed.
 * - `removed`: an entry is missing. At the end of the chain: the tail was cut.
 * - `inserted`: an entry is in the log that no writer of the service wrote and no sealer numbered.
 * - `head_altered`: the row of the chain was changed, so nothing proves where the log ends.
 * - `head_removed`: there is no such row.
 */
export type AuditFindingKind = 'changed' | 'removed' | 'inserted' | 'head_altered' | 'head_removed';

/** The first thing that is wrong. */
export interface AuditFinding {
  readonly kind: AuditFindingKind;
  /** The number of the entry; of the first missing one of several. Null of the head. */
  readonly number: number | null;
  /** The id of the entry. Null of a missing entry, whose id is unknown, and of the head. */
  readonly id: number | null;
  readonly problem: string;
  readonly expected: string;
}

/** The last entry that was checked. Id and hasher are null at the beginning of the chain. */
export interface AuditPosition {
  readonly number: number;
  readonly link: string;
  readonly id: number | null;
  /** Who made its hash. Of the sealer: it was accepted without the hash of a writer. */
  readonly hasher: AuditHasher | null;
}

/** The position before the first entry that retention has left. */
export function beginningOfAuditChain({ removed_number, removed_link }: AuditChain): AuditPosition {
  return { number: removed_number, link: removed_link, id: null, hasher: null };
}

/**
 * Checks the entry that follows a position. `next` is the entry after it, which shows whether a
 * wrong entry was changed or inserted, or whether one before it was removed.
 */
export function checkAuditEntry(
  mac: AuditMac,
  chain: AuditChain,
  before: AuditPosition,
  entry: SealedAuditRow,
  next: SealedAuditRow | null,
): AuditFinding | AuditPosition {
  const { id, number, content_hash, link } = entry;
  const due = before.number + 1;
  const found = (kind: AuditFindingKind, problem: string, expected: string): AuditFinding => {
    return { kind, number, id, problem, expected };
  };
  if (number > chain.number) {
    if (before.number < chain.number) return missingFrom(before, chain.number, `entry ${id} has number ${number}`);
    return found('inserted', `the chain ends with number ${chain.number}`, 'no entry with a higher number');
  }
  if (number > due) return missingFrom(before, number - 1, `the next one is entry ${id} with number ${number}`);
  if (number < due) {
    const problem =
      number === before.number && before.id !== null
        ? `entry ${before.id} has number ${number}`
        : `entries up to number ${before.number} were removed after their time`;
    return found('inserted', problem, 'no other entry with this number');
  }
  const hash = content_hash ?? '';
  const follows = link === auditLink(mac, before.link, number, hash);
  const hasher = hasherOf(mac, entry);
  if (follows && hasher === 'sealer' && number > chain.accepted_number) {
    return found(
      'inserted',
      'it did not have the hash of a writer when it was sealed: it was inserted, or changed before',
      'an entry with a hash that was made with the key',
    );
  }
  if (follows && hasher !== null && link !== null) return { number, link, id, hasher };
  return explainEntry(mac, chain, before, entry, next, { follows, is_genuine: hasher !== null });
}

/** What is wrong at the end of the chain, after the last entry; null: nothing. */
export function checkAuditEnd(chain: AuditChain, last: AuditPosition): AuditFinding | null {
  if (last.number < chain.number) return missingFrom(last, chain.number, 'no entry follows');
  if (last.number === chain.number && last.link === chain.link) return null;
  return altered_head;
}

export const altered_head: AuditFinding = {
  kind: 'head_altered',
  number: null,
  id: null,
  problem: 'the row of audit_chain does not have the hash with which it was written',
  expected: 'the number and link of the newest sealed entry as the sealer wrote them',
};

export const removed_head: AuditFinding = {
  kind: 'head_removed',
  number: null,
  id: null,
  problem: 'audit_chain has no row',
  expected: 'one row, with the number and link of the newest sealed entry',
};

/** Whose hash the content has; null: the content is not what was hashed. */
function hasherOf(mac: AuditMac, entry: AuditRow): AuditHasher | null {
  if (entry.content_hash === null) return null;
  if (entry.content_hash === auditContentHash(mac, entry)) return 'writer';
  return entry.content_hash === auditContentHash(mac, entry, 'sealer') ? 'sealer' : null;
}

/**
 * What is wrong with an entry that has the right number, but not the content of its hash
 * (`is_genuine`), or not the link that follows from the one before (`follows`).
 */
function explainEntry(
  mac: AuditMac,
  chain: AuditChain,
  before: AuditPosition,
  { id, number, content_hash, link }: SealedAuditRow,
  next: SealedAuditRow | null,
  { follows, is_genuine }: { readonly follows: boolean; readonly is_genuine: boolean },
): AuditFinding {
  const after = before.id === null ? 'the beginning of the log' : `entry ${before.id}`;
  /** Whether the next entry, or the head, follows from this link with this number. */
  const leadsOn = (previous: string, at: number): boolean =>
    next === null
      ? previous === chain.link && at - 1 === chain.number
      : next.link === auditLink(mac, previous, at, next.content_hash ?? '');
  if (next !== null && leadsOn(before.link, number)) {
    const problem = `entry ${next.id} has the link that follows from ${after}`;
    return { kind: 'inserted', number, id, problem, expected: `no entry between ${after} and entry ${next.id}` };
  }
  if (follows) {
    const problem = 'its content does not have the hash with which it was sealed';
    return { kind: 'changed', number, id, problem, expected: 'the content of its writer' };
  }
  const expected = `the link that follows from ${after}`;
  if (is_genuine && leadsOn(auditLink(mac, before.link, number, content_hash ?? ''), number + 1)) {
    return { kind: 'changed', number, id, problem: 'its link was changed', expected };
  }
  if (!is_genuine && link !== null && leadsOn(link, number + 1)) {
    return { kind: 'changed', number, id, problem: 'its content hash was changed', expected };
  }
  if (is_genuine) {
    const problem = `entry ${id} has this number, and its link follows from another entry`;
    return { kind: 'removed', number, id: null, problem, expected: `an entry that follows ${after}` };
  }
  return { kind: 'inserted', number, id, problem: 'neither its hash nor its link was made with the key', expected };
}

function missingFrom(before: AuditPosition, to: number, what_follows: string): AuditFinding {
  const from = before.number + 1;
  const after = before.id === null ? '' : ` after entry ${before.id}`;
  const missing = from === to ? `number ${from} is missing` : `numbers ${from} to ${to} are missing`;
  return {
    kind: 'removed',
    number: from,
    id: null,
    problem: `${missing}${after}: ${what_follows}`,
    expected: `an entry with number ${from}`,
  };
}

/**
 * Which of the oldest sealed entries retention may remove, and the chain after their removal. Only
 * the beginning of the chain can go, and only while it is correct: an entry that was changed,
 * removed or inserted stays to be found, and so does everything after it.
 */
export function purgeableAuditEntries(
  mac: AuditMac,
  chain: AuditChain,
  entries: readonly SealedAuditRow[],
  mayGo: (entry: AuditRow) => boolean,
): { readonly ids: readonly number[]; readonly chain: AuditChain } {
  const ids: number[] = [];
  let position = beginningOfAuditChain(chain);
  for (const entry of entries) {
    if (!mayGo(entry)) break;
    const result = checkAuditEntry(mac, chain, position, entry, null);
    if ('kind' in result) break;
    position = result;
    ids.push(entry.id);
  }
  return { ids, chain: { ...chain, removed_number: position.number, removed_link: position.link } };
}
