import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { afterAttempt, attempt_offsets_ms, type Delivery, type WebhookAnswer } from '../src/index.ts';
import { newRound } from '../src/webhooks/delivery.ts';
import { nextAttemptDue } from '../src/webhooks/retry-schedule.ts';

const minute_ms = 60_000;
const start_ms = Date.UTC(2026, 0, 15, 12);

const pending: Delivery = {
  id: 1,
  company_id: 1,
  webhook_id: 1,
  event_id: 1,
  sequence: 1,
  event_type: 'virtualcard.created',
  state: 'pending',
  attempts: 0,
  round: 1,
  round_started_at_ms: null,
  round_attempts: 0,
  due_at_ms: start_ms,
  created_at_ms: start_ms,
  finished_at_ms: null,
};

function answered(status: number): WebhookAnswer {
  return { kind: 'answered', status, excerpt: '', retry_after: null, duration_ms: 5 };
}

const no_answer: WebhookAnswer = {
  kind: 'unanswered',
  error: 'timeout',
  detail: 'no answer within 15000 ms',
  duration_ms: 15_000,
};

test('the attempts are due 0, 10, 28, 78 and 108 minutes after the first', () => {
  assert.deepEqual(
    attempt_offsets_ms.map((offset_ms) => offset_ms / minute_ms),
    [0, 10, 28, 78, 108],
  );
  assert.equal(nextAttemptDue(start_ms, 5), null);
});

test('a 2xx at any attempt ends a delivery in success, any other answer continues the schedule until failed', () => {
  const failures = fc.oneof(
    fc
      .integer({ min: 300, max: 599 })
      .filter((status) => status !== 410)
      .map(answered),
    fc.constant(no_answer),
  );
  fc.assert(
    fc.property(
      fc.array(failures, { minLength: 0, maxLength: 5 }),
      fc.integer({ min: 200, max: 299 }),
      (answers, success) => {
        let delivery = pending;
        for (const [made, answer] of answers.entries()) {
          assert.equal(delivery.due_at_ms, start_ms + attempt_offsets_ms[made]!);
          delivery = afterAttempt(delivery, answer, delivery.due_at_ms!, '{}').delivery;
        }
        assert.equal(delivery.attempts, answers.length);
        assert.equal(delivery.state, answers.length === 5 ? 'failed' : 'pending');
        if (delivery.state === 'failed') return;
        const last = afterAttempt(delivery, answered(success), delivery.due_at_ms!, '{}');
        assert.equal(last.delivery.state, 'succeeded');
        assert.equal(last.delivery.due_at_ms, null);
        assert.equal(last.attempt.number, answers.length + 1);
      },
    ),
    propertyParameters(),
  );
});

test('a late attempt does not delay the attempts after it', () => {
  const first = afterAttempt(pending, no_answer, start_ms, '{}').delivery;
  const second = afterAttempt(first, no_answer, start_ms + 25 * minute_ms, '{}').delivery;
  assert.equal(second.due_at_ms, start_ms + 28 * minute_ms);
});

test('410 ends a delivery immediately', () => {
  const { delivery, attempt } = afterAttempt(pending, answered(410), start_ms, '{}');
  assert.equal(delivery.state, 'failed');
  assert.equal(attempt.status, 410);
});

test('an attempt without an answer states the reason', () => {
  const { attempt } = afterAttempt(pending, no_answer, start_ms, '{}');
  assert.equal(attempt.status, null);
  assert.equal(attempt.error, 'timeout: no answer within 15000 ms');
});

test('a new round starts the schedule again and continues the count of attempts', () => {
  let delivery = pending;
  while (delivery.state === 'pending') delivery = afterAttempt(delivery, no_answer, delivery.due_at_ms!, '{}').delivery;
  const again_ms = start_ms + 500 * minute_ms;
  assert.equal(delivery.round, 1);
  delivery = newRound(delivery, again_ms);
  assert.deepEqual([delivery.due_at_ms, delivery.round], [again_ms, 2]);
  const { delivery: after, attempt } = afterAttempt(delivery, no_answer, again_ms, '{}');
  assert.equal(attempt.number, 6);
  assert.equal(after.due_at_ms, again_ms + 10 * minute_ms);
});

test('an answer is recorded in a form that any database can store, whatever the endpoint sent', () => {
  const answer: WebhookAnswer = {
    kind: 'answered',
    status: 200,
    excerpt: '\0a\ud800',
    retry_after: '\0',
    duration_ms: 1,
  };
  const { delivery, attempt } = afterAttempt(pending, answer, start_ms, '{}');
  assert.equal(delivery.state, 'succeeded');
  assert.deepEqual([attempt.excerpt, attempt.retry_after], ['\ufffda\ufffd', '\ufffd']);
});
