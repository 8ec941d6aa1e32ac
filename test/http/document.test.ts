import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openAccount } from '@tallystick/accounts';
import { mailboxMailer, runBacktests } from '@tallystick/cards';
import { clearing_formats } from '@tallystick/clearing-files';
import { relayEvents } from '@tallystick/events';
import { fixedClock } from '@tallystick/kernel';
import { itemIdOf } from '@tallystick/reconciliation';
import { type CheckedDocument, checkedDocument } from '@tallystick/test-support';
import { authorization, type Call, type Service, start, startService } from './service.ts';

/** The part of JSON Schema that these tests read. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly examples?: readonly Readonly<Record<string, unknown>>[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
  readonly additionalProperties?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

interface Document {
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, { readonly description?: string }>>;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly tags: readonly { readonly name: string }[];
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<'application/json', { readonly schema: Schema }>>;

interface Named {
  readonly name: string;
  readonly description?: string;
}

/** What shared schemas say of the form of their values, whatever field has them. */
const forms_only = [
  'ISO 8601, UTC',
  'ISO 8601, with an offset',
  'ISO 4217',
  'Minor units (cents)',
  'YYYY-MM-DD',
  'Digits',
];

/** The description of a property: its own, else that of the schema which it refers to. */
function descriptionOf(document: Document, { description, $ref }: Schema): string | undefined {
  return description ?? ($ref === undefined ? undefined : descriptionOf(document, resolve(document, $ref)));
}

function isNullable({ type, anyOf = [] }: Schema): boolean {
  return [type].flat().includes('null') || anyOf.some(isNullable);
}

function resolve({ components }: Document, reference: string): Schema {
  const schema = components.schemas[reference.slice('#/components/schemas/'.length)];
  assert.ok(schema !== undefined, reference);
  return schema;
}

/** The schema of `data` in a body. */
function dataOf(document: Document, { requestBody }: Operation): Schema {
  const schema = requestBody?.content['application/json'].schema;
  assert.ok(schema?.$ref !== undefined, 'the body has a named schema');
  const named = resolve(document, schema.$ref);
  const wrapped = (named.anyOf ?? [named]).find(({ properties }) => properties?.data !== undefined);
  assert.ok(wrapped?.properties?.data !== undefined, schema.$ref);
  return wrapped.properties.data;
}

async function read({ send }: Service): Promise<Document> {
  return (await send('GET', '/openapi.json', { key: null })).json;
}

async function readChecked({ send }: Service): Promise<CheckedDocument> {
  return checkedDocument((await send('GET', '/openapi.json', { key: null })).text);
}

function followUp(what: string): readonly [string, string, string, Call] {
  const path = `/sandbox/v1/authorizations/{id}/${what}`;
  return ['post', path, path.replace('{id}', '2'), { body: { data: { amount: 2 } } }];
}

/** A valid request to each route with a body, by method and path. */
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
  const account = { company_id: 1, number: 'ceid1', currency: 'EUR', kind: 'card' };
  const third_party = {
    name: 'n',
    scopes: ['accounts'],
    redirect_uris: ['https://third-party.example/callback'],
    jwks_uri: 'https://third-party.example/jwks.json',
  };
  const event = { company_id: 1, event_type: 'ach.status', payload: { id: 1 } };
  const release = '/v1/virtualcards/{id}/authorizations/{authorization_id}/release';
  return [
    ['post', '/v1/virtualcards', '/v1/virtualcards', { body: { data: { total_card_amount: 5000 } } }],
    ['patch', '/v1/virtualcards/{id}', '/v1/virtualcards/1', { body: { data: { total_card_amount: 6000 } } }],
    ['post', '/v1/virtualcards/{id}/email', '/v1/virtualcards/1/email', { body: { data: { email: 'a@example.com' } } }],
    ['post', '/v1/content/virtualcard-templates', '/v1/content/virtualcard-templates', { body: { data: template } }],
    ['post', '/v1/webhooks', '/v1/webhooks', { body: { data: { callback_url: 'https://127.0.0.1/hook' } } }],
    ['patch', '/v1/webhooks/{id}', '/v1/webhooks/1', { body: { data: { event_type_ids: [2] } } }],
    ['post', '/network/v1/authorizations', '/network/v1/authorizations', network(authorization(card_number))],
    ['post', release, release.replace(/\{\w+\}/g, '1'), { body: { data: { note: 'n' } } }],
    ['post', '/network/v1/clearings', '/network/v1/clearings', network({ data: clearing })],
    ['post', '/operator/v1/companies', '/operator/v1/companies', operator({ name: 'n', customer_number: '9' })],
    ['patch', '/operator/v1/companies/{id}', '/operator/v1/companies/1', operator({ full_details_in_mail: true })],
    ['post', '/operator/v1/realcards', '/operator/v1/realcards', operator(real_card)],
    ['post', '/operator/v1/keys', '/operator/v1/keys', operator({ role: 'network', name: 'n' })],
    ['post', '/operator/v1/people', '/operator/v1/people', operator({ handle: 'anna', name: 'n', grants: [] })],
    [
      'put',
      '/operator/v1/people/{id}/password',
      '/operator/v1/people/1/password',
      operator({ password: 'a long password' }),
    ],
    ['post', '/operator/v1/events', '/operator/v1/events', operator(event)],
    ['post', '/bank/v1/accounts', '/bank/v1/accounts', { key: 'bank', body: { data: account } }],
    ['post', '/operator/v1/third-parties', '/operator/v1/third-parties', operator(third_party)],
    ['post', '/sandbox/v1/purchases', '/sandbox/v1/purchases', { body: { data: { vcn_id: 1, amount: 5 } } }],
    ...['clear', 'reverse', 'refund'].map((what) => followUp(what)),
    ['post', '/sandbox/v1/clock', '/sandbox/v1/clock', operator({ set: '2030-03-15T10:00:00Z' })],
  ];
}

