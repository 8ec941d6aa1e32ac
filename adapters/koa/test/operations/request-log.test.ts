import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLifecycle } from '../../src/operations/lifecycle.ts';
import { createRequestLog } from '../../src/operations/request-log.ts';
import type { RequestContext } from '../../src/request/pipeline.ts';

interface Line {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A log whose time passes when the test says so. */
function started() {
  const lines: Line[] = [];
  const due: (() => void)[] = [];
  const write = (fields: object, message: string) => void lines.push({ message, fields: { ...fields } });
  const after = (_ms: number, run: () => void) => {
    due.push(run);
    return () => {};
  };
  const lifecycle = createLifecycle();
  const log = createRequestLog({ debug: write, info: write }, { after }, lifecycle, new Set(['/messages']));
  const pass = () => {
    for (const run of due.splice(0)) run();
  };
  return { log, lines, pass, lifecycle };
}

const principal = { key_id: '7', company_id: null };

function answered(request_id: string, { route = '/messages', status = 200, key = principal, finished = true } = {}) {
  const state = { request_id, route, source_address: '192.0.2.1', principal: key };
  const res = { headersSent: true, statusCode: status, writableFinished: finished };
  return { method: 'POST', state, res } as unknown as RequestContext;
}

test('messages that end together share a line, with the id and the duration of each', () => {
  const { log, lines, pass } = started();
  log.ended(answered('a'), 1.23456);
  log.ended(answered('b'), 2);
  assert.deepEqual(lines, []);
  pass();
  const shared = { source_address: '192.0.2.1', method: 'POST', route: '/messages', status: 200 };
  const requests = [
    { request_id: 'a', duration_ms: 1.235 },
    { request_id: 'b', duration_ms: 2 },
  ];
  assert.deepEqual(lines, [{ message: 'requests', fields: { ...shared, ...principal, requests } }]);
  log.ended(answered('c'), 3);
  pass();
  const line = { request_id: 'c', duration_ms: 3, ...shared, ...principal };
  assert.deepEqual(lines.slice(1), [{ message: 'request', fields: line }]);
});

test('messages with another status, caller or end have another line', () => {
  const { log, lines, pass } = started();
  const differing = [{}, { status: 503 }, { key: { key_id: '8', company_id: null } }, { finished: false }];
  for (const [at, of] of differing.entries()) log.ended(answered(String(at), of), 1);
  for (const [at, of] of differing.entries()) log.ended(answered(`again ${at}`, of), 1);
  pass();
  assert.deepEqual(
    lines.map(({ fields }) => (fields.requests as { request_id: string }[]).map(({ request_id }) => request_id)),
    differing.map((_, at) => [String(at), `again ${at}`]),
  );
});

test('requests of other routes are logged one by one, at once', () => {
  const { log, lines } = started();
  log.ended(answered('a', { route: '/v1/virtualcards' }), 1);
  log.ended(answered('b', { route: '/v1/virtualcards' }), 1);
  assert.deepEqual(
    lines.map(({ fields }) => fields.request_id),
    ['a', 'b'],
  );
});

test('nothing waits when the server stops', () => {
  const { log, lines, lifecycle } = started();
  log.ended(answered('a'), 1);
  lifecycle.stop();
  log.ended(answered('b'), 1);
  assert.deepEqual(
    lines.map(({ fields }) => fields.request_id),
    ['a', 'b'],
  );
});
