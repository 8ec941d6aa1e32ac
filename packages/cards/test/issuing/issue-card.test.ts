import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLuhnValid, Temporal } from '@tallystick/kernel';
import { issueCard, no_details } from '../../src/index.ts';
import { call, cardWorld, invalidFields, now_ms, type Request, refusalOf } from '../card-world.ts';

test('a card requires only a total; the other fields have defaults', async () => {
  const world = cardWorld();
  const { card, balance, authorizations, clearings } = await world.issue({ total_card_amount: 10_000 });
  const { id, last4, ...rest } = card;
  assert.match(last4, /^[0-9]{4}$/);
  assert.deepEqual(rest, {
    company_id: 1,
    rcn_id: 51,
    rcn_alias: 'Office',
    billing_currency: 'USD',
    status: 'Approved',
    expiry: '2028-11',
    per_transaction_min: 0,
    per_transaction_max: 10_000,
    per_transaction_max_defaulted: true,
    total_card_amount: 10_000,
    transactions_max: null,
    recurring: 'Continuous',
    authorization_hold_days: null,
    aging_velocity_time_zone: null,
    currency: null,
    valid_starting_on: '2026-11-21',
    valid_ending_on: '2028-11-30',
    template_id: 1,
    merchant_controls: null,
    ...no_details,
    notified: false,
    supplier_id: null,
    created_at_ms: now_ms,
    canceled_at_ms: null,
    controls_version: 1,
    frozen_at_ms: null,
    counters: {
      window_start_ms: 0,
      held: 0,
      cleared: 0,
      uses: 0,
      next_hold_end_ms: null,
      code_failures: 0,
      code_failures_on: null,
    },
  });
  assert.equal(balance.available, 10_000);
  assert.deepEqual([authorizations, clearings], [[], []]);
  assert.deepEqual(world.committed().cards.keys(), [id]);
});

test('every field that a client may send is stored', async () => {
  const world = cardWorld();
  const request = {
    total_card_amount: 900,
    per_transaction_min: 5,
    per_transaction_max: 800,
    transactions_max: 3,
    recurring: 'Weekly',
    currency: 'EUR',
    valid_starting_on: '2026-12-01',
    valid_ending_on: '2027-01-31',
    template_id: 11,
    rcn_id: 51,
    supplier_id: 77,
    emails: ['a@example.com', 'b@example.com'],
    network_data: { 'Purchase Type': 'Travel' },
    metadata: { order: 12, nested: { list: [1, null, 'x'] } },
  };
  const { card } = await world.issue(request);
  for (const [name, value] of Object.entries(request)) {
    assert.deepEqual(card[name as keyof typeof card], value, name);
  }
  assert.equal(card.per_transaction_max_defaulted, false);
});

test('an aging velocity card has its two parameters, no window and the aging default template', async () => {
  const { card } = await cardWorld().issue({
    authorization_hold_days: 7,
    aging_velocity_time_zone: 'America/New_York',
    transactions_max: 0,
    recurring: null,
  });
  assert.equal(card.authorization_hold_days, 7);
  assert.equal(card.aging_velocity_time_zone, 'America/New_York');
  assert.deepEqual([card.recurring, card.transactions_max, card.template_id], [null, null, 2]);
});

test('null counts as absent in every field', async () => {
  const world = cardWorld();
  const names = [
    'per_transaction_min',
    'per_transaction_max',
    'transactions_max',
    'recurring',
    'authorization_hold_days',
    'aging_velocity_time_zone',
    'currency',
    'valid_starting_on',
    'valid_ending_on',
    'valid_for',
    'template_id',
    'rcn_id',
    'supplier_id',
    'emails',
    'network_data',
    'mastercard_data',
    'metadata',
  ];
  const { card: plain } = await world.issue({});
  const { card } = await world.issue(Object.fromEntries(names.map((name) => [name, null])));
  assert.deepEqual({ ...card, id: 0, last4: '' }, { ...plain, id: 0, last4: '' });
});

test('unknown fields are ignored', async () => {
  const { card } = await cardWorld().issue({ status: 'Canceled', colour: 'blue', type: 'virtualcard' });
  assert.equal(card.status, 'Approved');
});

test('a velocity card begins in the window that contains its creation', async () => {
  const starts = { Daily: [10, 21], Weekly: [10, 16], Monthly: [10, 1], Quarterly: [9, 1], Yearly: [0, 1] } as const;
  for (const [recurring, [month, day]] of Object.entries(starts)) {
    const { card } = await cardWorld().issue({ recurring });
    assert.equal(card.counters.window_start_ms, Date.UTC(2026, month, day), recurring);
  }
});

