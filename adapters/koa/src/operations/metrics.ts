import {
  type ClearingClass,
  type ConsultationOutcome,
  clearing_classes,
  consultation_outcomes,
  type OverloadReason,
  outcomes,
  overload_reasons,
  unread_item,
} from '@tallystick/cards';
import type { SubscriptionReading } from '@tallystick/events';
import { type Import, import_statuses } from '@tallystick/imports';
import { type Clock, type RetentionKind, retention_kinds, type UnsealedAuditEntries } from '@tallystick/kernel';
import {
  age_buckets,
  break_kinds,
  bucketOf,
  type InboxBacklog,
  item_statuses,
  type SummaryCell,
} from '@tallystick/reconciliation';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What the metrics of the audit log show. */
export interface AuditLogReading extends UnsealedAuditEntries {
  readonly newest_number: number;
}

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
  /** An authorization message was answered without being read: its code is U. */
  undecided(): void;
  /**
   * A company was asked about a request: it answered, or why not. `ms` is how long the question was
   * with it; null: it was not asked.
   */
  consultation(outcome: ConsultationOutcome, ms: number | null): void;
  /** A clearing of this class was recorded. */
  clearing(clearing_class: ClearingClass): void;
  /** Makes the number of failed runs of this job known, which is 0 so far. */
  countJob(job: string): void;
  /** A run of this job failed. */
  jobFailed(job: string): void;
  /** A pass of the decision path committed this many messages. */
  pass(messages: number): void;
  /** A pass counted wrong codes of cards, and so many cards reached the most of a day with them. */
  codeFailures(counted: { readonly failures: number; readonly lockouts: number }): void;
  /** A network message was refused without a decision, because of load. */
  messageRefused(reason: OverloadReason): void;
  /**
   * A request was refused because of load: the requests in progress, bodies, look-ups of unknown
   * keys, or the share of its company.
   */
  requestRefused(): void;
  /**
   * Registers a reader of the number of requests in flight. It is called when the metrics are read.
   */
  watchInFlight(in_flight: () => number): void;
  /** Registers a reader of the bytes of all bodies. It is called when the metrics are read. */
  watchBodies(bytes: () => number): void;
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
   * Registers a reader of what reconciliation has left to do and of the items of all companies. It
   * is called when the metrics are read. `clock` is the clock of their times.
   */
  watchReconciliation(read: () => Promise<ReconciliationReading>, clock: Clock): void;
  /**
   * Registers a reader of the audit entries that are not sealed, and of the number of the newest
   * sealed one. It is called when the metrics are read. `clock` is the clock of their times.
   */
  watchAuditLog(read: () => Promise<AuditLogReading>, clock: Clock): void;
  /**
   * Registers a reader of the number of open quarantined records. It is called when the metrics are
   * read.
   */
  watchQuarantine(read: () => Promise<number>): void;
  /** An import ended, or was released and ended, in this process. */
  importEnded(ended: Pick<Import, 'status' | 'applied' | 'duplicates' | 'quarantined'>): void;
  /** Sets the part of the numbers of a real card's account range that belong to cards. */
  accountRangeUsed(rcn_id: number, ratio: number): void;
  /** Registers a reader of the number of migrations that a newer version has applied. */
  watchNewerMigrations(read: () => number): void;
  /** Registers a reader of whether webhooks are delivered (WEBHOOKS). */
  watchWebhooksOn(read: () => boolean): void;
  /**
   * Registers a reader of the subscriptions of the database. It is called when the metrics are
   * read. `clock` is the clock of their times.
   */
  watchSubscriptions(read: () => Promise<readonly SubscriptionReading[]>, clock: Clock): void;
  /** Lines of the log were dropped, because they could not be written. */
  logDropped(lines: number): void;
  /** Rows whose retention time was over were removed. */
  rowsPurged(kind: RetentionKind, count: number): void;
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
  /** Failing webhooks, whose deliveries do not count in `oldest_due_at_ms`. */
  readonly failing: number;
}

