import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A certificate for loopback names, generated in each test run. */
export interface LoopbackCertificate {
  readonly key: string;
  /** PEM. The certificate is its own authority. */
  readonly cert: string;
}

let made: Promise<LoopbackCertificate> | undefined;

/** Returns one certificate per process for localhost, 127.0.0.1, ::1 and hooks.test. */
export function loopbackCertificate(): Promise<LoopbackCertificate> {
  made ??= makeLoopbackCertificate('ec');
  return made;
}

/** Makes such a certificate. */
export async function makeLoopbackCertificate(keyType: 'ec' | 'rsa'): Promise<LoopbackCertificate> {
  // Most tests need no certificate, and the library takes longer to load than the rest of these
  // tests.
  const { generate } = await import('selfsigned');
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType,
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 2, value: 'hooks.test' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  return { key: pems.private, cert: pems.cert };
}

/** A request as a receiver received it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** When its connection was accepted, by `performance.now()`. */
  readonly connected_ms: number;
}

/** A real HTTPS server on loopback that receives webhooks. */
export interface TlsReceiver {
  /** `https://127.0.0.1:<port>` */
  readonly origin: string;
  readonly port: number;
  readonly certificate: LoopbackCertificate;
  readonly received: readonly Received[];
  /** Returns the number of TLS connections accepted so far. */
  readonly connections: () => number;
  /** Resets the TCP connection under a request's socket. */
  reset(socket: Socket): void;
  close(): Promise<void>;
}

/**
 * Starts a receiver. `answer` is called with each request once its body has arrived. The default is
 * 200 with an empty body.
 */
export async function tlsReceiver(
  answer: (request: Received, response: ServerResponse, socket: Socket) => void = (_, response) => response.end(),
): Promise<TlsReceiver> {
  const certificate = await loopbackCertificate();
  const received: Received[] = [];
  let connections = 0;
  const server: Server = createServer({ key: certificate.key, cert: certificate.cert }, (request, response) => {
    const chunks: Buffer[] = [];
    const connected_ms = accepted_ms.get(request.socket.remotePort as number) as number;
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one: Received = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        connected_ms,
      };
      received.push(one);
      answer(one, response, request.socket);
    });
  });
  /** The TCP sockets beneath TLS, by the port of the other side. */
  const tcp_sockets = new Map<number, Socket>();
  const accepted_ms = new Map<number, number>();
  server.on('connection', (socket: Socket) => {
    const port = socket.remotePort as number;
    tcp_sockets.set(port, socket);
    accepted_ms.set(port, performance.now());
    socket.once('close', () => tcp_sockets.delete(port));
  });
  server.on('secureConnection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `https://127.0.0.1:${port}`,
    port,
    certificate,
    received,
    connections: () => connections,
    reset: ({ remotePort }) => void tcp_sockets.get(remotePort as number)?.resetAndDestroy(),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
