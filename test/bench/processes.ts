import { readdirSync, readFileSync } from 'node:fs';
import { scratchDatabase } from '@tallystick/test-support';
import pg from 'pg';
import { closedLoop, pacedLoad } from './http-load.ts';
import { type HttpServer, requestsTo, startHttpServer } from './http-servers.ts';
import type { Bench } from './main.ts';
import { median, type Row, row } from './measure.ts';

const processes_max = 4;
/** Decisions per second at which the cost is measured, too: passes are smaller then. */
const paces = [100, 1_000];

/**
 * Authorizations over HTTP on Postgres by one to four processes of the service, and by one at steady
 * rates, with the processor time of each part: the service, Postgres, the load. Reads /proc, so it needs Linux and Postgres on
 * this machine.
 */
export const processes: Bench = {
  name: 'processes',
  async run({ quick, repetitions, postgres, log }) {
    if (!postgres) return [];
    const count = quick ? 1_000 : 8_000;
    log(`${count} authorizations, one to ${processes_max} processes, Postgres`);
    const database = await scratchDatabase('postgres');
    const client = new pg.Client(database.database_url);
    await client.connect();
    const servers: HttpServer[] = [];
    const rows: Row[] = [];
    let alone = 0;
    while (servers.length < processes_max) {
      servers.push(await startHttpServer('ours', database.database_url));
      // A process takes thousands of requests until its code is compiled.
      await decide(servers.slice(-1), count);
      const runs: Run[] = [];
      for (let repetition = 0; repetition < repetitions; repetition += 1) {
        runs.push(await measured(client, servers, count, () => decide(servers, count)));
      }
      const per_second = median(runs.map((run) => run.per_second));
      if (servers.length === 1) {
        alone = per_second;
        const at_peak_us = costOf(runs);
        for (const pace of paces) {
          const [server] = servers as [HttpServer];
          const few = pace * (quick ? 1 : 5);
          const run = await measured(client, servers, few, async () => {
            return (await pacedLoad(server, few, pace, requestsTo(server.numbers))).per_second;
          });
          rows.push(
            row(
              `processor time of a decision at ${pace}/s, Postgres`,
              'us',
              { ours: costOf([run]), baseline: at_peak_us, baseline_name: 'at the peak' },
              null,
              sharesOf([run]),
            ),
          );
        }
      }
      rows.push(
        row(
          `authorizations over HTTP, Postgres, processes: ${servers.length}`,
          '/s',
          { ours: per_second, baseline: alone, baseline_name: 'one process' },
          null,
          sharesOf(runs),
        ),
      );
    }
    for (const server of servers) server.stop();
    await client.end();
    await database.dispose();
    return rows;
  },
};

/** What a decision costs. */
interface Run {
  readonly per_second: number;
  readonly service_us: number;
  readonly postgres_us: number;
  readonly load_us: number;
  /** Of all cores. */
  readonly idle_us: number;
  /** Of the log that Postgres writes ahead. */
  readonly log_bytes: number;
  /** By which the database grew, indexes included. */
  readonly table_bytes: number;
}

/** Processor time of the service and of Postgres. */
function costOf(runs: readonly Run[]): number {
  return median(runs.map(({ service_us, postgres_us }) => service_us + postgres_us));
}

function sharesOf(runs: readonly Run[]): string {
  const middle = (of: keyof Run) => median(runs.map((run) => run[of])).toFixed(0);
  const times = ['service', 'postgres', 'load', 'idle'] as const;
  const bytes = ['log', 'table'] as const;
  const parts = [
    ...times.map((part) => `${part} ${middle(`${part}_us`)} us`),
    ...bytes.map((part) => `${part} ${middle(`${part}_bytes`)} B`),
  ];
  return `for a decision: ${parts.join(', ')}`;
}

/** Measures `count` decisions, which `work` makes at the rate that it returns. */
async function measured(
  client: pg.Client,
  servers: readonly HttpServer[],
  count: number,
  work: () => Promise<number>,
): Promise<Run> {
  const pids = servers.map(({ pid }) => pid);
  const before = { ...usage(pids), ...(await written(client)) };
  const per_second = await work();
  const after = { ...usage(pids), ...(await written(client)) };
  const each = (of: keyof typeof before) => (after[of] - before[of]) / count;
  return {
    per_second,
    service_us: each('service_us'),
    postgres_us: each('postgres_us'),
    load_us: each('load_us'),
    idle_us: each('idle_us'),
    log_bytes: each('log_bytes'),
    table_bytes: each('table_bytes'),
  };
}

/** Sends the requests to all servers at the same time. Returns the decisions per second. */
async function decide(servers: readonly HttpServer[], count: number): Promise<number> {
  const request = requestsTo(servers.flatMap(({ numbers }) => numbers));
  const started_ms = performance.now();
  await Promise.all(servers.map((server) => closedLoop(server, Math.round(count / servers.length), request)));
  return (count * 1_000) / (performance.now() - started_ms);
}

async function written(client: pg.Client) {
  const { rows } = await client.query<{ log_bytes: string; table_bytes: string }>(
    `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as log_bytes, pg_database_size(current_database()) as table_bytes`,
  );
  return { log_bytes: Number(rows[0]!.log_bytes), table_bytes: Number(rows[0]!.table_bytes) };
}

/** Linux counts processor time in ticks of this length. */
const tick_us = 10_000;

/** Processor time so far, of the service's processes, all of Postgres, this process; and idle. */
function usage(pids: readonly number[]) {
  const own = process.cpuUsage();
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const postgres = all.map(statOf).filter((stat) => stat?.name === 'postgres');
  const sum = (stats: readonly (ReturnType<typeof statOf> | undefined)[]) =>
    stats.reduce((total, stat) => total + (stat?.ticks ?? 0), 0) * tick_us;
  const [, idle = 0, waiting = 0] = /^cpu +\d+ \d+ \d+ (\d+) (\d+)/.exec(readFileSync('/proc/stat', 'utf8')) ?? [];
  return {
    service_us: sum(pids.map((pid) => statOf(String(pid)))),
    postgres_us: sum(postgres),
    load_us: own.user + own.system,
    idle_us: (Number(idle) + Number(waiting)) * tick_us,
  };
}

/** The name of a process and its processor time in ticks; null when it has ended. */
function statOf(pid: string): { readonly name: string; readonly ticks: number } | null {
  try {
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const fields = rest.split(' ');
    return { name, ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return null;
  }
}
