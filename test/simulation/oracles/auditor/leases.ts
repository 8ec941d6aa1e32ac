import { createHash } from 'node:crypto';
import { type Invariant, type Step, skew_ms_max } from './invariant.ts';

interface Held {
  readonly token: string;
  readonly until_machine_ms: number;
}

/** Every lease that changed hands in the step, by the name of the work. */
function* takenOver(step: Step): Iterable<readonly [string, Held, Held]> {
  for (const [table, work] of [
    ['delivery_leases', 'deliveries'],
    ['mail_leases', 'mails'],
  ] as const) {
    // A recorded attempt gives its lease back. The next attempt may take it in the same step.
    const recorded = new Set(step.changes(work).map(({ key }) => key));
    for (const { key, before, after } of step.changes(table)) {
      if (before !== undefined && after !== undefined && !recorded.has(key)) yield [`${table} ${key}`, before, after];
    }
  }
  for (const table of ['imports', 'retention'] as const) {
    for (const { key, before, after } of step.changes(table)) {
      const [from, to] = [before?.lease, after?.lease];
      if (from && to) yield [`${table} ${key}`, from as Held, to as Held];
    }
  }
  for (const { key, before, after } of step.changes('subscriptions')) {
    if (!before?.lease || !after?.lease) continue;
    const until = before.lease_until_machine_ms ?? 0;
    yield [
      `subscription ${key}`,
      { token: before.lease, until_machine_ms: until },
      { token: after.lease, until_machine_ms: after.lease_until_machine_ms ?? 0 },
    ];
  }
}

export const a_lease_excludes_others: Invariant = {
  name: 'a lease excludes others',
  says: 'nobody takes over work before the lease of its holder has expired',
  begin: () => ({
    *step(step) {
      for (const [what, before, after] of takenOver(step)) {
        if (before.token !== after.token && before.until_machine_ms > step.now_ms + skew_ms_max) {
          yield `${what} changed hands at ${step.now_ms}, and its lease lasts until ${before.until_machine_ms}`;
        }
      }
    },
  }),
};

const day_ms = 24 * 60 * 60 * 1_000;

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export const a_key_keeps_its_answer: Invariant = {
  name: 'a key keeps its answer',
  says: 'the answer of an idempotency key stays for 24 hours, of one request',
  begin: () => ({
    *step(step) {
      for (const { key, before, after } of step.changes('idempotency_records')) {
        if (before === undefined || before.claimed_at_ms + day_ms <= step.now_ms) continue;
        const is_answered = before.answer_sealed !== null;
        if (after === undefined) {
          if (is_answered) yield `the answer of ${key}, claimed at ${before.claimed_at_ms}, is forgotten`;
          continue;
        }
        if (is_answered && after.answer_sealed === null) yield `${key} is claimed again, and was answered`;
        if (hashOf(before.request_sha256) !== hashOf(after.request_sha256)) yield `${key} is of another request now`;
        if (is_answered && after.claimed_at_ms !== before.claimed_at_ms) yield `the answer of ${key} is replaced`;
      }
    },
  }),
};
