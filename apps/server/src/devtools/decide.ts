/**
 * `npm run listen -- --decide ...`: the decision endpoint of the sandbox's company while it runs. It
 * answers every request alike, as a developer wants to see it. At the end the former endpoint is
 * back.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { drawWebhookSecret } from '@tallystick/events';
import { verifyDelivery } from '@tallystick/webhook-signature';
import { formatMoney, formatPlain } from './event-summary.ts';
import { openLoopbackReceiver, type ReceivedRequest, type ReceiverAnswer } from './loopback-receiver.ts';
import { AnswerError, type Json, type SandboxClient } from './sandbox-client.ts';

export const ways_to_decide = ['approve', 'decline', 'slow', 'late', 'twice', 'garbage'] as const;

export type WayToDecide = (typeof ways_to_decide)[number];

const path = '/v1/decision-endpoint';
const url_path = '/tallystick-decide';

/** How much before or after the time-out an answer comes that is slow or late, milliseconds. */
const margin_ms = 400;

interface Endpoint {
  readonly url: string;
  readonly timeout_ms: number;
  readonly status: string;
}

export interface DecidingPorts {
  readonly client: SandboxClient;
  readonly way: WayToDecide;
  readonly port?: number | undefined;
  /** The secret of the present endpoint. Absent: signatures are checked only of a new one. */
  readonly secret?: string | undefined;
  /** Called with a line for each request. */
  readonly say: (line: string) => void;
}

export interface Deciding {
  readonly url: string;
  readonly count: () => number;
  /** Puts the former endpoint back, or deletes the endpoint. Returns which in words. */
  close(): Promise<string>;
}

/** Becomes the decision endpoint of the company. */
export async function openDeciding({ client, way, port, secret: given, say }: DecidingPorts): Promise<Deciding> {
  const found = await readEndpoint(client);
  // What a killed listener has left behind is not put back.
  const former = found?.url.endsWith(url_path) === true ? null : found;
  if (former === null && found !== null) await client.delete(path);
  const secret = former === null ? (given ?? drawWebhookSecret({ bytes: randomBytes, below: randomInt })) : given;
  let url = '';
  let timeout_ms = former?.timeout_ms ?? 1_500;
  let count = 0;

  const receiver = await openLoopbackReceiver(async (request) => {
    const signed = await signatureOf(request, secret, url);
    const { data } = JSON.parse(request.body) as { readonly data: Json };
    count += 1;
    const { amount, currency, id, authorization } = data;
    const merchant = (authorization as Json).merchant_name ?? (authorization as Json).merchant_id ?? 'a merchant';
    const what = `${data.test === true ? 'test ' : ''}${id}  ${formatMoney(amount, currency)} at ${merchant}`;
    say(formatPlain(`${what}  ${signed}  ${way}`));
    return await answerIn(way, timeout_ms);
  }, port);
  url = receiver.origin + url_path;

  async function restore(): Promise<string> {
    if (former === null) {
      await client.delete(path);
      return 'the decision endpoint is deleted';
    }
    await client.patch(path, { data: { url: former.url, status: former.status } });
    return `the decision endpoint is ${former.url} again`;
  }

  try {
    const made =
      former === null
        ? await client.put(path, { data: { url, secret } })
        : await client.patch(path, { data: { url, status: 'active' } });
    timeout_ms = (made.data as unknown as Endpoint).timeout_ms;
  } catch (error) {
    await receiver.close();
    throw error;
  }
  return {
    url,
    count: () => count,
    async close() {
      try {
        return await restore();
      } finally {
        await receiver.close();
      }
    },
  };
}

async function readEndpoint(client: SandboxClient): Promise<Endpoint | null> {
  try {
    return (await client.get(path)).data as unknown as Endpoint;
  } catch (error) {
    if (error instanceof AnswerError && error.status === 404) return null;
    throw error;
  }
}

async function signatureOf(request: ReceivedRequest, secret: string | undefined, url: string): Promise<string> {
  if (secret === undefined) return 'not verified (--secret)';
  const verification = await verifyDelivery(request, { secrets: secret, callback_url: url });
  return verification.verified ? 'verified' : `invalid signature: ${verification.message}`;
}

async function answerIn(way: WayToDecide, timeout_ms: number): Promise<ReceiverAnswer> {
  const of = (decision: string): ReceiverAnswer => ({
    status: 200,
    content_type: 'application/json',
    body: JSON.stringify({ decision }),
  });
  switch (way) {
    case 'decline':
      return of('decline');
    case 'slow':
      await pause(Math.max(0, timeout_ms - margin_ms));
      return of('approve');
    case 'late':
      await pause(timeout_ms + margin_ms);
      return of('approve');
    case 'twice':
      return { ...of('approve'), is_sent_twice: true };
    case 'garbage':
      return { ...of('approve'), body: '{"decison":"yes"' };
    default:
      return of('approve');
  }
}
