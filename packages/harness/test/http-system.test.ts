import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { checkModel, type HttpMapping, httpSystem, ServerFault, type System } from '../src/index.ts';

interface Sent {
  readonly what: string;
  readonly body: unknown;
  readonly authorization: string | undefined;
}

/** An answer as JSON with status 200, or as it is. Null: none ever. */
type Scripted = object | { readonly status: number; readonly text: string } | null;

const world = { tag: 'w', now_ms: 1_000, billing_currency: 'USD', templates: [] };
const start = { start_ms: 0, seed: 5 };

/** A server that answers each request by its script, and what was sent to it. */
async function scripted(t: TestContext, script: (sent: Sent) => Scripted | Promise<Scripted>) {
  const sent: Sent[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const { method, url, headers } = request;
    const body = text === '' ? undefined : JSON.parse(text);
    const one = { what: `${method} ${url}`, body, authorization: headers.authorization };
    sent.push(one);
    const answer = await script(one);
    if (answer === null) return;
    if ('status' in answer && 'text' in answer) response.writeHead(Number(answer.status)).end(answer.text);
    else response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return { sent, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A system whose server begins every sequence, and answers the rest by the script. */
async function begun(t: TestContext, beginning: object, script: (sent: Sent) => Scripted | Promise<Scripted>) {
  const server = await scripted(t, (one) => (one.what.endsWith('/begin') ? beginning : script(one)));
  return { ...server, system: await httpSystem(server.url)(start) };
}

async function faultOf(run: () => Promise<unknown>): Promise<string> {
  const error = await run().then(
    () => assert.fail('there is no fault'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ServerFault, String(error));
  return error.message;
}

test('a sequence begins with its start and seed, and requests have the key of their role', async (t) => {
  const keys = { client: 'c', network: 'n' };
  const { sent, system } = await begun(t, { world, capabilities: ['clear'], keys }, () => ({ data: {} }));
  await system.readCard(3);
  await system.clear!({} as Parameters<NonNullable<System['clear']>>[0]);
  assert.deepEqual(sent, [
    { what: 'POST /control/v1/begin', body: { start_ms: 0, seed: 5 }, authorization: undefined },
    { what: 'GET /v1/virtualcards/3', body: undefined, authorization: 'Bearer c' },
    { what: 'POST /network/v1/clearings', body: { data: {} }, authorization: 'Bearer n' },
  ]);
});

test('a system has the capabilities that its server names, and those of the mapping', async (t) => {
  const { url } = await scripted(t, () => ({ world, capabilities: ['clear', 'quarantine'] }));
  const without = httpSystem(url);
  await assert.rejects(() => without(start), /^TypeError: no route has the capability quarantine: add it to mapping/);
  const mapping: HttpMapping = { operations: () => ({ quarantine: async () => [], crash: async () => {} }) };
  const system = await httpSystem(url, mapping)(start);
  assert.deepEqual(Object.keys(system).sort(), [
    ...['authorize', 'clear', 'close', 'crash', 'createCard', 'quarantine', 'readCard', 'world'],
  ]);
});

test('a beginning that lacks something is a fault that names it', async (t) => {
  const { url } = await scripted(t, () => ({ world: { ...world, now_ms: '2026' }, capabilities: [] }));
  const message = await faultOf(() => httpSystem(url)(start));
  assert.match(message, /^POST http:\S+begin was answered with status 200: world.now_ms must be a whole number; the/);
});

test('a server that is not there is a fault, and the report of a run names the request', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
  closed.close();
  const { report } = await checkModel({ system: httpSystem(url), runs: 1, seed: 1 });
  assert.match(report!, /ServerFault: POST http:\S+begin was not answered: connect ECONNREFUSED/);
});

test('a server that does not answer is a fault after the time that the mapping allows', async (t) => {
  const { url } = await scripted(t, () => null);
  const message = await faultOf(() => httpSystem(url, { answer_ms_max: 20 })(start));
  assert.match(message, /begin was not answered: not done within 20 ms$/);
});

test('a status from 500, an answer that is not JSON, and one of another shape are faults with their beginning', async (t) => {
  const answers = [
    { status: 500, text: '<h1>Oops</h1>' },
    { status: 200, text: `<!doctype html>${'x'.repeat(400)}` },
    { card: {} },
    { data: [] },
    { data: { id: '1' } },
  ];
  const { system } = await begun(t, { world, capabilities: [] }, () => answers.shift()!);
  const what = 'GET http:\\S+/v1/virtualcards/1 was answered with status';
  const read = () => system.readCard(1);
  assert.match(await faultOf(read), new RegExp(`^${what} 500: the body begins with "<h1>Oops</h1>"$`));
  assert.match(
    await faultOf(read),
    new RegExp(`^${what} 200: the body is not JSON; .* "<!doctype html>x{285}\\.\\.\\."$`),
  );
  assert.match(await faultOf(read), new RegExp(`^${what} 200: the body has no \`data\`; the body begins with `));
  assert.match(await faultOf(read), new RegExp(`^${what} 200: \`data\` is not an object; `));
  const masked = await faultOf(() => system.createCard({}));
  assert.match(masked, /show_card_number, `card_number` and `cvc` must be in plain text/);
});

test('what an answer does not say of the match of a clearing is not reported', async (t) => {
  const { system } = await begun(t, { world, capabilities: ['clear'] }, () => ({ data: { id: '7' } }));
  const answer = await system.clear!({} as Parameters<NonNullable<System['clear']>>[0]);
  const value = { id: 7, class: null, match_rule: null, review: null, authorization_id: null, clearing_id: null };
  assert.deepEqual(answer, { kind: 'done', value });
});

test('a refusal has the code and the fields of its body, else the code of its status', async (t) => {
  const fields = [{ path: 'data.currency', message: 'no' }, 'data.expiry'];
  const answers = [
    { status: 400, text: JSON.stringify({ code: 'validation_failed', fields }) },
    { status: 404, text: '{}' },
    { status: 409, text: '' },
    { status: 418, text: '[]' },
  ];
  const { system } = await begun(t, { world, capabilities: [] }, () => answers.shift()!);
  const read = async () => (await system.readCard(1)) as { readonly code: string; readonly fields: readonly string[] };
  assert.deepEqual(await read(), { kind: 'refused', code: 'validation_failed', fields: ['currency', 'expiry'] });
  assert.deepEqual(
    [(await read()).code, (await read()).code, (await read()).code],
    ['not_found', 'conflict', 'status_418'],
  );
});

test('events are those of cards, over all pages, oldest first', async (t) => {
  const event = (event_type: string, payload: object) => ({ event_type, payload, created_at: '1970-01-01T00:00:01Z' });
  const pages = [
    {
      data: [event('virtualcard.realtime.iccp.all', { id: 9, vcn_id: 4 }), event('ach.status', { id: 7 })],
      links: { next: '/v1/events?page%5Bafter%5D=x' },
    },
    { data: [event('virtualcard.created', { id: 4 })], links: { next: null } },
  ];
  const { sent, system } = await begun(t, { world, capabilities: ['events'] }, () => pages.shift()!);
  assert.deepEqual(await system.events!(), [
    { event_type: 'virtualcard.created', vcn_id: 4, created_at_ms: 1_000 },
    { event_type: 'virtualcard.realtime.auths', vcn_id: 4, created_at_ms: 1_000 },
  ]);
  assert.equal(sent.at(-1)!.what, 'GET /v1/events?page%5Bafter%5D=x');
});

test('a redirection is not followed, and a body without an end is not read to memory', async (t) => {
  const url = await listening(t, (path, response) => {
    if (path.endsWith('/1')) response.writeHead(302, { location: '/v1/virtualcards/1' }).end();
    else sendForEver(response);
  });
  const beginning = { world, capabilities: [] };
  const system = await httpSystem(url, { begin: async () => beginning })(start);
  assert.match(
    await faultOf(() => system.readCard(1)),
    /1 was answered with status 302: a redirection is not followed;/,
  );
  assert.match(
    await faultOf(() => system.readCard(2)),
    /GET http:\S+\/2 was not answered: its body is longer than 16777216 bytes/,
  );
});

test('a connection that is closed within an answer is a fault that names the request', async (t) => {
  const url = await listening(t, (_path, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{"data":', () => response.socket!.destroy());
  });
  const system = await httpSystem(url, { begin: async () => ({ world, capabilities: [] }) })(start);
  assert.match(await faultOf(() => system.readCard(9)), /GET http:\S+\/9 was not answered: /);
});

test('a list of events without an end, and an event without an instant, are faults', async (t) => {
  let answer: object = { data: [], links: { next: '/v1/events?page%5Bafter%5D=x' } };
  const { system, sent } = await begun(t, { world, capabilities: ['events'] }, () => answer);
  assert.match(await faultOf(() => system.events!()), /x was answered .*: the list of events has not ended after 200 /);
  assert.ok(sent.length <= 202);
  answer = { data: [], links: { next: 'http://elsewhere.example/' } };
  assert.match(await faultOf(() => system.events!()), /links.next must be a path, beginning with a slash/);
  answer = { data: [{ event_type: 'virtualcard.created', payload: { id: 1 }, created_at: 'today' }] };
  assert.match(
    await faultOf(() => system.events!()),
    /created_at of an event must be an instant in ISO 8601, not "today"/,
  );
});

test('an id that no number can have stays the text that it is', async (t) => {
  const ids = ['9007199254740993', '007', '12'];
  const { system } = await begun(t, { world, capabilities: [] }, () => ({ data: { id: ids.shift() } }));
  const read = async () => {
    const answer = await system.readCard(1);
    return answer.kind === 'done' ? answer.value.id : null;
  };
  assert.deepEqual([await read(), await read(), await read()], ['9007199254740993', '007', 12]);
});

/** A server of connections that are not those of a well-kept one. */
async function listening(t: TestContext, answer: (path: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => answer(request.url!, response)).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends until the other side closes the connection. */
function sendForEver(response: ServerResponse): void {
  const piece = ' '.repeat(2 ** 20);
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more);
  more();
}
