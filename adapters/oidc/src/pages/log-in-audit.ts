import { createHmac } from 'node:crypto';
import { type AuditEntry, auditEntry, createFailedLogIns } from '@tallystick/kernel';
import { originOfRequest } from '../bounds.ts';
import type { AuthorisationServerPorts } from '../ports.ts';
import type { Records } from '../records.ts';

/** Writes log-ins of the bank's users to the audit log, of failures as `createFailedLogIns` does. */
export function createLogInAudit(
  { cookie_keys }: Pick<AuthorisationServerPorts, 'cookie_keys'>,
  records: Pick<Records, 'run' | 'nowMs'>,
) {
  const record = (entries: readonly AuditEntry[]) => records.run((tx) => tx.audit.recordAll(entries, records.nowMs()));
  const { failed, write } = createFailedLogIns({
    action: 'user.login_failed',
    hashOf: (name) => createHmac('sha256', `user name ${cookie_keys[0]}`).update(name).digest('hex').slice(0, 16),
    record,
  });
  return {
    async succeeded(user_id: string): Promise<void> {
      const caller = { ...originOfRequest(), company_id: null, actor: `user:${user_id}` };
      await record([auditEntry(caller, 'user.logged_in', `bank_user:${user_id}`)]);
    },
    failed: (user_name: string): Promise<void> => failed(originOfRequest(), user_name),
    write,
  };
}

export type LogInAudit = ReturnType<typeof createLogInAudit>;
