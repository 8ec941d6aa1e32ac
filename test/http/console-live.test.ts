import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { it } from 'node:test';
import { startServer, until } from '@tallystick/test-support';

/** Opens the news of company 1 as a browser does, and returns what comes. */
function listen(url: string, cookie: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  socket.write(`GET /console/companies/1/live HTTP/1.1\r\nHost: ${hostname}\r\nCookie: ${cookie}\r\n\r\n`);
  return { socket, received: () => received, status: () => /^HTTP\/1\.1 (\d+)/.exec(received)?.[1] };
}

it('the server sends open pages what is new, forgets browsers that left, and stops in time', async (t) => {
  const server = await startServer({ database_url: 'sqlite::memory:', env: { LOG_LEVEL: 'error' } });
  t.after(() => server.kill());
  const logged_in = await fetch(`${server.url}/console/log-in/sandbox`, {
    method: 'POST',
    body: new URLSearchParams({ role: 'viewer' }),
    redirect: 'manual',
  });
  const [cookie = ''] = logged_in.headers.getSetCookie().map((set) => set.split(';')[0]!);
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
  const event = { company_id: 1, event_type: 'ach.status', payload: { id: 7 } };
  const recorded = await fetch(`${server.url}/operator/v1/events`, {
    method: 'POST',
    headers: { Authorization: 'Bearer tly_test_operator_sandbox', 'Content-Type': 'application/json' },
    body: JSON.stringify({ data: event }),
  });
  assert.equal(recorded.status, 200);
  await until(() => /event: news\r?\ndata: \{"event":\[1\]\}/.test(again.received()));
  const ended = new Promise((resolve) => again.socket.once('close', resolve));
  const { code } = await server.stop();
  assert.equal(code, 0);
  await ended;
});
