import { reseal, resealAll, type Sealer, type UnitOfWork } from '@tallystick/kernel';
import type { AuthorisationRecord, AuthorisationStore } from './authorisation-record.ts';

/** Which record a content belongs to. */
export type AuthorisationRecordKey = Pick<AuthorisationRecord, 'model' | 'id_hash'>;

/** The content is bound to its record: it cannot be read in the place of another one. */
function purposeOf({ model, id_hash }: AuthorisationRecordKey): string {
  return `authorisation record ${model} ${id_hash}`;
}

/** Returns the content of a record in its stored form. */
export function sealAuthorisation(sealer: Sealer, key: AuthorisationRecordKey, clear: Uint8Array): Uint8Array {
  return sealer.seal(purposeOf(key), clear);
}

/** Returns the content. Throws a `Fault` when the key that sealed it has left the ring. */
export function openAuthorisation(sealer: Sealer, record: AuthorisationRecord): Uint8Array {
  return sealer.open(purposeOf(record), record.payload_sealed);
}

/**
 * Seals again with the newest key of the ring every record of the authorisation server that an
 * older key sealed, in transactions of at most `batch` records. Returns the number of records.
 */
export function resealAuthorisations(
  unitOfWork: UnitOfWork<{ readonly authorisation: AuthorisationStore }>,
  sealer: Sealer,
  batch = 100,
): Promise<number> {
  return resealAll(unitOfWork, {
    first: { id: 0 },
    next: ({ authorisation }, { id }) => authorisation.listSealed(id, batch),
    async reseal({ authorisation }, record) {
      const sealed = reseal(sealer, purposeOf(record), record.payload_sealed);
      if (sealed === null) return 0;
      await authorisation.replaceSealed(record.id, sealed);
      return 1;
    },
  });
}
