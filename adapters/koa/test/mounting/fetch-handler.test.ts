import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { machine_timers } from '@tallystick/kernel';
import { createFetchHandler, type FetchHandler } from '../../src/mounting/fetch-handler.ts';
import { type Mount, mountOf } from '../../src/mounting/mount.ts';
import { createLifecycle } from '../../src/operations/lifecycle.ts';

type Answer = (req: IncomingMessage, res: ServerResponse) => unknown;

function handlerOf(answer: Answer, options = {}): FetchHandler {
  return createFetchHandler({ callback: () => answer, lifecycle: createLifecycle(), timers: machine_timers }, options);
}

const address = 'http://host.example/cards';

/** A body without end. `cancelled` resolves when nobody wants more of it. */
function endless(): { readonly body: ReadableStream<Uint8Array>; readonly cancelled: Promise<void>; pulled: number } {
  const cancelled = Promise.withResolvers<void>();
  const state = {
    cancelled: cancelled.promise,
    pulled: 0,
    body: new ReadableStream<Uint8Array>({
      pull(controller) {
        state.pulled += 1;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
      cancel: () => cancelled.resolve(),
    }),
  };
  return state;
}

function post(body: ReadableStream<Uint8Array>, init: RequestInit = {}): Request {
  return new Request(`${address}/x`, { method: 'POST', body, duplex: 'half', ...init } as RequestInit);
}

describe('a handler of the Fetch standard', () => {
  it('passes on method, path, headers and body, and returns status, headers and body', async () => {
    const handler = handlerOf(
      async (req, res) => {
        const body = Buffer.concat(await req.toArray()).toString();
        const { method, url, headers } = req;
        res.writeHead(201, [
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2'],
          ['Connection', 'close'],
        ]);
        res.end(JSON.stringify({ method, url, body, host: headers.host, type: headers['x-type'], te: headers.te }));
      },
      { prefix: '/cards' },
    );
    const headers = { 'X-Type': 'é'.normalize(), TE: 'trailers' };
    const answer = await handler(new Request(`${address}/a%20b?c=[d]#e`, { method: 'PUT', body: 'bytes', headers }));
    assert.deepEqual(await answer.json(), {
      method: 'PUT',
      url: '/a%20b?c=[d]',
      body: 'bytes',
      host: 'host.example',
      type: 'é',
    });
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.headers.getSetCookie(), ['a=1', 'b=2']);
    assert.equal(answer.headers.has('connection'), false);
  });

  it('knows the protocol and the path that the client sees', async () => {
    const handler = handlerOf((req, res) => res.end(JSON.stringify({ ...mountOf(req), host_headers: [] })), {
      prefix: '/cards',
      is_stripped: true,
    });
    const answer = await handler(new Request('https://host.example/x?y=1'));
    const { prefix, target, protocol } = (await answer.json()) as Mount;
    assert.deepEqual([prefix, target, protocol], ['/cards', '/cards/x?y=1', 'https']);
  });

  it('answers HEAD, 204 and 304 without a body', async () => {
    const handler = handlerOf((req, res) => {
      res.statusCode = Number(req.url?.slice('/cards/'.length));
      if (res.statusCode === 200) res.setHeader('Content-Length', 5);
      res.end();
    });
    for (const [method, status] of [
      ['HEAD', 200],
      ['GET', 204],
      ['GET', 304],
    ] as const) {
      const answer = await handler(new Request(`${address}/${status}`, { method }));
      assert.deepEqual([answer.status, await answer.text()], [status, '']);
      assert.equal(answer.headers.get('content-length'), method === 'HEAD' ? '5' : null);
    }
  });

  it('sends an answer no faster than it is read, and ends it when it is cancelled', async () => {
    const closed = Promise.withResolvers<void>();
    let written = 0;
    const handler = handlerOf(async (_req, res) => {
      res.setMaxListeners(0).once('close', () => closed.resolve());
      while (!res.destroyed) {
        written += 64 * 1024;
        if (!res.write(Buffer.alloc(64 * 1024))) await Promise.race([once(res, 'drain'), once(res, 'close')]);
      }
    });
    const { body } = await handler(new Request(address));
    const reader = body!.getReader();
    for (let at = 0; at < 10; at += 1) await reader.read();
    assert.ok(written < 4 * 1024 * 1024, `${written} bytes were written`);
    await reader.cancel();
    await closed.promise;
  });

  it('fails an answer that breaks off, so that no part is taken for the whole', async () => {
    const handler = handlerOf((_req, res) => {
      res.write('the first part');
      setImmediate(() => res.destroy());
    });
    const answer = await handler(new Request(address));
    await assert.rejects(answer.text());
    await assert.rejects(handlerOf((_req, res) => res.destroy())(new Request(address)));
  });

  it('takes a body no faster than it is read, and stops it when the answer does not need it', async () => {
    const slow = endless();
    const handler = handlerOf(async (req, res) => {
      await once(req, 'readable');
      res.writeHead(413, { Connection: 'close' });
      res.end('too large');
    });
    const answer = await handler(post(slow.body));
    assert.deepEqual([answer.status, await answer.text()], [413, 'too large']);
    await slow.cancelled;
    assert.ok(slow.pulled < 300, `${slow.pulled} pieces were read`);
  });

  it('rejects with the reason of its signal, and ends the work', async () => {
    const began = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const handler = handlerOf((_req, res) => {
      began.resolve();
      res.once('close', () => ended.resolve());
    });
    const client = new AbortController();
    const answer = handler(new Request(address, { signal: client.signal }));
    await began.promise;
    const gone = new Error('the client is gone');
    client.abort(gone);
    await assert.rejects(answer, gone);
    await ended.promise;
    await assert.rejects(handler(new Request(address, { signal: AbortSignal.abort(gone) })), gone);
  });

  it('ends the request when its body fails', async () => {
    const began = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<unknown>();
    const handler = handlerOf((req, res) => {
      began.resolve();
      req.on('error', () => undefined).once('close', () => ended.resolve(req.complete));
      req.resume().once('end', () => res.end());
    });
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(8)),
      async pull(controller) {
        await began.promise;
        controller.error(new Error('the client is gone'));
      },
    });
    await assert.rejects(handler(post(broken)), /the client is gone/);
    assert.equal(await ended.promise, false);
  });

  it('notices a body that was read, or is being read', async () => {
    const handler = handlerOf((req, res) => res.end(String(mountOf(req)?.is_body_taken)));
    const read = new Request(address, { method: 'POST', body: '{}' });
    await read.text();
    assert.equal(await (await handler(read)).text(), 'true');
    const locked = endless();
    locked.body.getReader();
    const request = post(endless().body);
    request.body!.getReader();
    assert.equal(await (await handler(request)).text(), 'true');
    assert.equal(await (await handler(new Request(address, { method: 'POST', body: '{}' }))).text(), 'false');
  });

  it('leaves nothing behind', async () => {
    const handler = handlerOf(async (req, res) => {
      await req.toArray();
      res.end('done');
    });
    const before = process.getActiveResourcesInfo().length;
    for (let at = 0; at < 20; at += 1) {
      const requests = Array.from({ length: 20 }, () => new Request(address, { method: 'POST', body: 'x'.repeat(at) }));
      for (const answer of await Promise.all(requests.map((one) => handler(one)))) await answer.text();
    }
    await new Promise(setImmediate);
    assert.ok(process.getActiveResourcesInfo().length <= before, process.getActiveResourcesInfo().join());
  });
});
