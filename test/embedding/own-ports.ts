/** Parts that a host has written itself, in place of those of the library. */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CardVault, type Mailer, type MailMessage, type MailOutcome, Pan } from '@tallystick/cards';
import type { WebhookAnswer, WebhookRequest, WebhookSender } from '@tallystick/events';
import type { MailReception } from '@tallystick/harness';
import { Fault } from '@tallystick/kernel';

/** A key of the host's own key service. */
export interface HostKey {
  readonly id: string;
  /** 32 bytes. */
  readonly material: Uint8Array;
}

const nonce_bytes = 12;
const tag_bytes = 16;

/**
 * Card numbers under the keys of the host. A sealed number is the length of the key's id, the id, a
 * nonce, the tag, and the encrypted number; everything before the tag is authenticated.
 */
export function hostVault(keys: readonly [HostKey, ...HostKey[]], index_key: Uint8Array): CardVault {
  const [newest] = keys;
  const index = (pan: Pan): Uint8Array => createHmac('sha256', index_key).update(`index ${pan.reveal()}`).digest();

  function seal(pan: Pan): Uint8Array {
    const id = Buffer.from(newest.id);
    const head = Buffer.concat([Buffer.of(id.length), id, randomBytes(nonce_bytes)]);
    const cipher = createCipheriv('aes-256-gcm', newest.material, head.subarray(-nonce_bytes));
    cipher.setAAD(head);
    const encrypted = Buffer.concat([cipher.update(pan.reveal(), 'latin1'), cipher.final()]);
    return Buffer.concat([head, cipher.getAuthTag(), encrypted]);
  }

  function open(sealed: Uint8Array): Pan {
    const bytes = Buffer.from(sealed);
    const head_bytes = 1 + (bytes[0] ?? 0) + nonce_bytes;
    const head = bytes.subarray(0, head_bytes);
    const key = keys.find(({ id }) => id === head.subarray(1, -nonce_bytes).toString());
    if (key === undefined || bytes.length < head_bytes + tag_bytes) throw unreadable();
    try {
      const decipher = createDecipheriv('aes-256-gcm', key.material, head.subarray(-nonce_bytes));
      decipher.setAAD(head);
      decipher.setAuthTag(bytes.subarray(head_bytes, head_bytes + tag_bytes));
      const clear = Buffer.concat([decipher.update(bytes.subarray(head_bytes + tag_bytes)), decipher.final()]);
      return new Pan(clear.toString('latin1'));
    } catch {
      throw unreadable();
    }
  }

  function cvc(pan: Pan, expiry: string): string {
    const mac = createHmac('sha256', index_key).update(`code ${pan.reveal()} ${expiry}`).digest();
    return String(mac.readUInt32BE() % 1_000).padStart(3, '0');
  }

  return {
    seal: (pan) => ({ number_sealed: seal(pan), number_key_id: newest.id, number_index: index(pan) }),
    open,
    index,
    cvc,
    cvcMatches(pan, expiry, guess) {
      const expected = Buffer.from(cvc(pan, expiry));
      const given = Buffer.from(guess);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

const unreadable = () => new Fault('a card number cannot be opened with the keys of the host', { retryable: false });

/** A mailer on the HTTP interface of a mail service. */
export function httpMailer(url: string, ms_max = 20_000): Mailer {
  const in_transit = new Set<Promise<MailOutcome>>();
  let is_closed = false;

  async function post(message: MailMessage): Promise<MailOutcome> {
    try {
      const signal = AbortSignal.timeout(ms_max);
      const { status } = await fetch(url, { method: 'POST', body: JSON.stringify(message), signal });
      if (status === 202) return { kind: 'taken' };
      return { kind: 'not_taken', error: `refused ${status}`, for_good: status === 422 };
    } catch {
      return { kind: 'not_taken', error: 'unreachable', for_good: false };
    }
  }

  return {
    async send(message) {
      if (is_closed) return { kind: 'not_taken', error: 'closed', for_good: false };
      const sending = post(message);
      in_transit.add(sending);
      try {
        return await sending;
      } finally {
        in_transit.delete(sending);
      }
    },
    async close() {
      is_closed = true;
      await Promise.all(in_transit);
    },
  };
}

/** A sender that keeps the requests and answers each with the same status. */
export interface KeptRequests extends WebhookSender {
  readonly requests: readonly WebhookRequest[];
  readonly is_closed: boolean;
  /** Resolves when that many requests were sent in total. */
  arrived(count: number): Promise<void>;
}

export function keptRequests(status = 204): KeptRequests {
  const requests: WebhookRequest[] = [];
  let waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let is_closed = false;
  return {
    requests,
    get is_closed() {
      return is_closed;
    },
    async send(request): Promise<WebhookAnswer> {
      requests.push(request);
      for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
      waiting = waiting.filter(({ count }) => requests.length < count);
      return { kind: 'answered', status, excerpt: '', retry_after: null, duration_ms: 1 };
    },
    arrived(count) {
      if (requests.length >= count) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ count, resolve }));
    },
    async close() {
      is_closed = true;
    },
  };
}

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
