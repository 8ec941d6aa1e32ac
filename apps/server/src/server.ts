import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { createHttpServer, type ServedPart } from '@tallystick/koa';
import type { Container } from 'inversify';
import { openFolder, reportConnections } from 'tallystick/inversify';
import type { Config } from './configuration/config.ts';
import { isRsa, loadTls } from './configuration/tls.ts';
import { closeContainer, createContainer, tokens } from './container.ts';

const closing_ms_min = 2_000;

export interface Listening {
  readonly url: string;
  /** Where it receives messages of the card network (NETWORK_PORT); null: also there. */
  readonly network_url: string | null;
}

export interface Server {
  /**
   * Opens the database, listens and starts the jobs. If it rejects, `stop` closes the parts that
   * were opened.
   */
  start(): Promise<Listening>;
  /**
   * Stops accepting requests, finishes those in flight, then closes jobs, deliveries and database.
   * Rejects if this takes longer than `shutdown_ms_max`, after cutting off the remaining work. May
   * be called again, and before `start` has resolved.
   */
  stop(): Promise<void>;
}

/** Opens nothing before `start`. */
export function createServer(config: Config, container: Container = createContainer(config)): Server {
  const servers: HttpServer[] = [];
  let starting: Promise<Listening> | null = null;
  let stopping: Promise<void> | null = null;

  const timers = container.get(tokens.timers);

  const start = async (): Promise<Listening> => {
    if (config.archive_folder !== null) await openFolder('ARCHIVE_FOLDER', config.archive_folder);
    if (config.role !== 'worker') await openFolder('SPOOL_FOLDER', config.spool_folder);
    const tls = config.tls === null ? undefined : await loadTls(config.tls);
    if (tls !== undefined && !isRsa(tls)) {
      container.get(tokens.logger).warn('the certificate is not RSA: clients need TLS 1.3');
    }
    await reportConnections(await container.getAsync(tokens.database), container.get(tokens.logger));
    const app = await container.getAsync(tokens.http_app);
    const listenAt = async (part: ServedPart, host: string, port: number): Promise<string> => {
      const server = createHttpServer(app.callback(part), {
        tls,
        timers,
        random: container.get(tokens.random),
        log: container.get(tokens.logger),
        metrics: container.get(tokens.metrics),
        connections_max: config.connections_max,
        unread_bytes_max: config.bodies_bytes_max,
      });
      servers.push(server);
      await listen(server, { host, port, backlog: config.connections_max });
      return urlOf(server.address() as AddressInfo, tls === undefined ? 'http' : 'https');
    };
    const { network } = config;
    const network_url = network === null ? null : await listenAt('network', network.host, network.port);
    const url = await listenAt(network === null ? 'all' : 'others', config.host, config.port);
    container.get(tokens.listening).url = url;
    // Pages of the console hear of events.
    if (config.console) (await container.getAsync(tokens.subscriber)).start();
    const jobs = await container.getAsync(tokens.jobs);
    jobs.start();
    return { url, network_url };
  };

  const stop = async (): Promise<void> => {
    await starting?.catch(() => undefined);
    const until_ms = timers.monotonicNow() + config.shutdown_ms_max;
    let in_time = true;
    if (servers.length > 0) in_time = await drain(config.shutdown_ms_max);
    // Deliveries in flight end within 15 s, and also within the remaining time.
    const left_ms = Math.max(closing_ms_min, until_ms - timers.monotonicNow());
    const closed = await Promise.race([
      closeContainer(container).then(() => true),
      timers.pause(left_ms, { keeps_alive: false }).then(() => false),
    ]);
    if (!in_time || !closed) {
      const what = in_time ? 'deliveries' : 'requests';
      throw new Error(`${what} were cut off: they took longer than ${config.shutdown_ms_max} ms`);
    }
  };

  /**
   * False when time ran out. Connections without a request do not count, because a client may keep
   * them open for ever.
   */
  const drain = async (ms_max: number): Promise<boolean> => {
    const lifecycle = container.get(tokens.lifecycle);
    lifecycle.stop();
    const closed = Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
    const in_time = await new Promise<boolean>((resolve) => {
      const cancel = timers.after(ms_max, () => resolve(false));
      void lifecycle.idle().then(() => {
        cancel();
        resolve(true);
      });
    });
    for (const server of servers) server.closeAllConnections();
    await closed;
    return in_time;
  };

  return {
    start() {
      starting ??= start();
      return starting;
    },
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

async function listen(server: HttpServer, where: ListenOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Node's backlog of 511 is less than many clients that reconnect at once: the kernel resets the
    // others.
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function urlOf({ address, family, port }: AddressInfo, scheme: 'http' | 'https'): string {
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
