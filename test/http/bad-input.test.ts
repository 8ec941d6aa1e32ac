import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { issueCard } from '@tallystick/cards';
import { type Call, type Reply, type Service, start, startService } from './service.ts';

/** A wrong request and its expected answer. */
interface Wrong {
  readonly name: string;
  readonly method?: string;
  readonly path?: string;
  readonly call?: Call;
  readonly status: number;
  readonly code: string;
  /** The paths in `fields`, in order. Absent: the body has no `fields`. */
  readonly fields?: readonly string[];
  readonly headers?: Readonly<Record<string, string | RegExp>>;
  /** The tables that it changes. Absent: none. */
  readonly changes?: readonly string[];
}

const card_number = '5454545400000000';
/** A number in the notation of people. */
function inGroups(number: string, separator: string): string {
  return number.replace(/\d{4}(?=\d)/g, `$&${separator}`);
}

const path = '/v1/virtualcards';
const templates = '/v1/content/virtualcard-templates';
const authorizations = '/network/v1/authorizations';
const clearings = '/network/v1/clearings';

/** `data` of a valid authorization message. */
const message = {
  card_number,
  message_type_indicator: '0100',
  trace_id: 'T',
  system_trace_audit_number: '1',
  transaction_date_time: '2030-03-15T10:00:00Z',
  billing_amount: 1,
  billing_currency: 'USD',
  merchant_amount: 1,
  merchant_currency: 'USD',
  mcc: '5734',
};

const clearing = {
  vcn_id: 1,
  network_financial_transaction_id: 'N',
  billing_amount: 1,
  billing_currency: 'USD',
  clearing_type: 'DEBIT',
  settlement_date: '2030-03-16',
};

const template = { name: 'n', mcc_list: ['5734'], mcc_rule: 'ALLOW', description: 'd', required_control: 'VELOCITY' };

/** A create body with these fields and a valid total. */
function card(fields: Readonly<Record<string, unknown>>): Call {
  return { body: { data: { total_card_amount: 1000, ...fields } } };
}

function refusedFields(name: string, call: Call, fields: readonly string[], where = path): Wrong {
  return { name, method: 'POST', path: where, call, status: 400, code: 'validation_failed', fields };
}

function fromNetwork(data: unknown): Call {
  return { key: 'network', body: { data } };
}

