import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { machine_timers } from '@tallystick/kernel';
import { fileAnswer } from '../../src/answer/operation-answer.ts';
import { sendFile } from '../../src/answer/send-file.ts';

const csv = { media_type: 'text/csv; charset=utf-8', name: 'items.csv' };

/** How a file was sent. */
interface Sent {
  readonly url: string;
  /** Settles when a file is sent, as `sendFile` does. */
  readonly end: Promise<void>;
  /** The chunks that were made, and whether the source was told to end. */
  readonly source: { made: number; ended: boolean };
}

/** A server that answers one request with these chunks. */
async function serve(t: TestContext, chunks: Iterable<string>, reading_ms?: number): Promise<Sent> {
  const source = { made: 0, ended: false };
  async function* make(): AsyncGenerator<string, void, undefined> {
    try {
      for (const chunk of chunks) {
        source.made += 1;
        yield chunk;
      }
    } finally {
      source.ended = true;
    }
  }
  const end = Promise.withResolvers<void>();
  const server = createServer(async (req, res) => {
    const { file } = await fileAnswer({ ...csv, pieces: make() });
    assert.ok(file !== undefined);
    const bounds = reading_ms === undefined ? {} : { reading_ms };
    sendFile(res, file, {}, { timers: machine_timers, is_head: req.method === 'HEAD', ...bounds }).then(
      end.resolve,
      (error: unknown) => {
        res.destroy();
        end.reject(error);
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, end: end.promise, source };
}

/** A client that asks for the file and reads nothing. */
function ask(url: string): ReturnType<typeof connect> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
  );
  socket.on('error', () => undefined);
  socket.pause();
  return socket;
}

function* endless(limit: number): Generator<string> {
  for (let at = 0; at < limit; at += 1) yield 'x'.repeat(64 * 1024);
}

describe('a file in an answer', () => {
  it('is sent chunk by chunk, with its type and its name', async (t) => {
    const { url, end } = await serve(t, ['a,b\r\n', '', '1,2\r\n']);
    const response = await fetch(url);
    assert.equal(await response.text(), 'a,b\r\n1,2\r\n');
    assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(response.headers.get('content-disposition'), 'attachment; filename="items.csv"');
    await end;
  });

  it('may be empty', async (t) => {
    const { url } = await serve(t, []);
    assert.equal(await (await fetch(url)).text(), '');
  });

  it('is not made for HEAD, and its source ends', async (t) => {
    const { url, end, source } = await serve(t, ['first', 'second']);
    assert.equal((await fetch(url, { method: 'HEAD' })).status, 200);
    await end;
    assert.deepEqual(source, { made: 1, ended: true });
  });

  it('is an error answer when its first chunk fails', async () => {
    async function* failing(): AsyncGenerator<string, void, undefined> {
      yield await Promise.reject(new Error('no database'));
    }
    await assert.rejects(fileAnswer({ ...csv, pieces: failing() }), /no database/);
  });

  it('is cut off when a later chunk fails, so that nobody takes a part for the whole', async (t) => {
    function* failing(): Generator<string> {
      yield 'first';
      throw new Error('the database is gone');
    }
    const { url, end } = await serve(t, failing());
    const ended = assert.rejects(end, /the database is gone/);
    await assert.rejects(async () => await (await fetch(url)).text());
    await ended;
  });

  it('is made no faster than it is read, and no further once the client is gone', async (t) => {
    const { url, end, source } = await serve(t, endless(100_000));
    const socket = ask(url);
    await new Promise((resolve) => socket.once('connect', resolve));
    while (source.made < 1) await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    await end;
    assert.ok(source.ended && source.made < 1_000, `${source.made} chunks were made`);
  });

  it('is given up when the client reads nothing for long', async (t) => {
    const { url, end, source } = await serve(t, endless(100_000), 50);
    const socket = ask(url);
    await end;
    assert.ok(source.ended && source.made < 1_000);
    socket.destroy();
  });
});
