import assert from 'node:assert/strict';
import { refusalOf } from '@tallystick/harness';
import { checkOnStorages } from '@tallystick/test-support';
import {
  type ActPorts,
  catchUp,
  changeTolerances,
  closePeriod,
  decideByTable,
  explainItem,
  type Item,
  type RecordKey,
  readRules,
  readSummary,
  readTolerances,
} from '../../src/index.ts';
import { ActWorld, assertRebuilt, assertSameState, clearing, done, line, proposeTwo, tableOf } from './world.ts';

let purchases_made = 0;

/**
 * A purchase that is cleared, with a line that differs from the clearing. Returns the clearing's
 * record.
 */
async function purchase(
  world: ActWorld,
  {
    authorized = 1_000,
    fee = 0,
    ...amounts
  }: Partial<Record<'authorized' | 'cleared' | 'stated' | 'fee', number>> = {},
): Promise<RecordKey> {
  const { cleared = authorized } = amounts;
  const { stated = cleared } = amounts;
  purchases_made += 1;
  const number = String(purchases_made).padStart(11, '0');
  const reference = `7412345606${number}17`;
  const code = { net_reference_number: `MCC${number.slice(-6)}0520`, acquirer_reference_data: reference };
  await world.authorize({ amount: authorized, net_reference_number: code.net_reference_number });
  const clearing_id = await world.clear({ amount: cleared, ...code });
  await world.line({ amount: stated, reference });
  if (fee > 0) await world.line({ amount: fee, reference, code: '825' });
  return clearing(clearing_id);
}

async function tolerate(world: ActWorld, request: object): Promise<void> {
  await world.storage.unitOfWork.run((tx) => changeTolerances(tx, world.call(), request));
}

async function shown(world: ActWorld, record: RecordKey) {
  const { status, kind, rule, tolerated } = (await world.read(record)).item;
  return { status, kind, rule, left: tolerated.map(({ amount }) => amount) };
}

const open_break = { status: 'break', kind: 'amount', rule: '3', left: [] };

const accepted = (left: number) => ({ status: 'accepted', kind: 'amount', rule: 'tolerance', left: [left] });

async function eventsOf(world: ActWorld, { id }: Item): Promise<readonly string[]> {
  const { items } = await world.storage.unitOfWork.read((tx) => tx.events.list(world.company_id, [], { limit: 100 }));
  return items
    .filter(({ event_type }) => event_type.startsWith('reconciliation.break.'))
    .filter(({ payload }) => (payload as { item_id?: number }).item_id === id)
    .map(({ event_type }) => event_type.replace('reconciliation.break.', ''))
    .toReversed();
}