const wrong_bodies: readonly Wrong[] = [
  refusedFields('a body without data', { body: { total_card_amount: 1 } }, ['data']),
  refusedFields('data that is no object', { body: { data: [] } }, ['data']),
  refusedFields('a body that is an array', { body: [] }, ['body']),
  refusedFields('a body that is null', { body: 'null' }, ['body']),
  refusedFields('a total that is missing', { body: { data: {} } }, ['data.total_card_amount']),
  refusedFields('a total of zero', card({ total_card_amount: 0 }), ['data.total_card_amount']),
  refusedFields('a total past 10^12', card({ total_card_amount: 1e12 + 1 }), ['data.total_card_amount']),
  refusedFields('a total that is a fraction', card({ total_card_amount: 1.5 }), ['data.total_card_amount']),
  refusedFields('a total that is text', card({ total_card_amount: '1000' }), ['data.total_card_amount']),
  refusedFields('a minimum above the maximum', card({ per_transaction_min: 5, per_transaction_max: 4 }), [
    'data.per_transaction_min',
  ]),
  refusedFields('a maximum above the total', card({ per_transaction_max: 1001 }), ['data.per_transaction_max']),
  refusedFields('an unknown window', card({ recurring: 'daily' }), ['data.recurring']),
  refusedFields(
    'both controls',
    card({ authorization_hold_days: 3, aging_velocity_time_zone: 'UTC', recurring: 'Daily' }),
    ['data.authorization_hold_days', 'data.aging_velocity_time_zone', 'data.recurring'],
  ),
  refusedFields('half an aging control', card({ authorization_hold_days: 3 }), ['data.aging_velocity_time_zone']),
  refusedFields('an unknown zone', card({ authorization_hold_days: 3, aging_velocity_time_zone: 'Mars/Base' }), [
    'data.aging_velocity_time_zone',
  ]),
  refusedFields('a date that does not exist', card({ valid_ending_on: '2030-02-30' }), ['data.valid_ending_on']),
  refusedFields('an end in the past', card({ valid_ending_on: '2030-03-14' }), ['data.valid_ending_on']),
  refusedFields('a currency that is none', card({ currency: 'usd' }), ['data.currency']),
  refusedFields('six addresses', card({ emails: Array(6).fill('a@example.com') }), ['data.emails']),
  refusedFields('metadata of more than 8 KiB', card({ metadata: { a: 'x'.repeat(8192) } }), ['data.metadata']),
  refusedFields('network data that is no text', card({ network_data: { a: 1 } }), ['data.network_data']),
  refusedFields("another company's real card", card({ rcn_id: 999 }), ['data.rcn_id']),
  refusedFields('an unknown template', card({ template_id: '999' }), ['data.template_id']),
  refusedFields('valid_for beside an end', card({ valid_for: 3, valid_ending_on: '2030-09-01' }), [
    'data.valid_for',
    'data.valid_ending_on',
  ]),
  refusedFields(
    'several problems, all of them named',
    card({ total_card_amount: 'x', recurring: 'Hourly', valid_starting_on: 'soon', emails: 'me', supplier_id: -1 }),
    ['data.total_card_amount', 'data.recurring', 'data.valid_starting_on', 'data.emails', 'data.supplier_id'],
  ),
  refusedFields(
    'show_card_number that is no flag',
    { body: { data: { total_card_amount: 1 }, show_card_number: 'yes' } },
    ['show_card_number'],
  ),
  refusedFields('an invalid address', { body: { data: { email: 'nobody' } } }, ['data.email'], `${path}/1/email`),
  refusedFields(
    'a bare template without its fields',
    { body: {} },
    ['name', 'mcc_list', 'mcc_rule', 'description', 'required_control'],
    templates,
  ),
  refusedFields(
    'a wrapped template with a wrong code',
    { body: { data: { ...template, mcc_list: ['57'] } } },
    ['data.mcc_list'],
    templates,
  ),
  refusedFields('a template that is an array', { body: [] }, ['body'], templates),
  refusedFields(
    'a message without a number',
    fromNetwork({ ...message, card_number: undefined }),
    ['data.card_number'],
    authorizations,
  ),
  refusedFields(
    'a number with a letter',
    fromNetwork({ ...message, card_number: '545454540000000x' }),
    ['data.card_number'],
    authorizations,
  ),
  refusedFields(
    'a negative amount',
    fromNetwork({ ...message, billing_amount: -1 }),
    ['data.billing_amount'],
    authorizations,
  ),
  refusedFields(
    'a reversal with two corrected amounts that differ',
    fromNetwork({
      ...message,
      message_type_indicator: '0400',
      replacement_amounts: { billing_amount: 300 },
      'replacement_amounts.billing_amount': 301,
    }),
    ['data.replacement_amounts.billing_amount'],
    authorizations,
  ),
  refusedFields(
    'a message with many problems',
    fromNetwork({ card_number: 1, mcc: '57', transaction_date_time: 'now', message_type_indicator: '0800' }),
    [
      'data.card_number',
      'data.message_type_indicator',
      'data.billing_amount',
      'data.billing_currency',
      'data.merchant_amount',
      'data.merchant_currency',
      'data.trace_id',
      'data.system_trace_audit_number',
      'data.transaction_date_time',
      'data.mcc',
    ],
    authorizations,
  ),
  refusedFields(
    'a billing currency of another real card',
    fromNetwork({ ...message, billing_currency: 'EUR' }),
    ['data.billing_currency'],
    authorizations,
  ),
  refusedFields(
    'a clearing of no card',
    fromNetwork({ ...clearing, vcn_id: undefined }),
    ['data.card_number'],
    clearings,
  ),
  refusedFields(
    'a clearing of an unknown type',
    fromNetwork({ ...clearing, clearing_type: 'debit' }),
    ['data.clearing_type'],
    clearings,
  ),
  refusedFields(
    'a change of what cannot be changed',
    { body: { data: { currency: 'EUR', rcn_id: 2 } } },
    ['data.currency', 'data.rcn_id'],
    `${path}/1`,
  ),
  refusedFields('a misspelt control', card({ curency: 'EUR' }), ['data.curency']),
  refusedFields('several unknown fields', card({ colour: 'blue', transaction_max: 1 }), [
    'data.colour',
    'data.transaction_max',
  ]),
  refusedFields('a field beside data that belongs inside', { body: { data: {}, metadata: {} } }, ['metadata']),
  refusedFields('an unknown sibling of data', { body: { data: { total_card_amount: 1 }, total_card_amount: 5 } }, [
    'total_card_amount',
  ]),
  refusedFields('a field inside data that belongs beside', card({ show_card_number: true }), ['data.show_card_number']),
  refusedFields('a card number as the name of a field', card({ [card_number]: 1 }), ['data["(many digits)"]']),
  refusedFields('a long name of a field', card({ ['x'.repeat(1_000)]: 1 }), ['data[text of 1000 characters]']),
  refusedFields('an empty name of a field', card({ '': 1 }), ['data[""]']),
  refusedFields('the prototype as a field', { body: '{"data":{"total_card_amount":5,"__proto__":{"a":1}}}' }, [
    'data.__proto__',
  ]),
  refusedFields('a misspelt field in a change', { body: { data: { meta_data: {} } } }, ['data.meta_data'], `${path}/1`),
  refusedFields('another status in a change', { body: { data: { status: 'Canceled' } } }, ['data.status'], `${path}/1`),
  refusedFields('another expiry in a change', { body: { data: { expiry: '2040-01' } } }, ['data.expiry'], `${path}/1`),
  refusedFields(
    'a total of null in a change',
    { body: { data: { total_card_amount: null } } },
    ['data.total_card_amount'],
    `${path}/1`,
  ),
  refusedFields(
    'an unknown field beside the address',
    { body: { data: { email: 'a@example.com', copy: true } } },
    ['data.copy'],
    `${path}/1/email`,
  ),
  refusedFields('a misspelt field of a bare template', { body: { ...template, mcclist: [] } }, ['mcclist'], templates),
  refusedFields(
    'a misspelt field of a template',
    { body: { data: { ...template, mcclist: [] } } },
    ['data.mcclist'],
    templates,
  ),
  refusedFields('a field beside a wrapped template', { body: { data: template, name: 'n' } }, ['name'], templates),
  refusedFields(
    'a misspelt field of a webhook',
    { body: { data: { callback_url: 'https://a.example', event_types: [1] } } },
    ['data.event_types'],
    '/v1/webhooks',
  ),
  refusedFields(
    'a misspelt field of a company',
    {
      key: 'operator',
      body: { data: { name: 'n', customer_number: '1', fulldetails_in_mail: true } },
    },
    ['data.fulldetails_in_mail'],
    '/operator/v1/companies',
  ),
  refusedFields(
    'a misspelt field of a key',
    {
      key: 'operator',
      body: { data: { role: 'client', company_id: 1, name: 'x', rate_limit: 5 } },
    },
    ['data.rate_limit'],
    '/operator/v1/keys',
  ),
  refusedFields(
    'a misspelt field of an event',
    {
      key: 'operator',
      body: { data: { company_id: 1, event_type: 'ach.status', payload: {}, prevous: {} } },
    },
    ['data.prevous'],
    '/operator/v1/events',
  ),
  refusedFields(
    'a misspelt field of the clock',
    { key: 'operator', body: { data: { advanced: 'PT1S' } } },
    ['data.advanced'],
    '/sandbox/v1/clock',
  ),
  refusedFields(
    'a company without a name',
    { key: 'operator', body: { data: { customer_number: '1' } } },
    ['data.name'],
    '/operator/v1/companies',
  ),
  refusedFields(
    'a client key without a company',
    { key: 'operator', body: { data: { role: 'client', name: 'x' } } },
    ['data.company_id'],
    '/operator/v1/keys',
  ),
  refusedFields(
    'a key of an unknown role',
    { key: 'operator', body: { data: { role: 'root', name: 'x' } } },
    ['data.role'],
    '/operator/v1/keys',
  ),
  refusedFields(
    'a real card of an unknown company',
    {
      key: 'operator',
      body: { data: { company_id: 999, alias: 'a', billing_currency: 'USD', account_range: '545454' } },
    },
    ['data.company_id'],
    '/operator/v1/realcards',
  ),
  refusedFields(
    'an event that is not foreign',
    { key: 'operator', body: { data: { company_id: 1, event_type: 'virtualcard.created', payload: {} } } },
    ['data.event_type'],
    '/operator/v1/events',
  ),
].map((wrong) => (wrong.path === `${path}/1` ? { ...wrong, method: 'PATCH' } : wrong));

