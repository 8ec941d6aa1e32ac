import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { mailboxMailer } from '@tallystick/cards';
import { relayEvents } from '@tallystick/events';
import { fixedClock } from '@tallystick/kernel';
import { authorization } from './authorization.ts';
import { type Call, type Reply, type Service, start, startService } from './service.ts';

/** As much of JSON Schema as the document uses. */
interface Schema {
  readonly $ref?: string;
  readonly examples?: readonly { readonly data: Readonly<Record<string, unknown>> }[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly parameters: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<'application/json', { readonly schema: Schema }>>;

/** Why a value does not fit a schema; null when it does. */
function misfit(document: Document, schema: Schema, value: unknown, at = '$'): string | null {
  if (schema.$ref !== undefined) return misfit(document, resolve(document, schema.$ref), value, at);
  if (schema.anyOf !== undefined) {
    const misfits = schema.anyOf.map((branch) => misfit(document, branch, value, at));
    return misfits.includes(null) ? null : misfits.join(' and ');
  }
  if (schema.const !== undefined) return value === schema.const ? null : `${at} is not ${schema.const}`;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return `${at} is ${value}, which is not listed`;
  if (schema.type !== undefined && ![schema.type].flat().some((type) => isOfType(type, value))) {
    return `${at} is no ${schema.type}: ${JSON.stringify(value)}`;
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value as string)) {
    return `${at} does not match ${schema.pattern}`;
  }
  if (Array.isArray(value)) {
    return first(value.map((item, index) => misfit(document, schema.items ?? {}, item, `${at}[${index}]`)));
  }
  if (typeof value !== 'object' || value === null) return null;
  const { properties = {}, required = [], additionalProperties } = schema;
  for (const name of required) if (!Object.hasOwn(value, name)) return `${at}.${name} is missing`;
  const misfits = Object.entries(value).map(([name, inner]) => {
    const own = properties[name];
    if (own !== undefined) return misfit(document, own, inner, `${at}.${name}`);
    if (additionalProperties === false) return `${at}.${name} is not in the document`;
    return typeof additionalProperties === 'object'
      ? misfit(document, additionalProperties, inner, `${at}.${name}`)
      : null;
  });
  return first(misfits);
}

function resolve({ components }: Document, reference: string): Schema {
  const schema = components.schemas[reference.slice('#/components/schemas/'.length)];
  assert.ok(schema !== undefined, reference);
  return schema;
}

function first(misfits: readonly (string | null)[]): string | null {
  return misfits.find((found) => found !== null) ?? null;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

async function read({ send }: Service): Promise<Document> {
  return (await send('GET', '/openapi.json', { key: null })).json;
}

/** A good request to each route with a body, by method and path. */
function goodRequests(card_number: string): readonly (readonly [string, string, string, Call])[] {
  const network = (body: unknown): Call => ({ key: 'network', body });
  const operator = (data: unknown): Call => ({ key: 'operator', body: { data } });
  const clearing = {
    vcn_id: 1,
    network_financial_transaction_id: 'N',
    billing_amount: 5,
    billing_currency: 'USD',
    clearing_type: 'DEBIT',
    settlement_date: '2030-03-16',
  };
  const template = { name: 'n', mcc_list: ['5734'], mcc_rule: 'ALLOW', description: 'd', required_control: 'VELOCITY' };
  const real_card = { company_id: 1, alias: 'a', billing_currency: 'EUR', account_range: '545455' };
  const event = { company_id: 1, event_type: 'ach.status', payload: { id: 1 } };
  return [
    ['post', '/v1/virtualcards', '/v1/virtualcards', { body: { data: { total_card_amount: 5000 } } }],
    ['patch', '/v1/virtualcards/{id}', '/v1/virtualcards/1', { body: { data: { total_card_amount: 6000 } } }],
    ['post', '/v1/virtualcards/{id}/email', '/v1/virtualcards/1/email', { body: { data: { email: 'a@example.com' } } }],
    ['post', '/v1/content/virtualcard-templates', '/v1/content/virtualcard-templates', { body: { data: template } }],
    ['post', '/v1/webhooks', '/v1/webhooks', { body: { data: { callback_url: 'https://127.0.0.1/hook' } } }],
    ['patch', '/v1/webhooks/{id}', '/v1/webhooks/1', { body: { data: { event_type_ids: [2] } } }],
    ['post', '/network/v1/authorizations', '/network/v1/authorizations', network(authorization(card_number))],
    ['post', '/network/v1/clearings', '/network/v1/clearings', network({ data: clearing })],
    ['post', '/operator/v1/companies', '/operator/v1/companies', operator({ name: 'n', customer_number: '9' })],
    ['patch', '/operator/v1/companies/{id}', '/operator/v1/companies/1', operator({ full_details_in_mail: true })],
    ['post', '/operator/v1/realcards', '/operator/v1/realcards', operator(real_card)],
    ['post', '/operator/v1/keys', '/operator/v1/keys', operator({ role: 'network', name: 'n' })],
    ['post', '/operator/v1/events', '/operator/v1/events', operator(event)],
    ['post', '/sandbox/v1/clock', '/sandbox/v1/clock', operator({ set: '2030-03-15T10:00:00Z' })],
  ];
}

async function withCard(t: TestContext): Promise<Service & { readonly card_number: string }> {
  const service = await startService(t);
  const body = { data: { total_card_amount: 5000 }, show_card_number: true };
  const { card_number } = (await service.send('POST', '/v1/virtualcards', { body })).json.data;
  return { ...service, card_number };
}

function assertDocumented(document: Document, method: string, path: string, reply: Reply): void {
  const answer = document.paths[path]?.[method]?.responses[reply.status];
  assert.ok(answer !== undefined, `${method} ${path} answers ${reply.status}, which the document does not tell`);
  const schema = answer.content?.['application/json'].schema;
  if (schema !== undefined) assert.equal(misfit(document, schema, reply.json), null, `${method} ${path}`);
}

const keyFor = (path: string) => (/^\/(operator|sandbox)/.test(path) ? 'operator' : 'client');

const asText = (text: string): string =>
  text.replaceAll('&', '&#38;').replaceAll('"', '&#34;').replaceAll("'", '&#39;');

describe('the OpenAPI document', () => {
  it('tells of every answer what it is', async (t) => {
    const service = await withCard(t);
    const document = await read(service);
    for (const [method, path, target, call] of goodRequests(service.card_number)) {
      const reply = await service.send(method.toUpperCase(), target, call);
      assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`);
      assertDocumented(document, method, path, reply);
    }
    const { unitOfWork } = service.persistence;
    const mailbox = mailboxMailer({ unitOfWork, sealer: service.vault.sealer, clock: fixedClock(start) });
    await mailbox.send({ to: 'a@example.com', subject: 's', text: 't', html: 'h' });
    // The webhook hears of cards: a delivery to read.
    const card = await service.send('POST', '/v1/virtualcards', { body: { data: { total_card_amount: 5000 } } });
    assert.equal(card.status, 200);
    const { offers } = await unitOfWork.run((tx) => relayEvents(tx, Date.parse(start), 100));
    const delivery_id = String(offers[0]?.delivery_id);
    for (const [path, operations] of Object.entries(document.paths)) {
      // A page for people, which opens by a secret.
      if (operations.get === undefined || path.startsWith('/card-details')) continue;
      const key = keyFor(path);
      const target = path.replace('{id}', '1').replace('{delivery_id}', delivery_id);
      const reply = await service.send('GET', target, { key });
      assert.equal(reply.status, 200, `${path}: ${reply.text}`);
      assertDocumented(document, 'get', path, reply);

      // A list that says so reduces its items to what leads to them; no other does.
      const minimal = await service.send('GET', target, { key, headers: { Prefer: 'return-minimal' } });
      const promised = operations.get.parameters.some(({ name }) => name === 'Prefer');
      assert.equal(minimal.headers.get('preference-applied') === 'return-minimal', promised, path);
      if (!promised) continue;
      assert.ok(minimal.json.data.length > 0, `${path} has an item`);
      for (const item of minimal.json.data) {
        assert.deepEqual(Object.keys(item).toSorted(), ['id', 'type', 'url'], path);
        const its = await service.send('GET', item.url, { key: keyFor(item.url) });
        assert.equal(its.status, 200, `${path}: ${item.url}`);
      }
    }
  });

  it('shows of every body an example, which is taken', async (t) => {
    const service = await withCard(t);
    const document = await read(service);
    const { text: page } = await service.send('GET', '/docs', { key: null });
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { requestBody }] of Object.entries(operations)) {
        if (requestBody === undefined) continue;
        const { $ref } = requestBody.content['application/json'].schema;
        const examples = $ref === undefined ? [] : (resolve(document, $ref).examples ?? []);
        assert.ok(examples.length > 0, `${method} ${path}`);
        for (const example of examples) {
          assert.ok(page.includes(`<pre>${asText(JSON.stringify(example, null, 2))}</pre>`), `${path} on the page`);
          const { card_number } = service;
          const body = 'card_number' in example.data ? { data: { ...example.data, card_number } } : example;
          const key = /^\/(operator|sandbox)/.test(path)
            ? 'operator'
            : path.startsWith('/network')
              ? 'network'
              : 'client';
          const reply = await service.send(method.toUpperCase(), path.replace('{id}', '1'), { key, body });
          assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`);
        }
      }
    }
  });

