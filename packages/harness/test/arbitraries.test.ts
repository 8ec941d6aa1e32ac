import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Temporal } from '@tallystick/kernel';
import { test_seed } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  type Answer,
  type AuthorizationWire,
  almostRepeated,
  almostRepeatedPlan,
  authorizationOf,
  authorizationPlan,
  cardPlan,
  cardRequest,
  clearingOf,
  clearingPlan,
  clockMove,
  clockTarget,
  earlyReversalOf,
  earlyReversalPlan,
  flawedCard,
  flawedRequest,
  holdDays,
  lateIncrementPlan,
  lateIncrementsOf,
  ReferenceModel,
  releasedPurchase,
  releasePlan,
  reversalOf,
  reversalPlan,
  runModel,
  specialDayOf,
  specialDayPlan,
  startInstant,
  updatePlan,
  updateRequest,
} from '../src/index.ts';
import { differingKeys, kindOf } from '../src/reference/authorization.ts';
import { modelAsSystem, world } from './model-as-system.ts';

const noon_ms = Temporal.Instant.from('2026-03-07T12:00:00Z').epochMilliseconds;

/** Values that an arbitrary generates, and values to which it shrinks some of them. */
function drawnAndShrunk<Value>(t: TestContext, arbitrary: fc.Arbitrary<Value>): Value[] {
  t.diagnostic(`drawn by seed ${test_seed}`);
  const drawn = fc.sample(arbitrary, { numRuns: 100, seed: test_seed });
  const shrunk: Value[] = [];
  // Some seeds lead to short paths: more turns then, until there are enough values.
  for (let turn = 1; turn <= 10 || (shrunk.length <= 40 && turn <= 100); turn += 1) {
    // A property that fails for two values out of three, so that the library shrinks along ever new
    // paths.
    const property = fc.property(arbitrary, (value) => {
      shrunk.push(value);
      return JSON.stringify(value).length % 3 === turn % 3;
    });
    fc.check(property, { seed: test_seed + turn, numRuns: 20 });
  }
  assert.ok(shrunk.length > 40, `only ${shrunk.length} values were seen`);
  return [...drawn, ...shrunk];
}

/** A model with two cards, one of them with purchases and clearings. */
function busyModel(plan_seed: number): ReferenceModel {
  const { model, ...system } = modelAsSystem(noon_ms);
  const [first, second] = fc.sample(cardPlan(), { numRuns: 2, seed: plan_seed });
  for (const plan of [first!, second!]) {
    const id = model.cards.length + 1;
    // The second card has the largest valid total.
    const total_card_amount = id === 1 ? plan.total_card_amount : 10 ** 12;
    const request = {
      ...cardRequest({ ...plan, total_card_amount }, noon_ms, model.world),
      valid_starting_on: '2026-03-01',
    };
    model.createCard(request, { id, card_number: `400000000000${id}000`, cvc: '321' });
  }
  const plans = fc.sample(authorizationPlan(), { numRuns: 12, seed: plan_seed });
  for (const plan of plans) {
    const { answer, answered } = model.authorize(authorizationOf({ ...plan, unknown_number: false }, model));
    if (answer.kind === 'done' && answered !== null) {
      model.learnAuthorization(answered, { ...answer.value, id: model.fresh(), approval_code: 'ABC123' });
    }
  }
  for (const plan of fc.sample(clearingPlan(), { numRuns: 4, seed: plan_seed })) {
    model.clear(clearingOf({ ...plan, flaw: null }, model));
  }
  void system;
  return model;
}

test('planned cards are valid requests on any day, both generated and shrunk', (t) => {
  for (const plan of drawnAndShrunk(t, cardPlan())) {
    for (const now of ['2024-02-29T23:59:59Z', '2026-12-31T00:00:00Z', '2027-03-14T07:00:00Z']) {
      const now_ms = Temporal.Instant.from(now).epochMilliseconds;
      const model = new ReferenceModel(world(now_ms));
      const request = cardRequest(plan, now_ms, model.world);
      assert.deepEqual(model.wouldCreate(request), { kind: 'done', value: null }, JSON.stringify(request));
    }
  }
});

test('planned cards are valid in a world without aging velocity', (t) => {
  const { templates, ...rest } = world(noon_ms);
  const plain = { ...rest, templates: templates.filter(({ required_control }) => required_control === 'VELOCITY') };
  for (const plan of drawnAndShrunk(t, cardPlan())) {
    const request = cardRequest(plan, noon_ms, plain);
    assert.deepEqual(new ReferenceModel(plain).wouldCreate(request), { kind: 'done', value: null });
  }
});