function malformed(name: string, body: string | Uint8Array, fields?: readonly string[]): Wrong {
  return { name, method: 'POST', call: { body }, status: 400, code: 'malformed_json', ...(fields ? { fields } : {}) };
}

const wrong_json: readonly Wrong[] = [
  malformed('an empty body', ''),
  malformed('half a body', `{"data":{"total_card_amount":1000,"x":"${card_number}`),
  malformed('text after the body', '{"data":{"total_card_amount":1000}} x'),
  malformed('single quotes', "{'data':{}}"),
  malformed('a byte order mark', '\ufeff{"data":{"total_card_amount":1000}}'),
  malformed('bytes that are no UTF-8', Buffer.from('{"data":{"metadata":{"a":"\xff"}}}', 'latin1')),
  malformed('nesting without end', `{"data":${'['.repeat(400_000)}`),
  malformed(
    'deep nesting that ends',
    `{"data":{"total_card_amount":1,"metadata":{"a":${'['.repeat(80)}${']'.repeat(80)}}}}`,
  ),
  malformed('a NUL in text', '{"data":{"total_card_amount":1000,"metadata":{"a":"\\u0000"}}}', ['data.metadata.a']),
  malformed('half a surrogate pair', '{"data":{"total_card_amount":1000,"metadata":{"a":["\\udc00"]}}}', [
    'data.metadata.a[0]',
  ]),
];

