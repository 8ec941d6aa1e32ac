import { once } from 'node:events';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { DeliveryOffer, DeliveryQueue } from '@tallystick/events';
import { machine_timers, type Timers } from '@tallystick/kernel';
import Bull from 'bull';

export interface BullQueueOptions {
  /** `redis://[user:password@]host:port[/database]`, or `rediss://` with TLS. */
  readonly redis_url: string;
  /**
   * The authority of the certificate of Redis, in PEM, for `rediss://`. Those that Node trusts when
   * absent.
   */
  readonly ca?: string | undefined;
  /** Separates this service's keys from others in the same Redis; `tallystick` by default. */
  readonly prefix?: string;
  /** Receives errors of Redis and of Bull, for the log. */
  readonly onError?: (error: unknown) => void;
  /** Those of the machine when absent. */
  readonly timers?: Pick<Timers, 'after'>;
}

/** Offers in one job. A job costs several round trips, an offer a few bytes. */
const offers_per_job_max = 32;

/** How long an offer may wait for Redis. After that a later sweep makes it again. */
const redis_time_ms_max = 2_000;

interface Job {
  readonly offers: readonly (readonly [delivery_id: number, webhook_id: number])[];
}

/**
 * The delivery queue on Bull: offers made by any process reach one of the workers.
 *
 * Jobs carry only ids, are due immediately and are removed once a worker has taken them. While
 * Redis is unavailable, slow or emptied, only offers are lost. The deliveries are in the database,
 * and a sweep offers them again.
 */
export function bullQueue(options: BullQueueOptions): DeliveryQueue {
  const { onError: report = () => {}, timers = machine_timers } = options;
  const limitTime = limitingTime(timers);
  const queue = new Bull<Job>('deliveries', options.redis_url, {
    prefix: options.prefix ?? 'tallystick',
    redis: { maxRetriesPerRequest: null, enableReadyCheck: false, ...tlsOf(options) },
    settings: { maxStalledCount: 1 },
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', report);
  let closed = false;

  return {
    async offer(offers) {
      if (closed || offers.length === 0) return;
      const jobs: { data: Job }[] = [];
      for (let start = 0; start < offers.length; start += offers_per_job_max) {
        const part = offers.slice(start, start + offers_per_job_max);
        jobs.push({ data: { offers: part.map(({ delivery_id, webhook_id }) => [delivery_id, webhook_id] as const) } });
      }
      try {
        await limitTime(waitUntilConnected(queue).then(() => queue.addBulk(jobs)));
      } catch (error) {
        report(error);
      }
    },

    async consume(accept) {
      // An immediate close would otherwise cut off Bull's start-up commands.
      await limitTime(waitUntilConnected(queue)).catch(report);
      // The promise of `process` lasts as long as the queue.
      const processing = queue.process((job) => {
        accept(job.data.offers.map(([delivery_id, webhook_id]): DeliveryOffer => ({ delivery_id, webhook_id })));
        return Promise.resolve();
      });
      processing.catch((error) => closed || report(error));
    },

    async depth() {
      const jobs = await limitTime(waitUntilConnected(queue).then(() => queue.getWaitingCount()));
      return jobs * offers_per_job_max;
    },

    async close() {
      closed = true;
      // Otherwise commands of a connection that has just begun would be cut off, and their
      // rejections would be unhandled.
      await limitTime(Promise.all(queue.clients.map(waitForConnection))).catch(() => undefined);
      // Bull waits for Redis before it closes, without a limit. Without its connections nothing keeps
      // the process alive.
      await limitTime(queue.close(true)).catch(report);
      for (const client of queue.clients) if (client.status !== 'end') client.disconnect();
    },
  };
}

/** Bull itself takes `rediss://` for `redis://`, and would send the password unencrypted. */
function tlsOf({ redis_url, ca }: BullQueueOptions): { readonly tls?: ConnectionOptions } {
  const { protocol, hostname } = new URL(redis_url);
  if (protocol !== 'rediss:') return {};
  return {
    tls: {
      // NODE_TLS_REJECT_UNAUTHORIZED=0 must not matter here.
      rejectUnauthorized: true,
      // Proxies before several servers find theirs by it. An address has no name.
      ...(isIP(hostname.replace(/^\[(.*)\]$/, '$1')) === 0 ? { servername: hostname } : {}),
      ...(ca === undefined ? {} : { ca }),
    },
  };
}

async function waitForConnection(client: Bull.Queue['client']): Promise<void> {
  if (client.status !== 'ready') await once(client, 'ready');
}

/**
 * Rejects immediately while Redis is known to be unavailable. A command would otherwise be kept in
 * memory until it returns.
 */
async function waitUntilConnected(queue: Bull.Queue): Promise<void> {
  const { status } = queue.client;
  if (status === 'reconnecting' || status === 'close' || status === 'end')
    throw new Error(`Redis is unavailable (${status})`);
  await queue.isReady();
}

function limitingTime({ after }: Pick<Timers, 'after'>) {
  return <Value>(work: Promise<Value>): Promise<Value> => {
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    const cancel = after(redis_time_ms_max, () =>
      reject(new Error(`Redis did not answer within ${redis_time_ms_max} ms`)),
    );
    work.then(resolve, reject).finally(cancel);
    return promise;
  };
}
