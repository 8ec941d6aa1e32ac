import type { IdempotencyStore } from '@tallystick/access';
import { Refusal } from '@tallystick/kernel';
import { sql } from 'kysely';
import { lockForUpdate, lockOrSkip, type Session } from '../../connection/session.ts';

export function idempotencyStore(session: Session): IdempotencyStore {
  const { db } = session;
  return {
    async claim({ scope, key, token, request_sha256, now_ms, keep_ms, machine_ms, lease_until_machine_ms }) {
      const claim = { token, request_sha256, claimed_at_ms: now_ms, lease_until_machine_ms, answer_sealed: null };
      for (;;) {
        const inserted = await db
          .insertInto('tallystick_idempotency_records')
          .values({ scope, key, ...claim })
          .onConflict((conflict) => conflict.columns(['scope', 'key']).doNothing())
          .returning('scope')
          .executeTakeFirst();
        if (inserted !== undefined) return { kind: 'claimed' };

        const taken = db
          .selectFrom('tallystick_idempotency_records')
          .selectAll()
          .where('scope', '=', scope)
          .where('key', '=', key);
        const record = await lockForUpdate(session, taken).executeTakeFirst();
        if (record === undefined) continue; // It was released between the two statements.
        const in_progress = record.answer_sealed === null && record.lease_until_machine_ms > machine_ms;
        const outdated = record.claimed_at_ms + keep_ms <= now_ms;
        if (in_progress || !outdated) {
          if (Buffer.compare(record.request_sha256, request_sha256) !== 0) return { kind: 'mismatch' };
          if (record.answer_sealed !== null) return { kind: 'answered', answer: record.answer_sealed };
          if (record.token === token) return { kind: 'claimed' };
          if (in_progress) return { kind: 'in_progress' };
        }
        await db
          .updateTable('tallystick_idempotency_records')
          .set(claim)
          .where('scope', '=', scope)
          .where('key', '=', key)
          .execute();
        return { kind: 'claimed' };
      }
    },

    async complete({ scope, key, token }, answer_sealed) {
      const { numUpdatedRows } = await db
        .updateTable('tallystick_idempotency_records')
        .set({ answer_sealed })
        .where('scope', '=', scope)
        .where('key', '=', key)
        .where('token', '=', token)
        .where('answer_sealed', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) {
        throw new Refusal(
          'idempotency_in_progress',
          'another request with this Idempotency-Key has taken over this work',
        );
      }
    },

    async release({ scope, key, token }) {
      await db
        .deleteFrom('tallystick_idempotency_records')
        .where('scope', '=', scope)
        .where('key', '=', key)
        .where('token', '=', token)
        .where('answer_sealed', 'is', null)
        .execute();
    },

    async answersAfter(after, limit) {
      const answered = db
        .selectFrom('tallystick_idempotency_records')
        .select(['scope', 'key', 'answer_sealed'])
        .where(sql<boolean>`(scope, "key") > (${after.scope}, ${after.key})`)
        .where('answer_sealed', 'is not', null)
        .$narrowType<{ answer_sealed: Uint8Array }>()
        .orderBy('scope')
        .orderBy('key')
        .limit(limit);
      return await lockForUpdate(session, answered).execute();
    },

    async resealAnswer({ scope, key, answer_sealed }) {
      await db
        .updateTable('tallystick_idempotency_records')
        .set({ answer_sealed })
        .where('scope', '=', scope)
        .where('key', '=', key)
        .execute();
    },

    async purge(before_ms, machine_ms, limit) {
      const old = db
        .selectFrom('tallystick_idempotency_records')
        .select(['scope', 'key'])
        .where('claimed_at_ms', '<', before_ms)
        .where((eb) => eb.or([eb('answer_sealed', 'is not', null), eb('lease_until_machine_ms', '<=', machine_ms)]))
        .orderBy('claimed_at_ms')
        .limit(limit);
      const { numDeletedRows } = await db
        .deleteFrom('tallystick_idempotency_records')
        .where(sql`(scope, "key")`, 'in', lockOrSkip(session, old))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