function typed(name: string, headers: Readonly<Record<string, string>>): Wrong {
  const call = { ...card({}), headers };
  return { name, method: 'POST', call, status: 415, code: 'unsupported_media_type' };
}

const wrong_headers: readonly Wrong[] = [
  typed('a form', { 'Content-Type': 'application/x-www-form-urlencoded' }),
  typed('plain text', { 'Content-Type': 'text/plain' }),
  typed('JSON in another character set', { 'Content-Type': 'application/json; charset=latin1' }),
  typed('a type that only begins like JSON', { 'Content-Type': 'application/jsonp' }),
  typed('a compressed body', { 'Content-Encoding': 'gzip' }),
  {
    name: 'an empty Idempotency-Key',
    method: 'POST',
    call: { ...card({}), headers: { 'Idempotency-Key': '' } },
    status: 400,
    code: 'validation_failed',
    fields: ['Idempotency-Key'],
  },
  {
    name: 'an Idempotency-Key of 256 characters',
    method: 'POST',
    call: { ...card({}), headers: { 'Idempotency-Key': 'x'.repeat(256) } },
    status: 400,
    code: 'validation_failed',
    fields: ['Idempotency-Key'],
  },
  {
    name: 'an Idempotency-Key with a space',
    method: 'POST',
    call: { ...card({}), headers: { 'Idempotency-Key': 'a b' } },
    status: 400,
    code: 'validation_failed',
    fields: ['Idempotency-Key'],
  },
  {
    name: 'a body of more than 1 MiB',
    method: 'POST',
    call: card({ metadata: { a: 'x'.repeat(1024 * 1024) } }),
    status: 413,
    code: 'body_too_large',
  },
];

const challenge = { 'www-authenticate': 'Bearer' };

function unknown(name: string, call: Call): Wrong {
  return { name, call, status: 401, code: 'unauthenticated', headers: challenge };
}

