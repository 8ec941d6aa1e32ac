import { scratchDatabase } from '@tallystick/test-support';
import { closedLoop, costOf, type LoadCost } from './http-load.ts';
import { type HttpServer, requestsTo, startHttpServer } from './http-servers.ts';
import type { Bench } from './main.ts';
import { interleave, row } from './measure.ts';

/**
 * Authorizations over HTTP on SQLite, against bare Koa with the hand-written decision behind it; and
 * the whole pipeline with an idle network side, against bare Koa.
 */
export const http: Bench = {
  name: 'http',
  async run({ quick, repetitions, log }) {
    const count = quick ? 3_000 : 15_000;
    log(`authorizations over kept-alive connections, ${count} each time, each server in a separate process`);
    const databases = [
      await scratchDatabase('sqlite'),
      await scratchDatabase('sqlite'),
      await scratchDatabase('sqlite'),
    ];
    const [ours_url = '', hand_url = '', idle_url = ''] = databases.map(({ database_url }) => database_url);
    const ours = await startHttpServer('ours', ours_url);
    const hand = await startHttpServer('hand', hand_url);
    const idle = await startHttpServer('idle', idle_url);
    const bare = await startHttpServer('bare', '');
    let load: LoadCost = { processor_us: 0, late_p99_ms: null };
    const peak = (server: HttpServer) => {
      const request = requestsTo(server.numbers);
      return async () => {
        const result = await closedLoop(server, count, request);
        load = result.load;
        return result.per_second;
      };
    };
    const contenders = { ours: peak(ours), hand: peak(hand), idle: peak(idle), bare: peak(bare) };
    for (const run of Object.values(contenders)) await run();
    const medians = await interleave(repetitions, contenders);
    for (const server of [ours, hand, idle, bare]) server.stop();
    for (const database of databases) await database.dispose();
    return [
      row(
        'authorizations over HTTP, SQLite',
        '/s',
        { ours: medians.ours, baseline: medians.hand, baseline_name: 'bare Koa with the decision by hand' },
        { kind: 'at_least', ratio: 0.8 },
        costOf(load),
      ),
      row(
        'our middleware with an idle handler',
        '/s',
        { ours: medians.idle, baseline: medians.bare, baseline_name: 'bare Koa' },
        { kind: 'at_least', ratio: 0.7 },
      ),
    ];
  },
};
