import type { OverloadReason } from '@tallystick/cards';
import type { Metrics } from '@tallystick/koa';
import type { Logger } from 'pino';

/** The shortest time between two log lines. */
const between_lines_ms = 10_000;

/**
 * Returns a function to call for each network message that is refused because of load. It counts
 * each of them in the metrics. It logs the first immediately and the following ones together.
 * `monotonicNow` counts milliseconds from any origin.
 */
export function createOverloadLogger(
  metrics: Pick<Metrics, 'messageRefused'>,
  logger: Pick<Logger, 'error'>,
  monotonicNow: () => number = () => performance.now(),
): (reason: OverloadReason) => void {
  let logged_at_ms = Number.NEGATIVE_INFINITY;
  let refused = 0;
  return (reason) => {
    metrics.messageRefused(reason);
    refused += 1;
    const now_ms = monotonicNow();
    if (now_ms - logged_at_ms < between_lines_ms) return;
    logger.error({ refused, reason }, 'too many network messages wait: they are answered 503');
    logged_at_ms = now_ms;
    refused = 0;
  };
}
