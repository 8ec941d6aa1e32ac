import type { SandboxClockStore } from '@tallystick/kernel';
import { lockForUpdate, type Session } from '../connection/session.ts';

/** The sandbox's clock: one row, written by the first migration. */
export function sandboxClockStore(session: Session): SandboxClockStore {
  const { db } = session;
  return {
    async read(options) {
      const clock = db.selectFrom('tallystick_sandbox_clock').select(['offset_ms', 'frozen_at_ms']).where('id', '=', 1);
      return (options?.for_update ? lockForUpdate(session, clock) : clock).executeTakeFirstOrThrow();
    },

    async write({ offset_ms, frozen_at_ms }) {
      await db.updateTable('tallystick_sandbox_clock').set({ offset_ms, frozen_at_ms }).where('id', '=', 1).execute();
    },
  };
}
