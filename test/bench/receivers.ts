import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { loopbackCertificate } from '@tallystick/test-support';
import { monotonicNow } from './measure.ts';

/**
 * Receivers of webhooks in a separate process: `live` of them answer immediately, `hanging` never
 * answer. Each has its own port. Sends the ports to its parent. Then answers `{ expect }` once this
 * number of further requests has arrived at live ones, with the arrivals.
 */
const [live = '1', hanging = '0'] = process.argv.slice(2);

/**
 * The arrival of each request, by the trace id in its body, as `monotonicNow` of this process
 * returned it.
 */
let arrivals: Record<string, number> = {};
let came = 0;
let expected = Number.POSITIVE_INFINITY;

const { key, cert } = await loopbackCertificate();
const ports = await Promise.all(
  Array.from({ length: Number(live) + Number(hanging) }, (_, place) => listen(place < Number(live))),
);
process.send?.({ live: ports.slice(0, Number(live)), hanging: ports.slice(Number(live)) });

process.on('message', ({ expect }: { expect: number }) => {
  expected = expect;
  reportWhenComplete();
});

function listen(answers: boolean): Promise<number> {
  const server = createServer({ key, cert }, (request, response) => {
    const at_ms = monotonicNow();
    if (!answers) return;
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const trace_id = /"trace_id":"([^"]+)"/.exec(body)?.[1];
      if (trace_id !== undefined) arrivals[trace_id] = at_ms;
      response.end();
      came += 1;
      reportWhenComplete();
    });
  });
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

function reportWhenComplete(): void {
  if (came < expected) return;
  process.send?.({ came, arrivals });
  came = 0;
  arrivals = {};
  expected = Number.POSITIVE_INFINITY;
}
