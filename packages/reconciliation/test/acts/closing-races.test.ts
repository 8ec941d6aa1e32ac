import assert from 'node:assert/strict';
import { refusalOf } from '@tallystick/harness';
import { checkOnStorages, type StorageRule } from '@tallystick/test-support';
import {
  closePeriod,
  decideByTable,
  type Item,
  itemIdOf,
  type Period,
  type RecordKey,
  readBridge,
  recordsOf,
  reopenPeriod,
  type TableSource,
} from '../../src/index.ts';
import { ActWorld, assertRebuilt, clearing, done, line, proposeTwo, tableOf } from './world.ts';

const closed_through = '2026-05-31';

/** Items of the period, and what a person does to the first of them. */
interface Contest {
  readonly record: RecordKey;
  /** Records one act. */
  act(its: ActWorld): Promise<unknown>;
}

let references_drawn = 0;

/** What leads an authorization, a clearing and a line to each other, and to nothing else. */
function drawReferences() {
  references_drawn += 1;
  const number = String(references_drawn).padStart(5, '0');
  return {
    codes: { net_reference_number: `MCC0${number}0520`, approval_code: `D${number}`, merchant_id: `D${number}` },
    reference: `74123456061${number.padStart(11, '0')}7`,
  };
}

/** A clearing that has its authorization and its line, unless they are left out. */
async function purchase(world: ActWorld, { authorized = 1_000, stated = 1_000, is_referenced = true } = {}) {
  const { codes, reference } = drawReferences();
  await world.authorize({ ...codes, amount: authorized });
  const clearing_id = await world.clear({ ...codes, acquirer_reference_data: reference });
  const line_id = await world.line(
    is_referenced ? { amount: stated, reference } : { amount: stated, date: '2026-05-30' },
  );
  return { clearing_id, line_id };
}

/** How each contest is prepared. Its act alone is permitted. */
const contests: Readonly<Record<string, (world: ActWorld) => Promise<Contest>>> = {
  async 'a match of a line'(world) {
    const { clearing_id, line_id } = await purchase(world, { is_referenced: false });
    const request = { with: { line_ids: [line_id] } };
    return { record: clearing(clearing_id), act: (its) => its.act(clearing(clearing_id), 'match', request) };
  },
  async 'a match that accepts the difference'(world) {
    const { clearing_id, line_id } = await purchase(world, { stated: 990, is_referenced: false });
    const request = { with: { line_ids: [line_id] }, accept_difference: true, reason: 'rounding' };
    return { record: clearing(clearing_id), act: (its) => its.act(clearing(clearing_id), 'match', request) };
  },
  async 'a match of an authorization'(world) {
    const { reference } = drawReferences();
    const clearing_id = await world.clear({ acquirer_reference_data: reference });
    await world.line({ reference });
    const authorization_id = await world.authorize();
    const request = { with: { authorization_id } };
    return { record: clearing(clearing_id), act: (its) => its.act(clearing(clearing_id), 'match', request) };
  },
  async 'an unmatch of an authorization'(world) {
    const record = clearing((await purchase(world)).clearing_id);
    return { record, act: (its) => its.act(record, 'unmatch', { side: 'authorization' }) };
  },
  async 'an unmatch of a line'(world) {
    const record = clearing((await purchase(world)).clearing_id);
    return { record, act: (its) => its.act(record, 'unmatch', { side: 'statement' }) };
  },
  async 'a confirmation'(world) {
    const record = line((await proposeTwo(world)).line_id);
    return { record, act: (its) => its.act(record, 'confirm') };
  },
  async 'a reopening'(world) {
    const record = clearing((await purchase(world, { stated: 990 })).clearing_id);
    await world.act(record, 'accept');
    return { record, act: (its) => its.act(record, 'reopen') };
  },
  async 'a table'(world) {
    const { clearing_id, line_id } = await purchase(world, { stated: 990, is_referenced: false });
    const record = clearing(clearing_id);
    const row = async (of: RecordKey, words: Readonly<Record<string, string>>) => {
      const { item } = await world.read(of);
      return { id: String(item.id), version: String(item.version), note: 'by table', ...words };
    };
    const table = tableOf([
      await row(record, { decision: 'match', with: `line:${line_id} accept_difference` }),
      await row(line(await world.line({ amount: 70 })), { decision: 'ignore' }),
    ]);
    return { record, act: (its) => decideByTable(its.ports(), its.call(), table, { dry_run: false }) };
  },
};

