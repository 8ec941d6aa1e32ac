import { createHmac } from 'node:crypto';
import { auditEntry } from '@tallystick/kernel';
import { originOfRequest } from '../bounds.ts';
import type { AuthorisationServerPorts } from '../ports.ts';
import type { Records } from '../records.ts';

/** Failures of one name from one address within this time are one entry, machine time. */
const period_ms = 300_000;

/** The most pairs of name and address with an entry of their own within a period. */
const entries_max = 1_000;

/** What all further pairs are counted as. */
const others = 'others';

/**
 * Writes log-ins of the bank's users to the audit log. A name that failed is a keyed hash: people
 * type passwords into the field of the name. A flood of failures makes few entries: the first of a
 * period is written at once, and the entry of the next period counts those after it.
 */
export function createLogInAudit(
  { cookie_keys }: Pick<AuthorisationServerPorts, 'cookie_keys'>,
  records: Pick<Records, 'run' | 'nowMs'>,
  monotonicNow: () => number = () => performance.now(),
) {
  let begun_ms = Number.NEGATIVE_INFINITY;
  /** Failures that no entry has counted, of this period and of the one before. */
  let current = new Map<string, number>();
  let previous = new Map<string, number>();

  const hashOf = (user_name: string): string =>
    createHmac('sha256', `user name ${cookie_keys[0]}`).update(user_name).digest('hex').slice(0, 16);

  const record = (actor: string, action: string, object: string, details: Readonly<Record<string, unknown>>) => {
    const entry = auditEntry({ ...originOfRequest(), company_id: null, actor }, action, object, details);
    return records.run((tx) => tx.audit.record(entry, records.nowMs()));
  };

  /** The failures that the entry counts; 0: it is not written now. */
  function countFailure(key: string): number {
    if (monotonicNow() - begun_ms >= period_ms) {
      [previous, current, begun_ms] = [current, new Map(), monotonicNow()];
    }
    const known = current.get(key);
    current.set(key, (known ?? 0) + (known === undefined ? 0 : 1));
    return known === undefined ? 1 + (previous.get(key) ?? 0) : 0;
  }

  return {
    async succeeded(user_id: string): Promise<void> {
      await record(`user:${user_id}`, 'user.logged_in', `bank_user:${user_id}`, {});
    },
    async failed(user_name: string): Promise<void> {
      const name = hashOf(user_name);
      const own = `${name} ${originOfRequest().source_address}`;
      const key =
        current.has(own) || current.size < entries_max || monotonicNow() - begun_ms >= period_ms ? own : others;
      const failures = countFailure(key);
      if (failures > 0) {
        await record('unknown', 'user.login_failed', key === others ? others : `user_name:${name}`, { failures });
      }
    },
  };
}

export type LogInAudit = ReturnType<typeof createLogInAudit>;
