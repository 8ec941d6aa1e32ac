import { createHmac } from 'node:crypto';
import { type AuditEntry, auditEntry } from '@tallystick/kernel';
import { originOfRequest } from '../bounds.ts';
import type { AuthorisationServerPorts } from '../ports.ts';
import type { Records } from '../records.ts';

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

/**
 * Writes log-ins of the bank's users to the audit log. A name that failed is a keyed hash: people
 * type passwords into the field of the name. A flood of failures makes few entries: the first of a
 * pair is written at once, and those after it become one entry with the next `write`.
 */
export function createLogInAudit(
  { cookie_keys }: Pick<AuthorisationServerPorts, 'cookie_keys'>,
  records: Pick<Records, 'run' | 'nowMs'>,
) {
  const pairs = new Map<string, Pair>();

  const hashOf = (user_name: string): string =>
    createHmac('sha256', `user name ${cookie_keys[0]}`).update(user_name).digest('hex').slice(0, 16);

  const record = (...entries: readonly AuditEntry[]) =>
    records.run((tx) => tx.audit.recordAll(entries, records.nowMs()));

  const failureEntry = (origin: ReturnType<typeof originOfRequest>, object: string, failures: number) =>
    auditEntry({ ...origin, company_id: null, actor: 'unknown' }, 'user.login_failed', object, { failures });

  return {
    async succeeded(user_id: string): Promise<void> {
      const caller = { ...originOfRequest(), company_id: null, actor: `user:${user_id}` };
      await record(auditEntry(caller, 'user.logged_in', `bank_user:${user_id}`));
    },

    async failed(user_name: string): Promise<void> {
      const origin = originOfRequest();
      const name = hashOf(user_name);
      const own = `${name} ${origin.source_address}`;
      const key = pairs.has(own) || pairs.size < pairs_max ? own : others;
      const known = pairs.get(key);
      if (known !== undefined) {
        known.uncounted += 1;
        return;
      }
      const pair =
        key === own
          ? { object: `user_name:${name}`, source_address: origin.source_address, uncounted: 0 }
          : { object: others, source_address: null, uncounted: 0 };
      pairs.set(key, pair);
      try {
        await record(failureEntry(origin, pair.object, 1));
      } catch (error) {
        // A `write` meanwhile has removed the pair.
        const present = pairs.get(key) ?? pair;
        present.uncounted += 1;
        pairs.set(key, present);
        throw error;
      }
    },

    /** Writes what no entry has counted, one entry for each pair. What cannot be written stays. */
    async write(): Promise<void> {
      const counts = [...pairs].map(([key, pair]) => ({ key, pair, failures: pair.uncounted }));
      const entries = counts
        .filter(({ failures }) => failures > 0)
        .map(({ pair: { object, source_address }, failures }) =>
          failureEntry({ request_id: null, source_address }, object, failures),
        );
      if (entries.length > 0) await record(...entries);
      for (const { key, pair, failures } of counts) {
        pair.uncounted -= failures;
        if (pair.uncounted === 0) pairs.delete(key);
      }
    },
  };
}

export type LogInAudit = ReturnType<typeof createLogInAudit>;
