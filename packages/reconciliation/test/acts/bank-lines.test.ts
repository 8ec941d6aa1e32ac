import assert from 'node:assert/strict';
import { refusalOf } from '@tallystick/harness';
import { checkOnStorages } from '@tallystick/test-support';
import { closePeriod, explainItem, type Item, itemIdOf, readBridge, rebuild, reopenPeriod } from '../../src/index.ts';
import { ActWorld, assertSameState, clearing, line } from './world.ts';

const reference = '74123456061000000000017';
const day = '2026-05-21';
const references = { net_reference_number: 'MCCCCCCCC0520', approval_code: 'A55555', merchant_id: 'M5' };

const stateOf = ({ status, kind, line_ids, statement_line_id }: Item) => [status, kind, line_ids, statement_line_id];

/** A purchase of 1,000 with its clearing and a line that the bank reported by itself. */
async function reportedPurchase(world: ActWorld) {
  await world.authorize(references);
  const clearing_id = await world.clear({
    ...references,
    acquirer_reference_data: reference,
    settlement_date: '2026-05-20',
  });
  const line_id = await world.line({ reference, date: day, bank_reference: 'R' });
  assert.equal((await world.read(clearing(clearing_id))).item.status, 'matched');
  return { clearing_id, line_id };
}

/** The amounts that people see: of the bridge of the account, and of Open Banking, oldest first. */
async function shownOf(world: ActWorld, account_id: number) {
  return await world.storage.unitOfWork.read(async (tx) => {
    const account = (await tx.accounts.find(account_id))!;
    const bridge = await readBridge(tx, world.call(), account.number, {});
    const { items } = await tx.bank.transactionsOf(account_id, {}, { limit: 100 });
    const listed = items.map(({ amount }) => Number(amount)).reverse();
    assert.equal(bridge.closing_balance - bridge.opening_balance, bridge.card_lines + bridge.other_lines);
    assert.equal(
      bridge.card_lines,
      bridge.clearings +
        bridge.fees +
        bridge.unexplained_sum +
        bridge.difference_sums.filter(({ step }) => step === 'statement').reduce((sum, one) => sum + one.sum, 0),
      'the first step',
    );
    return { listed, booked: bridge.card_lines + bridge.other_lines };
  });
}

async function assertRebuilt(world: ActWorld): Promise<void> {
  const found = await rebuild(world.ports(), { company_id: world.company_id, check_only: true });
  const { items_different, entries_different, cells_different } = found;
  assert.deepEqual([items_different, entries_different, cells_different], [0, 0, 0], 'a rebuild');
}

