import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { machine_timers, type Timers } from '@tallystick/kernel';
import { repeatableRandom, until } from '@tallystick/test-support';
import type { RenderedAnswer } from '../../src/answer/answer.ts';
import { createHttpServer, type HttpServerOptions } from '../../src/connection/http-server.ts';
import { exchangeLines, type LineBounds, type LineWork } from '../../src/network/line-exchange.ts';
import { createLifecycle } from '../../src/operations/lifecycle.ts';
import { createMetrics } from '../../src/operations/metrics.ts';
import type { RequestContext, RequestState } from '../../src/request/pipeline.ts';

const done = (text: string): RenderedAnswer => ({ status: 200, text: JSON.stringify({ text }), headers: {} });

interface Served {
  readonly port: number;
  readonly lifecycle: ReturnType<typeof createLifecycle>;
  /** The lines that were taken. */
  readonly taken: string[];
  /** Requests whose exchange has ended. */
  readonly ended: RequestState[];
}

interface Options extends Partial<LineBounds> {
  readonly work?: Partial<LineWork>;
  readonly timers?: Timers;
  readonly server?: (answer: (req: IncomingMessage, res: ServerResponse) => void) => Server;
}

async function serve(
  t: TestContext,
  { work, timers = machine_timers, server, ...bounds }: Options = {},
): Promise<Served> {
  const lifecycle = createLifecycle();
  const taken: string[] = [];
  const ended: RequestState[] = [];
  const line_work: LineWork = {
    begin: async () => true,
    hasPlace: () => true,
    answer(content) {
      const text = String(content);
      taken.push(text);
      return Promise.resolve(done(text));
    },
    toWait: () => 0,
    ...work,
  };
  const answer = (req: IncomingMessage, res: ServerResponse): void => {
    const state = { request_id: 'r', deprecation: null, is_https: false } as RequestState;
    const ctx: RequestContext = { req, res, method: 'POST', path: '/', querystring: '', state };
    const all_bounds = { line_bytes_max: 1_000, idle_ms_max: 60_000, ...bounds };
    void exchangeLines(ctx, line_work, all_bounds, lifecycle, timers).then(() => ended.push(state));
  };
  const listening = server === undefined ? createServer(answer) : server(answer);
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    listening.closeAllConnections();
    await new Promise((resolve) => listening.close(resolve));
  });
  return { port: (listening.address() as AddressInfo).port, lifecycle, taken, ended };
}

const server_options: HttpServerOptions = {
  timers: machine_timers,
  random: repeatableRandom(1),
  log: { info: () => undefined },
  metrics: createMetrics({ process_metrics: false }),
};

const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** A client that has sent the head, and what it has received. */
function open(t: TestContext, port: number): { readonly socket: Socket; received: string; is_closed: boolean } {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  t.after(() => socket.destroy());
  const client = { socket, received: '', is_closed: false };
  socket.on('error', () => undefined);
  socket.on('close', () => {
    client.is_closed = true;
  });
  socket.setEncoding('utf8').on('data', (piece: string) => {
    client.received += piece;
  });
  socket.write(head);
  return client;
}

