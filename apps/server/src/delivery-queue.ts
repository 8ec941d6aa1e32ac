import { embeddedQueue } from '@tallystick/embedded-queue';
import type { DeliveryQueue } from '@tallystick/events';
import { machine_timers, type Timers } from '@tallystick/kernel';
import type { Logger } from 'pino';
import { createFaultReporter } from 'tallystick/inversify';
import type { Config } from './configuration/config.ts';
import { readAuthorities } from './configuration/tls.ts';

/**
 * Bull if Redis is configured, so that other processes can send; else a queue in this process,
 * which starts without loading Bull.
 */
export async function openDeliveryQueue(
  { redis_url, redis_ca, webhooks }: Pick<Config, 'redis_url' | 'redis_ca' | 'webhooks'>,
  logger: Pick<Logger, 'warn'>,
  timers: Timers = machine_timers,
): Promise<DeliveryQueue> {
  // A copy of an installation that does not send must not write to a Redis that it shares by
  // mistake.
  if (redis_url === null || !webhooks) return embeddedQueue();
  const ca = redis_ca === null ? undefined : await readAuthorities('REDIS_CA', redis_ca);
  const report = createFaultReporter<'redis'>(
    (fault) => logger.warn(fault, 'the delivery queue on Redis failed; a sweep offers the deliveries again'),
    timers.monotonicNow,
  );
  const { bullQueue } = await import('@tallystick/bull');
  return bullQueue({ redis_url, ca, timers, onError: (err) => report(err, 'redis') });
}
