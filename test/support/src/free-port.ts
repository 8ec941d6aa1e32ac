import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Ports below those that systems assign on request (on Linux from 32768 on), so that no connection
 * of another test takes one of them in the meantime.
 */
const ports = { min: 20_000, max: 32_767 };

/**
 * A port of loopback on which nothing can listen: it is privileged, and no service is registered
 * for it.
 */
export const refusing_port = 2;

/**
 * A free port of loopback, for a server that cannot choose one itself. Another process may take it
 * before that server does, so the caller must be ready to try again with another.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.min, ports.max + 1);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}
