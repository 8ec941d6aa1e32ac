import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import { recurring_values, utcDateAt, windowAt } from '@tallystick/velocity';
import fc from 'fast-check';
import { faultAnswer } from '../../src/deciding/answer.ts';
import { firstReason, type Question } from '../../src/deciding/decline-reasons.ts';
import {
  type Authorization,
  type AuthorizationInput,
  type AuthorizationItem,
  type AuthorizationMessage,
  authorizationItem,
  type DeclineCode,
  decisionOf,
  isRefund,
  type LedgerCard,
  type ShownDecision,
} from '../../src/index.ts';
import { reduceAuthorization } from '../../src/settling/retention.ts';
import { aging, type CardSketch, cardOf, itemOf, ms, NetworkWorld, right_cvc } from '../network-world.ts';

const now = '2026-11-21T12:00:00Z';

/** Cards whose limits and restrictions a short sequence meets. */
const cards: fc.Arbitrary<CardSketch> = fc
  .record({
    total_card_amount: fc.integer({ min: 300, max: 2_000 }).map(money),
    per_transaction_max: fc.integer({ min: 300, max: 900 }).map(money),
    per_transaction_min: fc.constantFrom(0, 0, 100).map(money),
    transactions_max: fc.option(fc.integer({ min: 1, max: 4 })),
    currency: fc.constantFrom(null, null, 'EUR'),
    status: fc.constantFrom(...(['Approved', 'Approved', 'Approved', 'Approved', 'Canceled'] as const)),
    valid_ending_on: fc.constantFrom('2028-11-30', '2028-11-30', '2026-11-22'),
    control: fc.constantFrom(...recurring_values, 'aging' as const),
  })
  .map(({ control, transactions_max, ...limits }) =>
    control === 'aging'
      ? { ...limits, ...aging, authorization_hold_days: 1, transactions_max: null }
      : { ...limits, recurring: control, transactions_max },
  );

const steps = fc.oneof(
  { weight: 6, arbitrary: messages('0100') },
  { weight: 3, arbitrary: messages('0120') },
  { weight: 1, arbitrary: messages('0400') },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('clearing' as const),
      clearing_type: fc.constantFrom('DEBIT', 'DEBIT', 'CREDIT'),
      billing_amount: fc.integer({ min: 0, max: 600 }),
      merchant_id: fc.constantFrom(null, 'M1'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('move' as const), hours: fc.constantFrom(1, 24, 24 * 8) }) },
);

function messages(message_type_indicator: '0100' | '0120' | '0400') {
  return fc.record({
    kind: fc.constant('authorization' as const),
    message_type_indicator: fc.constant(message_type_indicator),
    trace_id: fc.constantFrom('T1', 'T2', 'T3', 'T4'),
    billing_amount: fc.oneof(fc.integer({ min: 0, max: 600 }), fc.constantFrom(0, 1, 250, 500)),
    merchant_currency: fc.constantFrom('EUR', 'EUR', 'USD'),
    merchant_id: fc.constantFrom(null, 'M1'),
    incremental: fc.constantFrom(false, false, true),
    response_code: fc.constantFrom('00', '00', '05'),
    card_holder_transaction_type_code: fc.constantFrom('00', '00', '00', '20'),
    cvc: fc.constantFrom(null, null, right_cvc, '999'),
    expiry: fc.constantFrom(null, null, '2028-11', '2029-01'),
    mcc: fc.constantFrom('5812', '5812', '5812', '7995'),
  });
}

const template = { ...cardOf().template, mcc_rule: 'DENY', mcc_list: ['7995'] } as const;

/** The facts by their names. */
function byName({ facts }: ShownDecision): Readonly<Record<string, number | string>> {
  return Object.fromEntries(facts.map(({ name, value }) => [name, value]));
}

/** The question that the stored facts answer. The code is no part of them. */
function questionOf(card: LedgerCard, row: Authorization, message: AuthorizationMessage): Question {
  const [, , amount, increment_of, held, cleared, uses] = row.facts!;
  return {
    card,
    message,
    amount,
    increment_of: increment_of === null ? null : { authorized: money(increment_of) },
    window_start_ms: row.window_start_ms,
    held,
    cleared,
    uses,
    now_ms: row.decided_at_ms,
    today: utcDateAt(row.decided_at_ms),
    code_fails: row.decline_code === 'C' || row.details.broken_reason === 'C',
    code_failures: 0,
  };
}