test('a flawed card is refused for the field that the flaw names, both generated and shrunk', (t) => {
  for (const { plan, flaw } of drawnAndShrunk(t, flawedCard())) {
    const model = new ReferenceModel(world(noon_ms));
    const request = flawedRequest(plan, flaw, noon_ms, model.world);
    const answer = model.wouldCreate(request);
    assert.equal(answer.kind, 'refused', JSON.stringify(request));
    assert.ok(answer.kind === 'refused' && answer.fields.includes(flaw.field), JSON.stringify({ answer, flaw }));
  }
});

test('a world without merchant controls gets none, and its messages name no merchant but its id', (t) => {
  const { merchant_controls: _of_world, ...plain } = world(noon_ms);
  const model = new ReferenceModel(plain);
  model.createCard({ total_card_amount: 1_000 }, { id: 1, card_number: '4000000000000002', cvc: '123' });
  for (const plan of drawnAndShrunk(t, cardPlan())) {
    assert.equal('merchant_controls' in cardRequest(plan, noon_ms, plain), false);
  }
  for (const plan of drawnAndShrunk(t, updatePlan())) {
    assert.equal('merchant_controls' in updateRequest(plan, model.cards[0]!, model), false);
  }
  for (const plan of drawnAndShrunk(t, authorizationPlan())) {
    const { merchant_name, merchant_country, card_present } = authorizationOf(plan, model);
    assert.deepEqual([merchant_name, merchant_country, card_present], [undefined, undefined, undefined]);
  }
});

test('planned updates are well formed, valid or not', (t) => {
  const limits = ['total_card_amount', 'per_transaction_min', 'per_transaction_max', 'transactions_max', 'recurring'];
  const known = [...limits, 'template_id', 'emails', 'metadata', 'merchant_controls'];
  const model = busyModel(1);
  for (const plan of drawnAndShrunk(t, updatePlan())) {
    const request = updateRequest(plan, model.cards[0]!, model);
    for (const [name, value] of Object.entries(request)) {
      if (value === null) assert.ok(plan.resets.includes(name), name);
      else if (name.startsWith('valid_')) assert.equal(String(Temporal.PlainDate.from(value as string)), value);
      else assert.ok(known.includes(name), name);
    }
  }
});

test('planned authorizations have every field that the network requires, both generated and shrunk', (t) => {
  const model = busyModel(1);
  for (const plan of drawnAndShrunk(t, authorizationPlan())) {
    const message = authorizationOf(plan, model);
    assert.match(message.card_number, /^\d{16}$/);
    assert.ok(['request', 'advice'].includes(kindOf(message)));
    const amounts = [message.billing_amount, message.merchant_amount];
    for (const amount of amounts) assert.ok(Number.isSafeInteger(amount) && amount >= 0, `${amount}`);
    assert.equal(Math.max(...amounts) > 10 ** 12, plan.kind === 'oversized', `${amounts}`);
    for (const currency of [message.billing_currency, message.merchant_currency]) assert.match(currency, /^[A-Z]{3}$/);
    assert.match(message.mcc, /^\d{4}$/);
    assert.match(message.system_trace_audit_number, /^\d{6}$/);
    assert.ok(message.trace_id.length > 0);
    assert.equal(Temporal.Instant.from(message.transaction_date_time).epochMilliseconds, noon_ms);
    assert.match(message.net_reference_number!, /^MCC\d{10}$/);
    if (plan.kind === 'verification') assert.equal(message.billing_amount, 0);
    if (plan.kind === 'advice_of_decline') assert.notEqual(message.response_code, '00');
  }
});

/** Whether it is the flat name of a corrected amount. */
function isFlat(name: string): boolean {
  return name.startsWith('replacement_amounts.');
}

/** The corrected amounts that a message names, by either form. */
function correctedAmounts(message: AuthorizationWire): readonly number[] {
  const flat = Object.entries(message).flatMap(([name, value]) => (isFlat(name) ? [value] : []));
  return [...Object.values(message.replacement_amounts ?? {}), ...flat].filter((amount) => amount !== null);
}

test('planned reversals refer to a purchase of the run', (t) => {
  const model = busyModel(2);
  const traces = model.cards.flatMap((card) => model.purchases(card).map(({ message }) => message.trace_id));
  assert.ok(traces.length > 0, 'the model of the test has purchases');
  for (const plan of drawnAndShrunk(t, reversalPlan())) {
    const message = reversalOf(plan, model);
    assert.equal(kindOf(message), 'reversal');
    assert.ok(traces.includes(message.trace_id));
    for (const remaining of correctedAmounts(message)) {
      assert.ok(Number.isSafeInteger(remaining) && remaining >= 0 && remaining <= 10 ** 12, `${remaining}`);
    }
  }
});

