import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { machine_timers } from '@tallystick/kernel';
import { repeatableRandom } from '@tallystick/test-support';
import { createHttpServer } from '../../src/connection/http-server.ts';
import { createMetrics, type Metrics } from '../../src/operations/metrics.ts';
import { exemptFromDeadline } from '../../src/request/body-deadlines.ts';
import { type BodyPace, createBodyPace } from '../../src/request/body-pace.ts';
import { receiveUpload } from '../../src/request/upload.ts';
import { createUploads } from '../../src/request/uploads.ts';

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** The bytes of the heap that are in use after everything else was collected. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

const unsigned = { signature: null, toWait: () => 0, timers: machine_timers };

/** A body may take 10 ms, which is looked at every 20 ms. */
function serverOfShortBodies(answer: Answer, metrics: Metrics) {
  const bounds = { body_ms_max: 10, body_look_every_ms: 20 };
  return createHttpServer(answer, {
    timers: machine_timers,
    random: repeatableRandom(1),
    log: { info: () => undefined },
    metrics,
    ...bounds,
  });
}

describe('an upload', () => {
  it('is received no faster than its bytes are taken', async (t) => {
    const bytes_total = 64 * 1024 * 1024;
    let largest = 0;
    const answer: Answer = async (req, res) => {
      let received = 0;
      for await (const chunk of receiveUpload(req, res, unsigned)) {
        received += chunk.length;
        largest = Math.max(largest, req.readableLength);
        await new Promise((resolve) => setImmediate(resolve));
      }
      res.end(String(received));
    };
    const port = await listen(t, createServer(answer));
    const piece = Buffer.alloc(1024 * 1024, 7);
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (sent === bytes_total) return controller.close();
        sent += piece.length;
        controller.enqueue(new Uint8Array(piece));
      },
    });
    const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, duplex: 'half' } as RequestInit);
    assert.equal(await response.text(), String(bytes_total));
    assert.ok(largest < 1024 * 1024, `${largest} bytes waited in memory`);
  });

  it('keeps no memory for the pieces that were taken', async () => {
    const pieces = 20_000;
    let sent = 0;
    const read = () => {
      sent += 1;
      setImmediate(() => body.push(sent > pieces ? null : Buffer.alloc(1)));
    };
    const body = new Readable({ highWaterMark: 1, read });
    const req = Object.assign(body, { headers: { 'transfer-encoding': 'chunked' } }) as unknown as IncomingMessage;
    const res = new EventEmitter() as ServerResponse;
    const heap_at: number[] = [];
    let taken = 0;
    for await (const _ of receiveUpload(req, res, unsigned)) {
      taken += 1;
      if (taken === 1_000 || taken === pieces) heap_at.push(heapUsed());
    }
    assert.equal(taken, pieces);
    const bytes_of_piece = (heap_at[1]! - heap_at[0]!) / (pieces - 1_000);
    assert.ok(bytes_of_piece < 64, `${bytes_of_piece} bytes for each piece`);
  });

  it('is refused when it is too long, whether its length is announced or not', async (t) => {
    const taken: number[] = [];
    const answer: Answer = async (req, res) => {
      let bytes = 0;
      try {
        for await (const chunk of receiveUpload(req, res, { ...unsigned, bytes_max: 100_000 })) bytes += chunk.length;
        res.end('whole');
      } catch (error) {
        res.end((error as { readonly code?: string }).code);
      }
      taken.push(bytes);
    };
    const url = `http://127.0.0.1:${await listen(t, createServer(answer))}`;
    const send = async (body: Uint8Array<ArrayBuffer> | ReadableStream) =>
      await (await fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit)).text();
    assert.equal(await send(new Uint8Array(100_000)), 'whole');
    assert.equal(await send(new Uint8Array(100_001)), 'body_too_large');
    assert.equal(await send(new Blob([new Uint8Array(100_001)]).stream()), 'body_too_large');
    assert.deepEqual(taken.slice(0, 2), [100_000, 0], 'nothing is taken when the length is announced');
    assert.ok(taken[2]! <= 100_000);
  });

  it('fails when its sender disconnects before the end', async (t) => {
    const failed = Promise.withResolvers<Error>();
    const answer: Answer = async (req, res) => {
      try {
        for await (const _ of receiveUpload(req, res, unsigned)) socket.destroy();
      } catch (error) {
        failed.resolve(error as Error);
      }
    };
    const port = await listen(t, createServer(answer));
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc');
    assert.match((await failed.promise).message, /before its body was complete/);
  });

  it('fails when its sender keeps it waiting for too long, although bytes arrive all the time', async () => {
    let now_ms = 0;
    let taken = 0;
    const read = () => {
      now_ms += 59_000;
      body.push(Buffer.alloc(1));
    };
    const body = new Readable({ highWaterMark: 1, read });
    const req = Object.assign(body, { headers: { 'transfer-encoding': 'chunked' } }) as unknown as IncomingMessage;
    const res = new EventEmitter() as ServerResponse;
    const receive = async () => {
      const bytes = receiveUpload(req, res, { ...unsigned, timers: { ...machine_timers, monotonicNow: () => now_ms } });
      for await (const _ of bytes) taken += 1;
    };
    await assert.rejects(receive(), /sent too slowly/);
    assert.ok(taken <= 2, `${taken} bytes`);
  });

  it('waits for a sender that has been fast for no longer than for any other', async () => {
    let now_ms = 0;
    let taken = 0;
    const read = () => {
      const is_first = now_ms === 0;
      now_ms += is_first ? 1 : 59_000;
      body.push(Buffer.alloc(is_first ? 10 * 1024 * 1024 : 1));
    };
    const body = new Readable({ highWaterMark: 1, read });
    const req = Object.assign(body, { headers: { 'transfer-encoding': 'chunked' } }) as unknown as IncomingMessage;
    const res = new EventEmitter() as ServerResponse;
    const receive = async () => {
      for await (const _ of receiveUpload(req, res, {
        ...unsigned,
        timers: { ...machine_timers, monotonicNow: () => now_ms },
      })) {
        taken += 1;
        assert.ok(taken <= 3, 'it ends');
      }
    };
    await assert.rejects(receive(), /sent too slowly/);
  });

  it('takes any time at a steady pace, and waits once again for a sender that has been fast', async () => {
    let now_ms = 0;
    const pieces = [...Array.from({ length: 100 }, () => 10 * 1024), 1, 600 * 1024, 1];
    const read = () => {
      const length = pieces.shift();
      now_ms += length === 1 ? 59_900 : 10_000;
      body.push(length === undefined ? null : Buffer.alloc(length));
    };
    const body = new Readable({ highWaterMark: 1, read });
    const req = Object.assign(body, { headers: { 'transfer-encoding': 'chunked' } }) as unknown as IncomingMessage;
    const res = new EventEmitter() as ServerResponse;
    let bytes = 0;
    for await (const piece of receiveUpload(req, res, {
      ...unsigned,
      timers: { ...machine_timers, monotonicNow: () => now_ms },
    }))
      bytes += piece.length;
    assert.equal(bytes, 1_600 * 1024 + 2);
  });

  it('fails when its sender is silent for too long', async (t) => {
    const failed = Promise.withResolvers<Error>();
    const answer: Answer = async (req, res) => {
      try {
        for await (const _ of receiveUpload(req, res, { ...unsigned, wait_ms_max: 30 }));
      } catch (error) {
        failed.resolve(error as Error);
      }
    };
    const port = await listen(t, createServer(answer));
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc');
    assert.match((await failed.promise).message, /sent too slowly/);
    await once(socket, 'close');
  });

  it('lets the rest be discarded when it is not taken to its end', async (t) => {
    const metrics = createMetrics({ process_metrics: false });
    const answer: Answer = async (req, res) => {
      for await (const _ of receiveUpload(req, res, unsigned)) break;
      res.end('enough');
    };
    const port = await listen(
      t,
      createHttpServer(answer, {
        timers: machine_timers,
        random: repeatableRandom(1),
        log: { info: () => undefined },
        metrics,
      }),
    );
    const body = Buffer.alloc(4 * 1024 * 1024);
    for (let again = 0; again < 3; again += 1) {
      const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body });
      assert.equal(await response.text(), 'enough');
    }
  });

  for (const [name, is_taken] of [
    ['has a deadline again when it is not taken to its end', true],
    ['has a deadline again when it is answered while the next bytes are awaited', false],
  ] as const) {
    it(name, async (t) => {
      const metrics = createMetrics({ process_metrics: false });
      const answer: Answer = async (req, res) => {
        const bytes = receiveUpload(req, res, unsigned);
        await bytes.next();
        if (is_taken) await bytes.return();
        else bytes.next().catch(() => undefined);
        res.end('enough');
      };
      const port = await listen(t, serverOfShortBodies(answer, metrics));
      const socket = connect(port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('error', () => undefined);
      socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc');
      await once(socket, 'close');
      assert.match(text, /enough/);
    });
  }
});

