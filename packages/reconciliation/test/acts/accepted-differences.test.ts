import assert from 'node:assert/strict';
import { refusalOf } from '@tallystick/harness';
import { checkOnStorages } from '@tallystick/test-support';
import type { Item } from '../../src/index.ts';
import { ActWorld, assertRebuilt, assertSameState, authorization, clearing, line } from './world.ts';

const accepting = { accept_difference: true, reason: 'rounding' };

function shown({ status, kind, line_ids, difference }: Item) {
  return { status, kind, line_ids, difference };
}

/** A purchase of 1,000 that is cleared, and lacks its line. */
async function clearPurchase(world: ActWorld): Promise<number> {
  const code = { approval_code: 'A44444', net_reference_number: 'MCCFFFFFF0520' };
  await world.authorize(code);
  return await world.clear(code);
}

checkOnStorages('matches that accept a difference', [
  {
    rule: 'a set that does not add up is matched with the acceptance of what is left, and one unmatch undoes both',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const clearing_id = await clearPurchase(world);
      const line_id = await world.line({ amount: 998 });
      const before = await world.state();
      const refused = await refusalOf(
        world.act(clearing(clearing_id), 'match', { with: { line_ids: [line_id] } }),
        'a match that leaves a difference',
      );
      assert.match(
        refused.message,
        /difference of -0\.02 USD\. .* accept the difference that is left \(accept_difference, with a reason\)/,
      );
      const unreasoned = await refusalOf(
        world.act(clearing(clearing_id), 'match', { with: { line_ids: [line_id] }, accept_difference: true }),
        'an acceptance without a reason',
      );
      assert.match(unreasoned.message, /reason is required: why the difference is accepted/);
      const matched = await world.act(clearing(clearing_id), 'match', { with: { line_ids: [line_id] }, ...accepting });
      assert.deepEqual(shown(matched), { status: 'accepted', kind: 'amount', line_ids: [line_id], difference: -2 });
      const { history } = await world.read(line(line_id));
      assert.deepEqual(
        history.map(({ action, reason, subject }) => [action, reason, subject.accepted?.amount]),
        [['match', 'rounding', -2]],
      );
      await assertRebuilt(world, 'after the match');
      const reopened = await refusalOf(world.act(clearing(clearing_id), 'reopen'), 'a reopening');
      assert.match(reopened.message, /A match accepted its difference: unmatch it/);
      await world.act(clearing(clearing_id), 'unmatch');
      assertSameState(await world.state(), before, 'everything after the unmatch');
    },
  },
  {
    rule: 'what arrives later for an accepted difference makes it a break again, and fees do not',
    async check(open) {
      const world = await ActWorld.on(await open());
      const reference = '74123456061000000000017';
      const code = { approval_code: 'A44444', net_reference_number: 'MCCFFFFFF0520' };
      await world.authorize(code);
      const clearing_id = await world.clear({ ...code, acquirer_reference_data: reference });
      const line_id = await world.line({ amount: 998 });
      await world.act(clearing(clearing_id), 'match', { with: { line_ids: [line_id] }, ...accepting });
      await world.line({ reference, amount: 30, code: '825' });
      const { item: with_fee } = await world.read(clearing(clearing_id));
      assert.deepEqual([with_fee.status, with_fee.fees], ['accepted', 30], 'with a fee');
      await world.line({ reference, amount: 7 });
      const { item } = await world.read(clearing(clearing_id));
      assert.deepEqual([item.status, item.kind], ['break', 'amount'], 'with another line');
    },
  },
  {
    rule: 'a part is matched with the acceptance of the rest, and the rest is matched when it comes after all',
    async check(open) {
      const world = await ActWorld.on(await open());
      const clearing_id = await clearPurchase(world);
      const first_id = await world.line({ amount: 600 });
      await world.act(clearing(clearing_id), 'match', { with: { line_ids: [first_id] }, ...accepting });
      const rest_id = await world.line({ amount: 400, date: '2026-06-09' });
      const whole = await world.act(clearing(clearing_id), 'match', { with: { line_ids: [rest_id] }, ...accepting });
      assert.deepEqual(shown(whole), { status: 'matched', kind: null, line_ids: [first_id, rest_id], difference: 0 });
      const { history } = await world.read(line(rest_id));
      assert.equal(history.at(-1)?.subject.accepted, null, 'nothing is left to accept');
      await world.act(line(rest_id), 'unmatch');
      const { item: part } = await world.read(clearing(clearing_id));
      assert.deepEqual(shown(part), { status: 'accepted', kind: 'amount', line_ids: [first_id], difference: -400 });
      const { item: rest } = await world.read(line(rest_id));
      assert.deepEqual([rest.status, rest.line_ids], ['break', [rest_id]], 'the rest alone');
    },
  },
  {
    rule: 'an item with an accepted difference is ignored and reopened as any other',
    async check(open) {
      const world = await ActWorld.on(await open());
      const clearing_id = await clearPurchase(world);
      const line_id = await world.line({ amount: 998 });
      await world.act(clearing(clearing_id), 'match', { with: { line_ids: [line_id] }, ...accepting });
      const before = await world.state();
      const ignored = await world.act(clearing(clearing_id), 'ignore');
      assert.equal(ignored.status, 'ignored');
      await world.act(clearing(clearing_id), 'reopen');
      assertSameState(await world.state(), before, 'everything after the reopening');
    },
  },
  {
    rule: 'a clearing over its authorization is matched with the acceptance of what is over, until more is cleared',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const reference = '74123456061000000000017';
      const root_id = await world.authorize({ net_reference_number: 'MCCDDDDDD0520' });
      const clearing_id = await world.clear({ amount: 1_500, acquirer_reference_data: reference });
      await world.line({ amount: 1_500, reference });
      const before = await world.state();
      const request = { with: { authorization_id: root_id } };
      const left = await world.act(clearing(clearing_id), 'match', request);
      assert.deepEqual([left.status, left.kind, left.class], ['break', 'amount', 'over'], 'the match alone');
      await world.act(clearing(clearing_id), 'unmatch', { side: 'authorization' });
      const accepted = await world.act(clearing(clearing_id), 'match', { ...request, ...accepting });
      assert.deepEqual([accepted.status, accepted.kind, accepted.class], ['accepted', 'amount', 'over']);
      await assertRebuilt(world, 'after the match');
      await world.act(authorization(root_id), 'unmatch', { side: 'authorization' });
      assertSameState(await world.state(), before, 'everything after the unmatch');
      const again = await world.act(clearing(clearing_id), 'match', request);
      assert.deepEqual(again.status, 'break', 'the match alone, after the acceptance was undone');
      await world.act(clearing(clearing_id), 'unmatch', { side: 'authorization' });
      await world.act(clearing(clearing_id), 'match', { ...request, ...accepting });
      await world.clear({ amount: 100, net_reference_number: 'MCCDDDDDD0520' });
      const { item } = await world.read(clearing(clearing_id));
      assert.deepEqual([item.status, item.kind, item.clearing_ids.length], ['break', 'amount', 2], 'one more clearing');
    },
  },
]);