test('the expiry is two years after creation, whatever the month', async () => {
  for (const [created, expiry, last_day] of [
    ['2026-02-28T23:59:59Z', '2028-02', '2028-02-29'],
    ['2026-12-31T23:59:59Z', '2028-12', '2028-12-31'],
    ['2028-02-29T00:00:00Z', '2030-02', '2030-02-28'],
  ] as const) {
    const at_ms = Temporal.Instant.from(created).epochMilliseconds;
    const { card } = await cardWorld().issue({}, { ...call, now_ms: at_ms });
    assert.deepEqual([card.expiry, card.valid_ending_on], [expiry, last_day]);
  }
});

test('creation writes one event with the state of the card and no previous state', async () => {
  const world = cardWorld();
  const { card } = await world.issue({ recurring: 'Daily', transactions_max: 2 });
  const [event, ...others] = world.events();
  assert.deepEqual(others, []);
  assert.deepEqual(event, {
    id: event?.id,
    company_id: 1,
    event_type: 'virtualcard.created',
    payload: {
      id: card.id,
      available_balance: 10_000,
      currency: null,
      per_transaction_max: 10_000,
      per_transaction_min: 0,
      rcn_id: 51,
      rcn_alias: 'Office',
      recurring: 'Daily',
      status: 'Approved',
      transactions_max: 2,
      total_card_amount: 10_000,
      valid_starting_on: '2026-11-21',
      valid_ending_on: '2028-11-30',
    },
    previous: null,
    created_at_ms: now_ms,
    request_id: 'r-1',
  });
});

test('each address gets one mail with the card, and it counts as notified', async () => {
  const world = cardWorld();
  const { card } = await world.issue({ emails: ['a@example.com', 'A@Example.com', 'b@example.com'] });
  assert.deepEqual(card.emails, ['a@example.com', 'b@example.com']);
  assert.equal(card.notified, true);
  const expected = { company_id: 1, card_id: card.id, kind: 'card_details', due_at_ms: now_ms, created_at_ms: now_ms };
  assert.deepEqual(
    world.mails().map(({ company_id, card_id, kind, recipient, due_at_ms, created_at_ms }) => ({
      company_id,
      card_id,
      kind,
      recipient,
      due_at_ms,
      created_at_ms,
    })),
    [
      { ...expected, recipient: 'a@example.com' },
      { ...expected, recipient: 'b@example.com' },
    ],
  );
});

test('a card without addresses queues no mail', async () => {
  const world = cardWorld();
  const { card } = await world.issue({ emails: [] });
  assert.deepEqual([card.emails, card.notified, world.mails()], [null, false, []]);
});

test('the number is in the range of the real card, and stored only sealed', async () => {
  const world = cardWorld();
  const { card } = await world.issue({ metadata: { note: 'x' } });
  const sealed = world.committed().numbers.get(card.id)!;
  const number = world.ports.vault.open(sealed.number_sealed).reveal();
  assert.ok(number.startsWith('512345') && isLuhnValid(number) && number.endsWith(card.last4));
  const { numbers, ...rest } = world.committed();
  const stored = JSON.stringify(Object.values(rest).map((rows) => rows.entries()));
  assert.ok(!stored.includes(number) && !Buffer.from(sealed.number_sealed).includes(number));
  assert.equal(numbers.size, 1);
});

test('a number that another card has is generated again', async () => {
  const world = cardWorld();
  const draws = [5, 5, 5, 6];
  const random = { below: () => draws.shift()!, bytes: () => new Uint8Array() };
  const issue = () =>
    world.run((tx) => issueCard(tx, { vault: world.ports.vault, random }, call, { total_card_amount: 1 }));
  const first = await issue();
  const second = await issue();
  assert.notEqual(first.card.last4, second.card.last4);
  assert.deepEqual(draws, []);
});

test('a free number is found when every draw is the number of another card', async () => {
  const world = cardWorld();
  const ports = { vault: world.ports.vault, random: { below: () => 5, bytes: () => new Uint8Array() } };
  const issue = () => world.run((tx) => issueCard(tx, ports, call, { total_card_amount: 1 }));
  const numbers = new Set<string>();
  for (let count = 0; count < 3; count += 1) {
    const { card } = await issue();
    numbers.add(world.ports.vault.open(world.committed().numbers.get(card.id)!.number_sealed).reveal());
  }
  assert.equal(numbers.size, 3);
  assert.equal(world.committed().cards.size, 3);
});

