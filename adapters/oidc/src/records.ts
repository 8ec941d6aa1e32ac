import { AsyncLocalStorage } from 'node:async_hooks';
import { type AuthorisationRecord, openAuthorisation, sealAuthorisation } from '@tallystick/consents';
import { boundsOfRequest } from './bounds.ts';
import type { AuthorisationServerPorts, AuthorisationTx } from './ports.ts';

/** The content of a record, as the library hands it over. */
export type RecordPayload = Readonly<Record<string, unknown>>;

export interface RecordKey {
  readonly model: string;
  readonly id: string;
}

export interface OpenRecord extends AuthorisationRecord {
  readonly payload: RecordPayload;
}

/** The columns of a record that its content does not decide. */
export type RecordLinks = Pick<AuthorisationRecord, 'client_id' | 'consent_id' | 'user_id' | 'grant_id'>;

/**
 * The records of the authorisation server: found by the hash of their id, encrypted as a whole, with
 * their ends in service time.
 */
export interface Records {
  /** Service time, epoch milliseconds. */
  nowMs(): number;
  hashOf(id: string): string;
  /**
   * Runs work in one transaction. Within another `run` it joins that transaction, so that a record
   * of the library and a decision of the domain commit together.
   */
  run<Result>(work: (tx: AuthorisationTx) => Promise<Result>): Promise<Result>;
  /** Runs work that only reads, in one transaction. */
  read<Result>(work: (tx: AuthorisationTx) => Promise<Result>): Promise<Result>;
  /** `expires_in_s` null: it does not expire. */
  seal(key: RecordKey, payload: RecordPayload, links: RecordLinks, expires_in_s: number | null): AuthorisationRecord;
  /** The record with its content; null: there is none, or it has expired. */
  find(tx: AuthorisationTx, key: RecordKey): Promise<OpenRecord | null>;
}

/**
 * The models that record a used assertion or request object. Assertions expire on machine time, so
 * these records must, too.
 */
const models_of_machine_time = new Set(['ReplayDetection', 'RequestObject']);

export const no_links: RecordLinks = { client_id: null, consent_id: null, user_id: null, grant_id: null };

export function createRecords(
  ports: Pick<AuthorisationServerPorts, 'unitOfWork' | 'clock' | 'machine_clock' | 'sealer' | 'sha256'>,
): Records {
  const { unitOfWork, clock, machine_clock, sealer, sha256 } = ports;
  const joined = new AsyncLocalStorage<AuthorisationTx>();
  const inTransaction =
    (open: typeof unitOfWork.run) =>
    <Result>(work: (tx: AuthorisationTx) => Promise<Result>): Promise<Result> => {
      const outer = joined.getStore();
      if (outer !== undefined) return work(outer);
      const run = () => open((tx) => joined.run(tx, () => work(tx)));
      const bounds = boundsOfRequest();
      return bounds === null ? run() : bounds.transaction(run);
    };
  const timeBy = (ends_by: AuthorisationRecord['ends_by']): number =>
    (ends_by === 'machine' ? machine_clock : clock).nowMs();
  const records: Records = {
    nowMs: () => clock.nowMs(),
    hashOf: (id) => Buffer.from(sha256(Buffer.from(id))).toString('base64url'),
    run: inTransaction((work) => unitOfWork.run(work)),
    read: inTransaction((work) => unitOfWork.read(work)),

    seal({ model, id }, payload, links, expires_in_s) {
      const key = { model, id_hash: records.hashOf(id) };
      const ends_by = models_of_machine_time.has(model) ? 'machine' : 'service';
      return {
        ...key,
        ...links,
        payload_sealed: sealAuthorisation(sealer, key, Buffer.from(JSON.stringify(payload))),
        expires_at_ms: expires_in_s === null ? null : timeBy(ends_by) + expires_in_s * 1_000,
        ends_by,
        consumed_at_ms: null,
      };
    },

    async find(tx, { model, id }) {
      const record = await tx.authorisation.find(model, records.hashOf(id));
      if (record === null) return null;
      if (record.expires_at_ms !== null && record.expires_at_ms <= timeBy(record.ends_by)) return null;
      const clear = openAuthorisation(sealer, record);
      return { ...record, payload: JSON.parse(Buffer.from(clear).toString()) as RecordPayload };
    },
  };
  return records;
}
