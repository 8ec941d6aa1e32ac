import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The most requests of one connection that wait for the answer to an earlier one. */
const waiting_max = 32;

/** The most bytes that one connection sends behind a request that is not answered yet. */
const waiting_bytes_max = 128 * 1024;

/**
 * The most bytes that are read behind the request that is too many, while the answers before it are
 * sent. Then the connection is closed at once.
 */
const dropped_bytes_max = 128 * 1024;

/** An event of a request whose answer goes on while its body arrives: no more of the body comes. */
export const body_cut_off = 'body cut off';

/** The requests of one connection that are not answered yet, in their order, by their responses. */
interface Connection {
  /** The request that is being answered. */
  active: ServerResponse | null;
  readonly waiting: ServerResponse[];
  /** The request that was received last, also after its answer. */
  last: ServerResponse | null;
  /** `bytesRead` of the socket when the first waiting request arrived. */
  waiting_from: number;
  /** `bytesRead` of the socket when a request was too many. */
  dropped_from: number;
  /** Ends the connection after the last answer; null: it continues. */
  end: (() => void) | null;
}

/**
 * Answers the requests of a connection one after another, in their order (RFC 9112, 9.3.2): a
 * pipelined request begins when the answer before it is sent. So one connection takes little
 * memory, and bytes that are not a request, and requests that are too many, take no answer away
 * from those before them.
 */
export interface PipelinedRequests {
  /** Answers the request of this response when its turn comes. */
  take(res: ServerResponse): void;
  /** The response has ended, or its connection is closed: the next request begins. */
  closed(res: ServerResponse): void;
  /**
   * What the connection sends next is not a request. After the answers to the requests before it,
   * `end` is called with true if these bytes may be answered, with false if they belong to a
   * request whose answer has begun.
   */
  close(socket: Duplex, end: (may_answer: boolean) => void): void;
}

/**
 * The pipelined requests of all connections of one server. `answer` begins to answer one. `end`
 * closes a connection that sent too many requests, after the answers to those before.
 */
export function createPipelinedRequests(
  answer: (res: ServerResponse) => void,
  end: (socket: Duplex) => void,
): PipelinedRequests {
  const connections = new WeakMap<Duplex, Connection>();

  const connectionOf = (socket: Duplex): Connection => {
    let connection = connections.get(socket);
    if (connection === undefined) {
      connection = { active: null, waiting: [], last: null, waiting_from: 0, dropped_from: 0, end: null };
      connections.set(socket, connection);
    }
    return connection;
  };

  const begin = (connection: Connection, res: ServerResponse): void => {
    connection.active = res;
    answer(res);
  };

  return {
    take(res) {
      const { socket } = res.req;
      const connection = connectionOf(socket);
      if (socket.destroyed) return;
      if (connection.end !== null) {
        // The end of an answer resumes the socket, so it is paused again.
        socket.pause();
        if (socket.bytesRead - connection.dropped_from > dropped_bytes_max) socket.destroy();
        return;
      }
      connection.last = res;
      if (connection.active === null) {
        begin(connection, res);
        return;
      }
      if (connection.waiting.length === 0) connection.waiting_from = socket.bytesRead;
      const bytes = socket.bytesRead - connection.waiting_from;
      if (connection.waiting.length < waiting_max && bytes <= waiting_bytes_max) {
        connection.waiting.push(res);
        return;
      }
      connection.end = () => end(socket);
      connection.dropped_from = socket.bytesRead;
      socket.pause();
    },
    closed(res) {
      const connection = connectionOf(res.req.socket);
      if (connection.active !== res) return;
      connection.active = null;
      const next = connection.waiting.shift();
      // After an answer with Connection: close the socket takes no further one.
      if (next?.req.socket.writable) begin(connection, next);
      else connection.end?.();
    },
    close(socket, end) {
      const connection = connectionOf(socket);
      if (connection.end !== null) return;
      const { last } = connection;
      const is_in_body = last !== null && !last.req.complete;
      // The request is not whole and will never be: it is not answered, the bytes are.
      if (is_in_body && connection.waiting.at(-1) === last) connection.waiting.pop();
      const is_begun = is_in_body && last.headersSent;
      connection.end = () => end(!is_begun);
      const waits_for_body = is_in_body && connection.active === last && !is_begun;
      if (connection.active === null || waits_for_body) connection.end();
      else if (is_begun) last.req.emit(body_cut_off);
    },
  };
}