const refused: readonly (readonly [string, Request, readonly string[]])[] = [
  ['no total', { total_card_amount: null }, ['total_card_amount']],
  ['a total of 0', { total_card_amount: 0 }, ['total_card_amount']],
  ['a total above 10^12', { total_card_amount: 10 ** 12 + 1 }, ['total_card_amount']],
  ['a fraction of a cent', { total_card_amount: 10.5 }, ['total_card_amount']],
  ['an amount as text', { total_card_amount: '100' }, ['total_card_amount']],
  ['a minimum below 0', { per_transaction_min: -1 }, ['per_transaction_min']],
  ['a minimum above the maximum', { per_transaction_min: 6, per_transaction_max: 5 }, ['per_transaction_min']],
  ['a minimum above the total', { per_transaction_min: 10_001 }, ['per_transaction_min']],
  ['a maximum above the total', { per_transaction_max: 10_001 }, ['per_transaction_max']],
  ['a number of uses below 0', { transactions_max: -1 }, ['transactions_max']],
  ['half a use', { transactions_max: 1.5 }, ['transactions_max']],
  ['an unknown window', { recurring: 'Hourly' }, ['recurring']],
  ['a window in small letters', { recurring: 'daily' }, ['recurring']],
  ['hold days without a zone', { authorization_hold_days: 7 }, ['aging_velocity_time_zone']],
  ['a zone without hold days', { aging_velocity_time_zone: 'UTC' }, ['authorization_hold_days']],
  ['hold days of 0', { authorization_hold_days: 0, aging_velocity_time_zone: 'UTC' }, ['authorization_hold_days']],
  ['366 hold days', { authorization_hold_days: 366, aging_velocity_time_zone: 'UTC' }, ['authorization_hold_days']],
  [
    'an unknown zone',
    { authorization_hold_days: 7, aging_velocity_time_zone: 'America/Nowhere' },
    ['aging_velocity_time_zone'],
  ],
  [
    'both kinds of velocity',
    { authorization_hold_days: 7, aging_velocity_time_zone: 'UTC', recurring: 'Continuous' },
    ['aging_velocity_time_zone', 'authorization_hold_days', 'recurring'],
  ],
  [
    'aging velocity with a number of uses',
    { authorization_hold_days: 7, aging_velocity_time_zone: 'UTC', transactions_max: 1 },
    ['aging_velocity_time_zone', 'authorization_hold_days', 'transactions_max'],
  ],
  [
    'one parameter of each kind of velocity',
    { aging_velocity_time_zone: 'UTC', recurring: 'Daily' },
    ['aging_velocity_time_zone', 'recurring'],
  ],
  ['a currency in small letters', { currency: 'usd' }, ['currency']],
  ['an unknown currency', { currency: 'QQQ' }, ['currency']],
  ['a date that does not exist', { valid_starting_on: '2027-02-29' }, ['valid_starting_on']],
  ['a time in place of a date', { valid_ending_on: '2027-02-01T00:00:00Z' }, ['valid_ending_on']],
  ['an end before today', { valid_starting_on: '2026-11-01', valid_ending_on: '2026-11-20' }, ['valid_ending_on']],
  [
    'an end before the start',
    { valid_starting_on: '2027-02-02', valid_ending_on: '2027-02-01' },
    ['valid_starting_on'],
  ],
  ['a start after the expiry', { valid_starting_on: '2028-12-01' }, ['valid_starting_on']],
  [
    'a start after the expiry with a later end',
    { valid_starting_on: '2028-12-01', valid_ending_on: '2029-01-01' },
    ['valid_starting_on'],
  ],
  ['months that end before today', { valid_starting_on: '2026-01-01', valid_for: 1 }, ['valid_for']],
  ['0 months', { valid_for: 0 }, ['valid_for']],
  ['25 months', { valid_for: 25 }, ['valid_for']],
  ['months and an end', { valid_for: 1, valid_ending_on: '2027-01-01' }, ['valid_ending_on', 'valid_for']],
  ['an unknown template', { template_id: 99 }, ['template_id']],
  ['the template of another company', { template_id: 15 }, ['template_id']],
  ['a deleted template', { template_id: 14 }, ['template_id']],
  ['a PENDING template', { template_id: 13 }, ['template_id']],
  ['a template of the other control', { template_id: 12 }, ['template_id']],
  ['a template that is not an id', { template_id: 'mine' }, ['template_id']],
  ['an unknown real card', { rcn_id: 99 }, ['rcn_id']],
  ['the real card of another company', { rcn_id: 53 }, ['rcn_id']],
  ['a real card that is not an id', { rcn_id: -1 }, ['rcn_id']],
  ['a window on a program without velocity control', { rcn_id: 52, recurring: 'Daily' }, ['recurring']],
  ['a supplier that is not a number', { supplier_id: 'ACME' }, ['supplier_id']],
  ['six addresses', { emails: Array.from({ length: 6 }, (_, index) => `a${index}@example.com`) }, ['emails']],
  ['one address without a list', { emails: 'a@example.com' }, ['emails']],
  ['a text that is not an address', { emails: ['a@example.com', 'nobody', 5] }, ['emails[1]', 'emails[2]']],
  ['an address of 255 characters', { emails: [`${'a'.repeat(60)}@${'b.'.repeat(95)}com1`] }, ['emails[0]']],
  ['an address that contains a header', { emails: ['a@example.com\nBcc: b@example.com'] }, ['emails[0]']],
  ['two addresses in one', { emails: ['a@example.com,b@example.com'] }, ['emails[0]']],
  ['metadata that is a list', { metadata: [1] }, ['metadata']],
  ['metadata that is text', { metadata: 'x' }, ['metadata']],
  ['metadata of 8193 bytes', { metadata: { n: 'x'.repeat(8_193 - 8) } }, ['metadata']],
  ['metadata with a number that lost digits', { metadata: { n: [2 ** 53] } }, ['metadata']],
  ['metadata with a number without end', { metadata: { n: Number.NEGATIVE_INFINITY } }, ['metadata']],
  ['metadata that no text can hold', { metadata: { n: 'a\0b' } }, ['metadata']],
  ['metadata with half of a surrogate pair', { metadata: { '\udc00': 1 } }, ['metadata']],
  ['network data that is a list', { network_data: ['x'] }, ['network_data']],
  ['network data that is no text', { network_data: { 'Purchase Type': 5 } }, ['network_data']],
  ['network data of 8193 bytes', { network_data: { n: 'x'.repeat(8_193 - 8) } }, ['network_data']],
  ['network data under both names', { network_data: {}, mastercard_data: {} }, ['mastercard_data', 'network_data']],
  ['network data that the real card does not know', { rcn_id: 52, network_data: { Colour: 'x' } }, ['network_data']],
  ['the same under the old name', { rcn_id: 52, mastercard_data: { Colour: 'x' } }, ['mastercard_data']],
];
for (const [what, request, paths] of refused) {
  test(`refuses ${what}, and stores nothing`, async () => {
    const world = cardWorld();
    assert.deepEqual(await invalidFields(world.issue(request)), paths);
    assert.equal(world.commits(), 0);
  });
}

