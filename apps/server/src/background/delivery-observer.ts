import type { CourierObserver } from '@tallystick/events';
import type { Metrics } from '@tallystick/koa';
import type { Logger } from 'pino';

/** Counts each attempt and logs it, with ids and never the body. */
export function deliveryObserver(metrics: Metrics, logger: Logger): CourierObserver {
  return {
    attempted(webhook, delivery, attempt) {
      const { state, event_id, sequence } = delivery;
      metrics.attempt(state === 'pending' ? 'retried' : state, attempt.duration_ms);
      logger.info(
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
    faulted: (err) => logger.error({ err }, 'deliveries could not be claimed or recorded; a sweep tries again'),
  };
}
