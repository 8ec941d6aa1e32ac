import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MailMessage } from '@tallystick/cards';
import type { MailReception } from '@tallystick/harness';

/** A mail service with an HTTP interface on loopback. It answers 202 to an accepted message. */
export interface MailService {
  readonly url: string;
  readonly received: readonly MailMessage[];
  receives(reception: MailReception): Promise<void>;
  /** Resolves after that many messages were received in total. */
  arrived(count: number): Promise<void>;
  /** Accepts the messages that wait for an answer. */
  release(): void;
  close(): Promise<void>;
}

export async function mailService(): Promise<MailService> {
  const received: MailMessage[] = [];
  const held: ServerResponse[] = [];
  let waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let reception: MailReception = 'takes';
  const server = createServer(async (request, response) => {
    const message = JSON.parse(Buffer.concat(await request.toArray()).toString()) as MailMessage;
    if (reception === 'refuses_address') return response.writeHead(422).end(message.text);
    if (reception === 'refuses_for_now') return response.writeHead(503).end(message.text);
    received.push(message);
    for (const { count, resolve } of waiting) if (received.length >= count) resolve();
    waiting = waiting.filter(({ count }) => received.length < count);
    if (reception === 'holds') held.push(response);
    else response.writeHead(202).end();
    return response;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  async function close(): Promise<void> {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }

  return {
    url: `http://127.0.0.1:${port}/messages`,
    received,
    async receives(given) {
      reception = given;
      if (given === 'is_away') await close();
    },
    arrived(count) {
      if (received.length >= count) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ count, resolve }));
    },
    release() {
      for (const response of held.splice(0)) response.writeHead(202).end();
    },
    close,
  };
}
