import assert from 'node:assert/strict';
import { checkOnStorages, type StorageRule } from '@tallystick/test-support';
import type { Item, RecordKey } from '../../src/index.ts';
import { ActWorld, areConfirmed, assertRebuilt, clearing, line, proposeTwo } from './world.ts';

/** What one person does, on any process, without the version that the person saw. */
type Doing = (world: ActWorld, item_id: number, actor: string) => Promise<Item>;

/** An item, and acts that are each permitted on it as it is. */
interface Contest {
  readonly key: RecordKey;
  readonly acts: Readonly<Record<string, Doing>>;
}

let codes_drawn = 0;

/** A code that leads one authorization and one clearing to each other, and to nothing else. */
function freshCode(): { readonly approval_code: string; readonly merchant_id: string } {
  codes_drawn += 1;
  const code = `C${String(codes_drawn).padStart(5, '0')}`;
  return { approval_code: code, merchant_id: code };
}

/** How each contest is prepared. Each has an item of its own. */
const contests: Readonly<Record<string, (world: ActWorld) => Promise<Contest>>> = {
  /** A clearing over its authorization, with a line of the same amount beside it. */
  async over(world) {
    const code = freshCode();
    await world.authorize({ ...code, amount: 500 });
    const key = clearing(await world.clear({ ...code, amount: 590 }));
    const line_id = await world.line({ amount: 590, date: '2026-06-20' });
    return {
      key,
      acts: {
        match: (its, id, actor) => its.actOn(id, 'match', { with: { line_ids: [line_id] } }, actor),
        unmatch: (its, id, actor) => its.actOn(id, 'unmatch', {}, actor),
        ignore: (its, id, actor) => its.actOn(id, 'ignore', {}, actor),
        accept: (its, id, actor) => its.actOn(id, 'accept', {}, actor),
      },
    };
  },
  /** A clearing that no rule matched, and two authorizations that it could belong to. */
  async alone(world) {
    const roots = [await world.authorize(), await world.authorize()] as const;
    const key = clearing(await world.clear());
    return {
      key,
      acts: {
        match: (its, id, actor) => its.actOn(id, 'match', { with: { authorization_id: roots[0] } }, actor),
        'match with another': (its, id, actor) =>
          its.actOn(id, 'match', { with: { authorization_id: roots[1] } }, actor),
        ignore: (its, id, actor) => its.actOn(id, 'ignore', {}, actor),
        accept: (its, id, actor) => its.actOn(id, 'accept', {}, actor),
      },
    };
  },
  /** A match of a provisional rule, with its line. */
  async proposed(world) {
    const { merchant_id } = freshCode();
    await world.authorize({ merchant_id });
    const reference = `74123456061${String(codes_drawn).padStart(11, '0')}0`;
    const key = clearing(await world.clear({ merchant_id, acquirer_reference_data: reference }));
    await world.line({ reference });
    return {
      key,
      acts: {
        confirm: (its, id, actor) => its.actOn(id, 'confirm', {}, actor),
        unmatch: (its, id, actor) => its.actOn(id, 'unmatch', { side: 'authorization' }, actor),
        'unmatch the line': (its, id, actor) => its.actOn(id, 'unmatch', { side: 'statement' }, actor),
        ignore: (its, id, actor) => its.actOn(id, 'ignore', {}, actor),
      },
    };
  },
  /** A break that a person accepted. */
  async decided(world) {
    const key = clearing(await world.clear());
    await world.act(key, 'accept', {}, 'key:3');
    return { key, acts: { reopen: (its, id, actor) => its.actOn(id, 'reopen', {}, actor) } };
  },
  /** A match of a provisional rule that a person confirmed, with its line. */
  async confirmed(world) {
    const { key } = await contests.proposed!(world);
    await world.act(key, 'confirm', {}, 'key:3');
    return {
      key,
      acts: {
        reopen: (its, id, actor) => its.actOn(id, 'reopen', {}, actor),
        unmatch: (its, id, actor) => its.actOn(id, 'unmatch', { side: 'authorization' }, actor),
        'unmatch the line': (its, id, actor) => its.actOn(id, 'unmatch', { side: 'statement' }, actor),
      },
    };
  },
  /** Two matches of a provisional rule, under one line. */
  async 'two proposed'(world) {
    const key = line((await proposeTwo(world)).line_id);
    return {
      key,
      acts: {
        confirm: (its, id, actor) => its.actOn(id, 'confirm', {}, actor),
        unmatch: (its, id, actor) => its.actOn(id, 'unmatch', { side: 'authorization' }, actor),
        ignore: (its, id, actor) => its.actOn(id, 'ignore', {}, actor),
      },
    };
  },
};

