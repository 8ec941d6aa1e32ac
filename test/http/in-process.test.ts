import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Page, Refusal } from '@tallystick/kernel';
import { createKeyAuthenticator, endpoints, type HttpAppPorts } from '@tallystick/koa';
import {
  type Calls,
  type HostCall,
  joinsTransaction,
  type Operation,
  type OperationTx,
  type Parameter,
  type ResultFile,
} from '@tallystick/operations';
import { propertyParameters, repeatableRandom } from '@tallystick/test-support';
import fc from 'fast-check';
import { type Service, startService } from './service.ts';
import { callsOf, type Role, usefulCall, type Wanted } from './useful-calls.ts';

/** A service, and the calls of the operations that it serves. */
async function startBoth(t: { after(cleanup: () => unknown): void }) {
  let ports: HttpAppPorts | undefined;
  const service = await startService(t, 'sqlite', (given) => {
    ports = {
      ...given, // The same choices in each service. A card number that exists already is drawn again.
      random: repeatableRandom(1),
    };
    return ports;
  });
  return { service, calls: callsOf(ports!) };
}

/** The outcome of a request or of a call, in a form in which both can be compared. */
type Outcome =
  | { readonly data: unknown; readonly next: unknown; readonly file: string | null }
  | { readonly code: string; readonly fields: readonly unknown[] };

/** What is random, or names the caller by its key, is left out. A host has no address. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value ?? null, (name, inner) => {
    if (name === 'source_address') return null;
    return random_names.has(name) ? typeof inner : inner;
  });
  return JSON.parse(text.replace(/\*{12}\d{4}/g, 'masked').replace(/[\w-]{43}/g, 'token'));
}

/**
 * A table without its approval codes, which are random: the seventh cells from the end. And without
 * the address of the caller, which a host has not.
 */
function comparableFile(text: string): string {
  return text.replaceAll(',127.0.0.1,', ',,').replace(/(?<=,)[A-Z\d]{6}(?=(?:,(?:"[^"]*"|[^",\r]*)){6}\r)/g, 'code');
}

const random_names = new Set(['secret', 'approval_code', 'trace_id', 'last4']);

async function overHttp({ send }: Service, operation: Operation, wanted: Wanted): Promise<Outcome> {
  const { role, parameters: named = {}, query = {}, data, options = {}, file } = wanted;
  const [method = '', template = ''] = endpoints[operation.id]!.at.split(' ');
  const path = template.replace(/:(\w+)/g, (_all, name) => encodeURIComponent(String(named[name as Parameter])));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : null;
    for (const [one, inner] of members?.map(([one, inner]) => [`${name}[${one}]`, inner] as const) ?? [[name, value]]) {
      for (const text of Array.isArray(inner) ? inner : [inner]) parameters.append(one, String(text));
    }
  }
  const question = parameters.size === 0 ? '' : `?${parameters}`;
  const json = operation.body !== undefined ? { ...options, ...(data === undefined ? {} : { data }) } : undefined;
  const reply = await send(method, path + question, {
    key: role,
    headers: {
      'X-Request-Id': 'parity',
      ...(file === undefined
        ? {}
        : { 'Content-Type': operation.id === 'bank.records.report' ? 'application/x-ndjson' : 'text/csv' }),
    },
    ...(json === undefined && file === undefined ? {} : { body: json ?? file }),
  });
  if (reply.status >= 400 && reply.status !== 503) {
    const { code, fields = [] } = reply.json;
    return {
      code,
      fields: fields.map(({ path, message }: Field) =>
        comparableField({ path: path.replace(/^data(?:\.|(?=\[))/, ''), message }),
      ),
    };
  }
  const { data: body, links } = reply.json ?? {};
  const next = links?.next == null ? null : new URL(links.next, 'http://host').searchParams.get('page[after]');
  const is_file = reply.json === undefined && reply.text !== '';
  const content = reply.json !== undefined && body === undefined ? reply.json : body;
  return { data: comparable(content), next, file: is_file ? comparableFile(reply.text) : null };
}

interface Field {
  readonly path: string;
  readonly message: string;
}

