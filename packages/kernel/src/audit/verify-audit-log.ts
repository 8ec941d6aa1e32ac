import { Refusal } from '../errors.ts';
import type { UnitOfWork } from '../transactions/unit-of-work.ts';
import {
  type AuditChainRow,
  type AuditChainStore,
  type AuditMac,
  audit_batch_max,
  isGenuineChain,
  type SealedAuditRow,
} from './audit-chain.ts';
import {
  type AuditFinding,
  type AuditPosition,
  altered_head,
  beginningOfAuditChain,
  checkAuditEnd,
  checkAuditEntry,
  removed_head,
} from './check-audit-entry.ts';

export interface AuditVerification {
  /** The entries that were found correct. */
  readonly checked: number;
  /** How many of them were accepted without the hash of a writer. */
  readonly accepted: number;
  /** The number and link of the newest correct entry. Worth noting outside the database. */
  readonly last: KnownAuditLink;
  /** Entries up to this number were removed after their time. */
  readonly removed_number: number;
  readonly finding: AuditFinding | null;
  /** False: it ended at `entries_max`, and entries after `last` were not checked. */
  readonly is_whole: boolean;
}

export interface VerifyPorts {
  readonly unitOfWork: UnitOfWork<{ readonly audit_chain: AuditChainStore }>;
  readonly mac: AuditMac;
  /** Called after each batch with the number of the last checked entry, and that of the newest. */
  readonly onProgress?: (number: number, newest_number: number) => void;
}

export interface VerifyOptions {
  /** Trusts the sealed entry with this number, and checks those after it. */
  readonly after?: number;
  /** Must be in the chain. Shows that the whole database was not put back to an earlier state. */
  readonly known?: KnownAuditLink;
  /** Ends after the batch with which so many were checked; absent: at the head. */
  readonly entries_max?: number;
}

/**
 * Checks the sealed entries in the order of their numbers, in constant memory, up to the head.
 * Other processes may write, seal and purge meanwhile. Ends at the first finding.
 *
 * Refuses (`not_found`) an `after` that no sealed entry has, and (`validation_failed`) a `known`
 * entry that was removed after its time.
 */
export async function verifyAuditLog(ports: VerifyPorts, options: VerifyOptions = {}): Promise<AuditVerification> {
  const { mac, onProgress } = ports;
  const { entries_max = Number.POSITIVE_INFINITY } = options;
  const known = new KnownAuditLinkCheck(options.known ?? null);
  let position: AuditPosition | null = null;
  let cursor: Cursor = null;
  if (options.after !== undefined) {
    const trusted = await positionOf(ports, options.after);
    position = trusted;
    cursor = { number: trusted.number, id: trusted.id };
  }
  let checked = 0;
  let accepted = 0;
  for (;;) {
    const { chain, rows } = await readBatch(ports, cursor);
    const ended = (finding: AuditFinding | null, is_whole = true): AuditVerification => ({
      checked,
      accepted,
      last: { number: position?.number ?? 0, link: position?.link ?? '' },
      removed_number: 'kind' in chain ? 0 : chain.removed_number,
      finding,
      is_whole,
    });
    if ('kind' in chain) return ended(chain);
    // A purge may have removed what was to be checked next.
    if (position === null || position.number < chain.removed_number) position = beginningOfAuditChain(chain);
    const contradiction = known.begin(position);
    if (contradiction !== null) return ended(contradiction);
    const is_last = rows.length <= audit_batch_max;
    for (const [at, entry] of (is_last ? rows : rows.slice(0, -1)).entries()) {
      const result: AuditFinding | AuditPosition = checkAuditEntry(mac, chain, position, entry, rows[at + 1] ?? null);
      if ('kind' in result) return ended(result);
      const other_link = known.pass(result);
      if (other_link !== null) return ended(other_link);
      position = result;
      cursor = { number: result.number, id: entry.id };
      checked += 1;
      if (result.hasher === 'sealer') accepted += 1;
    }
    onProgress?.(position.number, chain.number);
    if (is_last) return ended(checkAuditEnd(chain, position) ?? known.end(position.number));
    if (checked >= entries_max) return ended(null, false);
  }
}

type Cursor = Parameters<AuditChainStore['sealedAfter']>[0];

/**
 * The chain, or what is wrong with it, and the next entries of the same state of the database. One
 * more than are checked with them, because the last of a batch needs the one after it.
 */
async function readBatch(
  { unitOfWork, mac }: VerifyPorts,
  cursor: Cursor,
): Promise<{ readonly chain: AuditChainRow | AuditFinding; readonly rows: readonly SealedAuditRow[] }> {
  return await unitOfWork.read(async ({ audit_chain }) => {
    const row = await audit_chain.read();
    const rows = await audit_chain.sealedAfter(cursor, audit_batch_max + 1);
    if (row === null) return { chain: removed_head, rows };
    const has_seals = rows.length > 0 || cursor !== null;
    return { chain: isGenuineChain(mac, row, has_seals) ? row : altered_head, rows };
  });
}

async function positionOf(
  { unitOfWork }: VerifyPorts,
  number: number,
): Promise<AuditPosition & { readonly id: number }> {
  const before = { number, id: 0 };
  const [entry] = await unitOfWork.read((tx) => tx.audit_chain.sealedAfter(before, 1));
  if (entry?.number === number && entry.link !== null) return { number, link: entry.link, id: entry.id, hasher: null };
  throw new Refusal('not_found', `no sealed entry of the audit log has number ${number}`);
}

/** A place of the chain, as an operator noted it outside the database. */
export interface KnownAuditLink {
  readonly number: number;
  readonly link: string;
}

/**
 * Compares a chain, from its beginning to its end, with a place of it that was noted before. Only
 * this shows that log and head were put back together to an earlier state.
 */
export class KnownAuditLinkCheck {
  readonly #known: KnownAuditLink | null;
  #was_passed = false;

  constructor(known: KnownAuditLink | null) {
    this.#known = known;
  }

  /**
   * The check begins behind this position, or goes on behind it because a purge removed what comes
   * before. Refuses (`validation_failed`) a noted place that was removed unchecked.
   */
  begin(position: AuditPosition): AuditFinding | null {
    const known = this.#known;
    if (known === null || this.#was_passed || known.number >= position.number) return this.pass(position);
    const message = `is of number ${known.number}, and entries up to ${position.number} were removed after their time; note a newer head`;
    throw new Refusal('validation_failed', `the known head ${message}`, [{ path: 'known', message }]);
  }

  /** The finding when the entry at this position has the noted number, and another link. */
  pass({ number, link, id }: AuditPosition): AuditFinding | null {
    if (this.#known?.number !== number) return null;
    this.#was_passed = true;
    if (this.#known.link === link) return null;
    const problem = `its link is ${link}: this log is not the one of which the link was noted`;
    return { kind: 'changed', number, id, problem, expected: `the link ${this.#known.link}` };
  }

  /** The finding when the log ends before the noted number. */
  end(newest_number: number): AuditFinding | null {
    if (this.#known === null || this.#was_passed) return null;
    return {
      kind: 'removed',
      number: newest_number + 1,
      id: null,
      problem: `the log and its head end with number ${newest_number}: both were put back to an earlier state`,
      expected: `entries up to number ${this.#known.number} at least`,
    };
  }
}