test('planned early reversals come before an original with their trace_id, which is not a reversal', (t) => {
  const model = busyModel(2);
  for (const plan of drawnAndShrunk(t, earlyReversalPlan())) {
    const messages = earlyReversalOf(plan, model);
    const [trace_id, ...others] = new Set(messages.map((message) => message.trace_id));
    assert.deepEqual(others, []);
    assert.equal(
      model.cards.some((card) => card.messages.some(({ message }) => message.trace_id === trace_id)),
      false,
    );
    const early = plan.corrections.length;
    for (const [at, message] of messages.entries()) {
      assert.equal(kindOf(message) === 'reversal', at < early);
      if (at >= early) assert.deepEqual(correctedAmounts(message), []);
    }
    const declines = messages.filter(({ response_code }) => response_code === '05').length;
    assert.equal(declines, plan.advice_of_decline ? 1 : 0);
    assert.equal(messages.length, early + declines + 1 + (plan.again ? 1 : 0));
    assert.equal(new Set(messages.map((message) => message.system_trace_audit_number)).size, messages.length);
  }
});

test('a planned advice of ours has the trace_id of a purchase, and no amount that an advice cannot name', (t) => {
  const model = busyModel(2);
  const traces = model.cards.flatMap((card) => model.purchases(card).map(({ message }) => message.trace_id));
  for (const plan of drawnAndShrunk(t, authorizationPlan())) {
    const message = authorizationOf({ ...plan, kind: 'advice_of_ours' }, model);
    assert.equal(kindOf(message), 'advice');
    assert.ok(traces.includes(message.trace_id));
    assert.ok(message.billing_amount >= 0 && message.billing_amount <= 10 ** 12);
  }
});

test('planned late increments are increments of a purchase of the card', (t) => {
  const model = busyModel(2);
  const card = model.cards[1]!;
  const before = model.purchases(card).at(-1)!.message;
  for (const plan of drawnAndShrunk(t, lateIncrementPlan())) {
    for (const { kind, unknown_number, trace_pick } of plan.requests) {
      assert.deepEqual([kind, unknown_number, trace_pick], ['request', false, null]);
    }
    const increments = lateIncrementsOf(plan, model, card, before);
    assert.ok(increments.length > 0);
    for (const { incremental, trace_id, card_number } of increments) {
      assert.deepEqual([incremental, trace_id, card_number], [true, before.trace_id, card.card_number]);
    }
  }
});

test('a planned release names a purchase of the card', (t) => {
  const model = busyModel(2);
  const card = model.cards.find((known) => model.purchases(known).length > 0)!;
  for (const plan of drawnAndShrunk(t, releasePlan())) {
    const purchase = releasedPurchase(plan, model, card);
    assert.ok(purchase !== undefined && model.purchases(card).includes(purchase));
  }
});

test('a message that almost repeats another one differs from it in one key', (t) => {
  const model = busyModel(2);
  const { message } = model.cards.find(({ messages }) => messages.length > 0)!.messages[0]!;
  for (const plan of drawnAndShrunk(t, almostRepeatedPlan(['request']))) {
    const other = almostRepeated(plan, message, model);
    assert.deepEqual(differingKeys(message, other), [plan.key]);
    assert.notEqual(other.message_type_indicator, '0120', 'no advice was asked for');
  }
});

test('a hold to a special day ends on a day of a clock change or on 29 February', (t) => {
  const days = new Set<string>();
  const { model } = modelAsSystem(noon_ms);
  const zone = 'America/Havana';
  const request = { total_card_amount: 10 ** 6, authorization_hold_days: 3, aging_velocity_time_zone: zone };
  model.createCard(request, { id: 1, card_number: '4000000000001000', cvc: '321' });
  model.createCard({ total_card_amount: 10 ** 6 }, { id: 2, card_number: '4000000000002000', cvc: '321' });
  for (const plan of drawnAndShrunk(t, specialDayPlan())) {
    const { card, at_ms } = specialDayOf(plan, model);
    const begins = Temporal.Instant.fromEpochMilliseconds(at_ms ?? 0).toZonedDateTimeISO(zone);
    if (at_ms !== null) days.add(begins.toPlainDate().add({ days: 3 }).toString());
    assert.equal(card, model.cards[0], 'the card with aging velocity');
  }
  assert.deepEqual([...days].toSorted(), ['2026-11-01', '2028-02-29']);
});

