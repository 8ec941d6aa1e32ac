import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  /** The text of the body before any parsing, because signatures are computed over it. */
  readonly body: string;
}

export interface ReceiverAnswer {
  readonly status: number;
  readonly body?: string;
  readonly content_type?: string;
  /** The same answer follows once more, which nobody asked for. */
  readonly is_sent_twice?: boolean;
}

export interface LoopbackReceiver {
  /** `https://127.0.0.1:43210` */
  readonly origin: string;
  /** Accepts no more requests, and cuts off those in progress. */
  close(): Promise<void>;
}

/** More than any delivery: two states of at most 64 KiB each in their envelope. */
const body_bytes_max = 1024 * 1024;

/**
 * Listens on 127.0.0.1 with a certificate made for this run, and answers each request with
 * `answer`; 500 if it throws. Port 0: any free port. Rejects if the port is in use.
 */
export async function openLoopbackReceiver(
  answer: (request: ReceivedRequest) => Promise<ReceiverAnswer>,
  port = 0,
): Promise<LoopbackReceiver> {
  const server = createServer(await loopbackCertificate(), (request, response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= body_bytes_max) chunks.push(chunk);
    });
    request.on('end', async () => {
      const received = { headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
      const answered: Promise<ReceiverAnswer> =
        bytes > body_bytes_max ? Promise.resolve({ status: 413 }) : answer(received);
      const { status, body, content_type, is_sent_twice } = await answered.catch(
        (error: unknown): ReceiverAnswer => ({ status: 500, body: String(error) }),
      );
      const head = content_type === undefined ? {} : { 'content-type': content_type };
      const { socket } = request;
      response.writeHead(status, head).end(body, () => {
        if (is_sent_twice !== true || body === undefined) return;
        const again = `content-type: ${content_type}\r\ncontent-length: ${Buffer.byteLength(body)}`;
        socket.write(`HTTP/1.1 ${status} OK\r\n${again}\r\n\r\n${body}`);
      });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function loopbackCertificate(): Promise<{ readonly key: string; readonly cert: string }> {
  // Loaded when it is used: it takes longer to load than all else that `npm run trigger` runs.
  const { generate } = await import('selfsigned');
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { key: pems.private, cert: pems.cert };
}