describe('uploads at the same time', () => {
  const no_pace: BodyPace = { open: () => () => 0 };

  it('are refused past the share of their owner', async () => {
    const uploads = createUploads(4, no_pace);
    const held = Promise.withResolvers<void>();
    const first = uploads.during('client', 'a', () => held.promise);
    const second = uploads.during('client', 'a', () => held.promise);
    await assert.rejects(uploads.during('client', 'a', async () => {}));
    await uploads.during('client', 'b', async () => {});
    held.resolve();
    await Promise.all([first, second]);
    await uploads.during('client', 'a', async () => {});
  });

  it('of one role leave the places of the others', async () => {
    const uploads = createUploads(2, no_pace);
    const held = Promise.withResolvers<void>();
    const of_clients = [
      uploads.during('client', 'a', () => held.promise),
      uploads.during('client', 'b', () => held.promise),
    ];
    await assert.rejects(uploads.during('client', 'c', async () => {}));
    await uploads.during('operator', 'd', async () => {});
    await uploads.during('bank', 'e', async () => {});
    held.resolve();
    await Promise.allSettled(of_clients);
  });

  it('share one pace', async () => {
    const uploads = createUploads(
      4,
      createBodyPace(() => 0),
    );
    const megabyte = 1024 * 1024;
    await uploads.during('client', 'a', async ({ toWait }) => assert.equal(toWait(8 * megabyte), 0));
    await uploads.during('bank', 'b', async ({ toWait }) => assert.equal(toWait(8 * megabyte), 1_000));
  });
});

describe('the time of a body', () => {
  for (const [name, is_exempt] of [
    ['is bounded', false],
    ['has no bound when its request is exempt', true],
  ] as const) {
    it(name, async (t) => {
      const metrics = createMetrics({ process_metrics: false });
      const answer: Answer = (req, res) => {
        if (is_exempt) exemptFromDeadline(req);
        req.resume();
        req.once('end', () => res.end('whole'));
      };
      const port = await listen(t, serverOfShortBodies(answer, metrics));
      const socket = connect(port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.write('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\n\r\nab');
      if (is_exempt) {
        // Longer than several looks: an exempt body is not cut off.
        setTimeout(() => socket.write('cd'), 100);
      }
      await once(socket, 'end');
      socket.destroy();
      assert.match(text, is_exempt ? /whole/ : /^HTTP\/1.1 408 /);
    });
  }
});
