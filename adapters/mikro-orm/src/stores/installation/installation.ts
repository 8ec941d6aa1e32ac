import type { SandboxClockStore } from '@tallystick/kernel';
import type { StatementKeySetting } from '@tallystick/reconciliation';
import { lockForUpdate, type Session, type Tables } from '../../connection/session.ts';

/** Facts that must not change during the life of the database. */
export interface InstallationStore {
  /**
   * The fingerprint of the index key that this database was created with. The first value is stored
   * permanently. Processes that start at the same time all get the same value.
   */
  indexFingerprint(given: string): Promise<string>;
  /** The setting of the statement key that this database was made with, stored in the same way. */
  statementKey(given: StatementKeySetting): Promise<StatementKeySetting>;
}

/** The database was made with another setting of the statement key than that of this process. */
export class OtherStatementKey extends Error {
  override readonly name = 'OtherStatementKey';
  readonly made_with: StatementKeySetting;
  readonly setting: StatementKeySetting;

  constructor(made_with: StatementKeySetting, setting: StatementKeySetting) {
    super(`the database was made with the statement key ${made_with}, which cannot be changed to ${setting}`);
    this.made_with = made_with;
    this.setting = setting;
  }
}

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
