import { median } from './measure.ts';

/** The medians of both, in microseconds, measured in turns. */
export async function pairwise(rounds: number, ours: () => Promise<void>, baseline: () => Promise<void>) {
  const times = { ours: [] as number[], baseline: [] as number[] };
  for (let round = -2; round < rounds; round += 1) {
    for (const [name, work] of [['baseline', baseline] as const, ['ours', ours] as const]) {
      const began_ms = performance.now();
      await work();
      if (round >= 0) times[name].push((performance.now() - began_ms) * 1000);
    }
  }
  return { ours: median(times.ours), baseline: median(times.baseline) };
}
