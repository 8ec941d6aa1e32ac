import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { it } from 'node:test';
import { database_names, type ServerProcess, scratchDatabase, startServer, until } from '@tallystick/test-support';

/** Opens the news of company 1 as a browser does, and returns what comes. */
function listen(url: string, cookie: string, headers = '') {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  socket.write(`GET /console/companies/1/live HTTP/1.1\r\nHost: ${hostname}\r\nCookie: ${cookie}\r\n${headers}\r\n`);
  return { socket, received: () => received, status: () => /^HTTP\/1\.1 (\d+)/.exec(received)?.[1] };
}

/** Logs in as a viewer, and returns the cookie. */
async function logIn({ url }: ServerProcess): Promise<string> {
  const body = new URLSearchParams({ role: 'viewer' });
  const logged_in = await fetch(`${url}/console/log-in/sandbox`, { method: 'POST', body, redirect: 'manual' });
  return logged_in.headers.getSetCookie()[0]!.split(';')[0]!;
}

/** Records an event of company 1. */
async function record({ url }: ServerProcess): Promise<void> {
  const event = { company_id: 1, event_type: 'ach.status', payload: { id: 7 } };
  const recorded = await fetch(`${url}/operator/v1/events`, {
    method: 'POST',
    headers: { Authorization: 'Bearer tly_test_operator_sandbox', 'Content-Type': 'application/json' },
    body: JSON.stringify({ data: event }),
  });
  assert.equal(recorded.status, 200);
}

it('the server sends open pages what is new, forgets browsers that left, and stops in time', async (t) => {
  const server = await startServer({ database_url: 'sqlite::memory:', env: { LOG_LEVEL: 'error' } });
  t.after(() => server.kill());
  const cookie = await logIn(server);
  const open = [];
  for (let count = 0; count < 6; count += 1) {
    const page = listen(server.url, cookie);
    await until(() => page.status() === '200');
    open.push(page);
  }
  const refused = listen(server.url, cookie);
  await until(() => refused.status() === '204');
  refused.socket.destroy();
  // A browser that leaves ends its side, and the server keeps the other one.
  open[0]!.socket.end();
  let again = listen(server.url, cookie);
  await until(async () => {
    await until(() => again.status() !== undefined);
    if (again.status() === '204') again = listen(server.url, cookie);
    return again.status() === '200';
  });
  await record(server);
  await until(() => /event: news\r?\ndata: \{"event":\[1\]\}/.test(again.received()));
  const ended = new Promise((resolve) => again.socket.once('close', resolve));
  const { code } = await server.stop();
  assert.equal(code, 0);
  await ended;
});

const rule = 'an open page hears another process, goes on at it when its own has ended, and ends with its session';
it(rule, { skip: !database_names.includes('postgres') && 'needs Postgres' }, async (t) => {
  const database = await scratchDatabase('postgres');
  t.after(() => database.dispose());
  const env = { LOG_LEVEL: 'error' };
  const first = await startServer({ database_url: database.database_url, env });
  t.after(() => first.kill());
  const second = await startServer({ database_url: database.database_url, env });
  t.after(() => second.kill());
  const cookie = await logIn(first);
  const page = listen(first.url, cookie);
  await until(() => page.received().includes('event: at'));
  await record(second);
  await until(() => page.received().includes('{"event":[1]}'));
  // What a proxy needs to pass on each message at once.
  assert.match(page.received(), /\r\nx-accel-buffering: no\r\n/i);
  assert.match(page.received(), /\r\ncache-control: no-store, no-transform\r\n/i);

  await first.stop();
  await record(second);
  const again = listen(second.url, cookie, 'Last-Event-ID: 1\r\n');
  await until(() => again.received().includes('{"event":[2]}'));

  const third = await startServer({ database_url: database.database_url, env });
  t.after(() => third.kill());
  const ended = new Promise((resolve) => again.socket.once('end', resolve));
  const account = await (await fetch(`${third.url}/console/account`, { headers: { Cookie: cookie } })).text();
  const body = new URLSearchParams({ form_token: /name="form_token" value="([\w-]+)"/.exec(account)![1]! });
  await fetch(`${third.url}/console/log-out`, {
    method: 'POST',
    headers: { Cookie: cookie },
    body,
    redirect: 'manual',
  });
  await ended;
  const refused = listen(second.url, cookie);
  await until(() => refused.status() === '204');
  refused.socket.destroy();
});