function forbidden(method: string, where: string, key: string): Wrong {
  return {
    name: `${method} ${where} with a ${key} key`,
    method,
    path: where,
    call: { key },
    status: 403,
    code: 'forbidden',
  };
}

const wrong_keys: readonly Wrong[] = [
  unknown('no key', { key: null }),
  unknown('a key of another scheme', { key: null, headers: { Authorization: 'Basic dGx5OnRseQ==' } }),
  unknown('an empty key', { key: null, headers: { Authorization: 'Bearer' } }),
  unknown('a key that is none', { key: 'tly_test_nobody_sandbox' }),
  unknown('an unknown key', { key: `tly_test_99_${'A'.repeat(43)}` }),
  unknown('a key with something behind it', { key: 'tly_test_client_sandbox x' }),
  unknown('a card number as key', { key: card_number }),
  unknown('a signature of a key that has no secret', {
    headers: { 'X-Signature': 'a'.repeat(64), 'X-Timestamp': String(Math.floor(Date.now() / 1000)) },
  }),
  forbidden('GET', path, 'network'),
  forbidden('GET', '/v1/events', 'operator'),
  forbidden('GET', templates, 'bank'),
  forbidden('GET', '/v1/realcards', 'operator'),
  forbidden('POST', authorizations, 'client'),
  forbidden('POST', clearings, 'operator'),
  forbidden('POST', '/operator/v1/companies', 'client'),
  forbidden('POST', '/operator/v1/keys', 'network'),
  forbidden('POST', '/sandbox/v1/clock', 'client'),
];

function refusedQuery(where: string, fields: readonly string[], key = 'client'): Wrong {
  return { name: where, path: where, call: { key }, status: 400, code: 'invalid_query', fields };
}

function metadataFilters(count: number): string {
  return Array.from({ length: count }, (_, at) => `filter[metadata.m${at}]=x`).join('&');
}

const wrong_queries: readonly Wrong[] = [
  refusedQuery(`${path}?page[limit]=0`, ['page[limit]']),
  refusedQuery(`${path}?page[limit]=101`, ['page[limit]']),
  refusedQuery(`${path}?page[limit]=ten`, ['page[limit]']),
  refusedQuery(`${path}?page[offset]=10001`, ['page[offset]']),
  refusedQuery(`${path}?page[after]=x&page[offset]=1`, ['page[offset]']),
  refusedQuery(`${path}?page[number]=1`, ['page[number]']),
  refusedQuery(`${path}?page[after]=nonsense`, ['page[after]']),
  refusedQuery(`${path}?filter[color]=red&filter[rcn_id]=x`, ['filter[color]']),
  refusedQuery(`${path}?filter[rcn_id]=x`, ['filter[rcn_id]']),
  refusedQuery(`${path}?filter[status]=Approved&filter[status]=Canceled`, ['filter[status]']),
  refusedQuery(`${path}?filter[last4]=%00`, ['filter[last4]']),
  refusedQuery(`${path}?filter[last4]=123&filter[status]=approved`, ['filter[last4]', 'filter[status]']),
  refusedQuery(`${path}?filter[last4]=${card_number}`, ['filter[last4]']),
  refusedQuery(`${path}?filter[status]=`, ['filter[status]']),
  refusedQuery(`${path}?filter[supplier_id]=9007199254740992`, ['filter[supplier_id]']),
  refusedQuery(`${path}?show_realtime_auths=maybe`, ['show_realtime_auths']),
  refusedQuery(`${path}/1?show_card_number=2`, ['show_card_number']),
  refusedQuery(`${path}/1?filter[status]=Approved`, ['filter[status]']),
  refusedQuery(`${path}/1/authorizations?page[limit]=1000`, ['page[limit]']),
  refusedQuery(`${path}/1/clearings?page[after]=nonsense`, ['page[after]']),
  refusedQuery(`${templates}?filter[name]=n`, ['filter[name]']),
  refusedQuery('/v1/realcards?filter[alias]=Main', ['filter[alias]']),
  refusedQuery('/v1/events?filter[payload.color]=red', ['filter[payload.color]']),
  refusedQuery('/v1/events?filter[payload.mcc]=[1,2]', ['filter[payload.mcc]']),
  refusedQuery('/v1/events?filter[payload.merchant_amount]=many', ['filter[payload.merchant_amount]']),
  refusedQuery('/v1/events?filter[payload.merchant_amount]=[2,1]', ['filter[payload.merchant_amount]']),
  refusedQuery('/v1/events?filter[created_at]=[yesterday,]', ['filter[created_at]']),
  refusedQuery(`/v1/events?filter[payload.card_number]=${card_number}`, ['filter[payload.card_number]']),
  refusedQuery('/v1/events?page[after]=nonsense', ['page[after]']),
  ...[path, '/v1/events', templates].map((list) => refusedQuery(`${list}?${metadataFilters(11)}`, ['filter'])),
  refusedQuery(`${path}?${metadataFilters(500)}`, ['filter']),
  refusedQuery(`/operator/v1/mails?${metadataFilters(11)}`, ['filter'], 'operator'),
  refusedQuery(`${path}?filter[stauts]=Approved`, ['filter[stauts]']),
  refusedQuery(`${path}?page[limits]=5`, ['page[limits]']),
  refusedQuery(`${path}?limit=5`, ['limit']),
  refusedQuery(`${path}?show_realtime_auth=true`, ['show_realtime_auth']),
  refusedQuery(`${path}/1?show_cardnumber=true&x=1`, ['show_cardnumber', 'x']),
  refusedQuery(`/v1/events?status=x&${card_number}=1`, ['status', '"(many digits)"']),
  refusedQuery('/v1/events/types?page[limit]=5', ['page[limit]']),
  refusedQuery('/operator/v1/mails?state=sent', ['state'], 'operator'),
  refusedQuery('/operator/v1/keys?filter[company_id]=x', ['filter[company_id]'], 'operator'),
];