async function inProcess(
  { call }: Calls,
  operation: Operation,
  { query = {}, options, ...wanted_call }: Wanted,
  company_id: number,
): Promise<Outcome> {
  try {
    const { filter, page = {}, ...others } = query;
    const result = await call(operation.id, {
      ...wanted_call,
      options: { ...others, ...(page as object), filter, ...options },
      company_id: wanted_call.role === 'client' ? company_id : null,
      actor: `key:sandbox:${wanted_call.role}`,
      request_id: 'parity',
    });
    if (operation.answers_file !== undefined) {
      const pieces = await Array.fromAsync((result as ResultFile).pieces);
      return { data: comparable(null), next: null, file: comparableFile(pieces.join('')) };
    }
    assert.deepEqual(result, result === undefined ? undefined : JSON.parse(JSON.stringify(result)), 'plain JSON');
    const is_list = operation.query?.paged === true;
    const { items, next } = is_list ? (result as Page<unknown>) : { items: result, next: null };
    const outcome = { data: comparable(items), next, file: null };
    overwrite(result);
    return outcome;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: error.code, fields: error.fields.map(comparableField) };
  }
}

/** Changes everything in a result, as a host may. Nothing that the service keeps may change with it. */
function overwrite(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    overwrite(inner);
    (value as Record<string, unknown>)[name] = 'overwritten';
  }
}

/** A field by the name that a host uses. A host has other names to choose from, so hints differ. */
function comparableField({ path, message }: Field): Field {
  const named = (text: string) =>
    text
      .replace(/\b(filter|page)\[([^\]]*)\]/g, (_, kind, name) => (kind === 'page' ? name : `filter.${name}`))
      .replace('links.next', 'next')
      .replace(/, not "(-?\d+)"$/, ', not $1');
  return { path: named(path), message: /^is not an? (parameter|option|filter)/.test(message) ? '' : named(message) };
}

/** Posts to a receiver, so that its result depends on the network. */
const outside = new Set(['webhooks.test']);

const oddities = [null, -1, 0, 1.5, 'x', '', [], ['x'], {}, true, 'é', '5454545454545454', 10_000_000_000_000];
const odd_value = fc.constantFrom<unknown>(...oddities);
const odd_params = fc.constantFrom<string | number>(0, 2, '01', 'abc', 'a/b', '%2F', 'ü', 999_999, 1.5);

/** One change of a call that does something. Each breaks, or may break, another check. */
const change: fc.Arbitrary<(wanted: Wanted) => Wanted> = fc.oneof(
  { weight: 6, arbitrary: fc.constant((wanted: Wanted) => wanted) },
  odd_value.map((value) => (wanted: Wanted) => ({ ...wanted, data: value })),
  fc.tuple(fc.nat(), odd_value).map(([at, value]) => (wanted: Wanted) => ({
    ...wanted,
    data: altered(wanted.data, at, value),
  })),
  fc.nat().map((at) => (wanted: Wanted) => ({ ...wanted, data: altered(wanted.data, at, undefined) })),
  fc
    .constantFrom('nonsense', 'metadate', '')
    .map((name) => (wanted: Wanted) => ({ ...wanted, data: { ...(wanted.data as object), [name]: 1 } })),
  odd_value.map((value) => (wanted: Wanted) => ({
    ...wanted,
    // A host has options in place of members that a body does not have.
    ...(wanted.options === undefined ? {} : { options: { show_card_number: value } }),
  })),
  fc
    .constantFrom<Role>('client', 'network', 'bank', 'operator')
    .map((role) => (wanted: Wanted) => ({ ...wanted, role })),
  odd_params.map((value) => (wanted: Wanted) => ({
    ...wanted,
    parameters: Object.fromEntries(Object.keys(wanted.parameters ?? {}).map((name) => [name, value])),
  })),
  fc
    .constantFrom<NonNullable<Wanted['query']>>(
      { nonsense: 1 },
      { page: { limit: 0 } },
      { page: { limit: 1 } },
      { page: { offset: 1 } },
      { page: { after: 'zzz' } },
      { filter: { status: 'Nothing' } },
      { filter: { nonsense: 'x' } },
      { name: '' },
      { show_card_number: 'maybe' },
    )
    .map((query) => (wanted: Wanted) => ({ ...wanted, query })),
);

/** The data with another value in one of its fields; undefined removes the field. */
function altered(data: unknown, at: number, value: unknown): unknown {
  const names = Object.keys((data ?? {}) as object);
  const name = names[at % Math.max(1, names.length)];
  return name === undefined ? data : JSON.parse(JSON.stringify({ ...(data as object), [name]: value }));
}

