/**
 * The chain of the audit log (docs/adr/0036-the-audit-log-is-a-chain.md).
 *
 * A writer commits an entry with a keyed hash of its content, and waits for nobody. Later one
 * sealer at a time gives the committed entries consecutive numbers and links: the link of an entry
 * is a keyed hash of the link before it, its number and its content hash. The head of the chain,
 * with the newest number and link, is kept in a row of its own, which has a keyed hash, too.
 */
import type { RecordedAuditEntry } from './audit.ts';

/**
 * HMAC-SHA-256 of a text with the key of the audit chain, as 64 hexadecimal digits. The key is the
 * same during the life of a database, as the index key is (docs/adr/0006).
 */
export type AuditMac = (text: string) => string;

export interface AuditRow extends Omit<RecordedAuditEntry, 'details'> {
  /** The JSON text, byte by byte as it is stored. */
  readonly details: string;
  /** Null: nobody with the key wrote the entry, and it is not sealed yet. */
  readonly content_hash: string | null;
  /** Its place in the chain, from 1. Null: not sealed yet. */
  readonly number: number | null;
  /** Null: not sealed yet. */
  readonly link: string | null;
}

export interface AuditSeal {
  readonly id: number;
  readonly content_hash: string;
  readonly number: number;
  readonly link: string;
}

/** The state of the chain. Everything in it is covered by `mac`. */
export interface AuditChain {
  /** The number of the newest sealed entry, which is the count of all that were ever sealed. */
  readonly number: number;
  /** The link of that entry; empty at 0. */
  readonly link: string;
  /** Entries up to this number were removed by retention. */
  readonly removed_number: number;
  /** The link of the last of them; empty at 0. */
  readonly removed_link: string;
  /** Entries up to this number are valid without the hash of a writer. */
  readonly accepted_number: number;
}

export interface AuditChainRow extends AuditChain {
  /** Null before the first seal. */
  readonly mac: string | null;
}

/** Who made the content hash. The hash of one is not valid as that of the other. */
export type AuditHasher = 'writer' | 'sealer';

/** The hash of the content of an entry, which includes its id. */
export function auditContentHash(
  mac: AuditMac,
  {
    id,
    company_id,
    actor,
    action,
    object,
    request_id,
    source_address,
    details,
    at_ms,
  }: Omit<AuditRow, keyof AuditSeal> & { id: number },
  by: AuditHasher = 'writer',
): string {
  return mac(
    JSON.stringify(['entry', by, id, company_id, actor, action, object, request_id, source_address, details, at_ms]),
  );
}

/** The link of the entry with this number, which follows an entry with the link `previous`. */
export function auditLink(mac: AuditMac, previous: string, number: number, content_hash: string): string {
  return mac(JSON.stringify(['link', previous, number, content_hash]));
}

export function signAuditChain(mac: AuditMac, chain: AuditChain): AuditChainRow {
  const { number, link, removed_number, removed_link, accepted_number } = chain;
  const signed = { number, link, removed_number, removed_link, accepted_number };
  return { ...signed, mac: mac(JSON.stringify(['chain', ...Object.values(signed)])) };
}

/**
 * Whether the row of the chain is as it was written. A row without a hash is the one of the
 * migration: then no entry may be sealed (`has_seals`).
 */
export function isGenuineChain(mac: AuditMac, row: AuditChainRow, has_seals: boolean): boolean {
  if (row.mac !== null) return signAuditChain(mac, row).mac === row.mac;
  return row.number === 0 && row.removed_number === 0 && row.accepted_number === 0 && !has_seals;
}

/**
 * The seals of entries in this order, and the chain after them. An entry that does not have the
 * hash of its writer gets one that shows that the sealer made it. Verification reports such an entry
 * until a person accepts it.
 */
export function sealAuditEntries(
  mac: AuditMac,
  chain: AuditChain,
  entries: readonly AuditRow[],
): { readonly seals: readonly AuditSeal[]; readonly chain: AuditChain } {
  let { number, link } = chain;
  const seals = entries.map((entry): AuditSeal => {
    const own_hash = auditContentHash(mac, entry);
    const content_hash = entry.content_hash === own_hash ? own_hash : auditContentHash(mac, entry, 'sealer');
    number += 1;
    link = auditLink(mac, link, number, content_hash);
    return { id: entry.id, content_hash, number, link };
  });
  return { seals, chain: { ...chain, number, link } };
}

/** The sealed entry that follows a position, by number and then by id. */
export type SealedAuditRow = AuditRow & { readonly number: number };

/** The most entries that one transaction seals, or reads for a verification. */
export const audit_batch_max = 500;

/** The most entries that `countUnsealed` counts. */
export const unsealed_count_max = 10_000;

export interface UnsealedAuditEntries {
  /** At most `unsealed_count_max`. */
  readonly count: number;
  /** The time of the one with the lowest id, epoch milliseconds; null when there is none. */
  readonly oldest_at_ms: number | null;
}

export interface AuditChainStore {
  /** The row of the chain; null when it was removed. */
  read(): Promise<AuditChainRow | null>;
  /**
   * Locks the row of the chain until the transaction ends, and returns it. Waits for another
   * transaction that holds it. Later reads include all that such a transaction has committed.
   */
  lock(): Promise<AuditChainRow | null>;
  /** Whether an entry waits for the sealer. Costs one look at an index. */
  isWaiting(): Promise<boolean>;
  countUnsealed(): Promise<UnsealedAuditEntries>;
  /** The next committed entries that are not sealed, in the order of their ids. */
  unsealed(limit: number): Promise<readonly AuditRow[]>;
  /**
   * Writes the seals and the row of the chain, which must be locked. Throws a `Violation` when one
   * of the entries is sealed already.
   */
  seal(seals: readonly AuditSeal[], chain: AuditChainRow): Promise<void>;
  /** Writes the row of the chain, which must be locked. */
  write(chain: AuditChainRow): Promise<void>;
  /** The next sealed entries by number and then by id, after one of them; null: from the first. */
  sealedAfter(
    after: { readonly number: number; readonly id: number } | null,
    limit: number,
  ): Promise<readonly SealedAuditRow[]>;
}
