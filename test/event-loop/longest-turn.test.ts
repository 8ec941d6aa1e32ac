/**
 * No request holds the event loop (ADR 0054): the longest turn over every operation, with the largest
 * inputs that it takes.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { database_names, sandbox_keys } from '@tallystick/test-support';
import { startWorld as startAuthorisation } from '../open-banking/authorisation-world.ts';
import { endpoints, goodRequest, pathsOf } from '../open-banking/endpoints.ts';
import { all_permissions, startWorld } from '../open-banking/world.ts';
import { bulkWork } from './bulk-work.ts';
import { type Document, formInputs, type Input, largestInputs } from './largest-inputs.ts';
import { median, TurnMeter } from './turns.ts';

/** The longest turn that a request may cause, milliseconds. */
const turn_ms_max = 20;

/** An input is measured again when the first turn is longer than this. */
const noted_ms = 15;

/** Beside other programs a processor is slower: a long median is measured again, and the least counts. */
const attempts_max = 5;

/** The longest turn of an input. */
interface Found {
  readonly what: string;
  readonly turn_ms: number;
}

/** How often what changes the data is measured. */
const rounds = 5;

describe(`no turn of the event loop takes over ${turn_ms_max} ms`, () => {
  it('whatever an operation is sent', async (t) => {
    const { service } = await startWorld(t);
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document;
    const found: Found[] = [];
    const meter = meterOf(t);
    for (const [template, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const path = template.replace(/\{\w+\}/g, '1');
        const headers = { Authorization: `Bearer ${keyFor(template)}` };
        for (const input of largestInputs(document, path, operation)) {
          const what = `${method.toUpperCase()} ${template}: ${input.name}`;
          found.push({ what, turn_ms: await measure(() => send(meter, service.url, method, headers, input)) });
        }
      }
    }
    report(found);
  });

  it('whatever an endpoint of Open Banking is sent', async (t) => {
    const world = await startWorld(t);
    const meter = meterOf(t);
    const found: Found[] = [];
    for (const endpoint of endpoints) {
      const { method } = endpoint;
      const good = await goodRequest(world, endpoint, all_permissions);
      const [path = ''] = pathsOf(endpoint).map(good.fill);
      const headers = { Authorization: `Bearer ${good.token}` };
      for (const input of inputsOf(path, endpoint, good.body)) {
        const what = `${method} ${endpoint.path}: ${input.name}`;
        found.push({ what, turn_ms: await measure(() => send(meter, world.service.url, method, headers, input)) });
      }
    }
    report(found);
  });

  it('whatever the authorisation server and its pages are sent', async (t) => {
    const world = await startAuthorisation({ storage: 'sqlite' });
    t.after(() => world.close());
    const meter = meterOf(t);
    const found: Found[] = [];
    for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/authorize', '/consents/login', '/consents']) {
      for (const { name, ...input } of formInputs(path)) {
        const method = input.body === undefined ? 'GET' : 'POST';
        const turn_ms = await measure(() => send(meter, world.issuer, method, {}, { name, ...input }));
        found.push({ what: `${method} ${path}: ${name}`, turn_ms });
      }
    }
    report(found);
  });

  for (const database_name of database_names) {
    it(`however large a file is, and however much has arrived, on ${database_name}`, async (t) => {
      const { service } = await startWorld(t, database_name);
      const meter = meterOf(t);
      const turns = new Map<string, number[]>();
      for (let round = 0; round < rounds; round += 1) {
        for await (const { what, turn_ms } of bulkWork(service, meter, round)) {
          turns.set(what, [...(turns.get(what) ?? []), turn_ms]);
        }
      }
      report([...turns].map(([what, all]) => ({ what, turn_ms: median(all) })));
    });
  }
});

function meterOf(t: TestContext): TurnMeter {
  const meter = new TurnMeter();
  t.after(() => meter.close());
  return meter;
}

/** The inputs of an endpoint that has no document. */
function inputsOf(path: string, { method }: { readonly method: string }, body: unknown): readonly Input[] {
  const schema = { examples: [body] };
  const requestBody = method === 'POST' ? { content: { 'application/json': { schema } } } : undefined;
  const document = { paths: {}, components: { schemas: {} } };
  return largestInputs(document, path, requestBody === undefined ? {} : { requestBody });
}

async function send(
  meter: TurnMeter,
  url: string,
  method: string,
  authorization: Readonly<Record<string, string>>,
  { path, headers = {}, body }: Input,
): Promise<number> {
  const sending = { url: url + path, method: method.toUpperCase(), headers: { ...authorization, ...headers }, body };
  return (await meter.send(sending)).turn_ms;
}

/** The median of five turns, or the first turn when it is short. */
async function measure(sendOnce: () => Promise<number>): Promise<number> {
  const first_ms = await sendOnce();
  if (first_ms < noted_ms) return first_ms;
  let least_ms = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts_max && least_ms > turn_ms_max; attempt += 1) {
    const turns: number[] = [];
    while (turns.length < 5) turns.push(await sendOnce());
    least_ms = Math.min(least_ms, median(turns));
  }
  return least_ms;
}

function report(found: readonly Found[]): void {
  const longest_first = found.toSorted((a, b) => b.turn_ms - a.turn_ms);
  const textOf = ({ what, turn_ms }: Found) => `${turn_ms.toFixed(1)} ms, ${what}`;
  console.log(`${found.length} inputs; longest turn: ${textOf(longest_first[0]!)}`);
  const too_long = longest_first.filter(({ turn_ms }) => turn_ms > turn_ms_max);
  assert.deepEqual(too_long.map(textOf), []);
}

function keyFor(path: string): string {
  if (/^\/sandbox\/v1\/(purchases|authorizations)/.test(path)) return sandbox_keys.client;
  if (path.startsWith('/sandbox/v1/consents')) return sandbox_keys.bank;
  if (/^\/(operator|sandbox)/.test(path)) return sandbox_keys.operator;
  if (path.startsWith('/bank')) return sandbox_keys.bank;
  return path.startsWith('/network') ? sandbox_keys.network : sandbox_keys.client;
}
