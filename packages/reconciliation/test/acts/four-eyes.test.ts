import assert from 'node:assert/strict';
import { refusalOf } from '@tallystick/harness';
import { type FourEyes, Refusal } from '@tallystick/kernel';
import { checkOnStorages, propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  type ActKind,
  type Approval,
  actOnItem,
  approve,
  changeTolerances,
  closePeriod,
  decideByTable,
  type Item,
  isApproval,
  listApprovals,
  listPeriods,
  type RecordKey,
  refuse,
  reopenPeriod,
  withdraw,
} from '../../src/index.ts';
import { ActWorld, assertRebuilt, clearing, Ended, endingAfter, line, proposeTwo, tableOf } from './world.ts';

/** Anna asks, Ben and Cleo decide. */
const [anna, ben, cleo] = ['person:1', 'person:2', 'key:3'];

async function require(world: ActWorld, four_eyes: FourEyes | null): Promise<void> {
  await world.storage.unitOfWork.run(async ({ companies }) => {
    const company = await companies.find(world.company_id, { for_update: true });
    await companies.update({ ...company!, four_eyes });
  });
}

/** A company where an act above 5.00 USD needs a second person. */
async function guarded(open: Parameters<Parameters<typeof checkOnStorages>[1][0]['check']>[0]): Promise<ActWorld> {
  const world = await ActWorld.on(await open());
  await require(world, { above: { USD: 500 } });
  return world;
}

async function askFor(world: ActWorld, record: RecordKey, action: ActKind = 'accept', request: object = {}) {
  const { item } = await world.read(record);
  const asked = { note: 'agreed with the shop', version: item.version, ...request };
  const found = await actOnItem(world.ports(), world.call(anna), item.id, action, asked);
  assert.ok(isApproval(found), `${action} waits for a second person`);
  return found;
}

const yes = (world: ActWorld, { id }: Approval, actor = ben, note: string | null = null) =>
  approve(world.ports(), world.call(actor), id, { note });
const no = (world: ActWorld, { id }: Approval, actor = cleo) =>
  refuse(world.ports(), world.call(actor), id, { note: 'it is another purchase' });

const takeBack = (world: ActWorld, { id }: Approval, actor = anna) =>
  withdraw(world.ports(), world.call(actor), id, {});

/** What a person does with an act that waits. */
const decisions: Readonly<Record<string, (world: ActWorld, asked: Approval, actor?: string) => Promise<Approval>>> = {
  approve: yes,
  refuse: no,
  withdraw: takeBack,
};

/** A small clearing and a large line, as two items, and the request to match them. */
async function twoToMatch(world: ActWorld) {
  const key = clearing(await world.clear({ amount: 400 }));
  const line_id = await world.line({ amount: 900 });
  const request = { with: { line_ids: [line_id] }, accept_difference: true, reason: 'rounding' };
  return { key, other: line(line_id), request };
}

async function statusOf(world: ActWorld, { id }: Approval): Promise<Approval['status']> {
  const found = await world.storage.unitOfWork.read((tx) => tx.reconciliation.findApproval(world.company_id, id));
  return found!.status;
}

const openOn = (world: ActWorld, record: RecordKey) =>
  world.storage.unitOfWork.read((tx) => tx.reconciliation.openApprovals(world.company_id, [record]));

async function eventsOf(world: ActWorld): Promise<readonly string[]> {
  const { items } = await world.storage.unitOfWork.read((tx) => tx.events.list(world.company_id, [], { limit: 200 }));
  const types = items.map(({ event_type }) => event_type).filter((type) => type.startsWith('reconciliation.approval.'));
  return types.map((type) => type.split('.')[2]!).toReversed();
}

async function actsOn(world: ActWorld, record: RecordKey): Promise<readonly string[]> {
  const { history } = await world.read(record);
  return history.map(({ actor, action, subject }) => `${actor} ${action} ${subject.approved?.approved_by ?? '-'}`);
}

const codesOf = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'done' : (outcome.reason as Refusal).code)).sort();

