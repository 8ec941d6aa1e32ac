import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequestLog } from '../../src/operations/request-log.ts';
import type { RequestContext } from '../../src/request/pipeline.ts';

interface Line {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A log whose turns end when the test says so. */
function started() {
  const lines: Line[] = [];
  const ends: (() => void)[] = [];
  const write = (fields: object, message: string) => void lines.push({ message, fields: { ...fields } });
  const nextTurn = () => new Promise<void>((resolve) => ends.push(resolve));
  const log = createRequestLog({ debug: write, info: write }, { nextTurn }, new Set(['/messages']));
  const endTurn = async () => {
    for (const end of ends.splice(0)) end();
    await Promise.resolve();
  };
  return { log, lines, endTurn };
}

const principal = { key_id: '7', company_id: null };

function answered(request_id: string, { route = '/messages', status = 200, key = principal, finished = true } = {}) {
  const state = { request_id, route, source_address: '192.0.2.1', principal: key };
  const res = { headersSent: true, statusCode: status, writableFinished: finished };
  return { method: 'POST', state, res } as unknown as RequestContext;
}

test('messages that end in one turn share a line, with the id and the duration of each', async () => {
  const { log, lines, endTurn } = started();
  log.ended(answered('a'), 1.23456);
  log.ended(answered('b'), 2);
  assert.deepEqual(lines, []);
  await endTurn();
  const shared = { source_address: '192.0.2.1', method: 'POST', route: '/messages', status: 200 };
  const requests = [
    { request_id: 'a', duration_ms: 1.235 },
    { request_id: 'b', duration_ms: 2 },
  ];
  assert.deepEqual(lines, [{ message: 'requests', fields: { ...shared, ...principal, requests } }]);
  log.ended(answered('c'), 3);
  await endTurn();
  const line = { request_id: 'c', duration_ms: 3, ...shared, ...principal };
  assert.deepEqual(lines.slice(1), [{ message: 'request', fields: line }]);
});

test('messages with another status, caller or end have another line', async () => {
  const { log, lines, endTurn } = started();
  const differing = [{}, { status: 503 }, { key: { key_id: '8', company_id: null } }, { finished: false }];
  for (const [at, of] of differing.entries()) log.ended(answered(String(at), of), 1);
  for (const [at, of] of differing.entries()) log.ended(answered(`again ${at}`, of), 1);
  await endTurn();
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
