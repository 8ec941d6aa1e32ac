import { scratchDatabase } from '@tallystick/test-support';
import { closedLoop, costOf, type OverloadResult, overload, pacedLoad } from './http-load.ts';
import { requestsTo, startHttpServer } from './http-servers.ts';
import type { Bench } from './main.ts';
import { median, percentile, type Row, row } from './measure.ts';

const p99_ms_max = 500;
const paces = [
  { share: 0.5, name: 'half', ratio: 4 },
  { share: 0.9, name: '90 %', ratio: 8 },
] as const;
const multiples = [
  { times: 2, name: 'twice' },
  { times: 5, name: 'five times' },
] as const;

/**
 * Authorizations over HTTP on SQLite below the peak of the server, and above it. Each run is
 * compared with peaks beside it, because another program may slow the machine.
 */
export const pressure: Bench = {
  name: 'pressure',
  async run({ quick, repetitions, log }) {
    const count = quick ? 300 : 10_000;
    const seconds = quick ? 0.3 : 4;
    log(`authorizations at half, 90 %, twice and five times the peak, ${seconds} s each`);
    const database = await scratchDatabase('sqlite');
    const server = await startHttpServer('ours', database.database_url);
    const request = requestsTo(server.numbers);
    const peak = async () => (await closedLoop(server, count, request)).per_second;
    await peak();
    const rows: Row[] = [];
    for (const { share, name, ratio } of paces) {
      const runs = [];
      for (let repetition = 0; repetition < repetitions; repetition += 1) {
        const per_second = (await peak()) * share;
        const { latencies_ms, load } = await pacedLoad(server, Math.round(per_second * seconds), per_second, request);
        const [p50, p99] = [percentile(latencies_ms, 0.5), percentile(latencies_ms, 0.99)];
        runs.push({ p50, p99, load, order: p99 / p50 });
      }
      const { p50, p99, load } = middle(runs);
      const figures = { ours: p99, baseline: p50, baseline_name: 'p50' };
      rows.push(
        row(`p99 over HTTP at ${name} of its own peak`, 'ms', figures, { kind: 'at_most', ratio }, costOf(load)),
      );
    }
    for (const { times, name } of multiples) {
      const runs: (OverloadResult & { readonly peak: number; readonly order: number })[] = [];
      for (let repetition = 0; repetition < repetitions; repetition += 1) {
        const before = await peak();
        const load = await overload(server, Math.round(before * times * seconds), before * times, request);
        const beside = (before + (await peak())) / 2;
        runs.push({ ...load, peak: beside, order: load.accepted_per_second / beside });
      }
      const { accepted_per_second, peak: beside, refused_count, load } = middle(runs);
      const p99 = median(runs.map(({ accepted_latencies_ms }) => percentile(accepted_latencies_ms, 0.99)));
      rows.push(
        row(
          `accepted when ${name} the peak arrives`,
          '/s',
          { ours: accepted_per_second, baseline: beside, baseline_name: 'peak' },
          { kind: 'at_least', ratio: 0.9 },
          `${refused_count} refused with 503; ${costOf(load)}`,
        ),
        row(
          'p99 of those accepted',
          'ms',
          { ours: p99, baseline: p99_ms_max, baseline_name: 'half a second' },
          { kind: 'at_most', ratio: 1 },
        ),
      );
    }
    server.stop();
    await database.dispose();
    return rows;
  },
};

/** The run in the middle of their order. */
function middle<Run extends { readonly order: number }>(runs: readonly Run[]): Run {
  return runs.toSorted((a, b) => a.order - b.order)[runs.length >> 1]!;
}