describe('a call in process', () => {
  it('exists for every operation of the document, except pages and many messages in one request', async (t) => {
    const { service, calls } = await startBoth(t);
    const { paths } = (await service.send('GET', '/openapi.json', { key: null })).json;
    const documented = Object.values<Record<string, { operationId: string }>>(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    const only_over_http = ['cardDetails.page', 'cardDetails.show', 'network.messages.send'];
    assert.deepEqual([...calls.operations.keys(), ...only_over_http].sort(), documented.sort());
  });

  it('has the result or the refusal that the same request has over HTTP', async (t) => {
    const http = await startBoth(t);
    const local = await startBoth(t);
    const operations = [...local.calls.operations.values()].filter(({ id }) => !outside.has(id));
    const outcomes = new Map<string, number>();
    const compare = async (operation: Operation, wanted: Wanted): Promise<void> => {
      const expected = await overHttp(http.service, operation, wanted);
      const actual = await inProcess(local.calls, operation, wanted, local.service.company_id);
      assert.deepEqual(actual, expected, `${operation.id} ${JSON.stringify(wanted)}`);
      if ('data' in actual) outcomes.set(operation.id, (outcomes.get(operation.id) ?? 0) + 1);
    };
    const create = operations.find(({ id }) => id === 'virtualCards.create')!;
    await compare(create, usefulCall(create));
    // Twice: some operations need what a later one makes.
    for (const operation of [...operations, ...operations]) await compare(operation, usefulCall(operation));
    const step = fc
      // The sandbox of these tests does not check how its clock is moved.
      .tuple(fc.constantFrom(...operations.filter(({ id }) => id !== 'sandbox.clock.move')), change)
      .map(([operation, alter]) => ({ id: operation.id, wanted: alter(usefulCall(operation)) }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
        for (const { id, wanted } of steps) await compare(local.calls.operations.get(id)!, wanted);
      }),
      { ...propertyParameters({ short: 60, full: 180 }), endOnFailure: true },
    );
    const failed = operations.filter(({ id }) => !outcomes.has(id)).map(({ id }) => id);
    assert.ok(outcomes.size >= 75, `these never succeeded: ${failed.join(', ')}`);
  });

  it('is refused without a caller that may do it, and for a company that is closed or unknown', async (t) => {
    const { service, calls } = await startBoth(t);
    const { company_id } = service;
    const actor = 'user:anna';
    const refusals = [
      [{ role: 'client', actor }, 'validation_failed', 'company_id'],
      [{ role: 'client', company_id: 1.5, actor }, 'validation_failed', 'company_id'],
      [{ role: 'operator', company_id, actor }, 'validation_failed', 'company_id'],
      [{ role: 'owner', actor }, 'validation_failed', 'role'],
      [{ role: 'client', company_id, actor: ' ' }, 'validation_failed', 'actor'],
      [{ role: 'client', company_id, actor: 'a\u0000' }, 'validation_failed', 'actor'],
      [{ role: 'network', actor }, 'forbidden', undefined],
      [{ role: 'client', company_id: 999, actor }, 'not_found', undefined],
    ] as const;
    for (const id of ['virtualCards.list', 'reconciliation.items.list', 'reconciliation.items.export']) {
      for (const [caller, code, field] of refusals) {
        const refused = (error: unknown) =>
          error instanceof Refusal && error.code === code && error.fields[0]?.path === field;
        await assert.rejects(calls.call(id, caller as HostCall), refused, `${id} ${JSON.stringify(caller)}`);
      }
    }
    const operator = { role: 'operator', actor } as const;
    await calls.call('operator.companies.update', {
      ...operator,
      parameters: { id: company_id },
      data: { status: 'closed' },
    });
    const client = { role: 'client', company_id, actor } as const;
    await assert.rejects(calls.call('virtualCards.list', client), { name: 'Refusal', code: 'forbidden' });
    await assert.rejects(calls.call('reconciliation.summary', client), { name: 'Refusal', code: 'forbidden' });
  });

  it('names its actor in the audit log, without a card number', async (t) => {
    const { service, calls } = await startBoth(t);
    const client = { role: 'client', company_id: service.company_id, actor: 'user:anna 5454545454545454' } as const;
    const options = { show_card_number: true };
    await calls.call('virtualCards.create', { ...client, data: { total_card_amount: 1 }, options });
    const { items } = (await calls.call('operator.audit.list', { role: 'operator', actor: 'job:look' })) as Page<{
      readonly actor: string;
    }>;
    assert.equal(items[0]?.actor, 'user:anna ************5454');
  });

  it('shows no card number in a refusal', async (t) => {
    const { service, calls } = await startBoth(t);
    const client = { role: 'client', company_id: service.company_id, actor: 'user:anna' } as const;
    const data = { metadata: { '5454545454545454': new Date() } };
    await assert.rejects(calls.call('virtualCards.create', { ...client, data }), (error: Refusal) => {
      assert.doesNotMatch(JSON.stringify([error.message, error.fields]), /54545454/);
      return error.code === 'validation_failed';
    });
  });

  it('leads through the pages of a list by the cursor of each result', async (t) => {
    const { service, calls } = await startBoth(t);
    const client = { role: 'client', company_id: service.company_id, actor: 'user:anna' } as const;
    for (const total_card_amount of [1, 2, 3]) {
      await calls.call('virtualCards.create', { ...client, data: { total_card_amount } });
    }
    const seen: number[] = [];
    const listOf = async (call: HostCall) => (await calls.call('virtualCards.list', call)) as Page<unknown>;
    let after: string | undefined;
    do {
      const options = { limit: 1, after };
      const { items, next }: Page<unknown> = await listOf({ ...client, options });
      seen.push(...(items as { total_card_amount: number }[]).map((card) => card.total_card_amount));
      after = next ?? undefined;
    } while (after !== undefined);
    assert.deepEqual(seen, [3, 2, 1]);
    const wrong = calls.call('virtualCards.list', { ...client, options: { after: 'zzz' } });
    await assert.rejects(wrong, (error: Refusal) => error.fields[0]?.path === 'after');
  });

  it('takes part in a transaction of the host, or says that it cannot', async (t) => {
    const { service, calls } = await startBoth(t);
    const { unitOfWork } = service.persistence;
    const client = { role: 'client', company_id: service.company_id, actor: 'user:anna' } as const;
    const create = { ...client, data: { total_card_amount: 500 } };
    const undone = new Error('the host changes its mind');
    const host = unitOfWork.run(async (tx) => {
      const joined = {
        run: (work: (tx: OperationTx) => unknown) => work(tx),
        read: (work: (tx: OperationTx) => unknown) => work(tx),
      };
      const call = { unitOfWork: () => joined as typeof unitOfWork };
      await calls.call('virtualCards.create', { ...create, ...call });
      const { items } = (await calls.call('virtualCards.list', { ...client, ...call })) as Page<unknown>;
      assert.equal(items.length, 1);
      for (const [id, operation] of calls.operations) {
        if (joinsTransaction(operation)) continue;
        await assert.rejects(calls.call(id, { ...client, ...call }), { name: 'UnusableTransaction' }, id);
      }
      throw undone;
    });
    await assert.rejects(host, undone);
    assert.deepEqual(await calls.call('virtualCards.list', client), { items: [], next: null });
  });

  it('that revokes a key ends its use over HTTP at once, in the same process', async (t) => {
    let ports: HttpAppPorts | undefined;
    const service = await startService(t, 'sqlite', (given) => {
      ports = { ...given, authenticator: createKeyAuthenticator(given) };
      return ports;
    });
    const calls = callsOf(ports!);
    const operator = { role: 'operator', actor: 'user:anna' } as const;
    const data = { role: 'client', company_id: service.company_id, name: 'a key' };
    const made = (await calls.call('operator.keys.create', { ...operator, data })) as { id: string; key: string };
    const read = () => service.send('GET', '/v1/virtualcards', { key: made.key });
    assert.equal((await read()).status, 200);
    await calls.call('operator.keys.revoke', { ...operator, parameters: { id: made.id } });
    assert.equal((await read()).status, 401);
  });

  it('of an unknown operation, or with other parameters than its path, is a mistake of the program', async (t) => {
    const { calls } = await startBoth(t);
    const caller = { role: 'operator', actor: 'user:anna' } as const;
    await assert.rejects(calls.call('virtualCards.steal', caller), RangeError);
    await assert.rejects(calls.call('operator.companies.read', caller), TypeError);
    await assert.rejects(
      calls.call('operator.companies.read', { ...caller, parameters: { id: 1, number: 'x' } }),
      TypeError,
    );
  });
});