/** How many times each race about an item with two proposals is run. */
const two_proposals_races = 8;

/**
 * How two people come to act on one item without having seen what the other does: each has read the
 * item before the other is done. An act that begins later is one on what the first has left.
 */
const encounters: Readonly<Record<string, (doings: readonly [Begin, Begin]) => Promise<readonly Outcome[]>>> = {
  async 'at once'([one, other]) {
    const have_read = Promise.withResolvers<void>();
    let reading = 2;
    const meet = () => {
      reading -= 1;
      if (reading === 0) have_read.resolve();
      return have_read.promise;
    };
    // Also when one of them fails before it has read: then the other does not wait for it.
    return await Promise.allSettled([one, other].map((begin) => begin(meet).finally(have_read.resolve)));
  },
  async 'one while the other has read'([one, other]) {
    let first: Promise<readonly Outcome[]> | undefined;
    const doFirst = async () => {
      first ??= Promise.allSettled([one(async () => {})]);
      await first;
    };
    const [second] = await Promise.allSettled([other(doFirst)]);
    return [...(first === undefined ? [] : await first), second];
  },
};

type Outcome = PromiseSettledResult<Item>;

/** Begins an act, which goes on from each of its reads once `afterRead` has ended. */
type Begin = (afterRead: () => Promise<void>) => Promise<Item>;