  it('tells of every field what is refused: each such value is, by the name of its field', async (t) => {
    const service = await withCard(t);
    const document = await read(service);
    const taken: string[] = [];
    let tried = 0;
    for (const [method, path, target, call] of goodRequests(service.card_number)) {
      const schema = document.paths[path]?.[method]?.requestBody?.content['application/json'].schema;
      assert.ok(schema?.$ref !== undefined, `${method} ${path} has a body`);
      const fields = resolve(document, schema.$ref).properties?.data?.properties ?? {};
      for (const [name, field] of Object.entries(fields)) {
        for (const value of badValues(field).filter((value) => misfit(document, field, value) !== null)) {
          const good = (call.body as { readonly data: object }).data;
          const body = { data: { ...good, [name]: value } };
          const reply = await service.send(method.toUpperCase(), target, { ...call, body });
          const problems: readonly { path: string }[] = reply.json.fields ?? [];
          const refused = reply.status === 400 && problems.some((problem) => problem.path.startsWith(`data.${name}`));
          if (!refused) taken.push(`${method} ${path}: ${name} ${JSON.stringify(value).slice(0, 60)}: ${reply.status}`);
          tried += 1;
        }
      }
    }
    assert.deepEqual(taken, []);
    assert.ok(tried > 300, `only ${tried} values were tried`);
  });
});

/** Values of every kind, and those just past the bounds of the schema. */
function badValues(schema: Schema): readonly unknown[] {
  const branches = schema.anyOf ?? [schema];
  const past = branches.flatMap(({ minimum, maximum, maxLength, minLength, maxItems }) => [
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? [] : [maximum + 1]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(minLength === undefined ? [] : ['']),
    ...(maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, (_, i) => String(1000 + i))]),
  ]);
  return [true, 'x!', 1.5, -1, [], {}, [1], { a: 1 }, '2030-02-30', ...past];
}
