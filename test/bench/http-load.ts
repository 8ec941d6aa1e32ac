import { connect, type Socket } from 'node:net';
import { percentile } from './measure.ts';

/** In the answer to an authorization that is approved. */
const approved_text = '"response_code":"00"';

/** One request to send, ready as text: method, path, headers and body. */
export type RequestText = (number: number) => string;

/** The result of a run of load. */
export interface LoadResult {
  /** Requests that were answered 200. */
  readonly per_second: number;
  /** Answers with response code 00. */
  readonly approved_count: number;
  /** From the time when a request was due (paced) or sent (closed loop) to its complete answer. */
  readonly latencies_ms: readonly number[];
  /** How the load itself did. */
  readonly load: LoadCost;
}

/** What the load costs, and whether it kept its pace. */
export interface LoadCost {
  /** Processor time of this process for a request, microseconds. */
  readonly processor_us: number;
  /**
   * How late this process took up requests that were due, at the 99th percentile, milliseconds; null
   * in a closed loop.
   */
  readonly late_p99_ms: number | null;
}

/** One line about the load, for a row's note. */
export function costOf({ processor_us, late_p99_ms }: LoadCost): string {
  const cost = `the load took ${processor_us.toFixed(0)} us of processor time for a request`;
  if (late_p99_ms === null) return cost;
  const late = `at p99 it was ${late_p99_ms.toFixed(1)} ms late`;
  return `${cost}; ${late}${late_p99_ms > late_ms_max ? ', and so did NOT keep its pace' : ''}`;
}

/** A load that is later than this measures itself. */
const late_ms_max = 20;

/** Measures the load from now on. */
function beginCost() {
  const began = process.cpuUsage();
  const late_ms: number[] = [];
  return {
    late: (by_ms: number) => late_ms.push(by_ms),
    end(count: number): LoadCost {
      const { user, system } = process.cpuUsage(began);
      return {
        processor_us: (user + system) / count,
        late_p99_ms: late_ms.length === 0 ? null : percentile(late_ms, 0.99),
      };
    },
  };
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
  const cost = beginCost();
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
  return { per_second, approved_count: approvedOn(connections), latencies_ms, load: cost.end(count) };
}

/**
 * Sends `count` requests at a steady rate. Latency counts from the time when a request was due, not
 * from when a connection became free for it. So a server that stalls cannot hide this by receiving
 * fewer requests. Throws on any answer except 200, and 503 with Retry-After.
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
  const cost = beginCost();
  const started_ms = performance.now();
  await new Promise<void>((resolve, reject) => {
    let made = 0;
    let answered = 0;
    const pump = (): void => {
      const now_ms = performance.now();
      while (made < count && started_ms + (made * 1000) / per_second <= now_ms) {
        const at_ms = started_ms + (made * 1000) / per_second;
        due.push({ number: made, at_ms });
        cost.late(now_ms - at_ms);
        made += 1;
      }
      while (due.length > 0 && free.length > 0) {
        const connection = free.pop();
        const request_due = due.shift();
        if (connection === undefined || request_due === undefined) break;
        connection.exchange(request(request_due.number)).then((status) => {
          answered += 1;
          if (status === 200) latencies_ms.push(performance.now() - request_due.at_ms);
          free.push(connection);
          if (answered === count) resolve();
        }, reject);
      }
      // A timer instead of a busy loop, because the server may need this core.
      if (answered < count) setTimeout(pump, 1);
    };
    pump();
  });
  const reached = (latencies_ms.length * 1000) / (performance.now() - started_ms);
  for (const connection of connections) connection.close();
  return { per_second: reached, approved_count: approvedOn(connections), latencies_ms, load: cost.end(count) };
}

/** The result of a run of more load than is answered. */
export interface OverloadResult {
  /** Requests that were answered 200, per second. */
  readonly accepted_per_second: number;
  /** Of those, from the time when a request was due to its complete answer. */
  readonly accepted_latencies_ms: readonly number[];
  /** Requests that were answered 503. */
  readonly refused_count: number;
  readonly load: LoadCost;
}

/** The connections of an overload at its start. */
const overload_connections = 1_024;
/** The most connections that an overload opens. */
const overload_connections_max = 8_000;
/** The most connections that are opened at the same time: far fewer than a listener lets wait. */
const opening_max = 64;

/**
 * Sends `count` requests at a steady rate, whether they are answered or not: a request that is due
 * while every connection waits for its answer opens another connection. Throws on any answer except
 * 200, and 503 with Retry-After.
 */
