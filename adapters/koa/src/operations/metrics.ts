import { type OverloadReason, overload_reasons } from '@tallystick/cards';
import type { Clock } from '@tallystick/kernel';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * The counters of the service, for `/metrics`. One per process: the composition root passes it to
 * every part that counts.
 */
export interface Metrics {
  /**
   * A request was answered. `route` is the template (`/v1/virtualcards/:id`), so that the number of
   * series is small.
   */
  request(method: string, route: string, status: number, duration_ms: number): void;
  /**
   * An authorization message was answered. `code` is the code of `vcn_response` (V, or the reason
   * of the decline).
   */
  decision(code: string): void;
  /** A pass of the decision path committed this many messages. */
  pass(messages: number): void;
  /** A network message was refused without a decision, because of load. */
  messageRefused(reason: OverloadReason): void;
  /** A request was refused because too many were in progress. */
  requestRefused(): void;
  /**
   * Registers a reader of the number of requests in flight. It is called when the metrics are read.
   */
  watchInFlight(in_flight: () => number): void;
  /** An attempt of a delivery ended: it succeeded, failed permanently, or is tried again later. */
  attempt(outcome: 'succeeded' | 'failed' | 'retried', duration_ms: number): void;
  /**
   * Registers a reader of the waiting deliveries. It is called when the metrics are read. `clock`
   * is the clock that decides when they are due.
   */
  watchDeliveries(read: () => Promise<DeliveryBacklog>, clock: Clock): void;
  /** An attempt to send a mail ended: it was sent, failed permanently, or is tried again later. */
  mail(outcome: 'sent' | 'failed' | 'retried'): void;
  /**
   * Registers a reader of the waiting mails. It is called when the metrics are read. `clock` is the
   * clock that decides when they are due.
   */
  watchMails(read: () => Promise<MailBacklog>, clock: Clock): void;
  /**
   * Registers a reader of the number of full segments of the event log whose filters are not
   * indexed. It is called when the metrics are read.
   */
  watchUnindexedSegments(read: () => Promise<number>): void;
  /**
   * Registers a reader of the number of open quarantined records. It is called when the metrics are
   * read.
   */
  watchQuarantine(read: () => Promise<number>): void;
  readonly content_type: string;
  /** The metrics in the Prometheus text format. */
  read(): Promise<string>;
}

/** Mails that are not finished. */
export interface MailBacklog {
  readonly pending: number;
  /** The earliest due time of these, epoch milliseconds; null when there is none. */
  readonly oldest_due_at_ms: number | null;
}

/** Deliveries that are not finished. */
export interface DeliveryBacklog extends MailBacklog {
  /** Waiting offers in the queue. */
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
    help: 'Answered authorization messages by answer code: V is valid, the others state the reason',
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
    help: 'Messages of the network that were refused without a decision because of load, by reason',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of overload_reasons) refused_messages.inc({ reason }, 0);
  const refused_requests = new Counter({
    name: 'tallystick_http_requests_refused_total',
    help: 'Requests that were refused because too many were in progress',
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
    help: 'Requests whose answer is not sent yet',
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
    messageRefused(reason) {
      refused_messages.inc({ reason });
    },
    requestRefused() {
      refused_requests.inc();
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
      gauge('mail_oldest_due_age_seconds', 'How long the oldest due mail has waited', (backlog) =>
        dueAge(backlog, clock),
      );
    },
    watchUnindexedSegments(read) {
      gaugesOf(registers, read)(
        'event_segments_unindexed',
        'Full segments of the event log whose filters are not indexed',
        (segments) => segments,
      );
    },
    watchQuarantine(read) {
      const gauge = gaugesOf(registers, read);
      gauge('quarantine_open', 'Refused clearings that are kept and not applied', (count) => count);
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
  gauge('deliveries_pending', 'Deliveries of active webhooks that are not finished', ({ pending }) => pending);
  gauge('delivery_queue_depth', 'Offers of deliveries that wait in the queue', ({ queue_depth }) => queue_depth);
  gauge('delivery_oldest_due_age_seconds', 'How long the oldest due delivery has waited', (backlog) =>
    dueAge(backlog, clock),
  );
}

function dueAge({ oldest_due_at_ms }: MailBacklog, clock: Clock): number {
  const now_ms = clock.now().epochMilliseconds;
  return Math.max(0, now_ms - (oldest_due_at_ms ?? now_ms)) / 1000;
}

/** Creates several gauges from one reading, which is done once per collection. */
function gaugesOf<Reading>(registers: Registry[], read: () => Promise<Reading>) {
  let reading: Promise<Reading | null> | null = null;
  /** Null while the database or the queue is unavailable. */
  const current = (): Promise<Reading | null> => {
    reading ??= read()
      .catch(() => null)
      .finally(() => {
        reading = null;
      });
    return reading;
  };
  return (name: string, help: string, value: (of: Reading) => number) =>
    new Gauge({
      name: `tallystick_${name}`,
      help,
      registers,
      async collect() {
        const latest = await current();
        this.set(latest === null ? Number.NaN : value(latest));
      },
    });
}