/** A clearing of a card that does not exist: it is refused and kept in quarantine. */
const unknown_card: Call = {
  key: 'network',
  body: {
    data: {
      vcn_id: 999,
      network_financial_transaction_id: 'N-unknown',
      billing_amount: 5,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2030-03-16',
    },
  },
};

async function withCard(t: TestContext): Promise<Service & { readonly card_number: string }> {
  const service = await startService(t);
  const body = { data: { total_card_amount: 5000 }, show_card_number: true };
  const { card_number } = (await service.send('POST', '/v1/virtualcards', { body })).json.data;
  return { ...service, card_number };
}

function keyFor(path: string): 'operator' | 'network' | 'client' | 'bank' {
  if (/^\/sandbox\/v1\/(purchases|authorizations)/.test(path)) return 'client';
  if (path.startsWith('/sandbox/v1/consents')) return 'bank';
  if (/^\/(operator|sandbox)/.test(path)) return 'operator';
  if (path.startsWith('/bank')) return 'bank';
  return path.startsWith('/network') ? 'network' : 'client';
}

/** Registers an endpoint that cannot be reached, and sends a request about which it is asked. */
async function withConsultation({ send, card_number }: Service & { readonly card_number: string }): Promise<string> {
  const endpoint = { data: { url: 'https://127.0.0.1:1/decide' } };
  assert.equal((await send('PUT', '/v1/decision-endpoint', { body: endpoint })).status, 200);
  const amounts = { billing_amount: 1, merchant_amount: 1 };
  const call: Call = { key: 'network', body: authorization(card_number, amounts) };
  const { data } = (await send('POST', '/network/v1/authorizations', call)).json;
  assert.equal(data.decline_reason, 'P');
  return (await send('GET', '/v1/decision-endpoint/consultations')).json.data[0].id;
}

/** A path of the document with ids of objects that exist. An item has its id from its first record. */
function targetOf(path: string, ids: { readonly delivery_id: string; readonly consultation_id: string }): string {
  if (path.endsWith('/items/{id}')) return path.replace('{id}', String(itemIdOf({ kind: 'authorization', id: 1 })));
  if (path === '/v1/clearings') return `${path}?filter[id]=1`;
  if (path.endsWith('/bridge')) return `${path}?filter[account_id]=${account_number}`;
  if (path.includes('{user_id}')) return path.replace('{user_id}', bank_user_id);
  if (path.includes('{consent_id}')) return path.replace('{consent_id}', consent_id);
  const of_card = path.replace('{id}', '1').replace('{authorization_id}', '1');
  const named = of_card.replace('{delivery_id}', ids.delivery_id).replace('{consultation_id}', ids.consultation_id);
  return named.replace('{number}', account_number);
}

const account_number = '1';

/** Texts that are ids in the examples, too. */
const consent_id = '1';
const bank_user_id = '1';

/** A third party, a consent, a user of the bank who may decide about it, and an account that the user may view. */
async function withConsent({ persistence }: Service, company_id = 1): Promise<void> {
  const at_ms = Date.parse(start);
  await persistence.unitOfWork.run(async (tx) => {
    const services = ['aisp', 'cbpii'] as const;
    const call = { actor: 'job:test', request_id: null, now_ms: at_ms };
    const number = 'ofUser1';
    await openAccount(tx, call, { company_id, number, currency: 'USD', kind: 'deposit', name: null });
    await tx.bank.putCompany({ company_id, eligible_services: services, is_configured: true });
    await tx.bank.putUsers([
      {
        user_id: bank_user_id,
        company_id,
        name: 'Alex',
        status: 'active',
        eligible_services: services,
        configured_services: services,
        may_view_direct_debits: true,
        viewable_accounts: [number],
        updated_at_ms: at_ms,
      },
    ]);
    await tx.third_parties.insert({
      client_id: 'sandbox-aisp',
      name: 'Budget planner',
      scopes: ['accounts'],
      redirect_uris: [],
      jwks: null,
      jwks_uri: null,
      certificate_subject: null,
      id_token_signed_response_alg: 'PS256',
      is_sandbox: true,
      status: 'active',
      created_at_ms: at_ms,
    });
    await tx.consents.insert({
      kind: 'account_access',
      consent_id,
      client_id: 'third-party',
      status: 'AwaitingAuthorisation',
      permissions: ['ReadAccountsBasic'],
      created_at_ms: at_ms,
      status_updated_at_ms: at_ms,
      expiration_date_time: null,
      expires_at_ms: null,
      transaction_from_date_time: null,
      transaction_to_date_time: null,
      user_id: null,
      company_id: null,
      account_numbers: [],
      authorised_at_ms: null,
      withdrawn_at_ms: null,
      stopped_at_ms: null,
      tokens_revoked_at_ms: null,
      tokens_end_at_ms: null,
      decided_ahead: false,
      deleted_at_ms: null,
    });
  });
}

