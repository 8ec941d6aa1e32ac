import type { ClientBase } from 'pg';

/** The socket of a client, which the client does not offer. */
function socketOf(client: ClientBase): { readonly destroyed: boolean; destroy(): void } {
  return (client as unknown as { readonly connection: { readonly stream: ReturnType<typeof socketOf> } }).connection
    .stream;
}

/**
 * Closes the connection without waiting for the server, which may not answer any more. Statements
 * in progress reject. The client's own `end` waits.
 */
export function closeNow(client: ClientBase): void {
  socketOf(client).destroy();
}

/**
 * Whether the connection is closed. Until its next turn the client itself believes that it can send
 * statements.
 */
export function isClosed(client: ClientBase): boolean {
  return socketOf(client).destroyed;
}

/** Returns a `close` that may be called several times: it runs once, and each call waits for it. */
export function closeOnce(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= close();
    return closed;
  };
}
