import type { OverloadReason } from '@tallystick/cards';
import type { Metrics } from '@tallystick/koa';
import type { Logger } from 'pino';

/** The shortest time between two lines about faults of one kind. */
const between_lines_ms = 60_000;

/** The fields of a line about a fault. */
export interface RepeatedFault {
  readonly err: unknown;
  /** Faults of this kind since the previous line that have no line. Absent when there are none. */
  readonly suppressed?: number;
}

/**
 * Returns a function to call for each fault. It passes the first fault of a kind to `write`
 * immediately, and then at most one in a minute, with the number of those that it left out. A
 * service that is unavailable would otherwise be a line a second. `monotonicNow` counts
 * milliseconds from any origin.
 */
export function createFaultReporter<Kind extends string>(
  write: (fault: RepeatedFault, kind: Kind) => void,
  monotonicNow: () => number,
): (err: unknown, kind: Kind) => void {
  const last = new Map<Kind, { written_at_ms: number; suppressed: number }>();
  return (err, kind) => {
    const now_ms = monotonicNow();
    const of_kind = last.get(kind);
    if (of_kind !== undefined && now_ms - of_kind.written_at_ms < between_lines_ms) {
      of_kind.suppressed += 1;
      return;
    }
    const suppressed = of_kind?.suppressed ?? 0;
    last.set(kind, { written_at_ms: now_ms, suppressed: 0 });
    write({ err, ...(suppressed === 0 ? {} : { suppressed }) }, kind);
  };
}

/** The shortest time between two lines about load. */
const between_overload_lines_ms = 10_000;

/**
 * Returns a function to call for each network message that is refused because of load. It counts
 * each of them in the metrics. It logs the first immediately and the following ones together.
 * `monotonicNow` counts milliseconds from any origin.
 */
export function createOverloadLogger(
  metrics: Pick<Metrics, 'messageRefused'>,
  logger: Pick<Logger, 'error'>,
  monotonicNow: () => number,
): (reason: OverloadReason) => void {
  let logged_at_ms = Number.NEGATIVE_INFINITY;
  let refused = 0;
  return (reason) => {
    metrics.messageRefused(reason);
    refused += 1;
    const now_ms = monotonicNow();
    if (now_ms - logged_at_ms < between_overload_lines_ms) return;
    logger.error({ refused, reason }, 'too many network messages wait: they are answered 503');
    logged_at_ms = now_ms;
    refused = 0;
  };
}
