import { Refusal } from '../errors/refusal.ts';
import type { AuditFinding, AuditPosition } from './check-audit-entry.ts';

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
