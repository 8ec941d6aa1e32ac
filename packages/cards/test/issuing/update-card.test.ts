import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '@tallystick/kernel';
import { cancelCard } from '../../src/index.ts';
import {
  assertNotFound,
  call,
  cardWorld,
  day_ms,
  invalidFields,
  now_ms,
  type Request,
  refusalOf,
} from '../card-world.ts';

const aging = { authorization_hold_days: 7, aging_velocity_time_zone: 'UTC' };

test('the event of a change has the state before and after', async () => {
  const world = cardWorld();
  const { card } = await world.issue({ recurring: 'Daily' });
  world.use(card.id, { window_start_ms: Date.UTC(2026, 10, 21), held: 300, cleared: 200, uses: 2 });
  const { card: after, balance } = await world.update(
    card.id,
    { total_card_amount: 20_000, transactions_max: 9, valid_ending_on: '2027-05-01' },
    { ...call, request_id: 'r-2' },
  );
  assert.deepEqual([after.total_card_amount, after.transactions_max, balance.available], [20_000, 9, 19_500]);
  const [created, updated, ...others] = world.events();
  assert.deepEqual(others, []);
  assert.equal(updated?.event_type, 'virtualcard.updated');
  assert.equal(updated.request_id, 'r-2');
  assert.deepEqual(updated.previous, { ...created?.payload, available_balance: 9_500 });
  assert.deepEqual(updated.payload, {
    ...updated.previous,
    available_balance: 19_500,
    total_card_amount: 20_000,
    per_transaction_max: 20_000,
    transactions_max: 9,
    valid_ending_on: '2027-05-01',
  });
});

test('a change does not write the counters, which belong to the passes', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  world.use(card.id, { held: 300, cleared: 200, uses: 2 });
  await world.update(card.id, { transactions_max: 5 });
  assert.deepEqual(world.committed().cards.get(card.id)?.counters, {
    ...card.counters,
    held: 300,
    cleared: 200,
    uses: 2,
  });
});

test('a request that changes nothing writes no event', async () => {
  const world = cardWorld();
  const { card } = await world.issue({ metadata: { a: 1, b: { c: [1, 2], d: 2 } }, emails: ['a@example.com'] });
  for (const request of [
    {},
    { colour: 'blue' },
    { transactions_max: null, per_transaction_min: null, per_transaction_max: null, template_id: null },
    { valid_starting_on: null, valid_ending_on: null },
    { network_data: {}, mastercard_data: null },
    { total_card_amount: 10_000, per_transaction_min: 0, valid_starting_on: '2026-11-21', template_id: '1' },
    { metadata: { b: { d: 2, c: [1, 2] }, a: 1 } },
    { emails: ['a@example.com', 'A@EXAMPLE.com'] },
    { transactions_max: 0 },
    { valid_ending_on: '2040-01-01' },
  ]) {
    await world.update(card.id, request);
    assert.equal(world.events().length, 1, JSON.stringify(request));
  }
  await world.update(card.id, { metadata: { a: 1, b: { d: 2, c: [2, 1] } } });
  assert.equal(world.events().length, 2);
});

test('details are replaced as a whole, and null removes them', async () => {
  const world = cardWorld();
  const { card } = await world.issue({
    metadata: { a: 1, b: 2 },
    network_data: { Trip: 'x' },
    emails: ['a@example.com'],
  });
  const { card: replaced } = await world.update(card.id, {
    metadata: { a: 3 },
    mastercard_data: { Trip: 'y' },
    emails: ['b@example.com'],
  });
  assert.deepEqual(
    [replaced.metadata, replaced.network_data, replaced.emails],
    [{ a: 3 }, { Trip: 'y' }, ['b@example.com']],
  );
  const { card: bare } = await world.update(card.id, { metadata: null, network_data: null, emails: null });
  assert.deepEqual([bare.metadata, bare.network_data, bare.emails], [null, null, null]);
});

test('new addresses are stored and get no mail: cards are mailed when they are created, or on demand', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  const { card: after } = await world.update(card.id, { emails: ['a@example.com'] });
  assert.deepEqual([after.emails, after.notified, world.mails()], [['a@example.com'], false, []]);
});

