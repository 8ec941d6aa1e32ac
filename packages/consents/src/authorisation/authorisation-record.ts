/**
 * A record of the authorisation server: a token, a code, a grant, or an interaction. The server
 * decides what is in it; storage finds it, ends it, and can read nothing of it.
 */
export interface AuthorisationRecord {
  /** The kind: `AccessToken`, `RefreshToken`, `Grant`. */
  readonly model: string;
  /** A hash of the id, because the id itself is a secret. Unique by model. */
  readonly id_hash: string;
  /** The content, encrypted. */
  readonly payload_sealed: Uint8Array;
  readonly client_id: string | null;
  /** The consent that it belongs to, by its ConsentId. */
  readonly consent_id: string | null;
  readonly user_id: string | null;
  /** The `id_hash` of the grant that it was issued under. */
  readonly grant_id: string | null;
  /** In the time of `ends_by`; null: it does not expire. */
  readonly expires_at_ms: number | null;
  /**
   * The clock of its end. What remembers a used assertion ends in machine time, by which assertions
   * are checked: a move of the sandbox's clock must not forget it.
   */
  readonly ends_by: 'service' | 'machine';
  /** When it was used, in service time; null: it was not. */
  readonly consumed_at_ms: number | null;
}

/** The `model` of what a user's step keeps, from the page to the decision. */
export const interaction_model = 'Interaction';

/** The `model` of what each authorisation of a consent keeps. All its tokens live as long as it does. */
export const grant_model = 'Grant';

/** A stored record, as a rotation of keys reads it. */
export interface SealedAuthorisationRecord extends Pick<AuthorisationRecord, 'model' | 'id_hash' | 'payload_sealed'> {
  readonly id: number;
}

/** A time by each clock, epoch milliseconds. */
export type EndTimes = Readonly<Record<AuthorisationRecord['ends_by'], number>>;

/**
 * The records of the authorisation server, within a transaction. Ended records are gone: every
 * later `find` on every node returns null.
 */
export interface AuthorisationStore {
  /** Inserts or replaces, by model and id. A use that was recorded before stays recorded. */
  put(record: AuthorisationRecord): Promise<void>;
  /**
   * Inserts, unless a record of this model and id is stored, expired or not. Returns whether it was
   * inserted: of several calls at once, one returns true.
   */
  putNew(record: AuthorisationRecord): Promise<boolean>;
  /** Also an expired record: the caller compares its end with its clock. */
  find(model: string, id_hash: string): Promise<AuthorisationRecord | null>;
  /**
   * Marks a record as used. Returns false if it was used already, or is gone: of several calls at
   * once, one returns true.
   */
  consume(model: string, id_hash: string, now_ms: number): Promise<boolean>;
  /** When the last grant (`grant_model`) of the consent ends or has ended; null: it has none. */
  grantsEnd(consent_id: string): Promise<number | null>;
  end(model: string, id_hash: string): Promise<void>;
  /** Ends what was issued under the grant. The grant itself is ended with `end`. */
  endByGrant(grant_id: string): Promise<void>;
  /**
   * Ends what was issued under the consent. An interaction (`interaction_model`) stays: it leads its
   * user back to the third party.
   */
  endByConsent(consent_id: string): Promise<void>;
  endByClient(client_id: string): Promise<void>;
  /** Removes up to `limit` records that ended before these times. Returns how many. */
  purge(before: EndTimes, limit: number): Promise<number>;
  /** The records with an id above `after_id`, in id order and locked for update, to seal again. */
  listSealed(after_id: number, limit: number): Promise<readonly SealedAuthorisationRecord[]>;
  /** Replaces only the encrypted content. */
  replaceSealed(id: number, payload_sealed: Uint8Array): Promise<void>;
}
