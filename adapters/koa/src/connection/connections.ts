import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { addressOwner, canonical } from './client-address.ts';

/** What a connection emits when one of its requests has proved who sends it. */
const caller_known = Symbol('caller known');

/**
 * Notes who has proved to send a request: a company, a key, a third party or a user. Connections of
 * strangers are closed before those of this owner.
 */
export function noteKnownCaller({ socket }: Pick<IncomingMessage, 'socket'>, owner: string): void {
  socket.emit(caller_known, owner);
}

/** The open connections of one server. */
export interface Connections {
  /**
   * Adds a connection. When there are too many, closes another one first, of a caller who is not
   * known: the oldest of the address that has most of them. When there is none, or when one known
   * caller has more than half of all, closes the connection whose last request is the oldest, of the
   * known caller that has most of them. So nobody, with however many, keeps others out (ADR 0059).
   */
  add(socket: Socket): void;
  /** Within a connection that was added, the TLS that carries its requests. */
  watch(carrier: Socket): void;
}

/** At most `max` connections. */
export function createConnections(max: number): Connections {
  const open = new Map<Socket, OpenConnection>();
  /** By both ends: TLS does not say which socket is below it. */
  const by_name = new Map<string, Socket>();
  /** By address, the oldest first. */
  const strangers: Groups = new Map();
  /** By owner, the one whose last request is the oldest first. */
  const known: Groups = new Map();

  function close(socket: Socket): void {
    const connection = open.get(socket);
    if (connection === undefined) return;
    leave(socket, connection);
    open.delete(socket);
    if (by_name.get(connection.name) === socket) by_name.delete(connection.name);
    socket.destroy();
  }

  function know(socket: Socket, owner: string): void {
    const connection = open.get(socket);
    if (connection === undefined) return;
    if (connection.groups === known && connection.owner === owner) {
      const group = known.get(owner)!;
      group.delete(socket);
      group.add(socket);
      return;
    }
    leave(socket, connection);
    open.set(socket, { ...connection, ...join(socket, known, owner) });
  }

  function oneTooMany(): Socket | undefined {
    const [of_strangers, of_known] = [largest(strangers), largest(known)];
    const [first] = of_strangers.size === 0 || of_known.size > max / 2 ? of_known : of_strangers;
    return first;
  }

  return {
    add(socket) {
      const closed = open.size < max ? undefined : oneTooMany();
      if (closed !== undefined) close(closed);
      const name = nameOf(socket);
      by_name.set(name, socket);
      open.set(socket, { name, ...join(socket, strangers, addressOwner(canonical(socket.remoteAddress ?? ''))) });
      socket.once('close', () => close(socket));
      socket.on(caller_known, (owner: string) => know(socket, owner));
    },
    watch(carrier) {
      const below = by_name.get(nameOf(carrier));
      if (below !== undefined) carrier.on(caller_known, (owner: string) => below.emit(caller_known, owner));
    },
  };
}

type Groups = Map<string, Set<Socket>>;

interface OpenConnection {
  readonly name: string;
  /** The group that it is in. */
  readonly groups: Groups;
  readonly owner: string;
}

function join(socket: Socket, groups: Groups, owner: string): Pick<OpenConnection, 'groups' | 'owner'> {
  groups.set(owner, (groups.get(owner) ?? new Set()).add(socket));
  return { groups, owner };
}

function leave(socket: Socket, { groups, owner }: OpenConnection): void {
  groups.get(owner)?.delete(socket);
  if (groups.get(owner)?.size === 0) groups.delete(owner);
}

function largest(groups: Groups): ReadonlySet<Socket> {
  let most: ReadonlySet<Socket> = new Set();
  for (const group of groups.values()) if (group.size > most.size) most = group;
  return most;
}

/** A port of the other side may be connected to several addresses of this one. */
function nameOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return [localAddress, localPort, remoteAddress, remotePort].join(' ');
}