test('null resets a control to what a new card has', async () => {
  const world = cardWorld();
  const { card } = await world.issue({
    total_card_amount: 10_000,
    per_transaction_min: 50,
    per_transaction_max: 500,
    transactions_max: 3,
    valid_starting_on: '2026-12-01',
    valid_ending_on: '2026-12-31',
    template_id: 11,
  });
  const reset = async (name: string) => (await world.update(card.id, { [name]: null })).card;
  assert.equal((await reset('per_transaction_min')).per_transaction_min, 0);
  assert.equal((await reset('transactions_max')).transactions_max, null);
  assert.equal((await reset('template_id')).template_id, 1);
  assert.equal((await reset('valid_starting_on')).valid_starting_on, '2026-11-21');
  assert.equal((await reset('valid_ending_on')).valid_ending_on, '2028-11-30');
  const { per_transaction_max, per_transaction_max_defaulted } = await reset('per_transaction_max');
  assert.deepEqual([per_transaction_max, per_transaction_max_defaulted], [10_000, true]);
  const { card: larger } = await world.update(card.id, { total_card_amount: 20_000 });
  assert.equal(larger.per_transaction_max, 20_000, 'it follows the total again');
  assert.deepEqual(await invalidFields(world.update(card.id, { total_card_amount: null })), ['total_card_amount']);
});

test('null resets the controls of an aging card, whose uses are never limited', async () => {
  const world = cardWorld();
  const { card } = await world.issue({ ...aging, template_id: 12 });
  const { card: after } = await world.update(card.id, { template_id: null, transactions_max: null });
  assert.deepEqual([after.template_id, after.transactions_max], [2, null]);
});

test('a start that is reset to today must not follow the end', async () => {
  const world = cardWorld();
  const { card } = await world.issue({ valid_starting_on: '2026-11-21', valid_ending_on: '2026-11-25' });
  const later = { ...call, now_ms: now_ms + 10 * day_ms };
  assert.deepEqual(await invalidFields(world.update(card.id, { valid_starting_on: null }, later)), [
    'valid_starting_on',
  ]);
});

test('a maximum that follows the total keeps following it in a whole card that is sent back', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  const { per_transaction_max } = card;
  await world.sendBack(card.id, { per_transaction_max, metadata: { a: 1 } });
  const { card: larger } = await world.update(card.id, { total_card_amount: 20_000 });
  assert.equal(larger.per_transaction_max, 20_000);
  const { card: largest } = await world.sendBack(card.id, { total_card_amount: 30_000, per_transaction_max: 20_000 });
  assert.deepEqual([largest.per_transaction_max, largest.per_transaction_max_defaulted], [30_000, true]);
  const { card: fixed } = await world.sendBack(card.id, { total_card_amount: 40_000, per_transaction_max: 20_000 });
  assert.deepEqual([fixed.per_transaction_max, fixed.per_transaction_max_defaulted], [20_000, false]);
});

/** Each value that a card has by default, sent alone, and a change after which the default is another. */
const kept_values: readonly (readonly [Request, Request])[] = [
  [{ per_transaction_max: 10_000 }, { total_card_amount: 23_100 }],
  [{ per_transaction_max: 10_000, metadata: { a: 1 } }, { total_card_amount: 23_100 }],
  [{ total_card_amount: 10_000, per_transaction_max: 10_000 }, { total_card_amount: 23_100 }],
  [{ per_transaction_min: 0 }, { per_transaction_max: 20 }],
  [{ valid_starting_on: '2026-11-21' }, { valid_ending_on: '2027-05-01' }],
  [{ valid_ending_on: '2028-11-30' }, { valid_starting_on: '2026-12-01' }],
  [{ template_id: 1 }, { transactions_max: 4 }],
];
for (const [sent, later] of kept_values) {
  test(`${JSON.stringify(sent)}, sent alone, is kept for good though it is the default`, async () => {
    const world = cardWorld();
    const { card } = await world.issue({});
    await world.update(card.id, sent);
    const { card: after } = await world.update(card.id, later, { ...call, now_ms: now_ms + 3 * day_ms });
    for (const [name, value] of Object.entries({ ...sent, ...later })) assert.deepEqual(after[name as 'id'], value);
  });
}

