import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SimulationOptions, SimulationResult } from './run.ts';

/** What a process sends for a seed. */
export interface SeedRun {
  readonly result: SimulationResult;
  readonly processor_s: number;
}

/**
 * Runs the seeds in processes of their own. Each result is passed on as it comes. With `--trace` the
 * processes print what happens.
 */
export async function runSeeds(
  seeds: Iterable<SimulationOptions>,
  workers: number,
  ended: (run: SeedRun) => void,
  worker_switches: readonly '--trace'[] = [],
): Promise<void> {
  const waiting = seeds[Symbol.iterator]();
  await Promise.all(Array.from({ length: workers }, () => work(waiting, ended, worker_switches)));
}

async function work(
  waiting: Iterator<SimulationOptions>,
  ended: (run: SeedRun) => void,
  switches: readonly string[],
): Promise<void> {
  const path = fileURLToPath(new URL('worker.ts', import.meta.url));
  let child: ChildProcess | null = null;
  try {
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      child ??= fork(path, switches, { serialization: 'advanced' });
      child.send(next.value);
      const stopped = new AbortController();
      const { signal } = stopped;
      const [answer] = await Promise.race([
        once(child, 'message', { signal }),
        once(child, 'exit', { signal }).then(([status]) => {
          throw new Error(`the process of seed ${next.value.seed} ended with ${status}`);
        }),
      ]);
      stopped.abort();
      ended(answer as SeedRun);
    }
  } finally {
    child?.disconnect();
  }
}
