import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { machine_timers } from '@tallystick/kernel';
import { HttpProblem } from '../../src/answer/error-answer.ts';
import { createBodies } from '../../src/request/bodies.ts';
import { body_bytes_max, dropBody, readBody } from '../../src/request/body.ts';

const account = createBodies(1024 * 1024 * 1024, { open: () => () => 0 }).open('a key');

function refused(code: string) {
  return (error: unknown) => error instanceof HttpProblem && error.code === code;
}

/** A server that answers with the length of the body, or the code of its refusal. */
async function lengthServer(t: TestContext): Promise<number> {
  const server = createServer((req, res) => {
    readBody(req, res, account, machine_timers).then(
      (bytes) => res.end(String(bytes.length)),
      (error: HttpProblem) => {
        res.writeHead(413, error.headers).end(error.code);
        dropBody(req, { open: () => () => 0 }, machine_timers);
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/**
 * Sends the chunks and returns the text of the answer. The length is declared only by `headers`.
 */
function post(port: number, chunks: Iterable<Buffer>, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const sending = request({ port, host: '127.0.0.1', method: 'POST', headers }, (res) => {
      let text = '';
      res.on('data', (chunk) => (text += chunk));
      res.on('end', () => resolve(text));
    });
    sending.on('error', reject);
    for (const chunk of chunks) sending.write(chunk);
    sending.end();
  });
}

describe('a body', () => {
  it('may have 1 MiB and not a byte more, whether or not its length is declared', async (t) => {
    const port = await lengthServer(t);
    const whole = Buffer.alloc(body_bytes_max, 'x');
    const halves = [whole.subarray(0, 1000), whole.subarray(1000)];
    const one_more = Buffer.from('x');
    assert.equal(await post(port, halves), String(body_bytes_max));
    assert.equal(await post(port, [...halves, one_more]), 'body_too_large');
    assert.equal(await post(port, [whole], { 'Content-Length': String(whole.length) }), String(body_bytes_max));
    const declared = { 'Content-Length': String(whole.length + 1) };
    assert.equal(await post(port, [whole, one_more], declared), 'body_too_large');
    assert.equal(await post(port, [whole, whole, whole]), 'body_too_large');
  });

  it('takes twice its length of memory at most, however small its pieces are', async (t) => {
    const bodies = createBodies(1024 * 1024 * 1024, { open: () => () => 0 });
    let held_max = 0;
    const server = createServer((req, res) => {
      const account = bodies.open('a key');
      const take = (bytes: number) => {
        account.take(bytes);
        held_max = Math.max(held_max, bodies.held_bytes);
      };
      void readBody(req, res, { ...account, take }, machine_timers).then((bytes) => res.end(String(bytes.length)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const pieces = Array.from({ length: 20_000 }, () => Buffer.from('x'));
    assert.equal(await post((server.address() as AddressInfo).port, pieces), '20000');
    assert.ok(held_max >= 20_000 && held_max <= 40_000, `${held_max} bytes`);
  });

  it('is read at the pace of its owner', async (t) => {
    const arrived: [string, number][] = [];
    const open = (owner: string) => (bytes: number) => {
      arrived.push([owner, bytes]);
      return 2;
    };
    const bodies = createBodies(1024 * 1024 * 1024, { open });
    const server = createServer((req, res) => {
      void readBody(req, res, bodies.open('company 1'), machine_timers).then((bytes) => res.end(String(bytes.length)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    assert.equal(await post(port, [Buffer.alloc(body_bytes_max)]), String(body_bytes_max));
    assert.equal(
      arrived.reduce((sum, [, bytes]) => sum + bytes, 0),
      body_bytes_max,
    );
    assert.deepEqual(new Set(arrived.map(([owner]) => owner)), new Set(['company 1']));
  });

  it('that its sender aborts is refused, and is not a fault of the service', async (t) => {
    const broken = Promise.withResolvers<unknown>();
    const server = createServer((req, res) => {
      readBody(req, res, account, machine_timers).then(
        () => broken.reject(new Error('a body came whole')),
        broken.resolve,
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const sending = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Length': '10' } });
    sending.on('error', () => undefined);
    sending.write('half', () => sending.destroy());
    assert.ok(refused('malformed_json')(await broken.promise));
  });

  it('of a length that is far too large is refused before it is sent', async (t) => {
    const port = await lengthServer(t);
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = { 'Content-Length': String(64 * 1024 * 1024 * 1024) };
      const sending = request({ port, host: '127.0.0.1', method: 'POST', headers }, (res) => {
        res.on('data', (chunk) => resolve(String(chunk)));
      });
      sending.on('error', reject);
      sending.flushHeaders();
      t.after(() => sending.destroy());
    });
    assert.equal(answer, 'body_too_large');
  });
});