for (const [kind, creation] of [
  ['a velocity card', { recurring: 'Monthly', currency: 'EUR', supplier_id: 7 }],
  ['an aging card', aging],
] as const) {
  test(`${kind} takes the present values of the fields that cannot be changed, and no event follows`, async () => {
    const world = cardWorld();
    const { card } = await world.issue(creation);
    const { currency, recurring, authorization_hold_days, aging_velocity_time_zone, supplier_id } = card;
    const { rcn_id, expiry, status } = card;
    const kept = {
      currency,
      recurring,
      authorization_hold_days,
      aging_velocity_time_zone,
      supplier_id,
      expiry,
      status,
    };
    await world.update(card.id, { ...kept, rcn_id, valid_for: null });
    await world.update(card.id, { rcn_id: String(rcn_id), status: null });
    assert.equal(world.events().length, 1);
  });
}

test('null is refused for a field that cannot be changed and has another value than its default', async () => {
  const world = cardWorld();
  const { card } = await world.issue({ recurring: 'Monthly', currency: 'EUR', supplier_id: 7 });
  const nulls = { recurring: null, currency: null, supplier_id: null, rcn_id: null, expiry: null };
  assert.deepEqual(await invalidFields(world.update(card.id, nulls)), [
    'currency',
    'expiry',
    'rcn_id',
    'recurring',
    'supplier_id',
  ]);
});

const unchangeable: Request = {
  currency: 'USD',
  recurring: 'Daily',
  authorization_hold_days: 7,
  aging_velocity_time_zone: 'UTC',
  rcn_id: 52,
  valid_for: 3,
  supplier_id: 5,
  status: 'Canceled',
  expiry: '2030-01',
};
for (const [name, value] of Object.entries(unchangeable)) {
  test(`refuses to change ${name}, by name`, async () => {
    const world = cardWorld();
    const { card } = await world.issue({});
    assert.deepEqual(await invalidFields(world.update(card.id, { [name]: value })), [name]);
    assert.equal(world.events().length, 1);
  });
}

const refused: readonly (readonly [string, Request, Request, readonly string[]])[] = [
  [
    'a total below the requested maximum',
    { per_transaction_max: 500 },
    { total_card_amount: 499 },
    ['total_card_amount'],
  ],
  ['a total below the minimum', { per_transaction_min: 500 }, { total_card_amount: 499 }, ['total_card_amount']],
  ['a maximum below the minimum', { per_transaction_min: 500 }, { per_transaction_max: 499 }, ['per_transaction_max']],
  ['a minimum above the maximum', { per_transaction_max: 500 }, { per_transaction_min: 501 }, ['per_transaction_min']],
  [
    'a start after the stored end',
    { valid_ending_on: '2027-01-31' },
    { valid_starting_on: '2027-02-01' },
    ['valid_starting_on'],
  ],
  [
    'an end before the stored start',
    { valid_starting_on: '2027-02-02' },
    { valid_ending_on: '2027-02-01' },
    ['valid_ending_on'],
  ],
  ['an end before today', {}, { valid_ending_on: '2026-11-20' }, ['valid_ending_on']],
  ['a number of uses with aging velocity', aging, { transactions_max: 3 }, ['transactions_max']],
  ['an aging template for a velocity card', {}, { template_id: 12 }, ['template_id']],
  ['a velocity template for an aging card', aging, { template_id: 11 }, ['template_id']],
  ['a PENDING template', {}, { template_id: 13 }, ['template_id']],
  [
    'network data that the real card does not have',
    { rcn_id: 52 },
    { network_data: { Colour: 'x' } },
    ['network_data'],
  ],
  [
    'several invalid fields together',
    {},
    { recurring: 'Daily', total_card_amount: 'x', emails: 5, valid_ending_on: 'never' },
    ['emails', 'recurring', 'total_card_amount', 'valid_ending_on'],
  ],
];
for (const [what, creation, request, paths] of refused) {
  test(`refuses ${what}`, async () => {
    const world = cardWorld();
    const { card } = await world.issue(creation);
    assert.deepEqual(await invalidFields(world.update(card.id, request)), paths);
    assert.deepEqual(world.committed().cards.get(card.id), card);
    assert.equal(world.events().length, 1);
  });
}

