import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { sandbox_keys } from '@tallystick/test-support';
import type { HostileOptions } from './hostile-clients.ts';

/**
 * 700 strangers, each on a connection that is kept alive and sends the next request when the last
 * one is answered: made-up tokens, made-up assertions for a third party whose key set hangs, and
 * log-ins with wrong passwords. Beside them a few callers with keys of their own: bodies of unknown
 * names, lines of nothing, and uploads of a byte a second.
 */

/** One request in a loop. Returns the body of request number `at`. */
interface Loop {
  readonly name: string;
  readonly connections: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  body(at: number): string;
}

const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

function loopsOf({ key, client_id, form_token }: HostileOptions): readonly Loop[] {
  const base64url = (text: string) => Buffer.from(text).toString('base64url');
  const assertion = (at: number): string => {
    const claims = { iss: client_id, sub: client_id, aud: 'x', jti: String(at), exp: 4_000_000_000 };
    return [JSON.stringify({ alg: 'PS256' }), JSON.stringify(claims), `${at}`].map(base64url).join('.');
  };
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  const unknown_names = JSON.stringify({
    data: Object.fromEntries(Array.from({ length: 54_000 }, (_, at) => [`unknown${at}`, 1])),
  });
  return [
    {
      name: 'made-up tokens',
      connections: 300,
      method: 'GET',
      path: '/accounts',
      headers: {},
      body: () => '',
    },
    {
      name: 'made-up assertions',
      connections: 200,
      method: 'POST',
      path: '/oauth/token',
      headers: form,
      body: (at) =>
        new URLSearchParams({
          grant_type: 'client_credentials',
          scope: 'accounts',
          client_assertion_type: type,
          client_assertion: assertion(at),
        }).toString(),
    },
    {
      name: 'log-ins',
      connections: 200,
      method: 'POST',
      path: '/consents/login',
      headers: form,
      body: (at) => new URLSearchParams({ form_token, user_name: `user${at}`, password: 'wrong' }).toString(),
    },
    {
      name: 'unknown names',
      connections: 4,
      method: 'POST',
      path: '/v1/virtualcards',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: () => unknown_names,
    },
    {
      name: 'lines of nothing',
      connections: 1,
      method: 'POST',
      path: '/bank/v1/records',
      headers: { Authorization: `Bearer ${sandbox_keys.bank}`, 'Content-Type': 'application/x-ndjson' },
      body: () => '{}\n'.repeat(350_000),
    },
  ];
}

/** Sends one request, and resolves with the status of its answer; 0 without one. */
function exchange(agent: Agent, port: number, loop: Loop, at: number): Promise<number> {
  const body = loop.body(at);
  const headers: Record<string, string | number> = { ...loop.headers, 'Content-Length': Buffer.byteLength(body) };
  if (loop.path === '/accounts') headers.Authorization = `Bearer made-up-${at}`;
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, agent, method: loop.method, path: loop.path, headers };
    const sent = httpRequest(options, (answer) => {
      answer.resume();
      answer.once('close', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', () => resolve(0));
    sent.end(body);
  });
}

/** Sends a byte of a file each second until the connection is closed, and begins again. */
async function uploadSlowly({ port }: HostileOptions, count: (status: number) => void): Promise<void> {
  for (;;) {
    const head = `POST /bank/v1/records HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${sandbox_keys.bank}`;
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write(`${head}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 1000000\r\n\r\n`);
    const timer = setInterval(() => socket.write('\n'), 1_000);
    let answer = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      if (answer.length < 20) answer += chunk;
    });
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(timer);
    count(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

/** Begins all loops. `count` is called with the name and the status of each answer. */
export function beginStrangers(options: HostileOptions, count: (name: string, status: number) => void): void {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  for (const loop of loopsOf(options)) {
    for (let connection = 0; connection < loop.connections; connection += 1) {
      void (async () => {
        for (let at = 0; ; at += 1) {
          const status = await exchange(agent, options.port, loop, connection * 1_000_000 + at);
          count(loop.name, status);
          // A refused connection would otherwise be a loop without a pause.
          if (status === 0) await new Promise((resolve) => setTimeout(resolve, 100));
        }
      })();
    }
  }
  for (let client = 0; client < 5; client += 1) {
    void uploadSlowly(options, (status) => count('slow uploads', status));
  }
}
