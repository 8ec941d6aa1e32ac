import { randomBytes, randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { drawWebhookSecret, toCanonicalTypeId } from '@tallystick/events';
import { type Refused, verifyDelivery } from '@tallystick/webhook-signature';
import { openLoopbackReceiver, type ReceivedRequest, type ReceiverAnswer } from './loopback-receiver.ts';
import { AnswerError, type Json, type SandboxClient } from './sandbox-client.ts';

/** A delivery whose signature was verified. */
export interface VerifiedDelivery extends ReceivedRequest {
  /** `X-Webhook-Sequence`; 0 for test deliveries. */
  readonly sequence: number;
  /** `webhook-id`: the same at every attempt. */
  readonly delivery_id: string;
  readonly data: DeliveredData;
}

/** The envelope's content (service specification 2.7). */
export interface DeliveredData {
  readonly date: string;
  readonly 'event-id': number;
  readonly payload: Json;
  readonly previous: Json | null;
  readonly type: string;
}

export interface LoopbackWebhook {
  readonly id: string;
  readonly callback_url: string;
  readonly secret: string;
  /**
   * Deletes the webhook and closes the receiver. If the deletion fails, it still closes the
   * receiver, and rejects.
   */
  close(): Promise<void>;
}

export interface LoopbackWebhookPorts {
  readonly client: SandboxClient;
  readonly event_type_ids: readonly number[];
  /** The start of the callback URL's path, by which the webhook can be recognized. */
  readonly purpose: 'listen' | 'demo';
  /** Called with each verified delivery; its result is the receiver's answer. */
  received(delivery: VerifiedDelivery): Promise<ReceiverAnswer>;
  /** Called with a request whose signature is invalid, and the reason; it is answered with 401. */
  unverified(request: ReceivedRequest, refused: Refused): void;
  readonly port?: number | undefined;
  /** 16 to 256 characters; a new one if absent. */
  readonly secret?: string | undefined;
}

/** The server cannot deliver to this machine's loopback. */
export class LoopbackUnreachable extends Error {
  override readonly name = 'LoopbackUnreachable';
}

/**
 * Starts a receiver, registers a webhook for it, and checks with a test delivery that the server
 * reaches it.
 */
export async function openLoopbackWebhook(ports: LoopbackWebhookPorts): Promise<LoopbackWebhook> {
  const { client, event_type_ids, purpose } = ports;
  // Generated here, so that a first delivery that overtakes the answer of the
  // registration can be verified.
  const secret = ports.secret ?? drawWebhookSecret({ bytes: randomBytes, below: randomInt });
  let callback_url = '';
  let is_probed = false;
  const receiver = await openLoopbackReceiver(async (request) => {
    const verification = await verifyDelivery(request, { secrets: secret, callback_url });
    if (!verification.verified) {
      ports.unverified(request, verification);
      return { status: 401, body: `the signature is invalid: ${verification.message}` };
    }
    const delivery = deliveryOf(request);
    if (delivery.sequence === 0 && !is_probed) return { status: 200 };
    return await ports.received(delivery);
  }, ports.port);
  callback_url = `${receiver.origin}/tallystick-${purpose}`;

  let id: string | null = null;
  const close = async (): Promise<void> => {
    try {
      if (id !== null) await client.delete(`/v1/webhooks/${id}`);
    } finally {
      await receiver.close();
    }
  };
  try {
    const registered = await client.post('client', '/v1/webhooks', { data: { callback_url, event_type_ids, secret } });
    id = String((registered.data as Json).id);
    const probe = (await client.get(`/v1/webhooks/${id}/test`)).data as { status: number; error?: string };
    if (probe.status !== 200) throw new LoopbackUnreachable(probe.error ?? `it got the answer ${probe.status}`);
    is_probed = true;
    return { id, callback_url, secret, close };
  } catch (error) {
    await close().catch(() => undefined); // report the earlier error
    const refused = error instanceof AnswerError ? error.fields.get('data.callback_url') : undefined;
    throw refused === undefined ? error : new LoopbackUnreachable(`callback_url ${refused}`);
  }
}

function deliveryOf({ headers, body }: ReceivedRequest): VerifiedDelivery {
  return {
    headers,
    body,
    sequence: Number(headers['x-webhook-sequence']),
    delivery_id: String(headers['webhook-id']),
    data: (JSON.parse(body) as { readonly data: DeliveredData }).data,
  };
}

export interface RegisteredWebhook {
  readonly id: string;
  readonly callback_url: string;
  readonly event_type_ids: readonly number[];
}

export async function listRegisteredWebhooks(client: SandboxClient): Promise<readonly RegisteredWebhook[]> {
  const webhooks: RegisteredWebhook[] = [];
  for (let path: string | null = '/v1/webhooks?page[limit]=100'; path !== null; ) {
    const page: Json = await client.get(path);
    for (const { url } of page.data as { url: string }[])
      webhooks.push((await client.get(url)).data as unknown as RegisteredWebhook);
    path = (page.links as { next: string | null }).next;
  }
  return webhooks;
}

/**
 * The webhook of each event type, by the type's id; 6 and 10 are one type. Webhooks that a killed
 * command left behind, whose receiver is gone, are deleted first and passed to `removed`.
 */
export async function findTakenTypes(
  client: SandboxClient,
  removed: (webhook: RegisteredWebhook) => void,
): Promise<ReadonlyMap<number, RegisteredWebhook>> {
  const taken = new Map<number, RegisteredWebhook>();
  for (const webhook of await listRegisteredWebhooks(client)) {
    if (await isLeftBehind(client, webhook)) {
      await client.delete(`/v1/webhooks/${webhook.id}`);
      removed(webhook);
    } else {
      for (const id of webhook.event_type_ids) taken.set(toCanonicalTypeId(id), webhook);
    }
  }
  return taken;
}

/** Whether its receiver is gone. A running listener does not notice the check. */
async function isLeftBehind(client: SandboxClient, { id, callback_url }: RegisteredWebhook): Promise<boolean> {
  const port = /^https:\/\/127\.0\.0\.1:(\d+)\/tallystick-(?:listen|demo)$/.exec(callback_url)?.[1];
  if (port === undefined || (await isListening(Number(port)))) return false;
  // Nothing listens here. The server, which may be on another machine, decides.
  const probe = (await client.get(`/v1/webhooks/${id}/test`)).data as { status: number };
  return probe.status === 0;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