checkOnStorages('acts of two people', [
  ...Object.entries(contests).flatMap(([name, prepare]) =>
    Object.entries(encounters).map(
      ([encounter, meet]): StorageRule => ({
        rule: `of two acts on one item, ${encounter}, one is done, and the other is refused with what happened: ${name}`,
        on_postgres: encounter === 'at once',
        async check(open) {
          const world = await ActWorld.on(await open());
          const there = await world.another();
          const names = Object.keys((await prepare(world)).acts);
          for (const one of names) {
            for (const other of names) {
              const { key, acts } = await prepare(world);
              const { item, history } = await world.read(key);
              const outcomes = await meet([
                (afterRead) => acts[one]!(world.pausing(afterRead), item.id, 'key:1'),
                (afterRead) => acts[other]!(there.pausing(afterRead), item.id, 'key:2'),
              ]);
              const what = `${one} and ${other}: ${outcomes.map(reasonOf).join(' | ')}`;
              const done = outcomes.filter(({ status }) => status === 'fulfilled');
              assert.deepEqual(done.length, 1, what);
              assert.deepEqual((await world.read(key)).history.length, history.length + 1, `the acts after ${what}`);
              const [refused] = outcomes.filter((outcome) => outcome.status === 'rejected');
              assert.deepEqual((refused?.reason as { readonly code?: string } | undefined)?.code, 'conflict', what);
              assert.deepEqual(
                /key:[12] (un)?(match|ignor|accept|confirm|reopen)ed it at /.test(reasonOf(refused)),
                true,
                what,
              );
            }
          }
          await there.close();
        },
      }),
    ),
  ),
  {
    rule: 'an act that begins once another is done is one on what that left, and is refused with the version from before',
    async check(open) {
      const world = await ActWorld.on(await open());
      const { key, acts } = await contests.over!(world);
      const { item } = await world.read(key);
      await acts.unmatch!(world, item.id, 'key:1');
      const stale = await Promise.allSettled([world.actOn(item.id, 'accept', { version: item.version }, 'key:2')]);
      assert.deepEqual(/key:1 unmatched it at /.test(reasonOf(stale[0])), true, reasonOf(stale[0]));
      assert.deepEqual((await acts.accept!(world, item.id, 'key:2')).status, 'accepted');
    },
  },
  ...(['confirm', 'reopen'] as const).map(
    (action): StorageRule => ({
      rule: `${action} of two matches does both or neither while one of them changes at the same time`,
      on_postgres: true,
      async check(open) {
        const world = await ActWorld.on(await open());
        const there = await world.another();
        const other_card = await world.addCard();
        for (let race = 0; race < two_proposals_races; race += 1) {
          const { clearing_ids, line_id, makeTie } = await proposeTwo(world, race % 2 === 0 ? other_card : {});
          const is_reopening = action === 'reopen';
          if (is_reopening) await world.act(line(line_id), 'confirm');
          const { item, history: before } = await world.read(line(line_id));
          const seen = { version: item.version };
          const [acted] = await Promise.allSettled([world.actOn(item.id, action, seen), makeTie(there)]);
          const is_done = acted.status === 'fulfilled';
          if (!is_done)
            assert.deepEqual((acted.reason as { readonly code?: string }).code, 'conflict', reasonOf(acted));
          const is_confirmed = is_done !== is_reopening;
          const what = `race ${race}: ${reasonOf(acted)}`;
          assert.deepEqual(await areConfirmed(world, clearing_ids), [is_confirmed, is_confirmed], what);
          const { history } = await world.read(line(line_id));
          assert.deepEqual(history.length, before.length + (is_done ? 1 : 0), `the acts after ${what}`);
        }
        await assertRebuilt(world, action);
        await there.close();
      },
    }),
  ),
  {
    rule: 'a match with lines and a decision lock no card, and acts that depend on an authorization do',
    async check(open) {
      const world = await ActWorld.on(await open());
      const isLockedBy = async (name: string, act: string): Promise<boolean> => {
        const { key, acts } = await contests[name]!(world);
        const { item } = await world.read(key);
        const locked: number[] = [];
        await acts[act]!(
          world.watchingLocks((ids) => locked.push(...ids)),
          item.id,
          'key:1',
        );
        return locked.includes(world.card_id);
      };
      for (const act of ['match', 'ignore', 'accept']) assert.equal(await isLockedBy('over', act), false, act);
      for (const act of ['match', 'unmatch']) {
        const name = act === 'match' ? 'alone' : 'over';
        assert.equal(await isLockedBy(name, act), true, `${act} of an authorization`);
      }
      assert.equal(await isLockedBy('proposed', 'confirm'), true, 'confirm');
      assert.equal(await isLockedBy('confirmed', 'reopen'), true, 'reopen');
    },
  },
  {
    rule: 'an act beside an arriving clearing and an arriving line leaves what a rebuild would make',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      for (const [name, prepare] of Object.entries(contests)) {
        const world = await ActWorld.on(storage);
        const there = await world.another();
        for (const act of Object.keys((await prepare(world)).acts)) {
          const { key, acts } = await prepare(world);
          const { item, history: before } = await world.read(key);
          const clearing_id = item.clearing_ids[0]!;
          const outcomes = await Promise.allSettled([
            acts[act]!(world, item.id, 'key:1'),
            there.clear({ amount: 20 }),
            there.line({ amount: 30, code: '825' }),
            there.catchUp(),
          ]);
          const [acted, ...arrived] = outcomes;
          assert.deepEqual(
            arrived.map(({ status }) => status).includes('rejected'),
            false,
            `what arrived beside ${act}`,
          );
          if (acted?.status === 'rejected') {
            assert.deepEqual((acted.reason as { readonly code?: string }).code, 'conflict', `${name} ${act}`);
          }
          const { history } = await world.read(clearing(clearing_id));
          const acts_more = acted?.status === 'fulfilled' ? 1 : 0;
          assert.deepEqual(history.length, before.length + acts_more, `${name} ${act}: the history`);
          await assertRebuilt(world, `${name} ${act}`);
        }
        await there.close();
      }
    },
  },
]);

function reasonOf(outcome: PromiseSettledResult<unknown> | undefined): string {
  return outcome?.status === 'rejected' ? String(outcome.reason) : 'done';
}
