import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create } from '../src/comparison.ts';
import { type AuthorizationWire, Disagreement, type ReferenceCard, ReferenceModel } from '../src/index.ts';
import { type Call, explainTogether, readSeen, type Seen } from '../src/linearizability.ts';
import { authorization, type Operation, release, update } from '../src/operation.ts';
import { type ModelSystem, modelAsSystem } from './model-as-system.ts';

const now_ms = Date.UTC(2026, 0, 15);

test('the order of the system explains a race, whatever the order of submission', async () => {
  const { model, system, card, seen } = await prepared();
  const purchase = await called(authorization(messageOf(card, 1), system));
  const changed = await called(update(card.id, { per_transaction_max: 10 }, system));
  explainTogether(model, [changed, purchase], await seen());
  assert.deepEqual(model.view(card), system.model.view(system.model.cards[0]!));
  assert.equal(model.is_undecided, false);
});

test('a card that no order leads to is reported with the order that comes nearest', async () => {
  const { model, system, card, seen } = await prepared();
  const before = await seen();
  const purchase = await called(authorization(messageOf(card, 1), system));
  const changed = await called(update(card.id, { per_transaction_min: 1 }, system));
  const lost: Seen = { ...(await seen()), card: withBalanceOf(before, await seen()) };
  assert.throws(
    () => explainTogether(model, [purchase, changed], lost),
    (error) => error instanceof Disagreement && /no order of 2 operations[\s\S]*nearest order/.test(error.message),
  );
});

test('authorizations keep the order of their submission, unless the system keeps none', async () => {
  for (const keeps_order of [true, false]) {
    const { model, system, card, seen } = await prepared({ keeps_order });
    const second = await called(authorization(messageOf(card, 2), system));
    const first = await called(authorization(messageOf(card, 1), system));
    const after = await seen();
    const explain = () => explainTogether(model, [first, second], after);
    if (keeps_order) assert.throws(explain, Disagreement);
    else explain();
  }
});

test('an operation that was sent twice has one effect, and the answer of its second sending', async () => {
  const { model, system, card, seen } = await prepared();
  const purchase = await called(authorization(messageOf(card, 1), system));
  explainTogether(model, [purchase], await seen());
  const hold = release(card.id, model.purchases(card)[0]!.id!, system);
  await hold.submit();
  const again = await called(hold);
  const after = await seen();
  assert.equal(again.outcome.answer.kind, 'refused');
  assert.throws(() => explainTogether(model.copyFor(card.id), [again], after), Disagreement);
  for (const earlier of ['done', 'perhaps'] as const) {
    explainTogether(model.copyFor(card.id), [{ ...again, earlier }], after);
  }
});

test('an operation whose first sending was lost in a crash is explained with one effect', async () => {
  const { model, system, card, seen } = await prepared();
  const changed = await called(update(card.id, { per_transaction_max: 10 }, system));
  const after = await seen();
  explainTogether(model.copyFor(card.id), [{ ...changed, earlier: 'perhaps' }], after);
  const twice: Seen = { ...after, events: [...after.events!, after.events!.at(-1)!] };
  assert.throws(() => explainTogether(model, [{ ...changed, earlier: 'perhaps' }], twice), Disagreement);
});

test('the model is undecided when what is seen does not tell two histories apart', async () => {
  const { model, system, card, seen } = await prepared({ keeps_order: false });
  // What is left after each would tell the order.
  const unreporting: ModelSystem = {
    ...system,
    async authorize(message) {
      const answer = await system.authorize(message);
      return answer.kind === 'refused' ? answer : { ...answer, value: { ...answer.value, left: undefined } };
    },
  };
  const calls = [
    await called(authorization(messageOf(card, 1), unreporting)),
    await called(authorization(messageOf(card, 2), unreporting)),
  ];
  const after = await seen();
  const decided = model.copyFor(card.id);
  explainTogether(decided, calls, after);
  assert.equal(decided.is_undecided, false);
  assert.equal(after.card.kind, 'done');
  const less = { ...after.card.value, authorizations: null };
  explainTogether(model, calls, { ...after, events: null, card: { kind: 'done', value: less } });
  assert.equal(model.is_undecided, true);
});

interface Prepared {
  readonly model: ReferenceModel;
  readonly system: ModelSystem;
  readonly card: ReferenceCard;
  readonly seen: () => Promise<Seen>;
}

async function prepared({ keeps_order = true } = {}): Promise<Prepared> {
  const system = modelAsSystem(now_ms);
  const model = new ReferenceModel({ ...system.world, keeps_order });
  await create(model, system, { total_card_amount: 100 });
  const card = model.cards[0]!;
  return { model, system, card, seen: () => readSeen(system, card.id) };
}

async function called(operation: Operation): Promise<Call> {
  return { operation, outcome: await operation.submit(), earlier: 'none' };
}

function messageOf({ card_number }: ReferenceCard, serial: number): AuthorizationWire {
  return {
    card_number,
    message_type_indicator: '0100',
    trace_id: `trace-${serial}`,
    system_trace_audit_number: String(serial).padStart(6, '0'),
    transaction_date_time: '2026-01-15T00:00:00Z',
    billing_amount: 50,
    billing_currency: 'USD',
    merchant_amount: 50,
    merchant_currency: 'USD',
    mcc: '5812',
  };
}

function withBalanceOf(before: Seen, after: Seen): Seen['card'] {
  assert.ok(before.card.kind === 'done' && after.card.kind === 'done');
  return { kind: 'done', value: { ...after.card.value, available_balance: before.card.value.available_balance } };
}
