import type { AuditLog, SandboxClockStore } from '@tallystick/kernel';
import { heldForUpdate, type Session } from '../tables.ts';

/** The audit log: appended to, never changed. */
export function auditLog({ db }: Session): AuditLog {
  return {
    async record({ company_id, actor, action, object, request_id, details }, at_ms) {
      await db
        .insertInto('audit_entries')
        .values({ company_id, actor, action, object, request_id, details: JSON.stringify(details), at_ms })
        .execute();
    },
  };
}

/** What must stay the same for as long as the database lives. */
export interface InstallationStore {
  /**
   * The fingerprint of the index key that this database was made with. The first that is given is kept for good; of
   * processes that start at once, all are told the same.
   */
  indexFingerprint(given: string): Promise<string>;
}

/** One row, which its migration made. */
export function installationStore({ db }: Session): InstallationStore {
  return {
    async indexFingerprint(given) {
      await db
        .updateTable('installation')
        .set({ index_fingerprint: given })
        .where('id', '=', 1)
        .where('index_fingerprint', 'is', null)
        .execute();
      const { index_fingerprint } = await db
        .selectFrom('installation')
        .select('index_fingerprint')
        .where('id', '=', 1)
        .executeTakeFirstOrThrow();
      return index_fingerprint ?? given;
    },
  };
}

/** The sandbox's clock: one row, which the first migration made. */
export function sandboxClockStore(session: Session): SandboxClockStore {
  const { db } = session;
  return {
    async read(options) {
      const clock = db.selectFrom('sandbox_clock').select(['offset_ms', 'frozen_at_ms']).where('id', '=', 1);
      return (options?.for_update ? heldForUpdate(session, clock) : clock).executeTakeFirstOrThrow();
    },

    async write({ offset_ms, frozen_at_ms }) {
      await db.updateTable('sandbox_clock').set({ offset_ms, frozen_at_ms }).where('id', '=', 1).execute();
    },
  };
}