function nothing(where: string, method = 'GET', call: Call = {}): Wrong {
  return { name: `${method} ${where}`, method, path: where, call, status: 404, code: 'not_found' };
}

const wrong_ids: readonly Wrong[] = [
  ...['999', '0', '-1', '01', '1.0', '1e0', 'one', '%31%00', '9'.repeat(400), card_number, '%zz', '１'].map((id) =>
    nothing(`${path}/${id}`),
  ),
  nothing(`${path}/999`, 'PATCH', { body: { data: { total_card_amount: 5 } } }),
  nothing(`${path}/999`, 'DELETE'),
  nothing(`${path}/999/email`, 'POST', { body: { data: { email: 'a@example.com' } } }),
  nothing(`${path}/999/authorizations`),
  nothing(`${path}/x/clearings`),
  nothing('/v1/events/999'),
  nothing('/v1/events/x'),
  nothing('/v1/realcards/999'),
  kept(fromNetwork({ ...clearing, vcn_id: 999 })),
  kept(fromNetwork({ ...clearing, vcn_id: undefined, card_number: '4111111111111111' })),
  nothing('/operator/v1/keys/999', 'GET', { key: 'operator' }),
  nothing('/operator/v1/keys/999', 'DELETE', { key: 'operator' }),
  nothing('/operator/v1/templates/1/complete', 'POST', { key: 'operator' }),
  nothing('/operator/v1/companies/999', 'GET', { key: 'operator' }),
  nothing('/v1/nothing'),
  nothing('/v1'),
  nothing(`${path}/`),
  nothing('/V1/virtualcards'),
  nothing(`/v1/virtualcards/1/${card_number}`),
  nothing(`${path}/${inGroups(card_number, '-')}`),
  nothing(`${path}/${inGroups(card_number, '%20')}`),
];

/** A clearing of no card: it is kept in quarantine. */
function kept(call: Call): Wrong {
  return { ...nothing(clearings, 'POST', call), changes: ['sqlite_sequence', 'tallystick_quarantine'] };
}

function otherMethod(method: string, where: string, allow: string): Wrong {
  const status = 405;
  return { name: `${method} ${where}`, method, path: where, status, code: 'method_not_allowed', headers: { allow } };
}