export async function overload(
  to: LoadTarget,
  count: number,
  per_second: number,
  request: RequestText,
): Promise<OverloadResult> {
  const connections: KeptAlive[] = [];
  while (connections.length < overload_connections) {
    connections.push(...(await Promise.all(Array.from({ length: opening_max }, () => KeptAlive.open(to)))));
  }
  const free = [...connections];
  const accepted_latencies_ms: number[] = [];
  let refused_count = 0;
  let answered = 0;
  let opening = 0;
  const due: number[] = [];
  const cost = beginCost();
  const started_ms = performance.now();
  await new Promise<void>((resolve, reject) => {
    let made = 0;
    const send = (connection: KeptAlive, due_ms: number): void => {
      connection.exchange(request(made)).then((status) => {
        answered += 1;
        if (status === 200) accepted_latencies_ms.push(performance.now() - due_ms);
        else refused_count += 1;
        const next_ms = due.shift();
        if (next_ms === undefined) free.push(connection);
        else send(connection, next_ms);
        if (answered === count) resolve();
      }, reject);
    };
    const open = (): void => {
      opening += 1;
      KeptAlive.open(to).then((connection) => {
        opening -= 1;
        connections.push(connection);
        const next_ms = due.shift();
        if (next_ms === undefined) free.push(connection);
        else send(connection, next_ms);
      }, reject);
    };
    const pump = (): void => {
      const now_ms = performance.now();
      for (; made < count && started_ms + (made * 1000) / per_second <= now_ms; made += 1) {
        const due_ms = started_ms + (made * 1000) / per_second;
        cost.late(now_ms - due_ms);
        const connection = free.pop();
        if (connection !== undefined) send(connection, due_ms);
        else due.push(due_ms);
      }
      while (opening < Math.min(due.length, opening_max) && connections.length + opening < overload_connections_max)
        open();
      if (answered < count) setTimeout(pump, 1);
    };
    pump();
  });
  const accepted_per_second = (accepted_latencies_ms.length * 1000) / (performance.now() - started_ms);
  for (const connection of connections) connection.close();
  return { accepted_per_second, accepted_latencies_ms, refused_count, load: cost.end(count) };
}

function approvedOn(connections: readonly KeptAlive[]): number {
  return connections.reduce((sum, { approved_count }) => sum + approved_count, 0);
}

/**
 * Sends `count` lines in one request, as NDJSON, with `in_flight` of them unanswered at a time. `line`
 * has no end of line. Throws on an answer except 200, and when a line is answered otherwise.
 */
export async function manyInOne(
  { host, port }: Omit<LoadTarget, 'connections'>,
  head: string,
  count: number,
  in_flight: number,
  line: RequestText,
): Promise<Pick<LoadResult, 'per_second' | 'approved_count'>> {
  const socket = connect({ host, port, noDelay: true });
  socket.setEncoding('latin1');
  await new Promise<void>((resolve, reject) => void socket.once('connect', resolve).once('error', reject));
  let sent = 0;
  let answered = 0;
  let approved_count = 0;
  const send = (lines: number): void => {
    const text: string[] = [];
    for (const until = Math.min(count, sent + lines); sent < until; sent += 1) text.push(line(sent), '\n');
    if (text.length === 0) return;
    const body = text.join('');
    socket.write(`${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n${sent === count ? '0\r\n\r\n' : ''}`);
  };
  const started_ms = performance.now();
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`${why} after ${answered} of ${count} lines`));
    let rest = '';
    let is_begun = false;
    const receive = (piece: string): void => {
      const text = rest + piece;
      let at = 0;
      if (!is_begun) {
        const end = text.indexOf('\r\n\r\n');
        rest = text;
        if (end < 0) return;
        if (!text.startsWith('HTTP/1.1 200 ')) fail(`an answer that is not 200: ${text.slice(0, 600)}`);
        is_begun = true;
        at = end + 4;
      }
      const before = answered;
      // Each chunk is whole lines, so that a line begins with its number wherever the chunk is cut.
      for (let next = text.indexOf('{"line":', at); next >= 0; next = text.indexOf('{"line":', at)) {
        const end = text.indexOf('\n', next);
        if (end < 0) break;
        if (!text.startsWith('"status":200,', text.indexOf(',', next) + 1)) {
          fail(`a line that is not 200: ${text.slice(next, next + 300)}`);
        }
        answered += 1;
        if (text.slice(next, end).includes(approved_text)) approved_count += 1;
        at = end + 1;
      }
      rest = text.slice(at);
      if (answered === count) resolve();
      else send(answered - before);
    };
    socket.on('data', receive);
    socket.on('error', reject);
    socket.on('close', () => fail('the server closed the connection'));
    socket.write(head);
    send(in_flight);
  });
  const per_second = (count * 1000) / (performance.now() - started_ms);
  socket.destroy();
  return { per_second, approved_count };
}

/** A kept-alive HTTP/1.1 connection that has one request in flight at a time. */
class KeptAlive {
  approved_count = 0;
  readonly #socket: Socket;
  #received = '';
  #answered: ((status: 200 | 503) => void) | null = null;
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

  /** Sends a request that must be answered 200. */
  async send(request: string): Promise<void> {
    const status = await this.exchange(request);
    if (status !== 200) throw new Error(`an answer with status ${status}`);
  }

  /** Sends a request, and returns the status of its answer: 200, or 503 with Retry-After. */
  exchange(request: string): Promise<200 | 503> {
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
    if (answer.startsWith('HTTP/1.1 200')) {
      if (answer.includes(approved_text, head_end)) this.approved_count += 1;
      this.#answered?.(200);
    } else if (answer.startsWith('HTTP/1.1 503') && /\r\nretry-after: \d+\r\n/i.test(answer)) this.#answered?.(503);
    else this.#failed?.(new Error(`an answer that is not 200: ${answer.slice(0, 600)}`));
  }
}