export interface MetricsOptions {
  /** Also memory, event loop delay and garbage collection of this process. True when absent. */
  readonly process_metrics?: boolean;
  /** What runs here, for `tallystick_build_info`. Absent: no such metric. */
  readonly build?: Readonly<Record<'version' | 'database' | 'role', string>>;
}

/**
 * Creates the metrics of a process. Counters whose labels are known begin at 0, so that the first
 * increase is seen as one.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
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
  for (const { code } of outcomes) decisions.inc({ code }, 0);
  const consultations = new Counter({
    name: 'tallystick_consultations_total',
    help: 'Requests about which a company was to be asked: it answered, or why not',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of consultation_outcomes) consultations.inc({ outcome }, 0);
  const consultation_time = new Histogram({
    name: 'tallystick_consultation_duration_seconds',
    help: 'Time for which a question was with a company, until its answer or its time-out',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2],
    registers,
  });
  const clearings = new Counter({
    name: 'tallystick_clearings_total',
    help: 'Recorded clearings by class',
    labelNames: ['class'],
    registers,
  });
  for (const clearing_class of clearing_classes) clearings.inc({ class: clearing_class }, 0);
  const job_failures = new Counter({
    name: 'tallystick_job_failures_total',
    help: 'Runs of a job that failed; it runs again at its next turn',
    labelNames: ['job'],
    registers,
  });
  if (options.build !== undefined) {
    new Gauge({
      name: 'tallystick_build_info',
      help: 'Always 1; the labels state what runs here',
      labelNames: ['version', 'node', 'database', 'role'],
      registers,
    }).set({ ...options.build, node: process.versions.node }, 1);
  }
  const passes = new Histogram({
    name: 'tallystick_pass_messages',
    help: 'Messages of the network that one pass committed together',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const code_failures = new Counter({
    name: 'tallystick_code_failures_total',
    help: 'Messages with a wrong card verification code',
    registers,
  });
  const code_lockouts = new Counter({
    name: 'tallystick_code_lockouts_total',
    help: 'Cards on which every code counts as wrong until the end of the UTC day, after too many wrong ones',
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
    help: 'Requests that were refused because of load: their number, their bodies, look-ups of unknown keys, or the share of a company',
    registers,
  });
  const attempts = new Histogram({
    name: 'tallystick_delivery_attempt_duration_seconds',
    help: 'Time of one attempt to deliver an event to a webhook, by outcome',
    labelNames: ['outcome'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers,
  });
  for (const outcome of ['succeeded', 'failed', 'retried']) attempts.zero({ outcome });
  const mails = new Counter({
    name: 'tallystick_mail_attempts_total',
    help: 'Attempts to send a mail, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['sent', 'failed', 'retried']) mails.inc({ outcome }, 0);
  const purged = new Counter({
    name: 'tallystick_rows_purged_total',
    help: 'Rows that were removed after their retention time, by kind; authorizations and clearings are reduced',
    labelNames: ['kind'],
    registers,
  });
  for (const kind of retention_kinds) purged.inc({ kind }, 0);
  const imports = new Counter({
    name: 'tallystick_imports_total',
    help: 'Imports of clearing files that ended, by status',
    labelNames: ['status'],
    registers,
  });
  for (const status of import_statuses) if (status !== 'running') imports.inc({ status }, 0);
  const imported = new Counter({
    name: 'tallystick_import_records_total',
    help: 'Records of imports that ended, by what became of them',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['applied', 'duplicate', 'quarantined']) imported.inc({ outcome }, 0);
  const account_range_used = new Gauge({
    name: 'tallystick_account_range_used_ratio',
    help: 'The part of the numbers of the account range of a real card that belong to cards of any real card',
    labelNames: ['rcn_id'],
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
  const dropped_lines = new Counter({
    name: 'tallystick_log_lines_dropped_total',
    help: 'Lines of the log that were not written, because nobody read them or the disk was full',
    registers,
  });
  let body_bytes: () => number = () => 0;
  new Gauge({
    name: 'tallystick_http_body_bytes',
    help: 'Memory of the bodies that are being received or worked on',
    registers,
    collect() {
      this.set(body_bytes());
    },
  });
  return {
    request(method, route, status, duration_ms) {
      requests.observe({ method, route, status }, duration_ms / 1000);
    },
    decision(code) {
      decisions.inc({ code });
    },
    undecided() {
      decisions.inc({ code: unread_item.decline_reason });
    },
    consultation(outcome, ms) {
      consultations.inc({ outcome });
      if (ms !== null) consultation_time.observe(ms / 1_000);
    },
    clearing(clearing_class) {
      clearings.inc({ class: clearing_class });
    },
    countJob(job) {
      job_failures.inc({ job }, 0);
    },
    jobFailed(job) {
      job_failures.inc({ job });
    },
    pass(messages) {
      passes.observe(messages);
    },
    codeFailures({ failures, lockouts }) {
      code_failures.inc(failures);
      code_lockouts.inc(lockouts);
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
    watchReconciliation: (read, clock) => watchReconciliation(registers, read, clock),
    importEnded({ status, applied, duplicates, quarantined }) {
      imports.inc({ status });
      imported.inc({ outcome: 'applied' }, applied);
      imported.inc({ outcome: 'duplicate' }, duplicates);
      imported.inc({ outcome: 'quarantined' }, quarantined);
    },
    accountRangeUsed(rcn_id, ratio) {
      account_range_used.set({ rcn_id }, ratio);
    },
    watchQuarantine(read) {
      const gauge = gaugesOf(registers, read);
      gauge('quarantine_open', 'Refused clearings that are kept and not applied', (count) => count);
    },
    watchAuditLog(read, clock) {
      const gauge = gaugesOf(registers, read);
      gauge('audit_entries_unsealed', 'Audit entries that are not sealed, at most 10,000', ({ count }) => count);
      gauge(
        'audit_newest_number',
        'The number of the newest sealed audit entry. It never falls',
        ({ newest_number }) => newest_number,
      );
      gauge('audit_oldest_unsealed_age_seconds', 'How long the oldest of them has waited', ({ oldest_at_ms }) =>
        oldest_at_ms === null ? 0 : Math.max(0, clock.nowMs() - oldest_at_ms) / 1000,
      );
    },
    watchNewerMigrations(read) {
      const gauge = gaugesOf(registers, async () => read());
      gauge('schema_newer_migrations', 'Migrations of the database that this version does not know', (count) => count);
    },
    watchWebhooksOn(read) {
      const gauge = gaugesOf(registers, async () => read());
      gauge('webhooks_on', 'Whether webhooks are delivered: 0 while they are off', Number);
    },
    watchSubscriptions: (read, clock) => watchSubscriptions(registers, read, clock),
    rowsPurged(kind, count) {
      purged.inc({ kind }, count);
    },
    watchInFlight(count) {
      in_flight = count;
    },
    watchBodies(bytes) {
      body_bytes = bytes;
    },
    logDropped(lines) {
      dropped_lines.inc(lines);
    },
    content_type: registry.contentType,
    read: () => registry.metrics(),
  };
}

function watchDeliveries(registers: Registry[], read: () => Promise<DeliveryBacklog>, clock: Clock): void {
  const gauge = gaugesOf(registers, read);
  gauge('deliveries_pending', 'Deliveries of active webhooks that are not finished', ({ pending }) => pending);
  gauge('delivery_queue_depth', 'Offers of deliveries that wait in the queue', ({ queue_depth }) => queue_depth);
  gauge(
    'delivery_oldest_due_age_seconds',
    'How long the oldest due delivery of a webhook that is not failing has waited',
    (backlog) => dueAge(backlog, clock),
  );
  gauge('webhooks_failing', 'Active webhooks whose last attempts failed', ({ failing }) => failing);
}

/** A gauge has one value for each subscription, and none while the database is unavailable. */
function watchSubscriptions(
  registers: Registry[],
  read: () => Promise<readonly SubscriptionReading[]>,
  clock: Clock,
): void {
  const current = oncePerCollection(read);
  const gauge = (name: string, help: string, value: (of: SubscriptionReading) => number): void => {
    new Gauge({
      name: `tallystick_subscription_${name}`,
      help,
      labelNames: ['subscription'],
      registers,
      async collect() {
        // A subscription that was removed has no value any more.
        const readings = (await current()) ?? [];
        this.reset();
        for (const reading of readings) this.set({ subscription: reading.name }, value(reading));
      },
    });
  };
  gauge(
    'waiting_events',
    'Events of the subscription among the next 1,000 events of the log after its position',
    ({ waiting }) => waiting,
  );
  gauge('oldest_waiting_age_seconds', 'How long the oldest event has waited that is not known to be handled', (its) =>
    dueAge({ oldest_due_at_ms: its.oldest_at_ms }, clock),
  );
  gauge('ids_behind', 'Ids of the event log after the position, of events of any type', (its) => its.ids_behind);
  gauge('owned', 'Whether a process works on the subscription: 1 or 0', ({ is_owned }) => Number(is_owned));
}

