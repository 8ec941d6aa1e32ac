import type { Session } from '../connection/session.ts';

/** Facts that must not change during the life of the database. */
export interface InstallationStore {
  /**
   * The fingerprint of the index key that this database was created with. The first value is stored
   * permanently. Processes that start at the same time all get the same value.
   */
  indexFingerprint(given: string): Promise<string>;
}

/** One row, written by its migration. */
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
