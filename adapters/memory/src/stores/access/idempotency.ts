import type { IdempotencyOwner, IdempotencyStore } from '@tallystick/access';
import { Refusal, toHex } from '@tallystick/kernel';
import type { IdempotencyRecord, State } from '../../storage/state.ts';

export function idempotencyStore({ idempotency_records: records }: State): IdempotencyStore {
  /** The unanswered record that this owner holds. */
  function heldBy(owner: IdempotencyOwner): IdempotencyRecord | null {
    const record = records.get(keyOf(owner));
    return record?.answer_sealed === null && record.token === owner.token ? record : null;
  }

  return {
    async claim(request) {
      const { token, request_sha256, now_ms, keep_ms, machine_ms, lease_until_machine_ms } = request;
      const record = records.get(keyOf(request));
      if (record !== undefined) {
        const in_progress = isInProgress(record, machine_ms);
        if (in_progress || record.claimed_at_ms + keep_ms > now_ms) {
          if (toHex(record.request_sha256) !== toHex(Uint8Array.from(request_sha256))) return { kind: 'mismatch' };
          if (record.answer_sealed !== null) return { kind: 'answered', answer: record.answer_sealed };
          if (record.token === token) return { kind: 'claimed' };
          if (in_progress) return { kind: 'in_progress' };
        }
      }
      const claim = { token, request_sha256, claimed_at_ms: now_ms, lease_until_machine_ms, answer_sealed: null };
      records.set(keyOf(request), claim);
      return { kind: 'claimed' };
    },

    async complete(owner, answer_sealed) {
      const record = heldBy(owner);
      if (record === null) {
        throw new Refusal(
          'idempotency_in_progress',
          'another request with this Idempotency-Key has taken over this work',
        );
      }
      records.set(keyOf(owner), { ...record, answer_sealed });
    },

    async release(owner) {
      if (heldBy(owner) !== null) records.delete(keyOf(owner));
    },

    async answersAfter(after, limit) {
      const answered = records.entries().flatMap(([id, { answer_sealed }]) => {
        const [scope, key] = JSON.parse(id) as [string, string];
        return answer_sealed === null ? [] : [{ scope, key, answer_sealed }];
      });
      return [...answered]
        .filter((record) => keyOf(record) > keyOf(after))
        .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
        .slice(0, limit);
    },

    async resealAnswer(record) {
      const { answer_sealed } = record;
      records.set(keyOf(record), { ...records.get(keyOf(record))!, answer_sealed });
    },

    async purge(before_ms, machine_ms, limit) {
      const old = records
        .entries()
        .filter(([, record]) => record.claimed_at_ms < before_ms && !isInProgress(record, machine_ms))
        .sort(([, a], [, b]) => a.claimed_at_ms - b.claimed_at_ms)
        .slice(0, limit);
      for (const [key] of old) records.delete(key);
      return old.length;
    },
  };
}

function isInProgress({ answer_sealed, lease_until_machine_ms }: IdempotencyRecord, machine_ms: number): boolean {
  return answer_sealed === null && lease_until_machine_ms > machine_ms;
}

function keyOf({ scope, key }: Pick<IdempotencyOwner, 'scope' | 'key'>): string {
  return JSON.stringify([scope, key]);
}
