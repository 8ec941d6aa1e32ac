import { type AuditEntry, auditEntry } from './audit.ts';

/** The most pairs of name and address with entries of their own between two writes. */
const pairs_max = 1_000;

/** What all further pairs are counted as. */
const others = 'others';

/** A name and an address with failures since the last write. */
interface Pair {
  readonly object: string;
  readonly source_address: string | null;
  /** Failures that no entry has counted. */
  uncounted: number;
}

/** The request that failed. */
type Origin = Pick<AuditEntry, 'request_id' | 'source_address'>;

/** Writes log-ins that failed to the audit log, of a flood of them only a few entries. */
export interface FailedLogIns {
  failed(origin: Origin, name: string): Promise<void>;
  /** Writes what no entry has counted, one entry for each pair. What cannot be written stays. */
  write(): Promise<void>;
}

export interface FailedLogInPorts {
  /** What the entries are called: `user.login_failed`. */
  readonly action: string;
  /**
   * A keyed hash of a name. It stands in the log in its place, because people type passwords into
   * the field of the name.
   */
  readonly hashOf: (name: string) => string;
  readonly record: (entries: readonly AuditEntry[]) => Promise<void>;
}

/**
 * The first failure of a name and address is written at once, and those after it become one entry
 * with the next `write`.
 */
export function createFailedLogIns({ action, hashOf, record }: FailedLogInPorts): FailedLogIns {
  const pairs = new Map<string, Pair>();

  const entryOf = (origin: Origin, object: string, failures: number) =>
    auditEntry({ ...origin, company_id: null, actor: 'unknown' }, action, object, { failures });

  return {
    async failed(origin, name) {
      const hash = hashOf(name);
      const own = `${hash} ${origin.source_address}`;
      const key = pairs.has(own) || pairs.size < pairs_max ? own : others;
      const known = pairs.get(key);
      if (known !== undefined) {
        known.uncounted += 1;
        return;
      }
      const pair =
        key === own
          ? { object: `user_name:${hash}`, source_address: origin.source_address, uncounted: 0 }
          : { object: others, source_address: null, uncounted: 0 };
      pairs.set(key, pair);
      try {
        await record([entryOf(origin, pair.object, 1)]);
      } catch (error) {
        // A `write` meanwhile has removed the pair.
        const present = pairs.get(key) ?? pair;
        present.uncounted += 1;
        pairs.set(key, present);
        throw error;
      }
    },

    async write() {
      const counts = [...pairs].map(([key, pair]) => ({ key, pair, failures: pair.uncounted }));
      const entries = counts
        .filter(({ failures }) => failures > 0)
        .map(({ pair: { object, source_address }, failures }) =>
          entryOf({ request_id: null, source_address }, object, failures),
        );
      if (entries.length > 0) await record(entries);
      for (const { key, pair, failures } of counts) {
        pair.uncounted -= failures;
        if (pair.uncounted === 0) pairs.delete(key);
      }
    },
  };
}
