import type { CourierObserver } from '@tallystick/events';
import type { Timers } from '@tallystick/kernel';
import type { Metrics } from '@tallystick/koa';
import type { Logger } from 'pino';
import { createFaultReporter } from './repeated-faults.ts';

/** Counts each attempt and logs it, a failed one as a warning, with ids and never the body. */
export function deliveryObserver(
  metrics: Metrics,
  logger: Logger,
  { monotonicNow }: Pick<Timers, 'monotonicNow'>,
): CourierObserver {
  const report = createFaultReporter<'deliveries'>(
    (fault) => logger.error(fault, 'deliveries could not be claimed or recorded; a sweep tries again'),
    monotonicNow,
  );
  return {
    attempted(webhook, delivery, attempt) {
      const { state, event_id, sequence } = delivery;
      metrics.attempt(state === 'pending' ? 'retried' : state, attempt.duration_ms);
      logger[state === 'succeeded' ? 'info' : 'warn'](
        {
          webhook_id: webhook.id,
          company_id: webhook.company_id,
          delivery_id: delivery.id,
          event_id,
          sequence,
          attempt: attempt.number,
          state,
          status: attempt.status,
          error: attempt.error,
          retry_after: attempt.retry_after,
          duration_ms: attempt.duration_ms,
        },
        'delivery attempt',
      );
    },
    faulted: (err) => report(err, 'deliveries'),
  };
}
