import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { addressOwner, canonical } from './client-address.ts';

/** What a connection emits when one of its requests has proved who sends it. */
const caller_known = Symbol('caller known');

/** Notes that the caller of a request is known, so that its connection is not closed for others. */
export function noteKnownCaller({ socket }: Pick<IncomingMessage, 'socket'>): void {
  socket.emit(caller_known);
}

/** The open connections of one server. */
export interface Connections {
  /**
   * Adds a connection. When there are too many, closes one whose caller is not known: the oldest of
   * the address that has most of them. When all callers are known, closes the new one. So strangers
   * from one address, however many, keep nobody out (ADR 0059).
   */
  add(socket: Socket): void;
  /** Within a connection that was added, what carries its requests: the same, or TLS. */
  watch(carrier: Socket): void;
}

/** At most `max` connections. */
export function createConnections(max: number): Connections {
  /** All, by the address and port of the other side, with what makes a connection known or closed. */
  const open = new Map<string, OpenConnection>();
  /** Those of strangers, by address, the oldest first. */
  const strangers = new Map<string, Set<OpenConnection>>();

  function know(connection: OpenConnection): void {
    const of_owner = strangers.get(connection.owner);
    of_owner?.delete(connection);
    if (of_owner?.size === 0) strangers.delete(connection.owner);
  }

  function close(connection: OpenConnection): void {
    know(connection);
    if (open.get(connection.name) === connection) open.delete(connection.name);
    connection.socket.destroy();
  }

  /** The one to close: it may be the one that was just added. */
  function oneTooMany(added: OpenConnection): OpenConnection {
    let most = new Set([added]);
    for (const of_owner of strangers.values()) if (of_owner.size > most.size) most = of_owner;
    const [oldest = added] = most;
    return oldest;
  }

  return {
    add(socket) {
      const owner = addressOwner(canonical(socket.remoteAddress ?? ''));
      const connection = { socket, owner, name: nameOf(socket) };
      open.set(connection.name, connection);
      strangers.set(owner, (strangers.get(owner) ?? new Set()).add(connection));
      socket.once('close', () => close(connection));
      if (open.size > max) close(oneTooMany(connection));
    },
    watch(carrier) {
      const connection = open.get(nameOf(carrier));
      if (connection !== undefined) carrier.once(caller_known, () => know(connection));
    },
  };
}

interface OpenConnection {
  readonly socket: Socket;
  readonly owner: string;
  readonly name: string;
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