/** Asserts that the shown facts are why the message was answered as it was. */
function assertFactsAgree(card: LedgerCard, item: AuthorizationItem): void {
  const facts = byName(item.decision);
  const number = (name: string) => facts[name] as number;
  const { decline_reason, broken_reason } = item;
  const rules: Partial<Record<DeclineCode | 'V', () => boolean>> = {
    K: () => facts.status === 'Canceled',
    A: () => facts.expiry_sent !== facts.expiry_expected,
    C: () => number('code_failures') >= 1 && number('code_failures') <= number('code_failures_max'),
    D: () => facts.date! < facts.valid_starting_on! || facts.date! > facts.valid_ending_on!,
    M: () => facts.currency_sent !== facts.currency_expected && facts.currency_expected === card.currency,
    J: () => facts.mcc === '7995' && facts.template_id === card.template_id,
    E: () => {
      const sum = number('asked') + (number('increment_of') || 0);
      return sum > number('per_transaction_max') || sum < number('per_transaction_min');
    },
    G: () => number('uses') >= number('transactions_max'),
    F: () =>
      number('available') === number('total_card_amount') - number('cleared') - number('held') &&
      number('asked') > number('available'),
    U: () => number('asked') >= 0,
  };
  const code = decline_reason ?? broken_reason;
  if (code !== null) assert.equal(rules[code]!(), true, `${code}: ${JSON.stringify(facts)}`);
  if (item.decline_reason !== null) assert.equal(item.decision.code, item.decline_reason);
  else assert.equal(item.decision.code, 'V');
}

describe('for any sequence of messages to a card', () => {
  test('the facts of each decision agree with it, and the rules give the same answer for them', () => {
    fc.assert(
      fc.property(cards, fc.array(steps, { minLength: 1, maxLength: 14 }), (sketch, sequence) => {
        const world = new NetworkWorld(now, { ...sketch, template });
        const shown = new Map<number, ShownDecision>();
        for (const step of sequence) {
          if (step.kind === 'move') {
            world.now_ms += step.hours * 3_600_000;
            continue;
          }
          const { kind, ...sent } = step;
          if (kind === 'clearing') {
            world.send(world.clearingMessage(sent as never));
            continue;
          }
          const input = { ...sent, merchant_amount: step.billing_amount } as Partial<AuthorizationInput>;
          const message = world.message(input);
          const before = message.incremental ? null : world.available();
          const [answer] = world.send(message);
          if (answer!.kind === 'refused') continue;
          const item = itemOf(answer as never) as AuthorizationItem;
          const row = world.row(item.id!);
          shown.set(row.id, item.decision);
          if (row.facts === null) {
            assert.deepEqual(item.decision.facts, []);
            assert.ok(row.message_type !== '0100' && row.decline_code === null);
            continue;
          }
          const card = { ...cardOf({ ...sketch, template }), template_id: world.card().template_id };
          assertFactsAgree(card, item);
          const question = questionOf(card, row, message);
          const is_report = row.message_type === '0120' && !row.incremental && row.root_id !== row.id;
          if (row.decline_code !== 'U' && !is_report) {
            assert.equal(firstReason(question), row.decline_code ?? item.broken_reason);
          }
          if (row.decline_code !== null || is_report) continue;
          const facts = byName(item.decision);
          if (row.message_type === '0100' && before !== null && world.state.clearings.values().length === 0) {
            const adds = isRefund(message.card_holder_transaction_type_code) ? 0 : question.amount;
            assert.equal(facts.available_after, before - adds);
            // An advice may have left less than nothing, and a refund adds nothing to it.
            assert.ok(adds <= Math.max(0, before));
            assert.equal(facts.available_after, world.available());
            const { transactions_max } = card;
            const left = transactions_max === null ? undefined : Math.max(0, transactions_max - world.counters.uses);
            assert.equal(facts.uses_left, left);
          }
          if (typeof facts.window_start === 'string') {
            const window = windowAt(card.recurring!, row.window_start_ms);
            assert.deepEqual(
              [ms(facts.window_start), ms(facts.window_end as string)],
              [window.start_ms, window.end_ms],
            );
          }
        }
        // Later messages change what an authorization holds, not how it was decided.
        const events = world.events.filter(({ event_type }) => event_type === 'virtualcard.realtime.auths');
        const told = new Map(events.map(({ payload }) => [payload.id as number, payload.decision]));
        for (const [id, decision] of shown) {
          assert.deepEqual(told.get(id), decision);
          assert.deepEqual(authorizationItem(world.row(id), cardOf(sketch)).decision, decision);
        }
      }),
      propertyParameters(),
    );
  });
});