test('planned hold days are a number, never or the default', (t) => {
  for (const days of drawnAndShrunk(t, holdDays())) {
    assert.ok(days === null || days === 'never' || (Number.isInteger(days) && days >= 0 && days <= 366), `${days}`);
  }
});

test('planned clearings have every field that the network requires, and a unique id', (t) => {
  const model = busyModel(3);
  const ids = new Set<string>();
  for (const plan of drawnAndShrunk(t, clearingPlan())) {
    const message = clearingOf(plan, model);
    // Only a flaw repeats the id of another clearing, and names another billing currency.
    if (!plan.flaw?.startsWith('known')) assert.equal(ids.has(message.network_financial_transaction_id), false);
    ids.add(message.network_financial_transaction_id);
    // A copy of an accepted clearing has no flaw.
    if (!plan.copies && !plan.pairs)
      assert.equal(message.billing_currency === 'USD', plan.flaw !== 'other_billing_currency');
    assert.notEqual(message.card_number === undefined, message.vcn_id === undefined);
    for (const amount of [message.billing_amount, message.merchant_amount]) {
      assert.ok(Number.isSafeInteger(amount) && amount > 0 && amount <= 10 ** 12, `${amount}`);
    }
    assert.match(message.acquirer_reference_data!, /^\d{17}$/);
    const days = Temporal.PlainDate.from('2026-03-07').until(message.settlement_date).days;
    assert.ok(days >= -36 && days <= 7, message.settlement_date);
    assert.ok(message.partial === undefined || message.cycle === undefined, 'a partial one is a first presentment');
  }
});

test('the clock only moves forward, to a whole millisecond', (t) => {
  const model = busyModel(4);
  const boundaries = (at: number) => model.boundaries(model.cards[at % model.cards.length]!);
  for (const move of drawnAndShrunk(t, clockMove())) {
    const target = clockTarget(move, noon_ms, boundaries);
    assert.ok(Number.isSafeInteger(target) && target >= noon_ms, JSON.stringify(move));
  }
});

test('a move to a boundary reaches it or an adjacent instant', () => {
  const model = busyModel(5);
  const boundaries = model.boundaries(model.cards[0]!);
  assert.ok(boundaries.length > 0);
  for (const offset_ms of [0, -1, 1]) {
    const move = { kind: 'boundary', card_pick: 0, boundary_pick: 0, offset_ms } as const;
    assert.equal(
      clockTarget(move, noon_ms, () => boundaries),
      boundaries[0]! + offset_ms,
    );
  }
});

test('the same seed generates the same values', () => {
  for (const arbitrary of [
    cardPlan(),
    flawedCard(),
    updatePlan(),
    authorizationPlan(),
    reversalPlan(),
    earlyReversalPlan(),
    lateIncrementPlan(),
    releasePlan(),
    specialDayPlan(),
    almostRepeatedPlan(['request', 'advice']),
    holdDays(),
    clearingPlan(),
    clockMove(),
    startInstant(),
  ] as fc.Arbitrary<unknown>[]) {
    const drawn = (seed: number) => JSON.stringify(fc.sample(arbitrary, { numRuns: 30, seed }));
    assert.equal(drawn(42), drawn(42));
    assert.notEqual(drawn(42), drawn(43));
  }
});

/** Its sequences reach every case. */
const covering_seed = 20260;

test('random sequences reach every case of the specification, and every kind of refusal', async () => {
  const refused = new Set<string>();
  await runModel({
    runs: 300,
    seed: covering_seed,
    demand: 'all',
    system: async ({ start_ms }) => {
      const system = modelAsSystem(start_ms);
      const noting = async <Value>(what: string, answer: Promise<Answer<Value>>) => {
        const seen = await answer;
        if (seen.kind === 'refused') refused.add(`${what}: ${seen.code}`);
        return seen;
      };
      return {
        ...system,
        createCard: (request) => noting('create', system.createCard(request)),
        updateCard: (id, request) => noting('update', system.updateCard(id, request)),
        authorize: (message) => noting('authorize', system.authorize(message)),
        clear: (message) => noting('clear', system.clear(message)),
        setHoldDays: (hold_days) => noting('hold days', system.setHoldDays(hold_days)),
        replay: (id) => noting('replay', system.replay(id)),
      };
    },
  });
  const wanted = ['create', 'update', 'authorize', 'clear', 'hold days'].map((what) => `${what}: validation_failed`);
  assert.deepEqual(
    [...wanted, 'clear: not_found', 'replay: conflict'].filter((what) => !refused.has(what)),
    [],
  );
});
