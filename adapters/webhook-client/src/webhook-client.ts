import type { Readable } from 'node:stream';
import {
  type WebhookAnswer,
  type WebhookRequest,
  type WebhookSender,
  webhook_request_ms_max,
} from '@tallystick/events';
import { abortAfter, machine_timers } from '@tallystick/kernel';
import type { Agent } from 'undici';
import { type ConnectionPorts, explain, guardedAgent, toDialableUrl } from './guarded-agent.ts';

/**
 * The stored part of an answer. The rest is read up to a limit, so that the connection can be
 * reused.
 */
const excerpt_bytes_max = 4_096;
const answer_bytes_max = 65_536;

/** The most callback URLs that are remembered as checked. */
const dialable_max = 10_000;

export interface WebhookClientPorts extends ConnectionPorts {
  /** In milliseconds; `webhook_request_ms_max` when absent, and at most. */
  readonly request_time_ms?: number;
}

/** A sender over undici. */
export function webhookClient(ports: WebhookClientPorts): WebhookSender {
  const { guard, timers = machine_timers } = ports;
  const time_ms = Math.min(ports.request_time_ms ?? webhook_request_ms_max, webhook_request_ms_max);
  const agent = guardedAgent(ports, time_ms);

  /**
   * URLs whose text was checked. The text of a URL and the guard never change. A restart of the map
   * limits its size.
   */
  const dialable = new Map<string, URL>();

  function dialableUrl(text: string): URL {
    let url = dialable.get(text);
    if (url === undefined) {
      url = toDialableUrl(text, guard);
      if (dialable.size >= dialable_max) dialable.clear();
      dialable.set(text, url);
    }
    return url;
  }

  return {
    async send(request) {
      const started = timers.monotonicNow();
      const measureDuration = () => Math.round(timers.monotonicNow() - started);
      try {
        const url = dialableUrl(request.callback_url);
        return await post(agent, url, request, time_ms, abortAfter(timers, time_ms), measureDuration);
      } catch (error) {
        return { kind: 'unanswered', ...explain(error, time_ms), duration_ms: measureDuration() };
      }
    },
    close: () => agent.close(),
  };
}

async function post(
  agent: Agent,
  url: URL,
  request: WebhookRequest,
  time_ms: number,
  signal: AbortSignal,
  measureDuration: () => number,
): Promise<WebhookAnswer> {
  const answer = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'POST',
    headers: request.headers,
    body: request.body,
    signal,
    headersTimeout: time_ms,
    bodyTimeout: time_ms,
  });
  const retry_after = answer.headers['retry-after'];
  return {
    kind: 'answered',
    status: answer.statusCode,
    excerpt: await readExcerpt(answer.body),
    retry_after: typeof retry_after === 'string' ? retry_after.slice(0, 100) : null,
    duration_ms: measureDuration(),
  };
}

/** The first 4 KiB as text. After 64 KiB the rest is not read, and the connection is closed. */
function readExcerpt(body: Readable): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  // Events cost less than an iteration, which pauses and resumes the stream.
  return new Promise((resolve, reject) => {
    const end = (): void => resolve(Buffer.concat(kept).toString('utf8'));
    body.on('data', (chunk: Buffer) => {
      if (bytes < excerpt_bytes_max) kept.push(chunk.subarray(0, excerpt_bytes_max - bytes));
      bytes += chunk.length;
      if (bytes <= answer_bytes_max) return;
      end();
      body.destroy();
    });
    body.on('end', end);
    body.on('error', reject);
  });
}