const wrong_methods: readonly Wrong[] = [
  otherMethod('PUT', `${path}/1`, 'HEAD, GET, PATCH, DELETE'),
  otherMethod('DELETE', path, 'POST, HEAD, GET'),
  otherMethod('POST', '/v1/events', 'HEAD, GET'),
  otherMethod('GET', authorizations, 'POST'),
  otherMethod('OPTIONS', path, 'POST, HEAD, GET'),
  otherMethod('POST', '/healthz', 'HEAD, GET'),
  otherMethod('POST', '/v1/webhooks/1/test', 'GET'),
  otherMethod('PUT', '/v1/webhooks/1/deliveries/1', 'HEAD, GET'),
];

describe('bad input', () => {
  let service: Service;
  const cleanups: (() => unknown)[] = [];

  before(async () => {
    // All tests use one service, so that a test finds rows that another test left.
    service = await startService({ after: (cleanup: () => unknown) => cleanups.push(cleanup) });
    await issueNumber(service);
  });

  after(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  const table = [
    ...wrong_bodies,
    ...wrong_json,
    ...wrong_headers,
    ...wrong_keys,
    ...wrong_queries,
    ...wrong_ids,
    ...wrong_methods,
  ];
  for (const wrong of table) {
    const { changes = [] } = wrong;
    const effect = changes.length === 0 ? 'changes nothing' : `changes only ${changes.join(', ')}`;
    it(`is refused with ${wrong.status} ${wrong.code}, and ${effect}: ${wrong.name.slice(0, 80)}`, async () => {
      const stored = service.stored();
      const reply = await service.send(wrong.method ?? 'GET', wrong.path ?? path, wrong.call);
      assertRefused(reply, wrong);
      assert.deepEqual(changedTables(stored, service.stored()), changes);
    });
  }

  it('of every kind leaves no card number, key or stack in the log', () => {
    for (const separator of ['', '-', ' ']) assert.ok(!service.log().includes(inGroups(card_number, separator)));
    assert.ok(!service.log().includes('4111111111111111'));
    assert.ok(!service.log().includes('tly_test_client_sandbox'));
    assert.ok(!service.log().includes('.ts:'), 'a stack was logged: something unexpected was thrown');
  });
});

/** Issues card 1 with the number that the tests send. */
async function issueNumber({ persistence, vault, company_id }: Service): Promise<void> {
  const random = { ...vault.random, below: () => 0 };
  const call = { company_id, actor: 'job:test', request_id: null, now_ms: Date.parse(start) };
  await persistence.unitOfWork.run(async (tx) => {
    const ports = { vault: vault.card_vault, random };
    const { card } = await issueCard(tx, ports, call, { total_card_amount: 1000 });
    const number = await tx.cards.number(card.id);
    assert.equal(vault.card_vault.open(number.number_sealed).reveal(), card_number);
  });
}

/** The tables whose rows differ. */
function changedTables(before: string, after: string): readonly string[] {
  const rows_after = after.split('\n');
  return before
    .split('\n')
    .filter((rows, index) => rows !== rows_after[index])
    .map((rows) => rows.slice(0, rows.indexOf(':')));
}

function assertRefused(reply: Reply, wrong: Wrong): void {
  assert.equal(reply.status, wrong.status, reply.text);
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
  const { error, code, fields, request_id, ...others } = reply.json;
  assert.equal(code, wrong.code, reply.text);
  assert.ok(typeof error === 'string' && error.length > 0);
  assert.equal(request_id, reply.headers.get('x-request-id'));
  assert.deepEqual(others, {}, 'the error body has no other members');
  const paths = (fields as { path: string; message: string }[] | undefined)?.map((field) => field.path);
  assert.deepEqual(paths, wrong.fields, reply.text);
  for (const field of fields ?? []) assert.ok(field.message.length > 0);
  for (const [name, value] of Object.entries(wrong.headers ?? {})) assert.equal(reply.headers.get(name), value);
  assert.ok(!reply.text.includes(card_number) && !reply.text.includes('4111111111111111'), reply.text);
  assert.ok(!/\.ts\b|\bat \w+ \(|node:internal/.test(reply.text), reply.text);
}
