import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { test_seed } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  authorizationOf,
  authorizationPlan,
  cardPlan,
  cardRequest,
  clearingOf,
  clearingPlan,
  clockMove,
  clockTarget,
  flawedCard,
  flawedRequest,
  lateOriginalOf,
  ReferenceModel,
  reversalOf,
  reversalPlan,
  runModel,
  startInstant,
  updatePlan,
  updateRequest,
} from '../src/index.ts';
import { kindOf } from '../src/reference/authorization.ts';
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
    model.clear(clearingOf({ ...plan, unknown_card: false }, model));
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

test('a flawed card is refused for the field that the flaw names, both generated and shrunk', (t) => {
  for (const { plan, flaw } of drawnAndShrunk(t, flawedCard())) {
    const model = new ReferenceModel(world(noon_ms));
    const request = flawedRequest(plan, flaw, noon_ms, model.world);
    const answer = model.wouldCreate(request);
    assert.equal(answer.kind, 'refused', JSON.stringify(request));
    assert.ok(answer.kind === 'refused' && answer.fields.includes(flaw.field), JSON.stringify({ answer, flaw }));
  }
});

test('planned updates are well formed, valid or not', (t) => {
  const known = ['total_card_amount', 'per_transaction_min', 'per_transaction_max', 'transactions_max', 'recurring'];
  for (const plan of drawnAndShrunk(t, updatePlan())) {
    const request = updateRequest(plan, noon_ms, world(noon_ms));
    for (const [name, value] of Object.entries(request)) {
      if (name.startsWith('valid_')) assert.equal(String(Temporal.PlainDate.from(value as string)), value);
      else assert.ok(known.includes(name) || name === 'template_id', name);
    }
  }
});

test('planned authorizations have every field that the network requires, both generated and shrunk', (t) => {
  const model = busyModel(1);
  for (const plan of drawnAndShrunk(t, authorizationPlan())) {
    const message = authorizationOf(plan, model);
    assert.match(message.card_number, /^\d{16}$/);
    assert.ok(['request', 'advice'].includes(kindOf(message)));
    for (const amount of [message.billing_amount, message.merchant_amount]) {
      assert.ok(Number.isSafeInteger(amount) && amount >= 0 && amount <= 10 ** 12, `${amount}`);
    }
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

test('planned reversals refer to a purchase of the run, or to none yet', (t) => {
  const model = busyModel(2);
  const traces = model.cards.flatMap((card) => model.purchases(card).map(({ message }) => message.trace_id));
  assert.ok(traces.length > 0, 'the model of the test has purchases');
  for (const plan of drawnAndShrunk(t, reversalPlan())) {
    const message = reversalOf(plan, model);
    assert.equal(kindOf(message), 'reversal');
    assert.equal(traces.includes(message.trace_id), !plan.before_original);
    const flat = Object.entries(message).flatMap(([name, value]) => (isFlat(name) ? [value] : []));
    for (const remaining of [...Object.values(message.replacement_amounts ?? {}), ...flat]) {
      if (remaining === null) continue;
      assert.ok(Number.isSafeInteger(remaining) && remaining >= 0 && remaining <= 10 ** 12, `${remaining}`);
    }
    const original = lateOriginalOf(message, model);
    assert.equal(kindOf(original), 'request');
    assert.equal(original.trace_id, message.trace_id);
    assert.deepEqual(
      Object.keys(original).filter((name) => name === 'replacement_amounts' || isFlat(name)),
      [],
    );
  }
});

test('planned clearings have every field that the network requires, and a unique id', (t) => {
  const model = busyModel(3);
  const ids = new Set<string>();
  for (const plan of drawnAndShrunk(t, clearingPlan())) {
    const message = clearingOf(plan, model);
    assert.equal(ids.has(message.network_financial_transaction_id), false);
    ids.add(message.network_financial_transaction_id);
    assert.notEqual(message.card_number === undefined, message.vcn_id === undefined);
    for (const amount of [message.billing_amount, message.merchant_amount]) {
      assert.ok(Number.isSafeInteger(amount) && amount > 0 && amount <= 10 ** 12, `${amount}`);
    }
    assert.match(message.acquirer_reference_data!, /^\d{17}$/);
    assert.equal(message.settlement_date, '2026-03-07');
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
    clearingPlan(),
    clockMove(),
    startInstant(),
  ] as fc.Arbitrary<unknown>[]) {
    const drawn = (seed: number) => JSON.stringify(fc.sample(arbitrary, { numRuns: 30, seed }));
    assert.equal(drawn(42), drawn(42));
    assert.notEqual(drawn(42), drawn(43));
  }
});

test('random sequences reach every reason, every rule of matching, every class and every kind of refusal', async () => {
  const reached = new Set<string>();
  await runModel({
    runs: 300,
    seed: 1,
    system: async (start_ms) => {
      const system = modelAsSystem(start_ms);
      return {
        ...system,
        createCard: async (request) => {
          const answer = await system.createCard(request);
          if (answer.kind === 'refused') reached.add(`create refused: ${answer.fields.join()}`);
          return answer;
        },
        updateCard: async (id, request) => {
          const answer = await system.updateCard(id, request);
          reached.add(`update ${answer.kind}`);
          return answer;
        },
        readCard: async (id) => {
          const answer = await system.readCard(id);
          if (answer.kind === 'done') for (const { status } of answer.value.authorizations) reached.add(status);
          return answer;
        },
        authorize: async (message) => {
          const answer = await system.authorize(message);
          reached.add(answer.kind === 'done' ? answer.value.vcn_response : `authorize ${answer.kind}`);
          return answer;
        },
        clear: async (message) => {
          const answer = await system.clear(message);
          if (answer.kind === 'done') {
            reached.add(answer.value.class).add(`rule ${answer.value.match_rule}`);
            if (answer.value.review) reached.add('review');
          } else reached.add(`clear ${answer.code}`);
          return answer;
        },
      };
    },
  });
  const wanted = [
    ...['Valid', 'Bad VCN-RCN mapping', 'Database status bad', 'Expiry date mismatch', 'VCN expired', 'CVC2 mismatch'],
    ...['Validity period limit', 'Transaction type restriction', 'MCC limit', 'Transaction amount limit'],
    ...['Transaction number usage', 'Cumulative amount limit', 'Unable to process', 'authorize refused'],
    ...['open', 'cleared', 'partially_cleared', 'reversed', 'declined'],
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((rule) => `rule ${rule}`),
    ...['reversal', 'suspected_duplicate', 'refund_linked', 'refund_unlinked', 'force_post', 'late', 'partial'],
    ...['fx_drift', 'exact', 'tip', 'over', 'under', 'dispute', 'review', 'clear not_found'],
    ...['update done', 'update refused', 'create refused: total_card_amount', 'create refused: recurring'],
  ];
  assert.deepEqual(
    wanted.filter((what) => !reached.has(what)),
    [],
  );
});