checkOnStorages('the rule tolerance', [
  {
    rule: 'accepts of one item no more than the tolerance altogether',
    async check(open) {
      const world = await ActWorld.on(await open());
      await tolerate(world, { USD: 5 });
      const both = await purchase(world, { authorized: 10, cleared: 13, stated: 16 });
      assert.deepEqual(await shown(world, both), open_break, '3 over, and booked with 3 more');
      const less = await purchase(world, { authorized: 10, cleared: 13, stated: 11 });
      const { status, left } = await shown(world, less);
      assert.deepEqual({ status, left }, { status: 'accepted', left: [3, -2] }, '3 over, and booked with 2 less');
      await tolerate(world, { USD: 6 });
      assert.deepEqual((await shown(world, both)).left, [3, 3], 'with a tolerance of both together');
      await assertRebuilt(world, 'with differences of both sides');
    },
  },
  {
    rule: 'accepts what still awaits its line, which is a late change when its period was closed before',
    async check(open) {
      const world = await ActWorld.on(await open());
      await tolerate(world, { USD: 5 });
      const [first, second] = ['74123456061000000000777', '74123456061000000000785'] as const;
      const net_reference_number = 'MCCDDDDDD0718';
      await world.authorize({ amount: 2_000, net_reference_number });
      await world.clear({ net_reference_number, acquirer_reference_data: first, partial: true });
      await world.line({ amount: 1_003, reference: first });
      const settled = { settlement_date: '2026-07-18', acquirer_reference_data: second };
      const record = clearing(await world.clear({ net_reference_number, ...settled }));
      assert.deepEqual(await shown(world, record), accepted(3), 'before the second line is due');
      const close = { closed_through: '2026-07-18' };
      assert.equal((await done(closePeriod(world.ports(), world.call(), close))).frozen, 1);
      const { item: frozen } = await world.read(record);
      const { item } = await world.read(line(await world.line({ reference: second, date: '2026-07-19' })));
      assert.deepEqual([item.kind, item.frozen_item_id], ['late_change', frozen.id], 'the second line');
    },
  },
  {
    rule: 'accepts exactly the tolerance and less, of either sign, beside fees, and no more',
    async check(open) {
      const world = await ActWorld.on(await open());
      const of = async (stated: number, fee = 0) => await purchase(world, { stated, fee });
      const [at, below, one_more, credit, with_fee] = [
        await of(1_005),
        await of(995),
        await of(1_006),
        await purchase(world, { stated: 996 }),
        await of(1_003, 30),
      ];
      assert.deepEqual(await shown(world, at), open_break, 'without a tolerance');
      await tolerate(world, { USD: 5 });
      assert.deepEqual(await shown(world, at), accepted(5), 'exactly the tolerance');
      assert.deepEqual(await shown(world, below), accepted(-5), 'as much less');
      assert.deepEqual(await shown(world, one_more), open_break, 'one more');
      assert.deepEqual(await shown(world, credit), accepted(-4), 'the bank booked less');
      assert.deepEqual(await shown(world, with_fee), accepted(3), 'beside a fee');
      await assertRebuilt(world, 'with a tolerance');
      assert.deepEqual(await shown(world, await of(1_002)), accepted(2), 'what arrives later');
      await tolerate(world, { EUR: 100 });
      assert.deepEqual(await shown(world, one_more), open_break, 'with a tolerance of another currency');
    },
  },
  {
    rule: 'accepts what is over an authorization, measured on all its clearings, and a set by its sum',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const over = await purchase(world, { authorized: 1_000, cleared: 1_500 });
      const set_id = await world.clear({ amount: 1_000 });
      const lines = [await world.line({ amount: 601 }), await world.line({ amount: 401 })];
      await tolerate(world, { USD: 500 });
      assert.deepEqual(await shown(world, over), { ...accepted(500), rule: 'tolerance' });
      const { item } = await world.read(over);
      assert.deepEqual(
        item.tolerated.map(({ authorization_id, clearing_ids }) => [authorization_id, clearing_ids]),
        [[item.authorization_ids[0], item.clearing_ids]],
      );
      await tolerate(world, { USD: 2 });
      assert.deepEqual(await shown(world, over), open_break, 'with a smaller tolerance');
      const matched = await world.act(clearing(set_id), 'match', { with: { line_ids: lines } });
      assert.deepEqual([matched.kind, matched.tolerated.map(({ amount }) => amount)], ['unauthorized', [2]]);
      const wrong_id = await world.line({ amount: 1_003 });
      const other_id = await world.clear({ amount: 1_000 });
      const refused = await refusalOf(
        world.act(clearing(other_id), 'match', { with: { line_ids: [wrong_id] } }),
        'a match that leaves more than the tolerance',
      );
      assert.match(refused.message, /a difference of 0\.03 USD/);
      await assertRebuilt(world, 'in the end');
    },
  },
  {
    rule: 'does not accept again what a person reopened, until the reopening is undone or another record comes',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const record = await purchase(world, { stated: 1_003 });
      await tolerate(world, { USD: 5 });
      const before = await world.state();
      const refused = await refusalOf(world.act(record, 'ignore'), 'to ignore what the rule accepted');
      assert.match(refused.message, /is accepted by the rule tolerance\. Reopen it first/);
      await world.act(record, 'reopen');
      const after = await world.state();
      assert.deepEqual(await shown(world, record), open_break, 'reopened');
      await tolerate(world, { USD: 6 });
      assert.deepEqual(await shown(world, record), open_break, 'with another tolerance');
      await tolerate(world, { USD: 5 });
      await assertRebuilt(world, 'reopened');
      await world.act(record, 'accept');
      assertSameState(await world.state(), before, 'everything after the reopening was undone');
      await tolerate(world, { USD: null });
      assert.deepEqual(await shown(world, record), open_break, 'it is the rule that accepted it again');
      await tolerate(world, { USD: 5 });
      await world.act(record, 'reopen');
      assertSameState(await world.state(), after, 'everything after it was reopened again');
      await tolerate(world, { USD: 1 });
      const by_hand = await world.act(record, 'accept');
      assert.deepEqual([by_hand.status, by_hand.rule], ['accepted', '3'], 'accepted by a person');
      await tolerate(world, { USD: 5 });
      assert.deepEqual(
        await shown(world, record),
        { ...open_break, status: 'accepted' },
        'it stays as it was accepted',
      );
      await world.act(record, 'reopen');
      assertSameState(await world.state(), after, 'everything after that was undone');
    },
  },
  {
    rule: 'opens and resolves breaks with their events, and counts apart from matches',
    async check(open) {
      const world = await ActWorld.on(await open());
      const record = await purchase(world, { stated: 1_003 });
      const { item } = await world.read(record);
      const counts = async () => {
        const [rules, summary] = await world.storage.unitOfWork.read(async (tx) => [
          await readRules(tx, world.call(), {}),
          await readSummary(tx, world.call()),
        ]);
        const by_status = summary.get('USD')!.by_status;
        const { matches, tolerated, share_without_person } = rules;
        const names = rules.rules.map(({ rule }) => rule);
        return {
          matches,
          tolerated,
          share_without_person,
          names,
          accepted: by_status.accepted.count,
          breaks: by_status.break.count,
        };
      };
      const before = await counts();
      await tolerate(world, { USD: 5 });
      await world.catchUp();
      assert.deepEqual(await counts(), { ...before, tolerated: 1, accepted: 1, breaks: 0 });
      await tolerate(world, { USD: null });
      await world.catchUp();
      assert.deepEqual(await counts(), before);
      assert.deepEqual(await eventsOf(world, item), ['opened', 'resolved', 'opened']);
    },
  },
  {
    rule: 'is an entry of the history, with what was left and the tolerance',
    async check(open) {
      const world = await ActWorld.on(await open());
      const record = await purchase(world, { stated: 1_003 });
      await tolerate(world, { USD: 5 });
      const { item } = await world.read(record);
      const explained = await world.storage.unitOfWork.read((tx) => explainItem(tx, world.call(), item.id));
      assert.deepEqual(
        explained.history.map(({ actor, action, note, at_ms, subject }) => ({
          actor,
          action,
          note,
          at_ms,
          left: subject.accepted?.amount,
        })),
        [
          {
            actor: 'rule:tolerance',
            action: 'accept',
            note: '0.03 USD left on the statement side, within the tolerance of 0.05 USD',
            at_ms: world.call().now_ms,
            left: 3,
          },
        ],
      );
    },
  },
  {
    rule: 'leaves frozen, ignored and accepted items as they are',
    async check(open) {
      const world = await ActWorld.on(await open());
      const [frozen, ignored, by_hand] = [
        await purchase(world, { stated: 1_003 }),
        await purchase(world, { stated: 1_003 }),
        await purchase(world, { stated: 1_003 }),
      ];
      await tolerate(world, { USD: 3 });
      assert.deepEqual(await shown(world, frozen), accepted(3), 'before the closing');
      for (const record of [ignored, by_hand]) await world.act(record, 'reopen');
      await world.act(ignored, 'ignore');
      await tolerate(world, { USD: null });
      await world.act(by_hand, 'accept');
      await tolerate(world, { USD: 3 });
      await world.catchUp();
      await closePeriod(world.ports(), world.call(), { closed_through: '2026-05-31' });
      const before = await world.state();
      for (const USD of [null, 10]) {
        await tolerate(world, { USD });
        assertSameState(await world.state(), before, `with a tolerance of ${USD}`);
      }
      await assertRebuilt(world, 'in the end');
    },
  },
  {
    rule: 'accepts no difference of a match that is a proposal, and keeps what is still to come',
    async check(open) {
      const world = await ActWorld.on(await open());
      const shop = { approval_code: 'A44444', merchant_id: 'M4' };
      const reference = '74123456061000000000017';
      await world.authorize(shop);
      const clearing_id = await world.clear({ ...shop, acquirer_reference_data: reference });
      await world.line({ amount: 1_002, reference });
      await tolerate(world, { USD: 5 });
      const { item } = await world.read(clearing(clearing_id));
      assert.deepEqual([item.status, item.kind], ['break', 'amount'], 'under a match of rule 6');
    },
  },
  {
    rule: 'reaches every item after a change, in steps that others come between',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const records: RecordKey[] = [];
      for (let at = 0; at < 7; at += 1) records.push(await purchase(world, { stated: 1_001 + at }));
      await purchase(world);
      await world.catchUp();
      const statusesAfter = async (request: object) => {
        await tolerate(world, request);
        let steps = 0;
        const afterStep = async (): Promise<void> => {
          steps += 1;
        };
        await catchUp(world.ports(), world.company_id, { batch_max: 2, afterStep });
        assert.ok(steps >= 3, `${steps} steps`);
        const items = await Promise.all(records.map((record) => world.read(record)));
        return items.map(({ item }) => item.status);
      };
      const upTo = (last: number) => records.map((_, at) => (at < last ? 'accepted' : 'break'));
      assert.deepEqual(await statusesAfter({ USD: 4 }), upTo(4));
      assert.deepEqual(await statusesAfter({ USD: 6 }), upTo(6));
      assert.deepEqual(await statusesAfter({ USD: 2 }), upTo(2));
      assert.deepEqual(await statusesAfter({ USD: null }), upTo(0));
      await assertRebuilt(world, 'in the end');
    },
  },
  {
    rule: 'is reopened and accepted again by a table, and a table that is refused later undoes that',
    async check(open) {
      const world = await ActWorld.on(await open());
      const record = await purchase(world, { stated: 1_003 });
      await tolerate(world, { USD: 5 });
      const refused = await proposeTwo(world);
      const before = await world.state();
      const rowOf = async (of: RecordKey, decision: string) => {
        const { item } = await world.read(of);
        return { id: String(item.id), version: String(item.version), decision, note: 'look again' };
      };
      const late: ActPorts = {
        ...world.ports(),
        network: {
          async rematch(message) {
            await world.act(line(refused.line_id), 'ignore', {}, 'key:2');
            return await world.network.rematch(message);
          },
        },
      };
      const rows = [await rowOf(record, 'reopen'), await rowOf(line(refused.line_id), 'confirm')];
      await refusalOf(decideByTable(late, world.call(), tableOf(rows), { dry_run: false }), 'a table');
      await world.act(line(refused.line_id), 'reopen', {}, 'key:2');
      assertSameState(await world.state(), before, 'everything but the acts');
      const decide = async (row: Readonly<Record<string, string>>) => {
        const { decided, unchanged } = await decideByTable(world.ports(), world.call(), tableOf([row]), {
          dry_run: false,
        });
        return { decided, unchanged };
      };
      const reopening = await rowOf(record, 'reopen');
      assert.deepEqual(await decide(reopening), { decided: 1, unchanged: 0 });
      assert.deepEqual(await shown(world, record), open_break);
      assert.deepEqual(await decide(reopening), { decided: 0, unchanged: 1 }, 'the same table again');
      const accepting = await rowOf(record, 'accept');
      assert.deepEqual(await decide(accepting), { decided: 1, unchanged: 0 });
      assert.deepEqual((await shown(world, record)).status, 'accepted');
      assert.deepEqual(await decide(accepting), { decided: 0, unchanged: 1 }, 'the same table again');
      await world.act(record, 'reopen');
      assert.deepEqual(await shown(world, record), open_break, 'after that was undone');
    },
  },
  {
    rule: 'that changes while people act and records arrive leaves what a rebuild would make',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const there = await world.another();
      for (const [race, amount] of [5, 2, 5, null, 3].entries()) {
        const [acted, other] = [await purchase(world, { stated: 1_003 }), await purchase(world, { stated: 1_003 })];
        const { item } = await world.read(acted);
        const outcomes = await Promise.allSettled([
          tolerate(there, { USD: amount }),
          world.actOn(item.id, item.status === 'break' ? 'accept' : 'reopen', {}, 'key:2'),
          there.line({ amount: 30, code: '825' }),
          there.catchUp(),
          purchase(world, { stated: 1_003 }),
        ]);
        const refused = outcomes.flatMap((outcome, at) => (outcome.status === 'rejected' ? [{ at, outcome }] : []));
        for (const { at, outcome } of refused) {
          // The rule may have decided first: only the act is refused, by what has changed.
          assert.deepEqual([at, (outcome.reason as { code?: string }).code], [1, 'conflict'], String(outcome.reason));
        }
        const is_within = amount !== null && amount >= 3;
        assert.deepEqual((await shown(world, other)).status, is_within ? 'accepted' : 'break', `race ${race}`);
        await assertRebuilt(world, `race ${race}`);
      }
      await there.close();
    },
  },
  {
    rule: 'has an amount above 0 for each currency, is changed by what is named, and writes the audit log',
    async check(open) {
      const world = await ActWorld.on(await open());
      const read = async () => {
        const found = await world.storage.unitOfWork.read((tx) => readTolerances(tx, world.call()));
        return Object.fromEntries([...found].map(([currency, { amount }]) => [currency, amount]));
      };
      await tolerate(world, { USD: 5, EUR: 7 });
      await tolerate(world, { EUR: null, JPY: 1 });
      assert.deepEqual(await read(), { USD: 5, JPY: 1 });
      for (const wrong of [
        { USD: 0 },
        { USD: -1 },
        { USD: 0.5 },
        { USD: 1_000_000_000_001 },
        { usd: 1 },
        { USD: '5' },
      ]) {
        const refused = await refusalOf(tolerate(world, wrong), JSON.stringify(wrong));
        assert.equal(refused.code, 'validation_failed');
      }
      assert.deepEqual(await read(), { USD: 5, JPY: 1 });
      const filter = { company_id: world.company_id };
      const { items } = await world.storage.unitOfWork.read((tx) => tx.audit.list(filter, { limit: 100 }));
      const changes = items.filter(({ action }) => action === 'reconciliation.tolerances_changed');
      assert.deepEqual(
        changes.map(({ details }) => details),
        [
          { EUR: { before: 7, after: null }, JPY: { before: null, after: 1 } },
          { USD: { before: null, after: 5 }, EUR: { before: null, after: 7 } },
        ],
      );
    },
  },
]);