const shown = ({ status, version, kind }: Item) => ({ status, version, kind });

checkOnStorages('four eyes', [
  {
    rule: 'an act above the amount waits, changes nothing, and is done with both names once another person approves it',
    async check(open) {
      const world = await guarded(open);
      const key = clearing(await world.clear());
      const before = (await world.read(key)).item;
      const asked = await askFor(world, key);
      assert.deepEqual(
        [asked.status, asked.amount, asked.currency, asked.asked_by, asked.version],
        ['pending', 1_000, 'USD', anna, before.version],
      );
      assert.deepEqual(shown((await world.read(key)).item), shown(before), 'the item while the act waits');
      const own = await refusalOf(yes(world, asked, anna), 'her own act');
      assert.deepEqual([own.code, /needs another person: person:1 asked/.test(own.message)], ['forbidden', true]);
      assert.equal((await refusalOf(no(world, asked, anna), 'her own act')).code, 'forbidden');
      assert.equal((await yes(world, asked, ben, 'I saw the receipt')).status, 'approved');
      assert.equal((await world.read(key)).item.status, 'accepted');
      assert.deepEqual(await actsOn(world, key), [`${anna} accept ${ben}`]);
      const again = await refusalOf(yes(world, asked, cleo), 'what was approved');
      assert.match(again.message, /was approved by person:2/);
      assert.deepEqual(await eventsOf(world), ['asked', 'approved']);
      await assertRebuilt(world, 'after the approval');
    },
  },
  {
    rule: 'an act or a tolerance at the amount needs one person, and each act in a currency without an amount two',
    async check(open) {
      const world = await guarded(open);
      const small = clearing(await world.clear({ amount: 500 }));
      assert.equal((await world.act(small, 'accept', {}, anna)).status, 'accepted');
      const tolerate = (amount: number) =>
        world.storage.unitOfWork.run((tx) => changeTolerances(tx, world.call(anna), { USD: amount }));
      assert.match((await refusalOf(tolerate(501), 'a tolerance')).message, /^USD must be at most 500, not 501/);
      await tolerate(500);
      await require(world, { above: { EUR: 500 } });
      assert.equal((await askFor(world, small, 'reopen')).amount, 500);
      await require(world, null);
      const other = clearing(await world.clear());
      assert.equal((await world.act(other, 'ignore', {}, anna)).status, 'ignored');
    },
  },
  {
    rule: 'a match has the amount of what it names, so that a small item leads to no large one',
    async check(open) {
      const world = await guarded(open);
      const small = clearing(await world.clear({ amount: 500 }));
      const large_id = await world.line({ amount: 900 });
      const request = { with: { line_ids: [large_id] }, accept_difference: true, reason: 'rounding' };
      const asked = await askFor(world, small, 'match', request);
      assert.equal(asked.amount, 900);
      assert.equal((await yes(world, asked)).status, 'approved');
      assert.deepEqual((await world.read(small)).item.line_ids, [large_id]);
    },
  },
  {
    rule: 'a match has the sum of what it brings together, and the difference that it accepts',
    async check(open) {
      const world = await guarded(open);
      const matchOf = async (cleared: number, lines: readonly number[]) => {
        const key = clearing(await world.clear({ amount: cleared }));
        const line_ids: number[] = [];
        for (const amount of lines) line_ids.push(await world.line({ amount }));
        return [key, { with: { line_ids }, accept_difference: true, reason: 'rounding' }] as const;
      };
      const [small, request] = await matchOf(500, [250, 240]);
      assert.equal((await world.act(small, 'match', request, anna)).stated, 490);
      for (const [lines, amount] of [
        [[500, 500, 500], 1_500],
        [[-300], 700],
      ] as const) {
        const [key, request] = await matchOf(400, lines);
        assert.equal((await askFor(world, key, 'match', request)).amount, amount);
      }
    },
  },
  {
    rule: 'while an act waits, each other act on the item is refused with its name, and is possible after a refusal',
    async check(open) {
      const world = await guarded(open);
      const key = clearing(await world.clear());
      const asked = await askFor(world, key, 'ignore');
      for (const actor of [anna, ben]) {
        const { code, message } = await refusalOf(world.act(key, 'accept', {}, actor), actor!);
        assert.deepEqual([code, message.includes(`approval ${asked.id} (`)], ['conflict', true], message);
      }
      const booked = line(await world.line({ amount: 100 }));
      const joining = world.act(booked, 'match', { with: { clearing_ids: [key.id] } }, ben);
      assert.match((await refusalOf(joining, 'a match with it')).message, new RegExp(`approval ${asked.id} `));
      const refused = await no(world, asked);
      assert.deepEqual(
        [refused.status, refused.decided_by, refused.decided_note],
        ['refused', cleo, 'it is another purchase'],
      );
      assert.deepEqual(await actsOn(world, key), []);
      await askFor(world, key, 'accept');
      assert.deepEqual(await eventsOf(world), ['asked', 'refused', 'asked']);
      const filter = { status: 'refused', asked_by: anna! } as const;
      const { items } = await world.storage.unitOfWork.read((tx) =>
        listApprovals(tx, world.call(), filter, { limit: 5 }),
      );
      assert.deepEqual(items, [refused]);
    },
  },
  {
    rule: 'while a match waits, each act on what it names is refused as well, also by a table, until it has ended',
    on_postgres: true,
    async check(open) {
      const world = await guarded(open);
      const { key, other, request } = await twoToMatch(world);
      const cleared_id = await world.clear({ amount: 850 });
      const acts: Readonly<Record<string, (record: RecordKey) => Promise<unknown>>> = {
        ignore: (record) => world.act(record, 'ignore', {}, ben),
        match: (record) => world.act(record, 'match', { with: { clearing_ids: [cleared_id] } }, ben),
        table: async (record) => {
          const { item } = await world.read(record);
          const row = { id: String(item.id), version: String(item.version), decision: 'ignore', note: 'not ours' };
          await decideByTable(world.ports(), world.call(ben), tableOf([row]), { dry_run: false });
        },
      };
      const endings = { refuse: no, withdraw: takeBack } as const;
      for (const [how, end] of Object.entries(endings)) {
        const asked = await askFor(world, key, 'match', request);
        assert.equal((await openOn(world, other))[0]?.id, asked.id, 'it is open on the line');
        for (const [what, act] of Object.entries(acts)) {
          const { message } = await refusalOf(act(other), `${what} of the line`);
          assert.match(message, new RegExp(`approval ${asked.id} .*no other act`), what);
        }
        await end(world, asked);
        assert.deepEqual(await openOn(world, other), [], how);
      }
      const asked = await askFor(world, key, 'match', request);
      assert.equal((await yes(world, asked)).status, 'approved', 'nobody could outdate it');
      assert.equal((await askFor(world, other, 'unmatch')).status, 'pending', 'the line is free');
    },
  },
  {
    rule: 'of an act and a request to match its item with another one, at once, one is refused',
    on_postgres: true,
    async check(open) {
      const world = await guarded(open);
      const another = await world.another();
      for (let races = 0; races < 6; races += 1) {
        const { key, other, request } = await twoToMatch(world);
        await world.catchUp();
        const { id } = (await world.read(key)).item;
        const asks = () => actOnItem(world.ports(), world.call(anna), id, 'match', { note: 'seen', ...request });
        const acts = () => askFor(another, other, 'ignore', { version: null });
        const outcomes = await Promise.allSettled(races % 2 === 0 ? [asks(), acts()] : [acts(), asks()]);
        assert.deepEqual(codesOf(outcomes), ['conflict', 'done'], `race ${races}`);
        assert.equal((await openOn(world, other)).length, 1, `race ${races}`);
      }
    },
  },
  {
    rule: 'an act whose pass comes after the request of another person is refused, and outdates nothing',
    on_postgres: true,
    async check(open) {
      const world = await guarded(open);
      const { key, request } = await twoToMatch(world);
      const authorization_id = await world.authorize({ amount: 400 });
      await world.catchUp();
      let asked: Approval | undefined;
      const network = {
        async rematch(message: Parameters<typeof world.network.rematch>[0]) {
          asked ??= await askFor(world, key, 'match', request);
          return await world.network.rematch(message);
        },
      };
      const { id } = (await world.read(key)).item;
      const acting = actOnItem({ ...world.ports(), network }, world.call(ben), id, 'match', {
        note: 'seen',
        with: { authorization_id },
      });
      const { code, message } = await refusalOf(acting, 'the match with the authorization');
      assert.deepEqual([code, /waits for a second person/.test(message)], ['conflict', true], message);
      assert.equal((await yes(world, asked!)).status, 'approved');
    },
  },
  {
    rule: 'only the one who asked withdraws an act, once and before it is decided; then it is possible again',
    on_postgres: true,
    async check(open) {
      const world = await guarded(open);
      const key = clearing(await world.clear());
      const asked = await askFor(world, key);
      const other = await refusalOf(takeBack(world, asked, ben), 'the act of another person');
      assert.deepEqual([other.code, /is withdrawn by person:1 alone/.test(other.message)], ['forbidden', true]);
      const { status, decided_by } = await takeBack(world, asked);
      assert.deepEqual([status, decided_by], ['withdrawn', anna]);
      assert.match((await refusalOf(takeBack(world, asked), 'again')).message, /was withdrawn by person:1 at/);
      assert.equal((await refusalOf(yes(world, asked), 'its approval')).code, 'conflict');
      assert.deepEqual(await actsOn(world, key), []);
      const again = await askFor(world, key);
      await yes(world, again);
      assert.match((await refusalOf(takeBack(world, again), 'what was done')).message, /was approved by person:2/);
      assert.deepEqual(await eventsOf(world), ['asked', 'withdrawn', 'asked', 'approved']);
    },
  },
  {
    rule: 'an act on an item that has changed meanwhile is outdated when it is approved, and is not done',
    async check(open) {
      const world = await guarded(open);
      const root_id = await world.authorize({ merchant_id: 'O1' });
      const key = { kind: 'authorization', id: root_id } as const;
      const asked = await askFor(world, key, 'ignore');
      await world.clear({ merchant_id: 'O1' });
      await world.catchUp();
      const { code, message } = await refusalOf(yes(world, asked), 'the approval');
      assert.deepEqual([code, /has version .* is outdated, and nothing was done/s.test(message)], ['conflict', true]);
      assert.deepEqual([await statusOf(world, asked), await actsOn(world, key)], ['outdated', []]);
      assert.deepEqual(await eventsOf(world), ['asked', 'outdated']);
    },
  },
  {
    rule: 'the rows of a table above the amount wait, the others are decided, and the same table again changes nothing',
    async check(open) {
      const world = await guarded(open);
      const keys = [clearing(await world.clear({ amount: 400 })), clearing(await world.clear({ amount: 700 }))];
      await world.catchUp();
      const items = await Promise.all(keys.map(async (key) => (await world.read(key)).item));
      const rows = items.map(({ id, version }) => ({
        id: String(id),
        version: String(version),
        decision: 'accept',
        note: 'agreed',
      }));
      const decide = (dry_run: boolean) => decideByTable(world.ports(), world.call(anna), tableOf(rows), { dry_run });
      const counts = { dry_run: false, rows: 2, skipped: 0, decided: 1, pending: 1, unchanged: 0 };
      const none = { errors: [], errors_total: 0 };
      assert.deepEqual(await decide(true), { ...counts, dry_run: true, ...none });
      assert.deepEqual(await decide(false), { ...counts, ...none });
      assert.deepEqual(await decide(false), { ...counts, decided: 0, unchanged: 1, ...none });
      assert.deepEqual(await eventsOf(world), ['asked']);
      const {
        items: [asked],
      } = await world.storage.unitOfWork.read((tx) => listApprovals(tx, world.call(), {}, { limit: 5 }));
      await yes(world, asked!);
      assert.deepEqual(await decide(false), { ...counts, decided: 0, pending: 0, unchanged: 2, ...none });
    },
  },
  {
    rule: 'a table that cannot be decided leaves no act that waits',
    async check(open) {
      const world = await guarded(open);
      const keys = [clearing(await world.clear({ amount: 700 })), ...(await manySmall(world))];
      const items = await Promise.all(keys.map(async (key) => (await world.read(key)).item));
      const rows = items.map(({ id, version }) => ({
        id: String(id),
        version: String(version),
        decision: 'accept',
        note: 'agreed',
      }));
      let readings = 0;
      const table = tableOf(rows, async () => {
        readings += 1;
        if (readings === 2) await world.act(keys.at(-1)!, 'ignore', {}, cleo);
      });
      const work = decideByTable(world.ports(), world.call(anna), table, { dry_run: false });
      assert.equal((await refusalOf(work, 'the table')).code, 'conflict');
      assert.deepEqual(await eventsOf(world), ['asked', 'outdated']);
      assert.equal((await askFor(world, keys[0]!)).status, 'pending');
    },
  },
  {
    rule: 'a period is closed and reopened only by two',
    on_postgres: true,
    async check(open) {
      const world = await guarded(open);
      const through = { closed_through: '2026-05-31' };
      const close = (actor: string) => closePeriod(world.ports(), world.call(actor), through);
      const asked = await Promise.allSettled([close(anna!), close(ben!)]);
      assert.deepEqual(codesOf(asked), ['conflict', 'done'], 'two asks at once');
      const [first] = asked.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
      assert.ok(isApproval(first!));
      const periods = async () =>
        (await world.storage.unitOfWork.read((tx) => listPeriods(tx, world.call(), { limit: 5 }))).items;
      assert.deepEqual(await periods(), []);
      await yes(world, first, cleo);
      const [period] = await periods();
      assert.deepEqual([period!.status, period!.closed_by], ['closed', first.asked_by]);
      const reopening = await reopenPeriod(world.ports(), world.call(anna), period!.id, { note: 'late files' });
      assert.ok(isApproval(reopening));
      assert.equal((await yes(world, reopening)).status, 'approved');
      assert.deepEqual(
        (await periods()).map(({ status, reopened_by }) => [status, reopened_by]),
        [['reopened', anna]],
      );
    },
  },
  {
    rule: 'of an approval, a refusal and other acts at once, the act is done once or not at all',
    on_postgres: true,
    async check(open) {
      const world = await guarded(open);
      const other = await world.another();
      const { line_id } = await proposeTwo(world);
      const makeKey: readonly (() => Promise<readonly [RecordKey, ActKind]>)[] = [
        async () => [clearing(await world.clear()), 'accept'],
        // Its matches of cards are made in a pass.
        async () => [line(line_id), 'confirm'],
      ];
      for (const make of makeKey) {
        const [key, action] = await make();
        const before = (await world.read(key)).item;
        const asking = [world, other].map((its) =>
          actOnItem(its.ports(), its.call(anna), before.id, action, { note: 'seen', version: before.version }),
        );
        const asks = await Promise.allSettled(asking);
        assert.deepEqual(codesOf(asks), ['conflict', 'done'], `two asks to ${action}`);
        const [asked] = asks.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
        assert.ok(isApproval(asked!));
        const outcomes = await Promise.allSettled([
          yes(world, asked),
          yes(other, asked, cleo),
          no(other, asked),
          other.act(key, 'ignore', {}, ben),
          takeBack(other, asked),
        ]);
        const ended = await statusOf(world, asked);
        const acts = await actsOn(world, key);
        assert.ok(['approved', 'refused', 'withdrawn'].includes(ended), ended);
        assert.equal(acts.length, ended === 'approved' ? 1 : 0, `${action}: ${acts}`);
        assert.equal(outcomes[3]!.status, 'rejected', 'the other act while it waited or after it was done');
        assert.equal(outcomes[2]!.status, ended === 'refused' ? 'fulfilled' : 'rejected', 'the refusal');
        assert.equal(outcomes[4]!.status, ended === 'withdrawn' ? 'fulfilled' : 'rejected', 'the withdrawal');
        await assertRebuilt(world, `after ${action}`);
      }
    },
  },
  {
    rule: 'whoever does what in any order, no act above the amount has one person alone, and none is done twice',
    async check(open) {
      const storage = await open();
      const doings = fc.array(
        fc.record({
          who: fc.constantFrom(anna!, ben!, cleo!),
          item: fc.nat(2),
          what: fc.constantFrom('accept', 'ignore', 'reopen', 'approve', 'approve', 'refuse', 'withdraw'),
        }),
        { minLength: 4, maxLength: 14 },
      );
      await fc.assert(
        fc.asyncProperty(doings, async (done) => {
          const world = await ActWorld.on(storage);
          await require(world, { above: { USD: 500 } });
          const keys: RecordKey[] = [];
          for (const amount of [500, 501, 9_000]) keys.push(clearing(await world.clear({ amount })));
          for (const { who, item, what } of done) {
            const { id } = (await world.read(keys[item]!)).item;
            const [open_one] = await openOn(world, keys[item]!);
            const decide = decisions[what];
            const work =
              decide !== undefined
                ? decide(world, open_one ?? ({ id: 0 } as Approval), who)
                : actOnItem(world.ports(), world.call(who), id, what as ActKind, { note: 'seen' });
            await work.catch((error: unknown) => assert.ok(error instanceof Refusal, String(error)));
            assert.ok((await openOn(world, keys[item]!)).length <= 1, 'one act waits for an item');
          }
          const { items } = await storage.unitOfWork.read((tx) =>
            listApprovals(tx, world.call(), { status: 'approved' }, { limit: 50 }),
          );
          const acts = await Promise.all(keys.map(async (key) => (await world.read(key)).history));
          for (const { subject } of acts[0]!) assert.equal(subject.approved, null, 'at the amount');
          const large = acts.slice(1).flat();
          for (const { actor, subject } of large) assert.notEqual(subject.approved!.approved_by, actor);
          const ids = (found: readonly number[]) => found.toSorted((a, b) => a - b);
          assert.deepEqual(
            ids(large.map(({ subject }) => subject.approved!.approval_id)),
            ids(items.map(({ id }) => id)),
            'each approved act is done once',
          );
        }),
        propertyParameters({ short: 8, full: 60 }),
      );
    },
  },
  {
    rule: 'an approval whose process ends anywhere is completed by approving it again, and its act is done once',
    async check(open) {
      const world = await guarded(open);
      const made: (() => Promise<readonly [RecordKey, ActKind]>)[] = [
        async () => [clearing(await world.clear()), 'accept'],
        async () => [line((await proposeTwo(world)).line_id), 'confirm'],
      ];
      for (const make of made) {
        for (let steps = 0, has_ended = true; has_ended; steps += 1) {
          const [key, action] = await make();
          const asked = await askFor(world, key, action);
          has_ended = await approve(endingAfter(steps, world.ports()), world.call(ben), asked.id, {}).then(
            () => false,
            (error: unknown) => {
              assert.ok(error instanceof Ended, String(error));
              return true;
            },
          );
          if (has_ended && (await statusOf(world, asked)) !== 'approved') await yes(world, asked, cleo);
          assert.equal(await statusOf(world, asked), 'approved', `${action}, ${steps} steps`);
          assert.equal((await actsOn(world, key)).length, 1, `${action}, ${steps} steps`);
          assert.ok(steps < 60, 'the process comes to its end');
        }
      }
    },
  },
]);

/** More items than one transaction writes. */
async function manySmall(world: ActWorld): Promise<readonly RecordKey[]> {
  const keys: RecordKey[] = [];
  for (let at = 0; at < 11; at += 1) keys.push(clearing(await world.clear({ amount: 100 + at })));
  await world.catchUp();
  return keys;
}
