import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type CardView, checkModel, type System, type SystemStart } from '../src/index.ts';
import { modelAsSystem } from './model-as-system.ts';

/** A system that adds up what it holds in floats of whole dollars, and cuts off the rest. */
async function floatSystem({ start_ms }: SystemStart): Promise<System> {
  const system = modelAsSystem(start_ms);
  const inFloats = (answer: Answer<CardView>): Answer<CardView> => {
    if (answer.kind === 'refused') return answer;
    const card = system.model.cards.find(({ id }) => id === answer.value.id)!;
    const amounts = system.model.purchases(card).map(({ amount }) => amount);
    const exact = amounts.reduce((sum, amount) => sum + amount, 0);
    const cut = Math.floor(amounts.reduce((sum, amount) => sum + amount / 100, 0) * 100);
    const available_balance = answer.value.available_balance + exact - cut;
    return { kind: 'done', value: { ...answer.value, available_balance } };
  };
  return { ...system, readCard: async (id) => inFloats(await system.readCard(id)) };
}

for (const seed of [3, 4, 5]) {
  test(`money in floats is shown with a few cents in a few messages, by the seed ${seed}`, async () => {
    const { failed, report } = await checkModel({ system: floatSystem, runs: 100, seed });
    assert.equal(failed, true);
    const amounts = [...report!.matchAll(/"(?:billing_amount|total_card_amount)":(\d+)/g)].map(([, digits]) =>
      Number(digits),
    );
    assert.ok(Math.max(...amounts) <= 100, report!);
    const messages = report!.match(/^ +\d+ {2}authorize /gm) ?? [];
    assert.ok(messages.length >= 1 && messages.length <= 4, report!);
  });
}

test('a difference in the first card is shown without the messages that differ as well', async () => {
  const twiceWrong = async ({ start_ms }: SystemStart): Promise<System> => {
    const system = modelAsSystem(start_ms);
    return {
      ...system,
      createCard: async (request) => {
        const answer = await system.createCard(request);
        if (answer.kind === 'refused' || answer.value.card.total_card_amount === 1) return answer;
        return { ...answer, value: { ...answer.value, card: { ...answer.value.card, expiry: '2099-12' } } };
      },
      authorize: async () => ({ kind: 'refused', code: 'not_found', fields: [] }),
    };
  };
  const { report } = await checkModel({ system: twiceWrong, runs: 100, seed: 1 });
  assert.match(report!, /^the created card: card\.expiry$/m);
  assert.doesNotMatch(report!, /authorize/);
});

test('shrinking ends at its limit, and the report has the shortest sequence so far', async () => {
  let opened = 0;
  const counted = (start: SystemStart) => {
    opened += 1;
    return floatSystem(start);
  };
  const options = { system: counted, seed: 1, runs: 100 };
  const whole = await checkModel({ ...options, shrink_sequences_max: 0 });
  assert.doesNotMatch(whole.report!, /there may be a shorter one/);
  const whole_opened = opened;
  opened = 0;
  const limited = await checkModel({ ...options, shrink_sequences_max: 20 });
  assert.equal(opened, whole_opened + 20);
  assert.match(limited.report!, /there may be a shorter one: the limit of `shrink_sequences_max` was reached/);
  assert.ok(limited.steps.length < whole.steps.length, limited.report!);
});
