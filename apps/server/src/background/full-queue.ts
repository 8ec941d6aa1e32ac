import type { Metrics } from '@tallystick/koa';
import type { Logger } from 'pino';

/** The shortest time between two log lines. */
const between_lines_ms = 10_000;

/**
 * Returns a function to call for each network message that found no place to wait. It counts each
 * of them in the metrics. It logs the first immediately and the following ones together.
 * `monotonicNow` counts milliseconds from any origin.
 */
export function createFullQueueLogger(
  metrics: Pick<Metrics, 'messageRefused'>,
  logger: Pick<Logger, 'error'>,
  monotonicNow: () => number = () => performance.now(),
): () => void {
  let logged_at_ms = Number.NEGATIVE_INFINITY;
  let refused = 0;
  return () => {
    metrics.messageRefused();
    refused += 1;
    const now_ms = monotonicNow();
    if (now_ms - logged_at_ms < between_lines_ms) return;
    logger.error({ refused }, 'too many network messages wait: further ones are answered 503');
    logged_at_ms = now_ms;
    refused = 0;
  };
}
