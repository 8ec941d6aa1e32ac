import type { Clock } from '@tallystick/kernel';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What the service counts, for `/metrics`. One per process: the composition root hands it to whoever has something to count. */
export interface Metrics {
  /** A request was answered. `route` is the template (`/v1/virtualcards/:id`), so that the series stay few. */
  request(method: string, route: string, status: number, duration_ms: number): void;
  /** An authorization message was answered; the code of `vcn_response` (V, or why it was declined). */
  decision(code: string): void;
  /** A pass of the decision path committed this many messages. */
  pass(messages: number): void;
  /** A message of the network found no place in the queue before the decision path. */
  messageRefused(): void;
  /** Says how many requests are in flight, whenever the metrics are read. */
  watchInFlight(in_flight: () => number): void;
  /** An attempt of a delivery ended: it succeeded, failed for good, or is tried again later. */
  attempt(outcome: 'succeeded' | 'failed' | 'retried', duration_ms: number): void;
  /** Says how many deliveries wait, whenever the metrics are read. `now` is the clock that they are due by. */
  watchDeliveries(read: () => Promise<DeliveryBacklog>, clock: Clock): void;
  /** An attempt to send a mail ended: it was sent, has failed for good, or is tried again later. */
  mail(outcome: 'sent' | 'failed' | 'retried'): void;
  /** Says how many mails wait, whenever the metrics are read. `now` is the clock that they are due by. */
  watchMails(read: () => Promise<MailBacklog>, clock: Clock): void;
  readonly content_type: string;
  /** The metrics in the Prometheus text format. */
  read(): Promise<string>;
}

/** Mails that are not over. */
export interface MailBacklog {
  readonly pending: number;
  /** When the first of them is or was due, epoch milliseconds; null when there is none. */
  readonly oldest_due_at_ms: number | null;
}

/** Deliveries that are not over. */
export interface DeliveryBacklog extends MailBacklog {
  /** Offers that wait in the queue. */
  readonly queue_depth: number;
}

/** `process_metrics`: also memory, event loop delay and garbage collection of this process. */
export function createMetrics(options: { readonly process_metrics?: boolean } = {}): Metrics {
  const registry = new Registry();
  if (options.process_metrics ?? true) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Histogram({
    name: 'tallystick_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer, by route template and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const decisions = new Counter({
    name: 'tallystick_authorization_decisions_total',
    help: 'Answered authorization messages by answer code: V is valid, the others say why not',
    labelNames: ['code'],
    registers,
  });
  const passes = new Histogram({
    name: 'tallystick_pass_messages',
    help: 'Messages of the network that one pass committed together',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const refused_messages = new Counter({
    name: 'tallystick_network_messages_refused_total',
    help: 'Messages of the network that were not taken because too many waited already',
    registers,
  });
  const attempts = new Histogram({
    name: 'tallystick_delivery_attempt_duration_seconds',
    help: 'Time of one attempt to deliver an event to a webhook, by outcome',
    labelNames: ['outcome'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers,
  });
  const mails = new Counter({
    name: 'tallystick_mail_attempts_total',
    help: 'Attempts to send a mail, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  let in_flight: () => number = () => 0;
  new Gauge({
    name: 'tallystick_http_requests_in_flight',
    help: 'Requests whose answer is not out yet',
    registers,
    collect() {
      this.set(in_flight());
    },
  });
  return {
    request(method, route, status, duration_ms) {
      requests.observe({ method, route, status }, duration_ms / 1000);
    },
    decision(code) {
      decisions.inc({ code });
    },
    pass(messages) {
      passes.observe(messages);
    },
    messageRefused() {
      refused_messages.inc();
    },
    attempt(outcome, duration_ms) {
      attempts.observe({ outcome }, duration_ms / 1000);
    },
    watchDeliveries: (read, clock) => watchDeliveries(registers, read, clock),
    mail(outcome) {
      mails.inc({ outcome });
    },
    watchMails(read, clock) {
      const gauge = gaugesOf(registers, read);
      gauge('mails_pending', 'Mails that are not sent yet', ({ pending }) => pending);
      gauge('mail_oldest_due_age_seconds', 'How long the oldest due mail has waited', (told) => dueAge(told, clock));
    },
    watchInFlight(count) {
      in_flight = count;
    },
    content_type: registry.contentType,
    read: () => registry.metrics(),
  };
}

function watchDeliveries(registers: Registry[], read: () => Promise<DeliveryBacklog>, clock: Clock): void {
  const gauge = gaugesOf(registers, read);
  gauge('deliveries_pending', 'Deliveries of active webhooks that are not over', ({ pending }) => pending);
  gauge('delivery_queue_depth', 'Offers of deliveries that wait in the queue', ({ queue_depth }) => queue_depth);
  gauge('delivery_oldest_due_age_seconds', 'How long the oldest due delivery has waited', (told) =>
    dueAge(told, clock),
  );
}

function dueAge({ oldest_due_at_ms }: MailBacklog, clock: Clock): number {
  const now_ms = clock.now().epochMilliseconds;
  return Math.max(0, now_ms - (oldest_due_at_ms ?? now_ms)) / 1000;
}

/** Makes gauges of one reading. They are collected together: it serves them all. */
function gaugesOf<Told>(registers: Registry[], read: () => Promise<Told>) {
  let reading: Promise<Told | null> | null = null;
  /** Null while the database or the queue is away. */
  const current = (): Promise<Told | null> => {
    reading ??= read()
      .catch(() => null)
      .finally(() => {
        reading = null;
      });
    return reading;
  };
  return (name: string, help: string, value: (of: Told) => number) =>
    new Gauge({
      name: `tallystick_${name}`,
      help,
      registers,
      async collect() {
        const told = await current();
        this.set(told === null ? Number.NaN : value(told));
      },
    });
}
