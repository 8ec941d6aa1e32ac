import type { Session } from '../connection/session.ts';

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
