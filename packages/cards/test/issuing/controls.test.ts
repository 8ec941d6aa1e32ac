import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import { isTimeZone, recurring_values } from '@tallystick/velocity';
import fc from 'fast-check';
import { type CardReading, cardStateOf, type VirtualCard } from '../../src/index.ts';
import { lastDayOf } from '../../src/issuing/controls.ts';
import { call, cardWorld, day_ms, now_ms, type Request } from '../card-world.ts';

/** Dates around today, around the expiry, and far in the past and future. */
const date = fc.oneof(
  fc.integer({ min: -5, max: 40 }).map(daysFromToday),
  fc.integer({ min: -800, max: 1_200 }).map(daysFromToday),
  fc.constantFrom('0000-01-01', '9999-12-31', '2028-11-30', '2028-12-01'),
);
const amount = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 2_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 10 ** 12 }) },
);
const junk = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined), fc.double());

/** Some of the fields that a change may name, with mostly valid values and sometimes any value. */
const change = fc.record({
  total_card_amount: mostly(amount),
  per_transaction_min: mostly(fc.integer({ min: 0, max: 12 })),
  per_transaction_max: mostly(amount),
  transactions_max: mostly(fc.integer({ min: 0, max: 5 })),
  valid_starting_on: mostly(date),
  valid_ending_on: mostly(date),
  template_id: mostly(fc.constantFrom<number | string>(1, 2, 11, 12, 13, '11')),
  emails: mostly(fc.array(fc.emailAddress(), { maxLength: 6 })),
  metadata: mostly(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))),
  network_data: mostly(fc.dictionary(fc.string(), fc.string())),
});
const control = fc.oneof(
  fc.record({ recurring: mostly(fc.constantFrom(...recurring_values)) }),
  fc.record({
    authorization_hold_days: fc.integer({ min: 1, max: 365 }),
    aging_velocity_time_zone: fc.constantFrom('UTC', 'America/New_York', 'Asia/Kathmandu'),
  }),
);
const creation = fc
  .tuple(
    change,
    control,
    fc.record({
      total_card_amount: fc.oneof(
        { weight: 20, arbitrary: fc.integer({ min: 1, max: 3_000 }) },
        { weight: 1, arbitrary: junk },
      ),
      currency: mostly(fc.constantFrom('USD', 'EUR', 'JPY')),
      valid_for: mostly(fc.integer({ min: 1, max: 24 })),
      rcn_id: mostly(fc.constantFrom<number | string>(51, 52, '51')),
    }),
  )
  .map((parts): Request => Object.assign({}, ...parts));

test('any request issues a card that keeps every rule, or the refusal names a field that was sent', async () => {
  const seen = { issued: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(creation, async (request) => {
      const world = cardWorld();
      const outcome = await outcomeOf(world.issue({ total_card_amount: undefined, ...request }));
      if (outcome instanceof Refusal) {
        seen.refused += 1;
        assertNamesSentFields(outcome, request);
        assert.equal(world.commits(), 0);
        return;
      }
      seen.issued += 1;
      assertKeepsRules(outcome.card);
      assert.deepEqual(await world.run((tx) => tx.cards.find(1, outcome.card.id)), outcome.card);
    }),
    propertyParameters({ short: 500, full: 2_000 }),
  );
  assert.ok(seen.issued > 100 && seen.refused > 100, JSON.stringify(seen));
});

test('a card requested again with all values of an existing card is equal to it', async () => {
  let issued = 0;
  await fc.assert(
    fc.asyncProperty(creation, async (request) => {
      const world = cardWorld();
      const first = await outcomeOf(world.issue({ total_card_amount: undefined, ...request }));
      if (first instanceof Refusal) return;
      issued += 1;
      const { card } = await world.issue(controlsOf(first.card));
      assert.deepEqual(controlsOf(card), controlsOf(first.card));
    }),
    propertyParameters({ short: 500, full: 1_500 }),
  );
  assert.ok(issued > 50, `${issued} issued`);
});

test('a card keeps every rule after any changes in any order, and fields that were not named stay', async () => {
  const seen = { changed: 0, refused: 0 };
  const later = fc.integer({ min: 0, max: 900 });
  await fc.assert(
    fc.asyncProperty(control, fc.array(fc.tuple(change, later), { maxLength: 4 }), async (kind, changes) => {
      const world = cardWorld();
      const issued = await outcomeOf(world.issue({ ...kind, total_card_amount: 1_000 }));
      if (issued instanceof Refusal) return;
      let before = issued.card;
      let day = 0;
      for (const [request, days] of changes) {
        day += days;
        const events = world.events().length;
        const outcome = await outcomeOf(world.update(before.id, request, { ...call, now_ms: now_ms + day * day_ms }));
        const after = (await world.run((tx) => tx.cards.find(1, before.id)))!;
        if (outcome instanceof Refusal) {
          seen.refused += 1;
          assertNamesSentFields(outcome, request);
          assert.deepEqual(after, before);
          assert.equal(world.events().length, events);
          continue;
        }
        seen.changed += 1;
        assert.deepEqual(after, outcome.card);
        assertKeepsRules(after);
        assertOthersStay(before, after, request);
        const is_same = isDeepStrictEqual(cardStateOf(before), cardStateOf(after));
        assert.equal(after.controls_version, before.controls_version + (is_same ? 0 : 1));
        const [ended] = await world.run((tx) => tx.cards.versionsBelow(before.id, after.controls_version, 1));
        if (!is_same) assert.deepEqual(ended?.state, cardStateOf(before));
        const again = await world.sendBack(before.id, controlsThatMayChange(after));
        assert.deepEqual(again.card, after);
        before = again.card;
      }
    }),
    propertyParameters({ short: 500, full: 1_500 }),
  );
  assert.ok(seen.changed > 100 && seen.refused > 100, JSON.stringify(seen));
});

