import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, machine_timers } from '@tallystick/kernel';
import { describeOperations } from '@tallystick/operations';
import { routesOf } from '../../src/join-endpoints.ts';
import { createAnswering, type HttpContext } from '../../src/request/pipeline.ts';

test('an authorization whose key cannot be looked up is answered 503 with the code U', async () => {
  const decided: string[] = [];
  const [authorizations] = routesOf(describeOperations());
  const logged: string[] = [];
  const authenticate = async () => {
    throw new Fault('the database does not answer', { retryable: true });
  };
  const answer = createAnswering(
    {
      authenticator: { authenticate },
      timers: machine_timers,
      metrics: { undecided: () => void decided.push('U') },
      log: { error: (_fields: object, message: string) => void logged.push(message) },
    } as never,
    authorizations!,
  );
  const ctx = { req: { headers: {} }, state: { request_id: 'r1' } } as unknown as HttpContext;
  const { status, text, headers } = await answer(ctx);
  const { data, request_id } = JSON.parse(text ?? '');
  assert.deepEqual([status, data.decline_reason, data.response_code, request_id], [503, 'U', '96', 'r1']);
  assert.equal(headers['Retry-After'], '1');
  assert.deepEqual([decided, logged], [['U'], ['request failed']]);
});