function close(world: ActWorld): Promise<Period> {
  return done(closePeriod(world.ports(), world.call('key:2'), { closed_through }));
}

/** What the figures of an item are made of. */
function figuresOf({ id, status, kind, matches, authorized, cleared, stated, fees, difference, ...item }: Item) {
  return JSON.stringify({
    id,
    status,
    kind,
    matches,
    authorized,
    cleared,
    stated,
    fees,
    difference,
    ...recordsOf(item),
  });
}

/** Asserts that no record is in two items, that a rebuild changes nothing, and that the bridge closes. */
async function assertSound(world: ActWorld, what: string): Promise<readonly Item[]> {
  const items = await world.items();
  const ids = items.flatMap((item) => recordsOf(item).map(itemIdOf));
  assert.equal(new Set(ids).size, ids.length, `${what}: no record is in two items`);
  await assertRebuilt(world, what);
  await assertBridge(world, what);
  return items;
}

async function assertBridge(world: ActWorld, what: string): Promise<void> {
  const account = await world.storage.unitOfWork.read((tx) => tx.accounts.find(world.account_id));
  const bridge = await world.storage.unitOfWork.read((tx) => readBridge(tx, world.call(), account!.number, {}));
  const sums = (step: string) =>
    bridge.difference_sums.filter((one) => one.step === step).reduce((sum, one) => sum + one.sum, 0);
  const { opening_balance, card_lines, other_lines, closing_balance } = bridge;
  assert.equal(opening_balance + card_lines + other_lines, closing_balance, `${what}: the balances`);
  const stated = bridge.clearings + bridge.fees + sums('statement') + bridge.unexplained_sum;
  assert.equal(stated, card_lines, `${what}: the lines`);
  assert.equal(bridge.authorized + sums('authorization'), bridge.clearings, `${what}: the clearings`);
}

/**
 * Asserts that the act came first and is in the frozen figures, or concerns what stays open, or was
 * refused. Reopens the period: what it froze is what its records and acts make.
 */
async function assertOrdered(
  world: ActWorld,
  { record }: Contest,
  acts_before: number,
  [acted, closed]: readonly [PromiseSettledResult<unknown>, PromiseSettledResult<Period>],
  name: string,
): Promise<void> {
  const reason = acted.status === 'rejected' ? String(acted.reason) : 'done';
  const what = `${name}: ${reason}`;
  assert(closed.status === 'fulfilled', `${what}: ${closed.status === 'rejected' && closed.reason}`);
  if (acted.status === 'rejected') {
    assert.equal((acted.reason as { readonly code?: string }).code, 'conflict', what);
    assert.match(reason, /closed through 2026-05-31, and does not change any more: reopen the period first/, what);
  }
  const { history } = await world.read(record);
  assert.equal(history.length, acts_before + (acted.status === 'fulfilled' ? 1 : 0), `${what}: the acts`);
  const items = await assertSound(world, what);
  const period = closed.value;
  const frozen = items.filter(({ period_id }) => period_id === period.id);
  assert.equal(frozen.length, period.frozen, `${what}: the number of frozen items`);
  await reopenPeriod(world.ports(), world.call(), period.id);
  const after = new Map((await world.items()).map((item) => [item.id, item]));
  for (const item of frozen) assert.equal(figuresOf(after.get(item.id)!), figuresOf(item), `${what}: item ${item.id}`);
  await assertRebuilt(world, `${what}, reopened`);
}

type Outcome<Result> = PromiseSettledResult<Result>;

/** How many transactions one has. */
async function countTransactions(world: ActWorld, one: (its: ActWorld) => Promise<unknown>): Promise<number> {
  let begun = 0;
  await one(
    world.interrupted(async () => {
      begun += 1;
    }),
  );
  return begun;
}

/**
 * Two at once: `of_closing` transactions of the closing, then `of_act` transactions of the act, then
 * the rest of the closing, then the rest of the act.
 */
