import assert from 'node:assert/strict';
import { checkOnStorages } from '@tallystick/test-support';
import {
  closePeriod,
  type ExplainedItem,
  explainItem,
  itemIdOf,
  type RecordKey,
  reopenPeriod,
} from '../../src/index.ts';
import { ActWorld, assertSameState, authorization, clearing } from './world.ts';

async function explain(world: ActWorld, record: RecordKey): Promise<ExplainedItem> {
  await world.catchUp();
  return await world.storage.unitOfWork.read((tx) => explainItem(tx, world.call(), itemIdOf(record)));
}

function shown({ item }: ExplainedItem) {
  return item.alternatives.map(({ rule, authorization_id }) => ({ rule, authorization_id }));
}

checkOnStorages('the alternatives of a proposal', [
  {
    rule: 'a tie names each authorization that fits, with its rule and values, and a person picks one',
    async check(open) {
      const world = await ActWorld.on(await open());
      const root_ids = [await world.authorize({ merchant_id: 'T1' }), await world.authorize({ merchant_id: 'T1' })];
      await world.authorize({ merchant_id: 'T1', amount: 400 });
      await world.authorize({ merchant_id: 'T2' });
      const other = await ActWorld.on(world.storage);
      await other.authorize({ merchant_id: 'T1' });
      const reference = '74123456061000000000074';
      const clearing_id = await world.clear({ merchant_id: 'T1', acquirer_reference_data: reference });
      await world.line({ reference });
      const tie = await explain(world, clearing(clearing_id));
      assert.deepEqual(tie.item.status, 'proposed', 'the status of the tie');
      assert.deepEqual(
        shown(tie),
        root_ids.map((authorization_id) => ({ rule: '6', authorization_id })),
        'the alternatives',
      );
      assert.deepEqual(tie.has_more_alternatives, false, 'whether there are more');
      const reason = tie.item.alternatives[0]!.reason;
      const parts = ['merchant T1', '10.00 of 10.00 USD', 'authorized on 2026-05-20', 'settled '];
      for (const part of parts) assert.deepEqual(reason.includes(part), true, `${reason} has ${part}`);
      const before = await world.state();
      const picked = { with: { authorization_id: root_ids[1] } };
      const matched = await world.act(clearing(clearing_id), 'match', picked);
      assert.deepEqual([matched.authorization_ids, matched.matches[0]?.rule], [[root_ids[1]], 'person'], 'the match');
      assert.deepEqual(shown(await explain(world, clearing(clearing_id))), [], 'the alternatives of the match');
      await world.act(authorization(root_ids[1]!), 'unmatch', { side: 'authorization' });
      assertSameState(await world.state(), before, 'everything after the unmatch');
    },
  },
  {
    rule: 'an item of a closed period names no authorization that a person could pick, until the period is reopened',
    async check(open) {
      const world = await ActWorld.on(await open());
      for (let count = 0; count < 2; count += 1) await world.authorize({ merchant_id: 'T6' });
      const tied = clearing(await world.clear({ merchant_id: 'T6' }));
      await world.act(tied, 'ignore');
      const rulesOf = async () => shown(await explain(world, tied)).map(({ rule }) => rule);
      const before = await rulesOf();
      assert.deepEqual(before, ['6', '6'], 'the alternatives');
      const period = await closePeriod(world.ports(), world.call(), { closed_through: '2026-05-31' });
      assert.deepEqual(
        shown(await explain(world, tied)).filter(({ authorization_id }) => authorization_id !== null),
        [],
        'in the closed period',
      );
      await reopenPeriod(world.ports(), world.call(), period.id);
      assert.deepEqual(await rulesOf(), before, 'after it is reopened');
    },
  },
  {
    rule: 'the alternatives of a tie are those of its place in the order of settlement',
    async check(open) {
      const world = await ActWorld.on(await open());
      const code = { merchant_id: 'T3', approval_code: 'T30000' };
      const root_ids = [await world.authorize({ merchant_id: 'T3' }), await world.authorize(code)];
      const clearing_id = await world.clear({ merchant_id: 'T3', settlement_date: '2026-05-21' });
      await world.clear({ ...code, settlement_date: '2026-05-25' });
      const found = await explain(world, clearing(clearing_id));
      assert.deepEqual(
        shown(found),
        root_ids.map((authorization_id) => ({ rule: '6', authorization_id })),
        'the alternatives after another clearing took one of them',
      );
    },
  },
  {
    rule: 'an uncertain match lists the other authorizations, and not its own',
    async check(open) {
      const world = await ActWorld.on(await open());
      const code = { approval_code: 'T40000', merchant_id: 'T4' };
      const taken_id = await world.authorize(code);
      const other_id = await world.authorize({ merchant_id: 'T4' });
      const clearing_id = await world.clear(code);
      const { item } = await explain(world, clearing(clearing_id));
      assert.deepEqual([item.status, item.authorization_ids], ['break', [taken_id]], 'the item that lacks its line');
      assert.deepEqual(
        [item.matches[0]?.rule, item.matches[0]?.values.approval_code, item.matches[0]?.values.merchant_id],
        ['5', 'T40000', 'T4'],
        'the match with its values',
      );
      assert.deepEqual(
        item.alternatives.map(({ rule, authorization_id }) => [rule, authorization_id]),
        [['6', other_id]],
        'the alternatives',
      );
    },
  },
  {
    rule: 'a tie of many authorizations lists 10, and says that there are more',
    async check(open) {
      const world = await ActWorld.on(await open());
      const root_ids = [];
      for (let at = 0; at < 12; at += 1) root_ids.push(await world.authorize({ merchant_id: 'T5' }));
      const clearing_id = await world.clear({ merchant_id: 'T5' });
      const tie = await explain(world, clearing(clearing_id));
      assert.deepEqual(
        tie.item.alternatives.map((one) => one.authorization_id),
        root_ids.slice(0, 10),
        'the oldest 10',
      );
      assert.deepEqual(tie.has_more_alternatives, true, 'whether there are more');
    },
  },
  {
    rule: 'a covering set names the sets with one of its records, also those that another item lists',
    async check(open) {
      const world = await ActWorld.on(await open());
      const amounts = { of_two: 3_001, shared: 1_000, own: 2_001, of_other: 1_500, other: 500 };
      const [shared, own, other] = [
        await world.clear({ amount: amounts.shared }),
        await world.clear({ amount: amounts.own }),
        await world.clear({ amount: amounts.other }),
      ];
      const first = await world.line({ amount: amounts.of_two });
      const second = await world.line({ amount: amounts.of_other });
      const names = [
        `clearing:${shared} clearing:${own} line:${first}`,
        `clearing:${shared} clearing:${other} line:${second}`,
      ];
      const reasonsOf = async (record: RecordKey) =>
        (await explain(world, record)).item.alternatives.map(({ reason }) => reason);
      for (const id of [own, shared]) {
        const [reason = ''] = await reasonsOf(clearing(id));
        assert.match(reason, new RegExp(`^2 clearings make up the line on one day, and so do others: ${names[1]}$`));
      }
      const [reason = ''] = await reasonsOf(clearing(other));
      assert.match(reason, new RegExp(`^2 clearings make up the line on one day, and so do others: ${names[0]}$`));
      for (let more = 0; more < 6; more += 1) await world.clear({ amount: amounts.own });
      const [crowded = ''] = await reasonsOf(clearing(own));
      assert.equal(crowded.split(';').length, 5, crowded);
      assert.match(crowded, / and 2 more$/);
    },
  },
]);
