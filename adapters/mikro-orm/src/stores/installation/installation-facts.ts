import type { StatementKeySetting } from '@tallystick/reconciliation';

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