test('a maximum that was never set follows the total until one is set', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 1_000 }), { maxLength: 5 }), async (totals) => {
      const world = cardWorld();
      const { card } = await world.issue({ total_card_amount: 500 });
      for (const total_card_amount of totals) {
        const { card: after } = await world.update(card.id, { total_card_amount });
        assert.equal(after.per_transaction_max, total_card_amount);
      }
      await world.update(card.id, { total_card_amount: 500, per_transaction_max: 100 });
      const { card: named } = await world.update(card.id, { total_card_amount: 400 });
      assert.equal(named.per_transaction_max, 100);
    }),
    propertyParameters({ short: 50, full: 150 }),
  );
});

function assertKeepsRules(card: VirtualCard): void {
  assert.ok(card.per_transaction_min >= 0);
  assert.ok(card.per_transaction_min <= card.per_transaction_max);
  assert.ok(card.per_transaction_max <= card.total_card_amount);
  assert.ok(card.total_card_amount > 0 && card.total_card_amount <= 10 ** 12);
  assert.ok(!card.per_transaction_max_defaulted || card.per_transaction_max === card.total_card_amount);
  assert.ok(card.transactions_max === null || (Number.isInteger(card.transactions_max) && card.transactions_max > 0));
  if (card.recurring === null) {
    assert.equal(card.transactions_max, null);
    assert.ok(card.authorization_hold_days! >= 1 && card.authorization_hold_days! <= 365);
    assert.ok(isTimeZone(card.aging_velocity_time_zone!));
    assert.ok([2, 12].includes(card.template_id));
  } else {
    assert.ok(recurring_values.includes(card.recurring));
    assert.deepEqual([card.authorization_hold_days, card.aging_velocity_time_zone], [null, null]);
    assert.ok([1, 11].includes(card.template_id));
    if (card.rcn_id === 52) assert.equal(card.recurring, 'Continuous');
  }
  assert.match(card.valid_starting_on, /^\d{4}-\d{2}-\d{2}$/);
  assert.ok(card.valid_starting_on <= card.valid_ending_on);
  assert.ok(card.valid_ending_on <= lastDayOf(card.expiry));
  assert.ok(card.emails === null || (card.emails.length >= 1 && card.emails.length <= 5));
  assert.ok(card.emails === null || new Set(card.emails).size === card.emails.length);
  for (const data of [card.metadata, card.network_data]) {
    if (data !== null) assert.ok(Buffer.byteLength(JSON.stringify(data)) <= 8_192);
  }
}

function assertOthersStay(before: VirtualCard, after: VirtualCard, request: Request): void {
  const follows = before.per_transaction_max_defaulted && given(request, 'total_card_amount');
  for (const name of Object.keys(before) as (keyof VirtualCard)[]) {
    if (name === 'controls_version') continue;
    const named = name in request || (name === 'per_transaction_max_defaulted' && 'per_transaction_max' in request);
    if (named || (name === 'per_transaction_max' && follows)) continue;
    assert.deepEqual(after[name], before[name], name);
  }
}

function assertNamesSentFields(refusal: Refusal, request: Request): void {
  assert.equal(refusal.code, 'validation_failed');
  assert.ok(refusal.fields.length > 0);
  for (const { path, message } of refusal.fields) {
    const name = path.replace(/\[[0-9]+\]$/, '');
    assert.ok(request[name] !== undefined || message.startsWith('is required'), `${path} ${message}`);
    assert.ok(message.length < 400, message);
  }
}

function controlsOf(card: VirtualCard): Request {
  const { recurring, currency, authorization_hold_days, aging_velocity_time_zone, rcn_id } = card;
  return {
    ...controlsThatMayChange(card),
    recurring,
    currency,
    authorization_hold_days,
    aging_velocity_time_zone,
    rcn_id,
  };
}

function controlsThatMayChange(card: VirtualCard): Request {
  return {
    total_card_amount: card.total_card_amount,
    per_transaction_min: card.per_transaction_min,
    per_transaction_max: card.per_transaction_max,
    transactions_max: card.transactions_max,
    valid_starting_on: card.valid_starting_on,
    ...(card.valid_ending_on < '2026-11-21' ? {} : { valid_ending_on: card.valid_ending_on }),
    template_id: card.template_id,
    emails: card.emails,
    metadata: card.metadata,
    network_data: card.network_data,
  };
}

function given(request: Request, name: string): boolean {
  return request[name] !== undefined && request[name] !== null;
}

function mostly<Value>(sound: fc.Arbitrary<Value>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 40, arbitrary: fc.constant(undefined) },
    { weight: 20, arbitrary: sound },
    { weight: 3, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: junk },
  );
}

function daysFromToday(days: number): string {
  return new Date(now_ms + days * day_ms).toISOString().slice(0, 10);
}

async function outcomeOf(work: Promise<CardReading>): Promise<CardReading | Refusal> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