/** What the bank reports of an account, and the account that the example of a user names. */
async function withBankData({ persistence, send }: Service): Promise<void> {
  const call = { actor: 'job:test', request_id: null, now_ms: Date.parse(start) };
  await persistence.unitOfWork.run(async (tx) => {
    for (const number of [account_number, '1000000001']) {
      if ((await tx.accounts.findByNumber(number)) !== null) continue;
      await openAccount(tx, call, { company_id: 1, number, currency: 'USD', kind: 'deposit', name: null });
    }
  });
  const creditor = { creditor_scheme_name: 'UK.OBIE.IBAN', creditor_identification: 'GB29NWBK60161331926819' };
  const records = [
    { kind: 'profile', nickname: 'Travel' },
    { kind: 'transaction', bank_reference: 'T', booking_date: '2030-03-14', amount: -5, bai_code: '821' },
    { kind: 'direct_debit', mandate_reference: 'M', status: 'active', name: 'Water' },
    {
      ...{ kind: 'standing_order', reference: 'S', status: 'active', frequency: 'EvryDay', ...creditor },
      ...{ next_payment_on: '2030-04-01', next_payment_amount: 5 },
    },
    {
      ...{ kind: 'scheduled_payment', reference: 'P', status: 'pending', amount: 5, ...creditor },
      scheduled_on: '2030-04-01',
    },
  ];
  const body = Buffer.from(records.map((one) => JSON.stringify({ ...one, account: account_number })).join('\n'));
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const { status, text, json } = await send('POST', '/bank/v1/records', { key: 'bank', body, headers });
  assert.deepEqual([status, json.data?.applied], [200, records.length], text);
}

/** Days that are closed once a second person approves it. */
async function withApproval({ send }: Service): Promise<void> {
  const require = (four_eyes: object | null) =>
    send('PATCH', '/operator/v1/companies/1', { key: 'operator', body: { data: { four_eyes } } });
  assert.equal((await require({ above: { USD: 5 } })).status, 200);
  const closing = { body: { data: { closed_through: '2030-03-13' } } };
  assert.equal((await send('POST', '/v1/reconciliation/periods', closing)).status, 202);
  assert.equal((await require(null)).status, 200);
}

