import type { Metrics } from '@tallystick/koa';
import type { Logger } from 'pino';

/** At least so long lies between two lines of the log. */
const between_lines_ms = 10_000;

/**
 * Tells of messages of the network that found no place to wait: the metrics of each, the log of the first at once and of those
 * after it together. `monotonicNow` counts milliseconds from any origin.
 */
export function fullQueueTeller(
  metrics: Pick<Metrics, 'messageRefused'>,
  logger: Pick<Logger, 'error'>,
  monotonicNow: () => number = () => performance.now(),
): () => void {
  let told_at_ms = Number.NEGATIVE_INFINITY;
  let refused = 0;
  return () => {
    metrics.messageRefused();
    refused += 1;
    const now_ms = monotonicNow();
    if (now_ms - told_at_ms < between_lines_ms) return;
    logger.error({ refused }, 'too many messages of the network wait: those that come now are answered 503');
    told_at_ms = now_ms;
    refused = 0;
  };
}