async function interleave(
  [world, there]: readonly [ActWorld, ActWorld],
  { act }: Contest,
  { of_closing, of_act }: { readonly of_closing: number; readonly of_act: number },
): Promise<readonly [Outcome<unknown>, Outcome<Period>]> {
  const paused = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let begun = { closing: 0, act: 0 };
  let acting: Promise<readonly Outcome<unknown>[]> | undefined;
  const begin = () =>
    Promise.allSettled([
      act(
        there.interrupted(async () => {
          begun = { ...begun, act: begun.act + 1 };
          if (begun.act !== of_act + 1) return;
          paused.resolve();
          await closed.promise;
        }),
      ).finally(paused.resolve),
    ]);
  const closing = close(
    world.interrupted(async () => {
      begun = { ...begun, closing: begun.closing + 1 };
      if (begun.closing !== of_closing + 1) return;
      acting = begin();
      await paused.promise;
    }),
  );
  const [outcome] = await Promise.allSettled([closing.finally(closed.resolve)]);
  return [(await (acting ?? begin()))[0]!, outcome];
}

/** Two purchases under one reference, each with its line, and a line that then belongs to none of them. */
async function surplusLine(world: ActWorld): Promise<(its: ActWorld) => Promise<RecordKey>> {
  const { reference } = drawReferences();
  for (const amount of [1_000, 2_000]) {
    const { codes } = drawReferences();
    await world.authorize({ ...codes, amount });
    await world.clear({ ...codes, amount, acquirer_reference_data: reference });
    await world.statement('2026-05-20', [{ amount, reference, bank_reference: `${reference} ${amount}` }]);
  }
  return async (its) => {
    const [id] = await its.statement('2026-05-20', [{ amount: 30, reference, bank_reference: reference }]);
    await its.catchUp();
    return line(id!);
  };
}

/** How many times two race each other. */
const races = 4;