checkOnStorages('lines of the bank that differ from their statement', [
  {
    rule: 'a line that the statement has with another amount is a break that shows both, until a person keeps it',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const { clearing_id, line_id } = await reportedPurchase(world);
      const account_id = world.account_id;
      assert.deepEqual(await shownOf(world, account_id), { listed: [-1_000], booked: -1_000 });
      const [stated_id] = await world.statement(day, [{ amount: 990, bank_reference: 'R', reference }]);
      const differing = await world.read(line(line_id));
      assert.deepEqual(stateOf(differing.item), ['break', 'bank_line_differs', [line_id], stated_id]);
      assert.deepEqual([differing.item.due_date, differing.item.stated, differing.item.sides], [day, 1_000, 1]);
      assert.deepEqual(stateOf((await world.read(clearing(clearing_id))).item), ['break', 'amount', [stated_id], null]);
      assert.deepEqual(await shownOf(world, account_id), { listed: [-990], booked: -990 });
      await assertRebuilt(world);
      const before = await world.state();
      for (const action of ['accept', 'ignore'] as const) {
        const { status } = await world.act(line(line_id), action);
        assert.equal(status, action === 'accept' ? 'accepted' : 'ignored');
        assert.deepEqual(await shownOf(world, account_id), { listed: [-990], booked: -990 });
        await world.act(line(line_id), 'reopen');
        assertSameState(await world.state(), before, action);
      }
      const match = world.act(line(line_id), 'match', { with: { clearing_ids: [clearing_id] } });
      assert.match((await refusalOf(match, 'a match')).message, /differs.* confirm it first/);
      const taken = world.act(clearing(clearing_id), 'match', { with: { line_ids: [line_id] } });
      assert.match((await refusalOf(taken, 'a match from the other side')).message, /differs from the statement/);
      await world.act(line(line_id), 'confirm');
      const kept = await world.read(line(line_id));
      assert.deepEqual([kept.item.line_ids.length, kept.item.kind], [2, 'amount'], 'both lines are stated');
      assert.deepEqual(await shownOf(world, account_id), { listed: [-1_000, -990], booked: -1_990 });
      await assertRebuilt(world);
      await world.act(line(line_id), 'reopen');
      assertSameState(await world.state(), before, 'confirm');
      assert.deepEqual(await shownOf(world, account_id), { listed: [-990], booked: -990 });
    },
  },
  {
    rule: 'a line that the statement lacks is kept with the clearing that it belongs to, and let go from there',
    async check(open) {
      const world = await ActWorld.on(await open());
      const { clearing_id, line_id } = await reportedPurchase(world);
      await world.statement(day);
      const before = await world.state();
      assert.deepEqual(stateOf((await world.read(line(line_id))).item), [
        'break',
        'bank_line_differs',
        [line_id],
        null,
      ]);
      assert.deepEqual(stateOf((await world.read(clearing(clearing_id))).item), ['break', 'unstated', [], null]);
      const joined = await world.act(line(line_id), 'confirm');
      assert.deepEqual([joined.status, joined.clearing_ids, joined.line_ids], ['matched', [clearing_id], [line_id]]);
      await world.act(clearing(clearing_id), 'reopen');
      assertSameState(await world.state(), before, 'both items');
    },
  },
  {
    rule: 'a line of no card has an item while it differs and while it is kept, and none once a statement has it',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const line_id = await world.line({ amount: 70, code: '475', date: day, bank_reference: 'S' });
      const none = () => refusalOf(world.read(line(line_id)), 'an item');
      assert.equal((await none()).code, 'not_found', 'before the statement');
      const [other_id] = await world.statement(day, [{ amount: 7, bank_reference: 'S', code: '825' }]);
      assert.deepEqual(stateOf((await world.read(line(line_id))).item), [
        'break',
        'bank_line_differs',
        [line_id],
        other_id,
      ]);
      const [nearer_id] = await world.statement(day, [{ amount: 71, bank_reference: 'S', code: '475' }]);
      const { id: item_id } = (await world.read(line(line_id))).item;
      const { records, statement_line } = await world.storage.unitOfWork.read((tx) =>
        explainItem(tx, world.call(), item_id),
      );
      assert.deepEqual(
        records.lines.map(({ id }) => id),
        [line_id],
      );
      assert.deepEqual([statement_line?.line.id, statement_line?.item_id], [nearer_id, null], 'of a further page');
      const kept = await world.act(line(line_id), 'confirm');
      assert.deepEqual(stateOf(kept), ['matched', null, [line_id], null]);
      await assertRebuilt(world);
      await world.act(line(line_id), 'reopen');
      await world.act(line(line_id), 'accept');
      await world.statement(day, [{ amount: 70, bank_reference: 'S', code: '475' }]);
      assert.equal((await none()).code, 'not_found', 'once a page has it');
      await assertRebuilt(world);
    },
  },
  {
    rule: 'a decision about a line that differs is none about the line once a statement has it',
    async check(open) {
      const world = await ActWorld.on(await open());
      for (const action of ['accept', 'ignore', 'confirm'] as const) {
        const line_id = await world.line({ amount: 70, date: day, bank_reference: action });
        await world.statement(day);
        await world.act(line(line_id), action);
        await world.statement(day, [{ amount: 70, bank_reference: action }]);
        const { item } = await world.read(line(line_id));
        assert.deepEqual(stateOf(item), ['break', 'unexplained_line', [line_id], null], action);
        if (action === 'confirm') continue;
        await world.act(line(line_id), 'ignore');
        await world.act(line(line_id), 'reopen');
      }
      await assertRebuilt(world);
    },
  },
  {
    rule: 'a line of a frozen item stays as it is, and differs once the period is reopened',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const { clearing_id, line_id } = await reportedPurchase(world);
      const matched = (await world.read(clearing(clearing_id))).item;
      const period = await closePeriod(world.ports(), world.call(), { closed_through: '2026-05-31' });
      await world.statement(day);
      const { version, period_id } = (await world.read(line(line_id))).item;
      assert.deepEqual([version, period_id], [matched.version, period.id]);
      assert.deepEqual(await shownOf(world, world.account_id), { listed: [-1_000], booked: -1_000 });
      await reopenPeriod(world.ports(), world.call(), period.id);
      assert.deepEqual(stateOf((await world.read(line(line_id))).item), [
        'break',
        'bank_line_differs',
        [line_id],
        null,
      ]);
      assert.deepEqual(await shownOf(world, world.account_id), { listed: [], booked: 0 });
      await world.act(line(line_id), 'accept');
      const again = await closePeriod(world.ports(), world.call(), { closed_through: '2026-05-31' });
      const frozen = (await world.read(line(line_id))).item;
      assert.deepEqual([frozen.id, frozen.period_id], [itemIdOf(line(line_id)), again.id]);
      assert.deepEqual(await shownOf(world, world.account_id), { listed: [], booked: 0 });
      await assertRebuilt(world);
    },
  },
  {
    rule: 'a match of a person with a line that differs is made again once the line is kept',
    async check(open) {
      const world = await ActWorld.on(await open());
      const clearing_id = await world.clear({ settlement_date: '2026-05-20', amount: 333 });
      const line_id = await world.line({ amount: 333, date: '2026-05-30', bank_reference: 'H' });
      await world.act(line(line_id), 'match', { with: { clearing_ids: [clearing_id] } });
      const matched = await world.state();
      await world.statement('2026-05-30');
      assert.equal((await world.read(line(line_id))).item.kind, 'bank_line_differs');
      assert.deepEqual((await world.read(clearing(clearing_id))).item.line_ids, []);
      await world.act(line(line_id), 'confirm');
      assertSameState(await world.state(), matched, 'the item');
    },
  },
  {
    rule: 'events say that a line differs, and whether its item is part of another one afterwards, or is no more',
    async check(open) {
      const world = await ActWorld.on(await open());
      const { clearing_id, line_id } = await reportedPurchase(world);
      const salary_id = await world.line({ amount: 70, code: '475', date: day, bank_reference: 'S' });
      const eventsOf = async () => {
        await world.catchUp();
        const { items } = await world.storage.unitOfWork.read((tx) =>
          tx.events.list(world.company_id, [], { limit: 100 }),
        );
        return items
          .filter(({ event_type }) => event_type.startsWith('reconciliation.'))
          .map(({ event_type, payload: { item_id, kind, status } }) => [
            event_type.split('.')[2],
            item_id,
            kind ?? status,
          ])
          .toSorted();
      };
      await world.statement(day);
      const [card, salary] = [itemIdOf(line(line_id)), itemIdOf(line(salary_id))];
      const { id: purchase } = (await world.read(clearing(clearing_id))).item;
      const opened = [
        ['opened', purchase, 'unstated'],
        ['opened', card, 'bank_line_differs'],
        ['opened', salary, 'bank_line_differs'],
      ].toSorted();
      assert.deepEqual(await eventsOf(), opened);
      await world.statement(day, [
        { amount: 1_000, bank_reference: 'R', reference },
        { amount: 70, bank_reference: 'S', code: '475' },
      ]);
      const resolved = [
        // The line was recorded first.
        ['resolved', purchase, 'merged'],
        ['resolved', card, 'matched'],
        ['resolved', salary, 'removed'],
      ];
      assert.deepEqual(await eventsOf(), [...opened, ...resolved].toSorted());
    },
  },
]);