const accepted: readonly (readonly [string, Request, Request])[] = [
  ['the largest total', { total_card_amount: 10 ** 12 }, { per_transaction_max: 10 ** 12 }],
  ['no minimum but a maximum', { per_transaction_max: 10_000 }, { per_transaction_max_defaulted: false }],
  ['a minimum as large as the total', { per_transaction_min: 10_000 }, { per_transaction_max: 10_000 }],
  ['0 uses as not given', { transactions_max: 0 }, { transactions_max: null }],
  ['Continuous on a program without velocity control', { rcn_id: 52, recurring: 'Continuous' }, { rcn_id: 52 }],
  ['a number of uses on a program without velocity control', { rcn_id: 52, transactions_max: 2 }, { rcn_id: 52 }],
  ['a start in the past', { valid_starting_on: '2026-01-01' }, { valid_starting_on: '2026-01-01' }],
  ['an end today', { valid_ending_on: '2026-11-21' }, { valid_ending_on: '2026-11-21' }],
  ['an end past the expiry as the expiry', { valid_ending_on: '2031-05-05' }, { valid_ending_on: '2028-11-30' }],
  ['the expiry as start', { valid_starting_on: '2028-11-30' }, { valid_ending_on: '2028-11-30' }],
  ['24 months', { valid_for: 24 }, { valid_ending_on: '2028-11-21' }],
  ['a month from a 31st', { valid_starting_on: '2027-01-31', valid_for: 1 }, { valid_ending_on: '2027-02-28' }],
  [
    'months past the expiry as the expiry',
    { valid_starting_on: '2028-01-01', valid_for: 24 },
    { valid_ending_on: '2028-11-30' },
  ],
  ['a template by the digits of its id', { template_id: '11' }, { template_id: 11 }],
  ['the shared default by its id', { template_id: 1 }, { template_id: 1 }],
  ['a real card by the digits of its id', { rcn_id: '52' }, { rcn_alias: 'Plain' }],
  ['metadata of 8192 bytes', { metadata: { n: 'x'.repeat(8_192 - 8) } }, {}],
  ['metadata with a backslash before u0000', { metadata: { n: '\\u0000' } }, { metadata: { n: '\\u0000' } }],
  [
    'metadata with the largest whole number and a fraction',
    { metadata: { n: [2 ** 53 - 1, 0.1] } },
    { metadata: { n: [2 ** 53 - 1, 0.1] } },
  ],
  ['empty metadata', { metadata: {} }, { metadata: {} }],
  ['the old name of network data', { mastercard_data: { Trip: 'x' } }, { network_data: { Trip: 'x' } }],
  ['network data that the real card knows', { rcn_id: 52, network_data: { Trip: 'x' } }, {}],
  ['an address of 254 characters', { emails: [`${'a'.repeat(60)}@${'b.'.repeat(95)}com`] }, { notified: true }],
];
for (const [what, request, expected] of accepted) {
  test(`accepts ${what}`, async () => {
    const { card } = await cardWorld().issue(request);
    const actual = Object.fromEntries(Object.keys(expected).map((name) => [name, card[name as keyof typeof card]]));
    assert.deepEqual(actual, expected);
  });
}