/** What reconciliation has left to do, and its items. */
export interface ReconciliationReading extends InboxBacklog {
  readonly cells: readonly SummaryCell[];
}

function watchReconciliation(registers: Registry[], read: () => Promise<ReconciliationReading>, clock: Clock): void {
  const gauge = gaugesOf(registers, read);
  gauge(
    'reconciliation_waiting',
    'Records that items do not take into account yet, at most 100,000',
    ({ waiting }) => waiting,
  );
  gauge(
    'reconciliation_oldest_waiting_age_seconds',
    'How long the oldest of these records has waited',
    ({ oldest_at_ms }) => dueAge({ oldest_due_at_ms: oldest_at_ms }, clock),
  );
  for (const status of item_statuses) {
    gauge(`reconciliation_items_${status}`, `Items of all companies with the status ${status}`, ({ cells }) =>
      countOf(cells, (cell) => cell.status === status),
    );
  }
  const breaks = new Gauge({
    name: 'tallystick_reconciliation_breaks',
    help: 'Breaks of all companies by kind and by the days since they were due',
    labelNames: ['kind', 'age'],
    registers,
    async collect() {
      const cells = await read().then(
        (reading) => reading.cells,
        () => null,
      );
      const now_ms = clock.nowMs();
      for (const kind of break_kinds) {
        for (const { name: age } of age_buckets) {
          const isCounted = (cell: SummaryCell) =>
            cell.status === 'break' &&
            cell.kind === kind &&
            cell.due_date !== null &&
            bucketOf(cell.due_date, now_ms) === age;
          breaks.set({ kind, age }, cells === null ? Number.NaN : countOf(cells, isCounted));
        }
      }
    },
  });
}

function countOf(cells: readonly SummaryCell[], isCounted: (cell: SummaryCell) => boolean): number {
  return cells.filter(isCounted).reduce((total, { count }) => total + count, 0);
}

function dueAge({ oldest_due_at_ms }: Pick<MailBacklog, 'oldest_due_at_ms'>, clock: Clock): number {
  const now_ms = clock.nowMs();
  return Math.max(0, now_ms - (oldest_due_at_ms ?? now_ms)) / 1000;
}

/** Creates several gauges from one reading, which is done once per collection. */
function gaugesOf<Reading>(registers: Registry[], read: () => Promise<Reading>) {
  const current = oncePerCollection(read);
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

/** Gauges that are collected together share a reading. It is null while it fails. */
function oncePerCollection<Reading>(read: () => Promise<Reading>): () => Promise<Reading | null> {
  let reading: Promise<Reading | null> | null = null;
  return () => {
    reading ??= read()
      .catch(() => null)
      .finally(() => {
        reading = null;
      });
    return reading;
  };
}
