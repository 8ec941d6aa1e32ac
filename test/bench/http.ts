import { createNetwork } from '@tallystick/cards';
import { scratchDatabase } from '@tallystick/test-support';
import { filledDatabase } from './filled-database.ts';
import { closedLoop, costOf, type LoadCost, manyInOne } from './http-load.ts';
import { authorizationLine, many_messages_head } from './http-requests.ts';
import { cards, type HttpServer, requestsTo, startHttpServer } from './http-servers.ts';
import type { Bench } from './main.ts';
import { interleave, row } from './measure.ts';
import { byCallers, no_codes, plain_quarantine, purchases, random } from './messages.ts';

const callers = 64;
/** Lines of one request that are not answered yet: as many as one pass decides. */
const lines = 256;
const baseline_name = 'bare Koa with the decision by hand';

/**
 * Authorizations over HTTP on SQLite, against bare Koa with the hand-written decision behind it; the
 * whole pipeline with an idle network side, against bare Koa; and many in one request, against
 * callers in process.
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
      await scratchDatabase('sqlite'),
    ];
    const [ours_url = '', jobless_url = '', hand_url = '', idle_url = ''] = databases.map(
      ({ database_url }) => database_url,
    );
    const ours = await startHttpServer('ours', ours_url);
    const jobless = await startHttpServer('jobless', jobless_url);
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
    const line = requestsTo(jobless.numbers, authorizationLine);
    const in_process = await filledDatabase('sqlite', { cards, authorizations: 0, events: 0 });
    const { ledger } = in_process.persistence;
    const network = createNetwork({ ledger, vault: no_codes, random, ...plain_quarantine });
    const contenders = {
      ours: peak(ours),
      jobless: peak(jobless),
      hand: peak(hand),
      idle: peak(idle),
      bare: peak(bare),
      many: async () => (await manyInOne(jobless, many_messages_head, count, lines, line)).per_second,
      in_process: () => byCallers(callers, purchases(count, cards), network.authorize),
    };
    for (const run of Object.values(contenders)) await run();
    const medians = await interleave(repetitions, contenders);
    for (const server of [ours, jobless, hand, idle, bare]) server.stop();
    for (const database of [...databases, in_process]) await database.dispose();
    return [
      row(
        'authorizations over HTTP, SQLite',
        '/s',
        { ours: medians.jobless, baseline: medians.hand, baseline_name },
        { kind: 'at_least', ratio: 0.8 },
        `without jobs in the background; ${costOf(load)}`,
      ),
      row(
        'the same, beside reconciliation and the other jobs',
        '/s',
        { ours: medians.ours, baseline: medians.hand, baseline_name },
        null,
      ),
      row(
        'our middleware with an idle handler',
        '/s',
        { ours: medians.idle, baseline: medians.bare, baseline_name: 'bare Koa' },
        { kind: 'at_least', ratio: 0.7 },
      ),
      row(
        'authorizations over HTTP, many in one request, SQLite',
        '/s',
        { ours: medians.many, baseline: medians.in_process, baseline_name: `${callers} callers in process` },
        { kind: 'at_least', ratio: 0.9 },
      ),
    ];
  },
};
