import { performance } from 'node:perf_hooks';
import { styleText } from 'node:util';
import { event_types } from '@tallystick/events';
import { rootMessageOf } from '@tallystick/kernel';
import type { Refused } from '@tallystick/webhook-signature';
import { wrapText } from '../terminal-text.ts';
import { summarizeEvent } from './event-summary.ts';
import type { ReceivedRequest, ReceiverAnswer } from './loopback-receiver.ts';
import type { VerifiedDelivery } from './loopback-webhook.ts';

export interface ListenerPorts {
  readonly stream: NodeJS.WriteStream;
  /** One JSON object per delivery instead of text. */
  readonly json: boolean;
  /** The developer's program; null: every delivery is answered with 200. */
  readonly forward_url: string | null;
}

export interface Listener {
  received(delivery: VerifiedDelivery): Promise<ReceiverAnswer>;
  unverified(request: ReceivedRequest, refused: Refused): void;
  /** Deliveries printed so far, without repeated ones. */
  count(): number;
  stop(): void;
}

/** How long a delivery may be overtaken by later ones before it is reported as a gap. */
const overtaken_ms_max = 2_000;

const type_width = Math.max(...event_types.map(({ name }) => name.length));

/** The service waits 15 s for an answer. */
const forward_ms_max = 14_000;
const answer_length_max = 4_096;

/** Headers that are forwarded to the developer's program unchanged. */
const forwarded_headers =
  /^(content-type|user-agent|x-signature(-previous)?|x-timestamp|x-webhook-sequence|webhook-.*)$/;

export function createListener({ stream, json, forward_url }: ListenerPorts): Listener {
  const watch = createSequenceWatch();
  const reported_gaps = new Set<number>();
  let gap_timer: NodeJS.Timeout | null = null;
  let count = 0;

  const paint = (format: Parameters<typeof styleText>[0], text: string): string => styleText(format, text, { stream });
  const write = (text: string): void => void stream.write(`${text}\n`);

  function print({ sequence, delivery_id, data }: VerifiedDelivery, is_new: boolean, outcome: Outcome | null): void {
    if (json) {
      const forwarded = outcome === null ? {} : { forwarded: outcome };
      write(JSON.stringify({ sequence, delivery_id, is_new, verified: true, ...forwarded, data }));
      return;
    }
    const at = data.date.replace(/\.\d+Z$/, 'Z');
    const place = is_new ? `#${sequence}` : `#${sequence} again`;
    const head = `${paint('dim', at)}  ${place.padEnd(6)} ${paint('bold', data.type.padEnd(type_width))}`;
    const event = `${head} event ${data['event-id']}`;
    const summary = summarizeEvent(data.type, data.payload);
    const verified = paint('green', 'verified');
    write(stream.isTTY ? `${event}  ${verified}\n${wrapText(summary, '  ')}` : `${event}  ${summary}  ${verified}`);
    if (outcome !== null) {
      const color = outcome.status >= 200 && outcome.status <= 299 ? 'green' : 'yellow';
      const answer =
        outcome.error === undefined
          ? `${paint(color, String(outcome.status))} from ${forward_url} in ${outcome.duration_ms} ms`
          : paint(color, `${forward_url}: ${outcome.error}; the delivery was answered with ${outcome.status}`);
      write(`${' '.repeat(22)}${answer}`);
    }
  }

  function watchForGaps(): void {
    if (gap_timer !== null || watch.missing().every((sequence) => reported_gaps.has(sequence))) return;
    gap_timer = setTimeout(() => {
      gap_timer = null;
      const gaps = watch.missing().filter((sequence) => !reported_gaps.has(sequence));
      for (const sequence of gaps) reported_gaps.add(sequence);
      if (gaps.length > 0) reportGap(gaps);
    }, overtaken_ms_max);
  }

  function reportGap(sequences: readonly number[]): void {
    if (json) {
      write(JSON.stringify({ gap: sequences }));
      return;
    }
    const gap = `Gap: ${sequences.map((sequence) => `#${sequence}`).join(', ')} not received`;
    write(
      paint(
        'yellow',
        `${gap}. Failed deliveries are retried by the schedule; the list of deliveries shows their attempts.`,
      ),
    );
  }

  return {
    async received(delivery) {
      const is_new = delivery.sequence === 0 || watch.record(delivery.sequence);
      if (is_new) count += 1;
      watchForGaps();
      const forwarded = forward_url === null ? null : await forward(forward_url, delivery);
      print(delivery, is_new, forwarded?.outcome ?? null);
      return forwarded?.answer ?? { status: 200 };
    },
    unverified({ headers }, { reason, message }) {
      const sequence = String(headers['x-webhook-sequence'] ?? 'none').replace(/[^\w]/g, '');
      if (json) write(JSON.stringify({ verified: false, reason }));
      else {
        const what = `A request with an invalid signature was answered with 401 (sequence ${sequence})`;
        write(paint('red', `${what}: ${message}.`));
      }
    },
    count: () => count,
    stop() {
      if (gap_timer !== null) clearTimeout(gap_timer);
    },
  };
}

/** The answer of the developer's program; 502 or 504, with a reason, if it did not answer. */
interface Outcome {
  readonly status: number;
  readonly error?: string;
  readonly duration_ms: number;
}

async function forward(
  url: string,
  { headers, body }: VerifiedDelivery,
): Promise<{ readonly outcome: Outcome; readonly answer: ReceiverAnswer }> {
  const started_ms = performance.now();
  const measureDuration = (): number => Math.round(performance.now() - started_ms);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: Object.entries(headers).filter(
        (header): header is [string, string] => forwarded_headers.test(header[0]) && typeof header[1] === 'string',
      ),
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(forward_ms_max),
    });
    const text = (await response.text()).slice(0, answer_length_max);
    const { status } = response;
    return { outcome: { status, duration_ms: measureDuration() }, answer: { status, body: text } };
  } catch (error) {
    const is_late = error instanceof Error && error.name === 'TimeoutError';
    const status = is_late ? 504 : 502;
    const why = is_late ? `no answer within ${forward_ms_max} ms` : `no answer: ${rootMessageOf(error)}`;
    return { outcome: { status, error: why, duration_ms: measureDuration() }, answer: { status, body: why } };
  }
}

/** The received sequence numbers of a webhook: 1, 2, 3 ..., possibly late or repeated. */
export interface SequenceWatch {
  /** Records a number. False if it had been recorded before. */
  record(sequence: number): boolean;
  /** The missing numbers below the highest, in order. */
  missing(): readonly number[];
  highest(): number;
}

/**
 * Concurrent deliveries overtake each other, so a missing number is a gap only if it stays missing.
 */
export function createSequenceWatch(): SequenceWatch {
  const missing = new Set<number>();
  let highest = 0;
  return {
    record(sequence) {
      if (sequence <= highest) return missing.delete(sequence);
      for (let between = highest + 1; between < sequence; between += 1) missing.add(between);
      highest = sequence;
      return true;
    },
    missing: () => [...missing].sort((a, b) => a - b),
    highest: () => highest,
  };
}