checkOnStorages('acts beside a closing', [
  ...Object.entries(contests).flatMap(([name, prepare]): StorageRule[] => [
    {
      rule: `${name} is in the figures of a closing, comes after it, or is refused, however their transactions follow each other`,
      // Each database has a check of its own in the pass.
      on_postgres: name === 'an unmatch of an authorization',
      async check(open) {
        const world = await ActWorld.on(await open());
        const there = await world.another();
        const of_act_max = await countTransactions(world, (await prepare(world)).act);
        const of_closing_max = await countTransactions(world, close);
        await reopenNewest(world);
        for (let of_closing = 0; of_closing < of_closing_max; of_closing += 1) {
          // The last transactions write, and an act that is not held up ends.
          for (const of_act of [of_act_max - 2, of_act_max - 1, of_act_max]) {
            const contest = await prepare(world);
            const before = (await world.read(contest.record)).history.length;
            const outcomes = await interleave([world, there], contest, { of_closing, of_act });
            const what = `${of_closing} transactions of a closing, ${of_act} of ${name}`;
            await assertOrdered(world, contest, before, outcomes, what);
          }
        }
        await there.close();
      },
    },
    {
      rule: `${name} at once with a closing comes first, or after it, or is refused`,
      on_postgres: true,
      async check(open) {
        const world = await ActWorld.on(await open());
        const there = await world.another();
        for (let race = 0; race < races; race += 1) {
          const contest = await prepare(world);
          const before = (await world.read(contest.record)).history.length;
          const outcomes = await Promise.allSettled([contest.act(there), close(world)]);
          await assertOrdered(world, contest, before, outcomes, `${name}, race ${race}`);
        }
        await there.close();
      },
    },
  ]),
  {
    rule: 'a line that arrives after a closing has begun is late for what it freezes, one before is not, and the clock does not matter',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const there = await world.another();
      const of_closing_max = await countTransactions(world, close);
      await reopenNewest(world);
      for (let of_closing = 0; of_closing <= of_closing_max; of_closing += 1) {
        const arrive = await surplusLine(world);
        await world.catchUp();
        let begun = 0;
        let arrived: RecordKey | null = null;
        const period = await close(
          world.interrupted(async () => {
            begun += 1;
            if (begun === of_closing + 1) arrived = await arrive(there);
          }),
        );
        const { item } = await world.read(arrived ?? (await arrive(there)));
        // The first transactions look for work, and begin.
        const is_late = of_closing >= 2;
        const what = `after ${of_closing} transactions of a closing`;
        assert.deepEqual([item.kind === 'late_change', item.frozen_item_id !== null], [is_late, is_late], what);
        await assertSound(world, what);
        await reopenPeriod(world.ports(), world.call(), period.id);
        await assertSound(world, `${what}, reopened`);
      }
      await there.close();
    },
  },
  {
    rule: 'a match that accepts the difference beside a closing and a record of its item leaves what a rebuild would make',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const [there, elsewhere] = [await world.another(), await world.another()];
      for (let race = 0; race < 2 * races; race += 1) {
        const { codes, reference } = drawReferences();
        await world.authorize(codes);
        const clearing_id = await world.clear({ ...codes, acquirer_reference_data: reference });
        const line_id = await world.line({ amount: 990, date: '2026-05-30' });
        const request = { with: { line_ids: [line_id] }, accept_difference: true, reason: 'rounding' };
        await world.catchUp();
        const [acted, closed, arrived] = await Promise.allSettled([
          there.act(clearing(clearing_id), 'match', request),
          close(world),
          race % 2 === 0
            ? elsewhere.line({ amount: 10, reference }).then(() => elsewhere.catchUp())
            : elsewhere.clear({ ...codes, amount: 10 }).then(() => elsewhere.catchUp()),
        ]);
        const what = `race ${race}: ${acted.status === 'rejected' ? acted.reason : 'done'}`;
        assert.deepEqual([closed.status, arrived.status], ['fulfilled', 'fulfilled'], what);
        if (acted.status === 'rejected')
          assert.equal((acted.reason as { readonly code?: string }).code, 'conflict', what);
        await assertSound(world, what);
        await reopenNewest(world);
        await assertSound(world, `${what}, reopened`);
      }
      for (const one of [there, elsewhere]) await one.close();
    },
  },
  {
    rule: 'a table of which a closing froze decisions names them when the others are undone, and acts on no frozen item',
    async check(open) {
      const world = await ActWorld.on(await open());
      const rowOf = async (of: RecordKey, decision: string) => {
        const { item } = await world.read(of);
        return { id: String(item.id), version: String(item.version), decision, note: 'by table' };
      };
      // More than a batch.
      const frozen = [];
      for (let at = 0; at < 24; at += 1) frozen.push(line(await world.line({ amount: 100 + at })));
      const open_record = line(await world.line({ amount: 99, date: '2026-06-20' }));
      const accepted = line(await world.line({ amount: 98 }));
      await world.act(accepted, 'accept');
      const rows: Readonly<Record<string, string>>[] = [];
      for (const record of [open_record, ...frozen]) rows.push(await rowOf(record, 'ignore'));
      const last = await rowOf(accepted, 'reopen');
      let readings = 0;
      const table: TableSource = {
        async *rows() {
          yield* tableOf(rows).rows(() => {});
          readings += 1;
          if (readings === 2) await close(world);
          yield* tableOf([last]).rows(() => {});
        },
      };
      const refusal = await refusalOf(
        decideByTable(world.ports(), world.call(), table, { dry_run: false }),
        'the table',
      );
      assert.match(
        refusal.message,
        /reopen the period first.* nothing was decided, except for items that changed or were closed/,
      );
      const { item, history } = await world.read(frozen[0]!);
      assert.deepEqual([item.status, history.map(({ action }) => action)], ['ignored', ['ignore']], 'a frozen item');
      const left = await world.read(open_record);
      assert.deepEqual([left.item.status, left.history.at(-1)?.action], ['break', 'reopen'], 'the open item');
      await assertSound(world, 'after the table');
      await reopenNewest(world);
      assert.deepEqual((await world.read(frozen[0]!)).item.status, 'ignored', 'once it is reopened');
    },
  },
]);

async function reopenNewest(world: ActWorld): Promise<void> {
  const newest = await world.storage.unitOfWork.read((tx) => tx.reconciliation.newestPeriod(world.company_id));
  await reopenPeriod(world.ports(), world.call(), newest!.id);
}