describe('an exchange of lines', () => {
  it('answers each of 100,000 lines once, in the order in which they are ready', async (t) => {
    const { port, ended } = await serve(t, {
      work: {
        // Every third line is ready later than those behind it.
        async answer(content) {
          if (Number(content) % 3 === 0) await machine_timers.nextTurn();
          return done(String(content));
        },
      },
    });
    const count = 100_000;
    const outgoing = request({ port, host: '127.0.0.1', method: 'POST' });
    const numbers: number[] = [];
    const whole = new Promise<void>((resolve, reject) => {
      outgoing.on('error', reject).on('response', (incoming) => {
        let rest = '';
        incoming.setEncoding('latin1').on('data', (piece: string) => {
          const lines = (rest + piece).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) {
            const { line: number, text } = JSON.parse(line);
            assert.equal(String(number), text);
            numbers.push(number);
          }
        });
        incoming.on('end', resolve);
      });
    });
    for (let line = 1; line <= count; line += 1000) {
      const lines = Array.from({ length: 1000 }, (_, index) => `${line + index}\n`).join('');
      if (!outgoing.write(lines)) await new Promise((resolve) => outgoing.once('drain', resolve));
    }
    outgoing.end();
    await whole;
    assert.equal(numbers.length, count);
    assert.equal(new Set(numbers).size, count);
    assert.ok(numbers.some((number, index) => number < (numbers[index - 1] ?? 0)));
    assert.deepEqual(ended[0]?.lines, { 200: count });
  });

  it('reads no further lines while there is no place, and goes on with the next place', async (t) => {
    const waiting: (() => void)[] = [];
    const { port } = await serve(t, {
      work: {
        hasPlace: () => waiting.length < 2,
        answer: (content) =>
          new Promise((resolve) => {
            waiting.push(() => resolve(done(String(content))));
          }),
      },
    });
    const client = open(t, port);
    client.socket.write(chunk('a\nb\nc\nd\n'));
    await until(() => waiting.length === 2);
    waiting.shift()?.();
    await until(() => waiting.length === 2);
    while (waiting.length > 0) waiting.shift()?.();
    await until(() => waiting.length > 0 || client.received.includes('"line":4'));
    while (waiting.length > 0) waiting.shift()?.();
    client.socket.write('0\r\n\r\n');
    await until(() => client.received.endsWith('0\r\n\r\n'));
    for (const line of [1, 2, 3, 4]) assert.match(client.received, new RegExp(`\\{"line":${line},"status":200,`));
  });

  it('reads few lines while there is no place, however short they are, and loses none of them', async (t) => {
    let incoming: IncomingMessage | undefined;
    let is_free = false;
    const first = Promise.withResolvers<RenderedAnswer>();
    const taken: string[] = [];
    const { port } = await serve(t, {
      work: {
        hasPlace: () => is_free,
        answer(content) {
          taken.push(String(content));
          return taken.length === 1 ? first.promise : done('');
        },
      },
      server: (answer) =>
        createServer((req, res) => {
          incoming = req;
          answer(req, res);
        }),
    });
    const client = open(t, port);
    const count = 100_000;
    client.socket.write(`${chunk(Array.from({ length: count }, (_, at) => `${at % 10}\n`).join(''))}0\r\n\r\n`);
    await until(() => incoming?.isPaused() === true);
    assert.ok(incoming!.socket.bytesRead < 150_000, `${incoming!.socket.bytesRead} bytes were read`);
    is_free = true;
    first.resolve(done(''));
    await until(() => client.received.endsWith('0\r\n\r\n'));
    assert.equal(taken.length, count);
    assert.ok(taken.every((text, at) => text === `${at % 10}`));
  });

  it('keeps no line that was taken, while others wait behind it', async (t) => {
    const lines: WeakRef<Buffer>[] = [];
    let in_progress = 0;
    const held = Promise.withResolvers<RenderedAnswer>();
    const { port } = await serve(t, {
      work: {
        hasPlace: () => in_progress < 100 && lines.length < 20_000,
        async answer(content) {
          lines.push(new WeakRef(content!));
          if (lines.length === 1) return await held.promise;
          in_progress += 1;
          await machine_timers.nextTurn();
          in_progress -= 1;
          return done('');
        },
      },
    });
    const client = open(t, port);
    client.socket.write(chunk(`${'x'.repeat(100)}\n`.repeat(25_000)));
    await until(() => lines.length === 20_000);
    await machine_timers.nextTurn();
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    const kept = lines.filter((line) => line.deref() !== undefined).length;
    assert.ok(kept < 2_000, `${kept} lines are kept`);
    held.resolve(done(''));
  });

  it('takes no lines of a client that does not read its answers, and closes its connection', async (t) => {
    const long = done('x'.repeat(50_000));
    let taken = 0;
    const { port, ended } = await serve(t, {
      reading_ms: 50,
      work: {
        async answer() {
          taken += 1;
          return long;
        },
      },
    });
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(head);
    const lines = chunk('a\n'.repeat(10_000));
    for (let piece = 0; piece < 20; piece += 1) socket.write(lines);
    await until(() => ended.length === 1);
    assert.ok(taken < 20_000, `${taken} lines were answered to nobody`);
  });

  it('is not bounded like other bodies, and leaves its connection to the next request', async (t) => {
    const { port, ended } = await serve(t, {
      server: (answer) =>
        createHttpServer((req, res) => (req.url === '/' ? answer(req, res) : req.resume()), {
          ...server_options,
          body_ms_max: 10,
          body_look_every_ms: 20,
        }),
    });
    const lines = open(t, port);
    await until(() => lines.received.startsWith('HTTP/1.1 200 '));
    const other = connect(port, '127.0.0.1');
    t.after(() => other.destroy());
    other.write('POST /other HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n');
    const refused = await new Promise((resolve) => other.once('data', resolve));
    assert.match(String(refused), /^HTTP\/1\.1 408 /);
    lines.socket.write(`${chunk('a\n')}0\r\n\r\n`);
    await until(() => ended.length === 1);
    lines.socket.write(`${head}${chunk('b\n')}0\r\n\r\n`);
    await until(() => lines.received.includes('"text":"b"') || lines.is_closed);
    assert.equal(lines.is_closed, false);
  });

  it('ends when no line has come for long; an empty line counts, a begun one does not', async (t) => {
    let now_ms = 0;
    const idle: (() => void)[] = [];
    const timers: Timers = {
      ...machine_timers,
      monotonicNow: () => now_ms,
      after(_ms, run) {
        idle.push(run);
        return () => undefined;
      },
    };
    const { port, ended, taken } = await serve(t, { timers, idle_ms_max: 1_000 });
    const client = open(t, port);
    await until(() => idle.length === 1);
    now_ms = 900;
    client.socket.write(chunk('a\n\n'));
    await until(() => taken.length === 1);
    now_ms = 1_800;
    idle.shift()?.();
    client.socket.write(chunk('b\n'));
    await until(() => taken.length === 2);
    client.socket.write(chunk('begun'));
    await until(() => client.received.includes('"text":"b"'));
    assert.deepEqual(ended, []);
    now_ms = 2_800;
    idle.shift()?.();
    await until(() => client.received.endsWith('0\r\n\r\n'));
    assert.deepEqual(taken, ['a', 'b']);
    // The client may end its request, and use the connection again.
    client.socket.write('0\r\n\r\n');
    client.socket.write(`${head}${chunk('c\n')}0\r\n\r\n`);
    await until(() => client.received.includes('"text":"c"'));
  });

  it('ends with the whole lines of a client that closes its side within a line', async (t) => {
    const { port, ended, taken } = await serve(t, {
      server: (answer) => createHttpServer(answer, server_options),
    });
    const client = open(t, port);
    client.socket.end(chunk('a\nhalf'));
    await until(() => ended.length === 1);
    assert.deepEqual(taken, ['a']);
    await until(() => client.received.includes('"text":"a"'));
  });

  it('ends with the whole lines before bytes that are no chunk, and closes the connection', async (t) => {
    const { port, ended, taken } = await serve(t, { server: (answer) => createHttpServer(answer, server_options) });
    const client = open(t, port);
    client.socket.write(`${chunk('a\nhalf')}not a chunk\r\n`);
    await once(client.socket, 'end');
    assert.equal(ended.length, 1);
    assert.deepEqual(taken, ['a']);
    assert.ok(client.received.includes('"text":"a"') && client.received.endsWith('0\r\n\r\n'));
  });

  it('ends when its client is gone, whatever is in progress', async (t) => {
    const answered = Promise.withResolvers<RenderedAnswer>();
    let taken = 0;
    const { port, ended } = await serve(t, {
      work: {
        answer() {
          taken += 1;
          return answered.promise;
        },
      },
    });
    const client = open(t, port);
    client.socket.write(chunk('a\nb\n'));
    await until(() => taken === 2);
    client.socket.destroy();
    await until(() => ended.length === 1);
    answered.resolve(done('late'));
  });

  it('lets a sender wait after lines that took no place', async (t) => {
    const waits: number[] = [];
    const timers: Timers = {
      ...machine_timers,
      async pause(ms) {
        waits.push(ms);
        await machine_timers.nextTurn();
      },
    };
    const { port } = await serve(t, {
      timers,
      work: { answer: () => done('refused'), toWait: (bytes) => bytes * 10 },
    });
    const client = open(t, port);
    client.socket.write(`${chunk('abc\n')}0\r\n\r\n`);
    await until(() => client.received.endsWith('0\r\n\r\n'));
    assert.deepEqual(waits, [30]);
  });
});
