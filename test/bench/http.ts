import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { network_wait_ms_max_default } from '@tallystick/cards';
import { scratchDatabase } from '@tallystick/test-support';
import { closedLoop, type LoadTarget, overload, pacedLoad } from './http-load.ts';
import { authorizationRequest } from './http-requests.ts';
import type { Bench } from './main.ts';
import { interleave, percentile, row } from './measure.ts';

const connections = 64;
const cards = 500;

interface Server extends LoadTarget {
  readonly numbers: readonly string[];
  stop(): void;
}

/**
 * Authorizations over HTTP on SQLite: against bare Koa, against the whole pipeline with an idle
 * network side, under half load, and under twice the load that it can answer.
 */
export const http: Bench = {
  name: 'http',
  async run({ quick, repetitions, log }) {
    const count = quick ? 300 : 15_000;
    log(
      `authorizations over ${connections} kept-alive connections, ${count} each time, each server in a separate process`,
    );
    const databases = [await scratchDatabase('sqlite'), await scratchDatabase('sqlite')] as const;
    const ours = await start('ours', databases[0].database_url);
    const idle = await start('idle', databases[1].database_url);
    const bare = await start('bare', '');
    let sent = 0;
    const request = (server: Server) => () => {
      sent += 1;
      const number = server.numbers[sent % server.numbers.length] ?? '5555550000000000';
      return authorizationRequest(number, `H${sent}`);
    };
    const peak = async (server: Server) => (await closedLoop(server, count, request(server))).per_second;
    for (const server of [ours, idle, bare]) await peak(server);
    const medians = await interleave(repetitions, {
      ours: () => peak(ours),
      idle: () => peak(idle),
      bare: () => peak(bare),
    });
    const latencies: number[][] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const per_second = medians.ours / 2;
      const load = await pacedLoad(ours, Math.round(per_second * (quick ? 0.3 : 4)), per_second, request(ours));
      latencies.push([percentile(load.latencies_ms, 0.5), percentile(load.latencies_ms, 0.99)]);
    }
    const overloads = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      // Another program may slow the machine, so each overload is compared with a peak beside it.
      const before = await peak(ours);
      const offered = Math.round(before * 2 * (quick ? 0.3 : 4));
      const load = await overload(ours, offered, before * 2, request(ours));
      const peak_per_second = (before + (await peak(ours))) / 2;
      overloads.push({ ...load, peak_per_second, share: load.accepted_per_second / peak_per_second });
    }
    for (const server of [ours, idle, bare]) server.stop();
    for (const database of databases) await database.dispose();
    const middle = latencies.toSorted(([, a = 0], [, b = 0]) => a - b)[latencies.length >> 1] ?? [];
    const [p50 = Number.NaN, p99 = Number.NaN] = middle;
    const overloaded = overloads.toSorted((a, b) => a.share - b.share)[overloads.length >> 1]!;
    return [
      row(
        'authorizations over HTTP, SQLite',
        '/s',
        { ours: medians.ours, baseline: medians.bare, baseline_name: 'bare Koa' },
        { kind: 'at_least', ratio: 0.3 },
      ),
      row(
        'the same',
        '/s',
        { ours: medians.ours, baseline: medians.idle, baseline_name: 'our middleware, idle handler' },
        { kind: 'at_least', ratio: 0.5 },
      ),
      row(
        'p99 over HTTP at half of its own peak',
        'ms',
        { ours: p99, baseline: p50, baseline_name: 'p50' },
        { kind: 'at_most', ratio: 8 },
      ),
      row(
        'accepted when twice the peak arrives',
        '/s',
        { ours: overloaded.accepted_per_second, baseline: overloaded.peak_per_second, baseline_name: 'peak' },
        { kind: 'at_least', ratio: 0.9 },
        `${overloaded.refused_count} refused with 503`,
      ),
      row(
        'p99 of those accepted',
        'ms',
        {
          ours: percentile(overloaded.accepted_latencies_ms, 0.99),
          baseline: network_wait_ms_max_default,
          baseline_name: 'NETWORK_WAIT_MS_MAX',
        },
        { kind: 'at_most', ratio: 2 },
      ),
    ];
  },
};

async function start(kind: 'ours' | 'idle' | 'bare', database_url: string): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-bench-'));
  const log_path = join(folder, 'log');
  const path = fileURLToPath(new URL('http-server.ts', import.meta.url));
  const child: ChildProcess = fork(path, [kind, database_url, String(cards)], {
    execArgv: ['--conditions=source'],
    // The log goes to a file, as in production, so that its cost is measured.
    stdio: ['ignore', 'ignore', openSync(log_path, 'a'), 'ipc'],
  });
  const stop = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', stop);
  const { port, numbers } = await new Promise<{ port: number; numbers: string[] }>((resolve, reject) => {
    child.once('message', (message) => {
      child.removeAllListeners('exit');
      resolve(message as { port: number; numbers: string[] });
    });
    child.once('exit', (code) => {
      const log = readFileSync(log_path, 'utf8').slice(-2_000);
      reject(new Error(`the ${kind} server exited with status ${code} before it listened:\n${log}`));
    });
  });
  return { host: '127.0.0.1', port, connections, numbers, stop };
}
