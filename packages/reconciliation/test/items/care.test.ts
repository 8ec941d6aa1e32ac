import assert from 'node:assert/strict';
import { Refusal } from '@tallystick/kernel';
import { checkOnStorages } from '@tallystick/test-support';
import { assignItem, commentOnItem, explainItem, itemIdOf, type RecordKey } from '../../src/index.ts';
import { ActWorld, clearing, line } from '../acts/world.ts';

const say = (world: ActWorld, record: RecordKey, text: unknown, actor?: string) =>
  world.storage.unitOfWork.run((tx) => commentOnItem(tx, world.call(actor), itemIdOf(record), { text }));

const assign = (world: ActWorld, record: RecordKey, assignee: unknown) =>
  world.storage.unitOfWork.run((tx) => assignItem(tx, world.call(), itemIdOf(record), { assignee }));

const joining = ({ id }: RecordKey) => ({ with: { line_ids: [id] }, accept_difference: true, reason: 'rounding' });

async function commentsAt(world: ActWorld, record: RecordKey): Promise<readonly string[]> {
  await world.catchUp();
  const found = await world.storage.unitOfWork.read((tx) => explainItem(tx, world.call(), itemIdOf(record)));
  return found.comments.map(({ actor, text }) => `${actor}: ${text}`);
}

async function loneRecords(world: ActWorld): Promise<readonly [RecordKey, RecordKey]> {
  const own = clearing(await world.clear({ merchant_id: `C${world.company_id}` }));
  const booked = line(await world.line({ amount: 990 }));
  await world.catchUp();
  return [own, booked];
}

checkOnStorages('who takes care of an item', [
  {
    rule: 'comments follow their record when items merge and come apart, and change no version',
    async check(open) {
      const world = await ActWorld.on(await open());
      const [own, booked] = await loneRecords(world);
      await say(world, own, 'asked the shop', 'key:2');
      await say(world, booked, ' card 4111 1111 1111 1111\nis not ours ');
      const { item } = await world.read(own);
      const masked = 'key:1: card ************1111\nis not ours';
      assert.deepEqual(await commentsAt(world, own), ['key:2: asked the shop']);
      const merged = await world.actOn(item.id, 'match', { ...joining(booked), version: item.version });
      assert.deepEqual(await commentsAt(world, own), ['key:2: asked the shop', masked]);
      await world.actOn(merged.id, 'unmatch', { side: 'statement' });
      assert.deepEqual(await commentsAt(world, own), ['key:2: asked the shop']);
      assert.deepEqual(await commentsAt(world, booked), [masked]);
    },
  },
  {
    rule: 'the item that stays keeps its assignee, else takes that of the other, and each part that comes apart has it',
    async check(open) {
      const world = await ActWorld.on(await open());
      const [own, booked] = await loneRecords(world);
      const assigned = await assign(world, booked, ' anna ');
      assert.equal(assigned.assignee, 'anna');
      assert.equal((await world.read(booked)).item.version, assigned.version, 'the version');
      const merged = await world.act(own, 'match', joining(booked));
      assert.equal(merged.assignee, 'anna', 'of the merged item');
      await assign(world, own, 'ben');
      await world.act(own, 'unmatch', { side: 'statement' });
      const parts = [await world.read(own), await world.read(booked)];
      assert.deepEqual(
        parts.map(({ item }) => item.assignee),
        ['ben', 'ben'],
      );
      await assign(world, own, null);
      await assign(world, own, null);
      assert.equal((await world.read(own)).item.assignee, null);
      const { items } = await world.storage.unitOfWork.read((tx) =>
        tx.audit.list({ company_id: world.company_id, action: 'reconciliation.assigned' }, { limit: 10 }),
      );
      assert.equal(items.length, 3, 'audited assignments that made a difference');
    },
  },
  {
    rule: 'refuses comments and assignees that are blank, too long or not printable, and the items of others',
    async check(open) {
      const world = await ActWorld.on(await open());
      const [own] = await loneRecords(world);
      const refused = (work: Promise<unknown>, code: string) =>
        assert.rejects(work, (error) => error instanceof Refusal && error.code === code);
      for (const text of [undefined, '', ' \n', '\u200b\u202e', 'a\u0007', 'é'.repeat(2_001), 5]) {
        await refused(say(world, own, text), 'validation_failed');
      }
      for (const name of [undefined, '', ' ', '\u2066', 'none', 'a\nb', 'x'.repeat(101), 7]) {
        await refused(assign(world, own, name), 'validation_failed');
      }
      const other = await ActWorld.on(world.storage);
      await refused(say(other, own, 'hello'), 'not_found');
      await refused(assign(other, own, 'anna'), 'not_found');
    },
  },
]);
