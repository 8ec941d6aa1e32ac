import { daysBefore } from '@tallystick/kernel';
import type { WebhooksTx } from './ports.ts';

/**
 * How long finished deliveries and the log of attempts are kept, in days of service time. A
 * delivery counts from its end, an attempt from its time. Pending deliveries are never deleted.
 */
export const deliveries_kept_days = 30;

/**
 * Deletes finished deliveries and attempts after their retention, at most `limit` of each. Returns
 * the number of both together: fewer than `limit` when none is left.
 */
export function purgeDeliveries(
  tx: { readonly deliveries: Pick<WebhooksTx['deliveries'], 'purge'> },
  now_ms: number,
  limit: number,
): Promise<number> {
  return tx.deliveries.purge(daysBefore(now_ms, deliveries_kept_days), limit);
}
