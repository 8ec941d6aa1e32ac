import { connect } from 'node:net';
import { beginStrangers } from './hostile-strangers.ts';

/**
 * Twenty hostile clients of the HTTP interface, five of each kind, in a separate process. Each
 * sends one request at a time and the next one after its answer, at most `per_second_max` a second,
 * until the process is killed. They stand for what a few keys can do to others. A flood that fills
 * the machine is the work of the firewall.
 */

/** What the clients need to know: the server, and the hostile company. */
export interface HostileOptions {
  readonly port: number;
  /** An API key of the role client, of a company that is not the one under measurement. */
  readonly key: string;
  /** A card of that company, which every PATCH is about. */
  readonly card_id: string;
  /** A webhook of that company whose endpoint never answers. */
  readonly webhook_id: string;
  /** A third party whose key set never arrives. */
  readonly client_id: string;
  /** The token of the form with which users log in. */
  readonly form_token: string;
  readonly crowd: 'clients' | 'strangers';
}

/** Clients of each kind. */
const clients_of_kind = 5;
/** The most requests of one client a second. */
const per_second_max = 20;

const filters = (count: number): string =>
  Array.from({ length: count }, (_, at) => `filter[metadata.m${at}]=x`).join('&');
const mebibyte = 'x'.repeat(1024 * 1024);

/** The kinds of clients. Each returns its request number `at`. */
const kinds: readonly ((options: HostileOptions, at: number) => string)[] = [
  // Lists with as many filters as are accepted, and with far more.
  ({ key }, at) => request('GET', `/v1/virtualcards?${filters(at % 2 === 0 ? 10 : 400)}`, key),
  // Bodies of one mebibyte, from strangers and with a key.
  ({ key }, at) =>
    at % 2 === 0
      ? request('POST', '/card-details/none', null, mebibyte)
      : request('POST', '/v1/virtualcards', key, mebibyte),
  // Changes of one card, which another transaction may have locked.
  ({ key, card_id }, at) =>
    request('PATCH', `/v1/virtualcards/${card_id}`, key, JSON.stringify({ data: { metadata: { at } } })),
  // Mails and webhook tests that wait for slow servers.
  ({ key, card_id, webhook_id }, at) =>
    at % 2 === 0
      ? request('GET', `/v1/webhooks/${webhook_id}/test`, key)
      : request('POST', `/v1/virtualcards/${card_id}/email`, key, JSON.stringify({ data: { email: 'a@example.com' } })),
];

function request(method: string, path: string, key: string | null, body = ''): string {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    ...(key === null ? [] : [`Authorization: Bearer ${key}`]),
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Resolves with the status of the answer when the connection has ended; 0 without an answer. */
function exchange(port: number, text: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      if (answer.length < 20) answer += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)));
    socket.write(text, 'latin1');
  });
}

async function attack(options: HostileOptions, textOf: (typeof kinds)[number], count: (status: number) => void) {
  for (let at = 0; ; at += 1) {
    const pause = new Promise((resolve) => setTimeout(resolve, 1000 / per_second_max));
    count(await exchange(options.port, textOf(options, at)));
    await pause;
  }
}

if (process.send !== undefined) {
  process.once('message', (options: HostileOptions) => {
    const counts = new Map<string, number>();
    const count = (name: string, status: number): void => {
      counts.set(`${name}: ${status}`, (counts.get(`${name}: ${status}`) ?? 0) + 1);
    };
    if (options.crowd === 'strangers') beginStrangers(options, count);
    else {
      for (const [kind, textOf] of kinds.entries()) {
        for (let client = 0; client < clients_of_kind; client += 1) {
          void attack(options, textOf, (status) => count(names[kind] ?? '', status));
        }
      }
    }
    process.on('message', () => process.send?.(Object.fromEntries(counts)));
  });
}

const names = ['filters', 'bodies', 'patches', 'slow servers'];