test('metadata may nest 100 levels deep, and repeating it is not a change', async () => {
  const world = cardWorld();
  const nested = (lists: number) => ({ metadata: JSON.parse(`{"n":${'['.repeat(lists)}${']'.repeat(lists)}}`) });
  const { card } = await world.issue(nested(99));
  await world.update(card.id, nested(99));
  assert.equal(world.events().length, 1);
  assert.deepEqual(await invalidFields(world.issue(nested(100))), ['metadata']);
  assert.deepEqual(await invalidFields(world.issue(nested(4_000))), ['metadata']);
});

test('metadata that cannot be written as JSON is refused, not a failure', async () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  for (const metadata of [cycle, { n: 5n }, JSON.parse(`{"n":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)]) {
    assert.deepEqual(await invalidFields(cardWorld().issue({ metadata })), ['metadata']);
  }
});

test('one refusal lists every invalid field', async () => {
  const paths = await invalidFields(
    cardWorld().issue({
      total_card_amount: 0,
      per_transaction_min: -5,
      recurring: 'Never',
      currency: 'Dollar',
      valid_starting_on: 'today',
      template_id: 99,
      rcn_id: 99,
      emails: ['x'],
      metadata: [],
      network_data: 5,
      supplier_id: {},
    }),
  );
  assert.deepEqual(paths, [
    'currency',
    'emails[0]',
    'metadata',
    'network_data',
    'per_transaction_min',
    'rcn_id',
    'recurring',
    'supplier_id',
    'template_id',
    'total_card_amount',
    'valid_starting_on',
  ]);
});

test('the refusal of an unknown window lists the allowed ones', async () => {
  const refusal = await refusalOf(cardWorld().issue({ recurring: 'Hourly' }));
  assert.match(refusal!.message, /Continuous, Daily, Weekly, Quarterly, Monthly, Yearly.*not "Hourly"/);
});

test('a request with both kinds of velocity is refused with one clear sentence', async () => {
  const refusal = await refusalOf(
    cardWorld().issue({ authorization_hold_days: 7, aging_velocity_time_zone: 'UTC', transactions_max: 3 }),
  );
  assert.equal(
    refusal!.message,
    'authorization_hold_days cannot be sent together with transactions_max: a card has either velocity (recurring, ' +
      'transactions_max) or aging velocity (authorization_hold_days, aging_velocity_time_zone) (and 2 more)',
  );
});

test('a company without a default real card must name one', async () => {
  const refusal = await refusalOf(cardWorld().issue({}, { ...call, company_id: 3 }));
  assert.match(refusal!.message, /rcn_id is required: the company has no default real card/);
});

test('a card number sent in the wrong place is not repeated', async () => {
  for (const number of ['5123456789012346', '5123 4567 8901 2346', '5123-4567-8901-2346', 5123456789012346]) {
    const names = ['total_card_amount', 'currency', 'recurring', 'template_id', 'rcn_id', 'valid_for', 'supplier_id'];
    const wrong = Object.fromEntries(names.map((name) => [name, name === 'supplier_id' ? [number] : number]));
    const everywhere = {
      ...wrong,
      emails: [`${number} x`],
      network_data: { n: number, [`${number}`]: 5 },
      metadata: number,
    };
    const refusal = await refusalOf(cardWorld().issue(everywhere));
    assert.ok(refusal !== null && refusal.fields.length >= 8);
    const text = JSON.stringify([refusal.message, refusal.fields]);
    assert.ok(!/[0-9]{4}[ -]?5678|8901[ -]?2346/.test(text), text);
  }
});