describe('the OpenAPI document', () => {
  it('describes the answer of every operation', async (t) => {
    const service = await withCard(t);
    const document = await read(service);
    for (const [method, path, target, call] of goodRequests(service.card_number)) {
      const reply = await service.send(method.toUpperCase(), target, call);
      assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`);
    }
    await service.send('POST', '/network/v1/clearings', unknown_card);
    await importFile(service);
    await withConsent(service);
    await withBankData(service);
    await withApproval(service);
    const decide = `/sandbox/v1/consents/${consent_id}/decide`;
    const decided = await service.send('POST', decide, { key: 'bank', body: { data: { decision: 'approve' } } });
    assert.equal(decided.status, 200, decided.text);
    const { unitOfWork } = service.persistence;
    const mailbox = mailboxMailer({ unitOfWork, sealer: service.vault.sealer, clock: fixedClock(start) });
    await mailbox.send({ to: 'a@example.com', subject: 's', text: 't', html: 'h' });
    // The webhook subscribes to cards, so that there is a delivery to read.
    const card = await service.send('POST', '/v1/virtualcards', { body: { data: { total_card_amount: 5000 } } });
    assert.equal(card.status, 200);
    const { offers } = await unitOfWork.run((tx) => relayEvents(tx, Date.parse(start), 100));
    const delivery_id = String(offers[0]?.delivery_id);
    const consultation_id = await withConsultation(service);
    service.setClock('2030-03-15T10:00:01Z');
    const backtest = { vcn_id: 1, changes: { total_card_amount: 100 } };
    assert.equal((await service.send('POST', '/v1/backtests', { body: { data: backtest } })).status, 200);
    const { giveWay } = service.persistence;
    const clock = fixedClock('2030-03-15T10:00:01Z');
    await runBacktests({ unitOfWork, giveWay, clock, machine_clock: clock, random: service.vault.random });
    for (const [path, operations] of Object.entries(document.paths)) {
      // A page for people, which requires a secret.
      if (operations.get === undefined || path.startsWith('/card-details')) continue;
      const key = keyFor(path);
      const target = targetOf(path, { delivery_id, consultation_id });
      const reply = await service.send('GET', target, { key });
      assert.equal(reply.status, 200, `${path}: ${reply.text}`);

      // A list that documents the preference reduces its items to their links. No other list does.
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

  it('shows an accepted example of every body', async (t) => {
    const service = await withCard(t);
    const document = await read(service);
    await importFile(service, true);
    await withConsent(service);
    await withBankData(service);
    const call = { key: 'network', body: authorization(service.card_number) } as const;
    assert.equal((await service.send('POST', '/network/v1/authorizations', call)).json.data.id, 1);
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { requestBody }] of Object.entries(operations)) {
        if (requestBody?.content['application/json'] === undefined) continue;
        const { $ref } = requestBody.content['application/json'].schema;
        const examples = $ref === undefined ? [] : (resolve(document, $ref).examples ?? []);
        assert.ok(
          examples.length > 0,
          `the body of ${method} ${path} has no example; add one to the meta of its shape`,
        );
        for (const example of examples) {
          const { card_number } = service;
          const data = example.data as Readonly<Record<string, unknown>> | undefined;
          const names_a_card = data !== undefined && 'card_number' in data;
          const body = names_a_card ? { data: { ...data, card_number } } : example;
          const reply = await service.send(method.toUpperCase(), path.replace(/\{\w+\}/g, '1'), {
            key: keyFor(path),
            body,
          });
          // There is no item or approval, so that an action reaches its state and no further.
          // Import 1 is held whole, and has nothing to replay.
          const done = method === 'delete' ? 204 : 200;
          const expected = /\/(items|approvals)\/\{id\}\//.test(path)
            ? 404
            : path.endsWith('/imports/{id}/replay')
              ? 409
              : done;
          assert.equal(reply.status, expected, `${method} ${path}: ${reply.text}`);
        }
      }
    }
    const { items } = await service.persistence.unitOfWork.read((tx) => tx.audit.list({}, { limit: 100 }));
    const by_key = items.filter(({ actor }) => actor.startsWith('key:'));
    assert.ok(by_key.length > 10, `${by_key.length} entries`);
    for (const { action, source_address } of by_key) assert.equal(source_address, '127.0.0.1', action);
  });

  it('states the refused values of every field, and the refusals name the field', async (t) => {
    const service = await withCard(t);
    const document = await read(service);
    const { findMisfit } = await readChecked(service);
    const taken: string[] = [];
    let tried = 0;
    for (const [method, path, target, call] of goodRequests(service.card_number)) {
      const { properties = {}, required = [] } = dataOf(document, document.paths[path]![method]!);
      const good = (call.body as { readonly data: Readonly<Record<string, unknown>> }).data;
      const attempt = async (name: string, data: object): Promise<void> => {
        const reply = await service.send(method.toUpperCase(), target, { ...call, body: { data } });
        const fields: readonly { path: string }[] = reply.json.fields ?? [];
        const refused = reply.status === 400 && fields.some((field) => field.path.startsWith(`data.${name}`));
        const value = JSON.stringify((data as Readonly<Record<string, unknown>>)[name])?.slice(0, 60);
        if (!refused) taken.push(`${method} ${path}: ${name} ${value}: ${reply.status}`);
        tried += 1;
      };
      for (const [name, field] of Object.entries(properties)) {
        const bad = badValues(field).filter((value) => findMisfit(field, value) !== null);
        for (const value of bad) await attempt(name, { ...good, [name]: value });
      }
      for (const name of required) await attempt(name, { ...good, [name]: undefined });
    }
    assert.deepEqual(taken, []);
    assert.ok(tried > 300, `only ${tried} values were tried`);
  });

  it('allows no text in a message of the card network that is refused for its form', async (t) => {
    const service = await withCard(t);
    const document = await read(service);
    const { findMisfit } = await readChecked(service);
    const refused: string[] = [];
    let allowed = 0;
    for (const [method, path, target, call] of goodRequests(service.card_number)) {
      if (!path.startsWith('/network')) continue;
      const { properties = {} } = dataOf(document, document.paths[path]![method]!);
      const good = (call.body as { readonly data: Readonly<Record<string, unknown>> }).data;
      for (const [name, field] of Object.entries(properties)) {
        for (const value of texts.filter((one) => findMisfit(field, one) === null)) {
          const own_id = { network_financial_transaction_id: `N${allowed}` };
          const body = { data: { ...good, ...own_id, [name]: value } };
          const { status, text } = await service.send(method.toUpperCase(), target, { ...call, body });
          if (status === 400 && text.includes(`"data.${name}"`)) refused.push(`${path}: ${text}`);
          allowed += 1;
        }
      }
    }
    assert.deepEqual(refused, []);
    assert.ok(allowed > 90, `only ${allowed} texts were allowed`);
  });

  it('closes the objects of every request but the messages of the card network', async (t) => {
    const { paths, components } = await read(await startService(t));
    const isClosed = ({ properties, additionalProperties }: Schema): boolean =>
      properties === undefined || (additionalProperties === false && Object.values(properties).every(isClosed));
    for (const [path, methods] of Object.entries(paths)) {
      for (const { requestBody } of Object.values(methods)) {
        const name = requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1);
        if (name === undefined) continue;
        const schema = components.schemas[name]!;
        const all_closed = (schema.anyOf ?? [schema]).every(isClosed);
        assert.equal(all_closed, !path.startsWith('/network/'), `${path}: ${name}`);
      }
    }
  });

  it('describes every property, parameter and header: what it means, and what null means', async (t) => {
    const document = await read(await startService(t));
    const problems: string[] = [];
    let described = 0;
    const check = (name: string, text: string | undefined, at: string): void => {
      described += 1;
      const words = (some: string) => some.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
      if (text === undefined || words(text) === '' || words(text) === words(name)) problems.push(`${at}: no meaning`);
      // The form of a value is no meaning of a field.
      if (forms_only.includes(text ?? '')) problems.push(`${at}: ${text}`);
    };
    const walk = (value: unknown, at: string, is_of_names = false): void => {
      if (typeof value !== 'object' || value === null) return;
      const schema = value as Schema & Readonly<Record<string, unknown>>;
      if (!is_of_names) {
        for (const [name, property] of Object.entries({ ...schema.properties, ...schema.patternProperties })) {
          const text = descriptionOf(document, property as Schema);
          check(name, text, `${at}/${name}`);
          if (isNullable(property as Schema) && !/\bnull\b/i.test(text ?? '')) problems.push(`${at}/${name}: no null`);
        }
        for (const { name, description } of (schema.parameters ?? []) as readonly Named[])
          check(name, description, `${at}: ${name}`);
      }
      for (const [name, inner] of Object.entries(value)) {
        if (!is_of_names && ['examples', 'enum', 'const', 'default', 'required'].includes(name)) continue;
        walk(inner, `${at}/${name}`, !is_of_names && (name === 'properties' || name === 'patternProperties'));
      }
    };
    walk(document, '');
    for (const [name, { description }] of Object.entries(document.components.headers)) check(name, description, name);
    assert.deepEqual(problems, []);
    assert.ok(described > 1500, `only ${described} were found`);
  });

  it('documents the filters on metadata by the form of their names', async (t) => {
    const service = await startService(t);
    const { paths } = await read(service);
    const { schema } = paths['/v1/virtualcards']!.get!.parameters.find(({ name }) => name === 'filter')!;
    const { findMisfit } = await readChecked(service);
    assert.equal(findMisfit(schema, { status: 'Approved', 'metadata.a b': 'x', 'metadata.鍵': 5 }), null);
    for (const name of ['metadata.', 'metadata', 'meta', `metadata.${'x'.repeat(256)}`])
      assert.notEqual(findMisfit(schema, { [name]: 'x' }), null, name);
  });

  it('has a stable id for every operation', async (t) => {
    const document = await read(await startService(t));
    const operations = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap(Object.values);
    const ids = operations.map(({ operationId }) => operationId);
    assert.equal(new Set(ids).size, ids.length, 'each id is unique');
    const of_routes = ids.filter((id) => !id.startsWith('deliver.')).toSorted();
    const unknown = of_routes.filter((id) => !operation_ids.includes(id));
    assert.deepEqual(unknown, [], `add ${unknown.join(', ')} to operation_ids of this test`);
    assert.deepEqual(of_routes, operation_ids);
  });

  it('describes the deliveries of every event type', async (t) => {
    const service = await startService(t);
    const { webhooks } = await read(service);
    const types: readonly { name: string }[] = (await service.send('GET', '/v1/events/types')).json.data;
    const names = types.map(({ name }) => name).filter((name) => name !== 'all');
    const overridden = 'virtualcard.decision.overridden';
    const of_breaks = ['opened', 'aged', 'resolved'].map((name) => `reconciliation.break.${name}`);
    const expected = [
      ...names,
      'virtualcard.updated',
      overridden,
      'ach.$$limit.exceeded',
      'webhooks.test',
      ...of_breaks,
      ...['asked', 'approved', 'refused', 'withdrawn', 'outdated'].map((name) => `reconciliation.approval.${name}`),
    ];
    assert.deepEqual(Object.keys(webhooks).toSorted(), expected.toSorted());
  });

  it('types a list by its items in full, also one that reduces them when it is asked to', async (t) => {
    const { paths } = await read(await startService(t));
    let reducible = 0;
    for (const [path, { get }] of Object.entries(paths)) {
      const { properties } = get?.responses[200]?.content?.['application/json']?.schema ?? {};
      if (properties?.links === undefined) continue;
      assert.match(properties.data?.items?.$ref ?? '', /^#\/components\/schemas\/\w+$/, path);
      const is_minimal = properties.data?.items?.$ref === '#/components/schemas/MinimalItem';
      assert.equal(is_minimal, path === '/v1/webhooks', path);
      if (get?.parameters.some(({ name }) => name === 'Prefer')) reducible += 1;
    }
    assert.ok(reducible > 10, `only ${reducible} lists`);
  });

  it('states which payload an event and a delivery have by their type: each name has one', async (t) => {
    const document = await read(await startService(t));
    const { Event, DeliveredEvent } = document.components.schemas;
    const names = Object.keys(document.webhooks);
    const stored = names.filter((name) => !['webhooks.test', 'virtualcard.realtime.iccp.all'].includes(name));
    for (const [union, expected] of [
      [Event, stored],
      [DeliveredEvent, names],
    ] as const) {
      const { propertyName = '', mapping = {} } = union?.discriminator ?? {};
      assert.deepEqual(Object.keys(mapping).toSorted(), expected.toSorted());
      assert.deepEqual(
        new Set(Object.values(mapping)),
        new Set(union?.oneOf?.map(({ $ref }) => $ref)),
        'each member has a name',
      );
      for (const [name, reference] of Object.entries(mapping)) {
        const property = resolve(document, reference).properties?.[propertyName];
        assert.ok((property?.enum ?? [property?.const]).includes(name), name);
      }
    }
    const auths = ['virtualcard.realtime.auths', 'virtualcard.realtime.iccp.all'].map(
      (name) => resolve(document, DeliveredEvent?.discriminator?.mapping[name] ?? '').properties?.payload?.$ref,
    );
    assert.deepEqual(auths, ['#/components/schemas/Authorization', '#/components/schemas/Authorization']);
  });

  it('describes the filters of a list: their values are accepted, others are refused', async (t) => {
    const service = await withCard(t);
    const document = await read(service);
    const { findMisfit } = await readChecked(service);
    let tried = 0;
    for (const [path, { get }] of Object.entries(document.paths)) {
      const { properties: filters = {}, required = [] } =
        get?.parameters.find(({ name }) => name === 'filter')?.schema ?? {};
      for (const [name, schema] of Object.entries(filters)) {
        for (const value of filter_values) {
          const listed =
            findMisfit(schema, value) === null || (/^\d+$/.test(value) && findMisfit(schema, Number(value)) === null);
          const others = required.filter((one) => one !== name).map((one) => `&filter[${one}]=${account_number}`);
          const target = `${path.replace('{id}', '1')}?filter[${name}]=${encodeURIComponent(value)}${others.join('')}`;
          const reply = await service.send('GET', target, { key: keyFor(path) });
          if (reply.status === 404) continue;
          assert.equal(reply.status, listed ? 200 : 400, `${target}: ${reply.text}`);
          tried += 1;
        }
      }
      if (get === undefined || path.startsWith('/card-details')) continue;
      const unknown = await service.send('GET', `${path.replace(/\{\w+\}/g, '1')}?filter[nonsense]=1`, {
        key: keyFor(path),
      });
      assert.equal(unknown.status, 400, path);
    }
    assert.ok(tried > 100, `only ${tried} filters were tried`);
  });

  it('lists the code of an answer to a request that never reaches an operation', async (t) => {
    const service = await startService(t);
    const document = await read(service);
    const { code } = resolve(document, '#/components/schemas/Error').properties as {
      code: { enum: readonly string[] };
    };
    for (const headers of [{ 'X-Long': 'x'.repeat(20_000) }, { Connection: 'close', 'X-Line': 'x' }]) {
      const answer = await fetch(`${service.url}/nothing`, { headers });
      const body = (await answer.json()) as { readonly code: string };
      assert.ok(code.enum.includes(body.code), body.code);
    }
    assert.ok(code.enum.includes('request_timeout'));
  });

  it('has no schema that generators and checkers of others misread', async (t) => {
    const found: string[] = [];
    const walk = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { type, allOf, maxProperties } = value as Readonly<Record<string, unknown>>;
      if (allOf !== undefined && type !== undefined)
        found.push(`${at}: an allOf beside a type, as two patterns make it`);
      if (maxProperties !== undefined && at.includes('/parameters/')) found.push(`${at}: maxProperties`);
      for (const [name, inner] of Object.entries(value)) walk(inner, `${at}/${name}`);
    };
    walk(await read(await startService(t)), '');
    assert.deepEqual(found, []);
  });

  it('does not match an answer with an additional or missing field, another status or another header', async (t) => {
    const service = await withCard(t);
    const { findAnswerProblem } = await readChecked(service);
    const card = '/v1/virtualcards/1';
    await service.send('POST', '/network/v1/authorizations', {
      key: 'network',
      body: authorization(service.card_number),
    });
    const { status, headers, text } = await service.send('GET', card);
    assert.equal(findAnswerProblem('GET', card, { status, headers, text }), null);
    let planted = 0;
    for (const object of objectsIn(JSON.parse(text))) {
      // Objects of the client may have any field.
      if (object.path.endsWith('metadata') || object.path.endsWith('network_data')) continue;
      const more = JSON.stringify(object.changed((value) => ({ ...value, planted: 1 })));
      assert.match(findAnswerProblem('GET', card, { status, headers, text: more }) ?? '', /planted/, object.path);
      planted += 1;
    }
    assert.ok(planted >= 4, 'the body, the card, its authorization and the replacement amounts');
    const less = JSON.parse(text);
    delete less.data.authorizations[0].decline_reason;
    assert.match(
      findAnswerProblem('GET', card, { status, headers, text: JSON.stringify(less) }) ?? '',
      /decline_reason/,
    );
    assert.match(findAnswerProblem('GET', card, { status: 418, headers, text }) ?? '', /418/);
    assert.match(findAnswerProblem('GET', '/v1/planted', { status, headers, text }) ?? '', /no such operation/);
    const other = new Headers(headers);
    other.set('X-Planted', '1');
    assert.match(findAnswerProblem('GET', card, { status, headers: other, text }) ?? '', /x-planted/);
    other.delete('X-Planted');
    other.delete('X-Request-Id');
    assert.match(findAnswerProblem('GET', card, { status, headers: other, text }) ?? '', /x-request-id/);
  });
});

/** Texts that are valid for some filters and invalid for others. */
const filter_values = [
  '1',
  'x',
  'Approved',
  'failed',
  '1234',
  'virtualcard.created',
  '2030-03-15',
  '2030-03-15T10:00:00Z',
  '[1,2]',
  '[,2]',
  '[a,b]',
  '[2030-03-15,]',
  'x'.repeat(256),
];

/** Yields every object in a JSON value: its path, and the whole value with that object changed. */
function* objectsIn(
  value: unknown,
  path = '$',
  whole: (changed: unknown) => unknown = (changed) => changed,
): Generator<{ readonly path: string; changed(change: (object: object) => object): unknown }> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield { path, changed: (change) => whole(change(value)) };
  for (const [name, inner] of Object.entries(value)) {
    const copied = (changed: unknown) => {
      const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
      copy[name] = changed;
      return whole(copy);
    };
    yield* objectsIn(inner, `${path}.${name}`, copied);
  }
}

/**
 * Imports a file of two records, of which one goes to quarantine, as import 1. Or holds it: then
 * import 2 has the same file id and other bytes.
 */
async function importFile({ send }: Service, is_held = false): Promise<void> {
  const upload = (amount: number, format: string) => {
    const clearing = {
      vcn_id: 999,
      network_financial_transaction_id: `F-${amount}`,
      billing_amount: amount,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2030-03-16',
    } as const;
    const content = { sequence: 1, created_on: '2030-03-16', mode: 'test', clearings: [{ input: clearing }] } as const;
    const body = Buffer.concat([...clearing_formats.find(({ name }) => name === 'cdf3')!.write!(content)]);
    return send('POST', `/operator/v1/imports?name=a&format=${format}`, { key: 'operator', body });
  };
  const statuses: string[] = [];
  for (const [amount, format] of is_held
    ? ([
        [1, 'ipm'],
        [2, 'cdf3'],
        [1, 'cdf3'],
      ] as const)
    : ([[1, 'cdf3']] as const)) {
    statuses.push((await upload(amount, format)).json.data.status);
  }
  assert.equal(statuses.at(-1), is_held ? 'held' : 'completed_with_quarantine');
}

/** Generated clients name their functions after these ids, so an id never changes. */
const operation_ids = [
  'activity.read',
  'authorizations.list',
  'authorizations.read',
  'backtests.create',
  'backtests.delete',
  'backtests.differences.list',
  'backtests.list',
  'backtests.read',
  'bank.accounts.balance.put',
  'bank.accounts.balance.read',
  'bank.accounts.create',
  'bank.accounts.directDebits.list',
  'bank.accounts.list',
  'bank.accounts.profile.put',
  'bank.accounts.profile.read',
  'bank.accounts.read',
  'bank.accounts.scheduledPayments.list',
  'bank.accounts.standingOrders.list',
  'bank.accounts.transactions.list',
  'bank.companies.openBanking.put',
  'bank.companies.openBanking.read',
  'bank.consents.read',
  'bank.consents.withdraw',
  'bank.records.report',
  'bank.users.consents.list',
  'bank.users.list',
  'bank.users.put',
  'bank.users.read',
  'cardDetails.page',
  'cardDetails.show',
  'clearings.list',
  'decisionEndpoint.consultations.list',
  'decisionEndpoint.consultations.read',
  'decisionEndpoint.delete',
  'decisionEndpoint.put',
  'decisionEndpoint.read',
  'decisionEndpoint.rotateSecret',
  'decisionEndpoint.test',
  'decisionEndpoint.update',
  'events.list',
  'events.read',
  'events.types.list',
  'network.authorizations.decide',
  'network.clearings.record',
  'network.messages.send',
  'operator.activity.read',
  'operator.audit.export',
  'operator.audit.list',
  'operator.audit.verify',
  'operator.authorizations.list',
  'operator.backlog.read',
  'operator.companies.create',
  'operator.companies.list',
  'operator.companies.read',
  'operator.companies.update',
  'operator.deliveries.list',
  'operator.events.record',
  'operator.imports.create',
  'operator.imports.list',
  'operator.imports.preview',
  'operator.imports.quarantine',
  'operator.imports.read',
  'operator.imports.release',
  'operator.imports.replay',
  'operator.imports.statements',
  'operator.keys.create',
  'operator.keys.list',
  'operator.keys.read',
  'operator.keys.revoke',
  'operator.keys.update',
  'operator.mails.list',
  'operator.mails.read',
  'operator.mails.retry',
  'operator.people.create',
  'operator.people.endSessions',
  'operator.people.list',
  'operator.people.read',
  'operator.people.resetTotp',
  'operator.people.setPassword',
  'operator.people.update',
  'operator.quarantine.list',
  'operator.quarantine.read',
  'operator.quarantine.replay',
  'operator.realCards.create',
  'operator.realCards.list',
  'operator.templates.complete',
  'operator.thirdParties.activate',
  'operator.thirdParties.create',
  'operator.thirdParties.list',
  'operator.thirdParties.read',
  'operator.thirdParties.suspend',
  'operator.thirdParties.update',
  'operator.virtualCards.authorizations.list',
  'operator.virtualCards.clearings.list',
  'operator.virtualCards.codeFailures.reset',
  'operator.virtualCards.decisions.read',
  'operator.virtualCards.deliveries.list',
  'operator.virtualCards.list',
  'operator.virtualCards.read',
  'operator.virtualCards.versions.list',
  'operator.webhooks.list',
  'portalLinks.create',
  'purchaseTemplates.list',
  'purchaseTemplates.request',
  'purchaseTemplates.versions.list',
  'realCards.list',
  'realCards.read',
  'reconciliation.approvals.approve',
  'reconciliation.approvals.list',
  'reconciliation.approvals.read',
  'reconciliation.approvals.refuse',
  'reconciliation.approvals.withdraw',
  'reconciliation.bridge',
  'reconciliation.decisions.create',
  'reconciliation.items.accept',
  'reconciliation.items.assign',
  'reconciliation.items.comment',
  'reconciliation.items.confirm',
  'reconciliation.items.export',
  'reconciliation.items.ignore',
  'reconciliation.items.list',
  'reconciliation.items.match',
  'reconciliation.items.read',
  'reconciliation.items.reopen',
  'reconciliation.items.unmatch',
  'reconciliation.lines.list',
  'reconciliation.lines.read',
  'reconciliation.periods.close',
  'reconciliation.periods.list',
  'reconciliation.periods.reopen',
  'reconciliation.rules',
  'reconciliation.summary',
  'reconciliation.tolerances.read',
  'reconciliation.tolerances.update',
  'sandbox.authorizations.clear',
  'sandbox.authorizations.refund',
  'sandbox.authorizations.reverse',
  'sandbox.clock.move',
  'sandbox.consents.create',
  'sandbox.consents.decide',
  'sandbox.mailbox.list',
  'sandbox.mailbox.read',
  'sandbox.purchases.create',
  'virtualCards.audit.list',
  'virtualCards.authorizations.list',
  'virtualCards.authorizations.release',
  'virtualCards.cancel',
  'virtualCards.clearings.list',
  'virtualCards.create',
  'virtualCards.decisions.read',
  'virtualCards.decisions.try',
  'virtualCards.email',
  'virtualCards.freeze',
  'virtualCards.list',
  'virtualCards.mails.list',
  'virtualCards.read',
  'virtualCards.unfreeze',
  'virtualCards.update',
  'virtualCards.versions.list',
  'webhooks.create',
  'webhooks.delete',
  'webhooks.deliveries.list',
  'webhooks.deliveries.read',
  'webhooks.deliveries.recover',
  'webhooks.deliveries.retry',
  'webhooks.list',
  'webhooks.read',
  'webhooks.rotateSecret',
  'webhooks.states.list',
  'webhooks.test',
  'webhooks.update',
];

/** Texts of several forms: a code, a date with and without a time, Unicode, and the longest. */
const texts = ['AB12', 'AB 12C', '2030-02-30', '2030-03-14', '2030-03-14T10:00:00Z', 'é😀1', `1${'x'.repeat(254)}`];

/** Values of every kind, and values just outside the bounds of the schema. */
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
