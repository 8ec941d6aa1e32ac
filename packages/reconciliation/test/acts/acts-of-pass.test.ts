import assert from 'node:assert/strict';
import { checkOnStorages } from '@tallystick/test-support';
import { type PlannedAct, withSeenActs } from '../../src/acts/act-in-pass.ts';
import { undoDecisions } from '../../src/acts/table/undo-decisions.ts';
import { type ActKind, type RecordKey, recordsOf } from '../../src/index.ts';
import { itemIdOf } from '../../src/item-id.ts';
import { ActWorld, areConfirmed, authorization, clearing, line, proposeTwo } from './world.ts';

checkOnStorages('an act that a pass makes', [
  {
    rule: 'has seen the newest act on each item that it changes: its own, and those of its other records',
    async check(open) {
      const world = await ActWorld.on(await open());
      const clearing_id = await world.clear({ amount: 400 });
      const authorization_id = await world.authorize({ amount: 900 });
      const [own, other] = [clearing(clearing_id), authorization(authorization_id)];
      const newest = async (record: RecordKey) => (await world.read(record)).history.at(-1)?.id ?? 0;
      const pair = { clearing_id, authorization_id };
      const seenOf = async (of: RecordKey, matched: typeof pair | null, rematched_ids: readonly number[] = []) => {
        const subject = {
          fingerprint: '',
          pairs: [],
          authorization: matched,
          confirmed: [],
          rule: null,
          accepted: null,
        };
        const rematches = rematched_ids.map((id) => ({ clearing: { id } }));
        const situation = { ...(await world.read(of)), call: world.call(), request: { approved: null } };
        const planned = { situation, plan: { subject, rematches } };
        const planneds = [planned as unknown as PlannedAct];
        const [act] = await world.storage.unitOfWork.run((tx) => withSeenActs(tx, world.call(), planneds));
        return act!.seen_acts;
      };
      const { item } = await world.read(own);
      const records = [...recordsOf(item), ...recordsOf((await world.read(other)).item)].map(itemIdOf);
      const before = await seenOf(own, pair);
      assert.deepEqual([before.newest_id, before.records.toSorted()], [0, records.toSorted()], 'before any act');
      await world.act(own, 'ignore');
      assert.deepEqual((await seenOf(own, pair)).newest_id, await newest(own), 'after an act on its item');
      assert.deepEqual((await seenOf(own, null)).newest_id, await newest(own), 'of its item alone');
      const of_matched = await seenOf(other, null, [clearing_id]);
      assert.deepEqual(of_matched.newest_id, await newest(own), 'of the item of a clearing that it matches');
      await world.act(other, 'ignore');
      assert.deepEqual((await seenOf(own, pair)).newest_id, await newest(other), 'after an act on the other item');
    },
  },
  {
    rule: 'is undone only when it was recorded: an older or another act on its item stands',
    async check(open) {
      const world = await ActWorld.on(await open());
      const { line_id, clearing_ids } = await proposeTwo(world);
      await world.act(line(line_id), 'confirm');
      const { item, history } = await world.read(line(line_id));
      const { id, actor, note, subject } = history.at(-1)!;
      const recorded = {
        after_id: id - 1,
        action: 'confirm' as ActKind,
        actor,
        note,
        fingerprint: subject.fingerprint,
      };
      const undo = async (change: Partial<typeof recorded>) => {
        const made = { item_id: item.id, ...recorded, ...change, undone: null };
        const kept = await undoDecisions(world.ports(), world.call(), [made]);
        assert.deepEqual(kept, [], JSON.stringify(change));
        return await areConfirmed(world, clearing_ids);
      };
      for (const change of [
        { after_id: id },
        { action: 'match' as const },
        { actor: 'key:9' },
        { note: 'of another table' },
        { fingerprint: 'of other records' },
      ]) {
        assert.deepEqual(await undo(change), [true, true], JSON.stringify(change));
      }
      assert.deepEqual(await undo({}), [false, false], 'the act as it was recorded');
    },
  },
]);
