import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedClock } from '@tallystick/kernel';
import {
  createWebhookTester,
  sealWebhookSecret,
  type WebhookTest,
  webhook_tests_max,
  webhook_tests_per_company_max,
} from '../src/index.ts';
import { HeldSender, hmac, ok, random, sealer, secret } from './courier-world.ts';

const clock = fixedClock('2030-03-15T10:00:00Z');

test('all companies together have a bounded number of tests in progress', async () => {
  const sender = new HeldSender();
  const tester = createWebhookTester({ sender, random, sealer, hmac, clock, machine_clock: clock });
  const testOf = (company_id: number): Promise<WebhookTest> =>
    tester({
      id: 1,
      company_id,
      callback_url: 'https://hooks.test/',
      event_type_ids: [],
      status: 'active',
      secret_sealed: sealWebhookSecret(sealer, secret),
      previous_secret_sealed: null,
      previous_secret_until_ms: null,
      created_at_ms: 0,
    });
  const companies = webhook_tests_max / webhook_tests_per_company_max;
  const tests = Array.from({ length: webhook_tests_max }, (_, at) => testOf(1 + (at % companies)));
  assert.equal(sender.sent.length, webhook_tests_max);
  assert.deepEqual(await testOf(companies + 1), { kind: 'too_many', of: 'all' });
  assert.deepEqual(await testOf(1), { kind: 'too_many', of: 'company' });
  for (const { answer } of sender.sent) answer(ok);
  for (const ended of await Promise.all(tests)) assert.deepEqual(ended, { kind: 'tested', status: 200 });
  const next = testOf(1);
  sender.sent.at(-1)!.answer(ok);
  assert.deepEqual(await next, { kind: 'tested', status: 200 });
});