describe('the decision of', () => {
  test('an approval says what was left after it, of a window with its ends', () => {
    const world = new NetworkWorld(now, { recurring: 'Monthly', transactions_max: 3, total_card_amount: money(5_000) });
    world.authorize({ billing_amount: 1_200 });
    const window = [
      { name: 'window_start', value: '2026-11-01T00:00:00Z' },
      { name: 'window_end', value: '2026-12-01T00:00:00Z' },
    ];
    assert.deepEqual(world.authorize({ billing_amount: 800 }).decision, {
      code: 'V',
      reason: 'no reason to decline applies',
      facts: [
        { name: 'asked', value: 800 },
        { name: 'available_after', value: 3_000 },
        { name: 'uses_left', value: 1 },
        ...window,
      ],
    });
    assert.deepEqual(world.authorize({ billing_amount: 3_001 }).decision, {
      code: 'F',
      reason: 'the amount is above available_balance',
      facts: [
        { name: 'asked', value: 3_001 },
        { name: 'cleared', value: 0 },
        { name: 'held', value: 2_000 },
        { name: 'available', value: 3_000 },
        ...window,
        { name: 'total_card_amount', value: 5_000 },
      ],
    });
  });

  test('an approval of a card that was used more often than it may says that no use is left', () => {
    const world = new NetworkWorld(now, { transactions_max: 1, total_card_amount: money(5_000) });
    for (const billing_amount of [100, 200]) world.authorize({ message_type_indicator: '0120', billing_amount });
    const refund = world.authorize({ billing_amount: 300, card_holder_transaction_type_code: '20' }).decision;
    assert.deepEqual([refund.code, byName(refund).uses_left], ['V', 0]);
  });

  test('a message that arrived after its reversal says so, and an unknown number has no limits', () => {
    const world = new NetworkWorld(now);
    world.authorize({ trace_id: 'T', message_type_indicator: '0400' });
    assert.deepEqual(world.authorize({ trace_id: 'T', billing_amount: 700 }).decision, {
      code: 'U',
      reason: 'the original arrived after its reversal',
      facts: [{ name: 'asked', value: 700 }],
    });
    const unknown = { code: 'I', reason: 'no card has this number', facts: [] };
    assert.deepEqual(world.authorize({ card_id: 404 }).decision, unknown);
  });

  test('an advice names what it broke, what was decided elsewhere, and a reversal nothing', () => {
    const world = new NetworkWorld(now, { total_card_amount: money(500), per_transaction_max: money(900) });
    const advice = { message_type_indicator: '0120' };
    const broken = world.authorize({ ...advice, billing_amount: 600 }).decision;
    assert.deepEqual(
      [broken.code, broken.reason],
      ['V', 'approved elsewhere, although the amount is above available_balance'],
    );
    assert.deepEqual([byName(broken).asked, byName(broken).available], [600, 500]);
    const declined = world.authorize({ ...advice, response_code: '05' }).decision;
    assert.deepEqual(declined, { code: 'V', reason: 'declined elsewhere', facts: [] });
    const reversal = world.authorize({ message_type_indicator: '0400' }).decision;
    assert.deepEqual(reversal, { code: 'V', reason: 'a reversal is recorded as it was sent', facts: [] });
  });

  test('a fault has no facts', () => {
    const world = new NetworkWorld(now);
    const answer = faultAnswer(world.message());
    assert.deepEqual(itemOf(answer).decision, { code: 'U', reason: 'the service failed', facts: [] });
  });

  test('a repeated message is the first, also when its record was reduced', () => {
    const world = new NetworkWorld(now, { total_card_amount: money(500), per_transaction_max: money(900) });
    const message = { trace_id: 'T', system_trace_audit_number: '7', billing_amount: 600 };
    const { id, decision } = world.authorize(message);
    const row = world.row(id!);
    assert.deepEqual(decisionOf(reduceAuthorization(row, world.now_ms), 'Continuous'), decision);
    world.now_ms += 3_600_000;
    assert.deepEqual(world.authorize(message).decision, decision);
  });
});
