import type { SandboxClockStore } from '@tallystick/kernel';
import { lockForUpdate, type Session, type Tables } from '../../connection/session.ts';
import type { InstallationStore } from './installation-facts.ts';

export function installationStore({ db }: Session): InstallationStore {
  async function firstOf<Value extends string>(
    column: Exclude<keyof Tables['tallystick_installation'], 'id' | 'installation_id'>,
    given: Value,
  ): Promise<Value> {
    await db
      .updateTable('tallystick_installation')
      .set({ [column]: given })
      .where('id', '=', 1)
      .where(column, 'is', null)
      .execute();
    const row = await db
      .selectFrom('tallystick_installation')
      .select(column)
      .where('id', '=', 1)
      .executeTakeFirstOrThrow();
    return (row[column] ?? given) as Value;
  }

  return {
    indexFingerprint: (given) => firstOf('index_fingerprint', given),
    statementKey: (given) => firstOf('statement_key', given),
  };
}

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
