/**
 * Measures the longest turns of one part, and sends them to the process that started this one. The
 * test runner follows every promise of its own process, which would take longer than the work that is
 * measured.
 */
import { sandbox_keys } from '@tallystick/test-support';
import { startWorld as startAuthorisation } from '../open-banking/authorisation-world.ts';
import { endpoints, goodRequest, pathsOf } from '../open-banking/endpoints.ts';
import { all_permissions, startWorld } from '../open-banking/world.ts';
import { bulkWork } from './bulk-work.ts';
import { type Document, formInputs, type Input, largestInputs } from './largest-inputs.ts';
import { type Found, median, noted_ms, type Part, TurnMeter, turn_ms_max } from './turns.ts';

/** Beside other programs a processor is slower: a long median is measured again, and the least counts. */
const attempts_max = 5;

/** How often what changes the data is measured, when a turn of it is long. */
const rounds_max = 3;

type Measured = AsyncGenerator<Found>;

/** What a part leaves behind. */
interface Scope {
  after(cleanup: () => unknown): void;
}

async function* operations(scope: Scope, meter: TurnMeter): Measured {
  const { service } = await startWorld(scope);
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document;
  for (const [template, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const path = template.replace(/\{\w+\}/g, '1');
      const headers = { Authorization: `Bearer ${keyFor(template)}` };
      for (const input of largestInputs(document, path, operation)) {
        const what = `${method.toUpperCase()} ${template}: ${input.name}`;
        yield { what, turn_ms: await measure(() => send(meter, service.url, method, headers, input)) };
      }
    }
  }
}

async function* openBanking(scope: Scope, meter: TurnMeter): Measured {
  const world = await startWorld(scope);
  for (const endpoint of endpoints) {
    const { method } = endpoint;
    const good = await goodRequest(world, endpoint, all_permissions);
    const [path = ''] = pathsOf(endpoint).map(good.fill);
    const headers = { Authorization: `Bearer ${good.token}` };
    for (const input of inputsOf(path, endpoint, good.body)) {
      const what = `${method} ${endpoint.path}: ${input.name}`;
      yield { what, turn_ms: await measure(() => send(meter, world.service.url, method, headers, input)) };
    }
  }
}

async function* authorisation(scope: Scope, meter: TurnMeter): Measured {
  const world = await startAuthorisation({ storage: 'sqlite' });
  scope.after(() => world.close());
  for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/authorize', '/consents/login', '/consents']) {
    for (const { name, ...input } of formInputs(path)) {
      const method = input.body === undefined ? 'GET' : 'POST';
      const turn_ms = await measure(() => send(meter, world.issuer, method, {}, { name, ...input }));
      yield { what: `${method} ${path}: ${name}`, turn_ms };
    }
  }
}

async function* bulk(scope: Scope, meter: TurnMeter, database_name: 'sqlite' | 'postgres'): Measured {
  const { service } = await startWorld(scope, database_name);
  const turns = new Map<string, number[]>();
  for (let round = 0, is_long = true; is_long && round < rounds_max; round += 1) {
    is_long = false;
    for await (const { what, turn_ms } of bulkWork(service, meter, round)) {
      turns.set(what, [...(turns.get(what) ?? []), turn_ms]);
      is_long ||= turn_ms >= noted_ms;
    }
  }
  for (const [what, all] of turns) yield { what, turn_ms: median(all) };
}

const parts: Readonly<Record<Part, (scope: Scope, meter: TurnMeter) => Measured>> = {
  operations,
  'open banking': openBanking,
  authorisation,
  'bulk on sqlite': (scope, meter) => bulk(scope, meter, 'sqlite'),
  'bulk on postgres': (scope, meter) => bulk(scope, meter, 'postgres'),
};

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

function keyFor(path: string): string {
  if (/^\/sandbox\/v1\/(purchases|authorizations)/.test(path)) return sandbox_keys.client;
  if (path.startsWith('/sandbox/v1/consents')) return sandbox_keys.bank;
  if (/^\/(operator|sandbox)/.test(path)) return sandbox_keys.operator;
  if (path.startsWith('/bank')) return sandbox_keys.bank;
  return path.startsWith('/network') ? sandbox_keys.network : sandbox_keys.client;
}

const cleanups: (() => unknown)[] = [];
const meter = new TurnMeter();
try {
  const found = await Array.fromAsync(parts[process.argv[2] as Part]({ after: (work) => cleanups.push(work) }, meter));
  await new Promise((sent) => process.send!(found, sent));
} finally {
  await meter.close();
  for (const cleanup of cleanups.reverse()) await cleanup();
  process.disconnect!();
}