test('rules about today do not apply to stored dates', async () => {
  const world = cardWorld();
  const { card } = await world.issue({ valid_starting_on: '2026-11-01', valid_ending_on: '2026-12-01' });
  const later = { ...call, now_ms: now_ms + 100 * day_ms };
  await world.update(card.id, { metadata: { late: true }, total_card_amount: 50 }, later);
  await world.update(card.id, { valid_starting_on: '2026-11-30' }, later);
  assert.deepEqual(await invalidFields(world.update(card.id, { valid_ending_on: '2026-12-01' }, later)), [
    'valid_ending_on',
  ]);
  const { card: longer } = await world.update(card.id, { valid_ending_on: '2027-04-01' }, later);
  assert.deepEqual([longer.valid_starting_on, longer.valid_ending_on], ['2026-11-30', '2027-04-01']);
});

test('an end past the card’s expiry becomes that expiry, not the expiry of a card created today', async () => {
  const world = cardWorld();
  const { card } = await world.issue({ valid_ending_on: '2027-01-01' });
  const later = { ...call, now_ms: now_ms + 200 * day_ms };
  const { card: after } = await world.update(card.id, { valid_ending_on: '2029-05-05' }, later);
  assert.equal(after.valid_ending_on, '2028-11-30');
});

test('the total may fall to the used amount, not below', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  world.use(card.id, { held: 300, cleared: 200, uses: 2 });
  const refusal = await refusalOf(world.update(card.id, { total_card_amount: 499 }));
  assert.match(refusal!.message, /^total_card_amount must be at least 500, .* not 499$/);
  const { balance } = await world.update(card.id, { total_card_amount: 500 });
  assert.equal(balance.available, 0);
});

test('a card that has used more than its total may change in other fields, and may raise the total', async () => {
  const world = cardWorld();
  const { card } = await world.issue({ total_card_amount: 400 });
  world.use(card.id, { held: 300, cleared: 200, uses: 2 });
  await world.update(card.id, { transactions_max: 5 });
  const refusal = await refusalOf(world.update(card.id, { total_card_amount: 'x' }));
  assert.deepEqual(
    refusal?.fields.map(({ message }) => message),
    ['must be a whole number from 1 to 1000000000000, not "x"'],
  );
  const { balance } = await world.update(card.id, { total_card_amount: 600 });
  assert.equal(balance.available, 100);
});

test('the use of an earlier window does not limit the total', async () => {
  const world = cardWorld();
  const { card } = await world.issue({ recurring: 'Daily' });
  world.use(card.id, { held: 300, cleared: 200, uses: 2 });
  assert.deepEqual(await invalidFields(world.update(card.id, { total_card_amount: 499 })), ['total_card_amount']);
  const tomorrow = { ...call, now_ms: Date.UTC(2026, 10, 22) };
  const { balance } = await world.update(card.id, { total_card_amount: 1 }, tomorrow);
  assert.equal(balance.available, 1);
});

test('an ended hold does not limit the total, even before a sweep', async () => {
  const world = cardWorld();
  const { card } = await world.issue(aging);
  const hold_end_ms = now_ms + day_ms;
  world.authorize(card, { held: money(300), hold_end_ms });
  world.authorize(card, { held: money(50), hold_end_ms: hold_end_ms + 1 });
  world.use(card.id, { held: 350, cleared: 200, uses: 0, next_hold_end_ms: hold_end_ms });
  const at = (at_ms: number) => world.update(card.id, { total_card_amount: 250 }, { ...call, now_ms: at_ms });
  assert.deepEqual(await invalidFields(at(hold_end_ms - 1)), ['total_card_amount']);
  assert.equal((await at(hold_end_ms)).balance.available, 0);
});

test('a Canceled card is not changed', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  await world.run((tx) => cancelCard(tx, call, card.id));
  const refusal = await refusalOf(world.update(card.id, { metadata: {} }));
  assert.match(refusal!.message, /is Canceled and cannot be changed/);
});

test('neither an unknown card nor a card of another company is found', async () => {
  const world = cardWorld();
  const { card } = await world.issue({});
  await assertNotFound(world.update(card.id, {}, { ...call, company_id: 2 }));
  await assertNotFound(world.update(card.id + 1, {}));
});
