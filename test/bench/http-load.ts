import { connect, type Socket } from 'node:net';

/** One request to send, ready as text: method, path, headers and body. */
export type RequestText = (number: number) => string;

/** The result of a run of load. */
export interface LoadResult {
  readonly per_second: number;
  /** From the time when a request was due (paced) or sent (closed loop) to its complete answer. */
  readonly latencies_ms: readonly number[];
}

/** The target address, and the number of kept-alive connections. */
export interface LoadTarget {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
}

/**
 * Sends `count` requests as fast as they are answered, one at a time on each connection. It is a
 * bare socket client, because a full HTTP client would itself be the bottleneck. Throws on any
 * answer except 200.
 */
export async function closedLoop(to: LoadTarget, count: number, request: RequestText): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: to.connections }, () => KeptAlive.open(to)));
  const latencies_ms: number[] = [];
  let next = 0;
  const started_ms = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      while (next < count) {
        const number = next;
        next += 1;
        const sent_ms = performance.now();
        await connection.send(request(number));
        latencies_ms.push(performance.now() - sent_ms);
      }
    }),
  );
  const per_second = (count * 1000) / (performance.now() - started_ms);
  for (const connection of connections) connection.close();
  return { per_second, latencies_ms };
}

/**
 * Sends `count` requests at a steady rate. Latency counts from the time when a request was due, not
 * from when a connection became free for it. So a server that stalls cannot hide this by receiving
 * fewer requests.
 */
export async function pacedLoad(
  to: LoadTarget,
  count: number,
  per_second: number,
  request: RequestText,
): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: to.connections }, () => KeptAlive.open(to)));
  const latencies_ms: number[] = [];
  const free = [...connections];
  const due: { readonly number: number; readonly at_ms: number }[] = [];
  const started_ms = performance.now();
  await new Promise<void>((resolve, reject) => {
    let made = 0;
    const pump = (): void => {
      const now_ms = performance.now();
      while (made < count && started_ms + (made * 1000) / per_second <= now_ms) {
        due.push({ number: made, at_ms: started_ms + (made * 1000) / per_second });
        made += 1;
      }
      while (due.length > 0 && free.length > 0) {
        const connection = free.pop();
        const request_due = due.shift();
        if (connection === undefined || request_due === undefined) break;
        connection.send(request(request_due.number)).then(() => {
          latencies_ms.push(performance.now() - request_due.at_ms);
          free.push(connection);
          if (latencies_ms.length === count) resolve();
        }, reject);
      }
      // A timer instead of a busy loop, because the server may need this core.
      if (latencies_ms.length < count) setTimeout(pump, 1);
    };
    pump();
  });
  const reached = (count * 1000) / (performance.now() - started_ms);
  for (const connection of connections) connection.close();
  return { per_second: reached, latencies_ms };
}

/** A kept-alive HTTP/1.1 connection that has one request in flight at a time. */
class KeptAlive {
  readonly #socket: Socket;
  #received = '';
  #answered: (() => void) | null = null;
  #failed: ((error: Error) => void) | null = null;

  static async open(to: LoadTarget): Promise<KeptAlive> {
    const socket = connect({ host: to.host, port: to.port, noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new KeptAlive(socket);
  }

  constructor(socket: Socket) {
    this.#socket = socket;
    // Latin-1: one character is one byte, so that Content-Length can be compared with lengths of
    // text.
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#receive(chunk));
    socket.on('error', (error) => this.#failed?.(error));
    socket.on('close', () => this.#failed?.(new Error('the server closed the connection')));
  }

  send(request: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.#socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.#failed = null;
    this.#socket.destroy();
  }

  #receive(chunk: string): void {
    this.#received += chunk;
    const head_end = this.#received.indexOf('\r\n\r\n');
    if (head_end < 0) return;
    const length = /content-length: (\d+)/i.exec(this.#received.slice(0, head_end))?.[1];
    if (length === undefined) {
      this.#failed?.(new Error('an answer without Content-Length'));
      return;
    }
    if (this.#received.length < head_end + 4 + Number(length)) return;
    const answer = this.#received;
    this.#received = '';
    if (answer.startsWith('HTTP/1.1 200')) this.#answered?.();
    else this.#failed?.(new Error(`an answer that is not 200: ${answer.slice(0, 600)}`));
  }
}
