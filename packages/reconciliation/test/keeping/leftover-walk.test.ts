import assert from 'node:assert/strict';
import { checkOnStorages } from '@tallystick/test-support';
import { catchUp, itemIdOf, type ReconciliationPorts, type ReconciliationStore, rebuild } from '../../src/index.ts';
import { ActWorld, line } from '../acts/world.ts';

/** Counts the rows that each transaction which may write reads, and keeps the most. */
function countRows({ run, read }: ReconciliationPorts['unitOfWork'], counted: { most: number }) {
  const counting = (store: ReconciliationStore, of_tx: { rows: number }): ReconciliationStore =>
    new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function' || name === 'giveWay') return value;
        return async (...parameters: readonly unknown[]) => {
          const answer: unknown = await Reflect.apply(value, target, parameters);
          if (Array.isArray(answer)) of_tx.rows += answer.length;
          return answer;
        };
      },
    });
  const unitOfWork: ReconciliationPorts['unitOfWork'] = {
    read,
    run: (work) =>
      run(async (tx) => {
        const of_tx = { rows: 0 };
        const result = await work({ events: tx.events, reconciliation: counting(tx.reconciliation, of_tx) });
        counted.most = Math.max(counted.most, of_tx.rows);
        return result;
      }),
  };
  return unitOfWork;
}

checkOnStorages('leftovers that are too many for a step', [
  {
    rule: 'a transaction reads no more of twice as many, and a walk leaves nothing for a rebuild',
    async check(open) {
      const storage = await open();
      const most_rows = [];
      for (const count of [60, 120]) {
        const world = await ActWorld.on(storage);
        for (let at = 0; at < count; at += 1) {
          await world.line({ amount: 400 + at });
          if (at < 60 && at % 20 === 0) await world.clear({ amount: 801 + 2 * at });
        }
        const counted = { most: 0 };
        const ports = { ...world.ports(), unitOfWork: countRows(storage.unitOfWork, counted) };
        await catchUp(ports, world.company_id, { batch_max: 5 });
        // Now all of them are stored, and one more comes.
        counted.most = 0;
        await world.line({ amount: 400 });
        const { is_pending } = await catchUp(ports, world.company_id, { batch_max: 5 });
        assert.equal(is_pending, false, 'what is left');
        const found = await rebuild(world.ports(), { company_id: world.company_id, check_only: true });
        assert.equal(found.items_different + found.entries_different, 0, 'the differences');
        most_rows.push(counted.most);
      }
      const [of_few = 0, of_many = 0] = most_rows;
      assert(
        of_few > 0 && of_many <= of_few,
        `beside 60 lines a transaction reads ${of_few} rows, beside 120 ${of_many}`,
      );
    },
  },
  {
    rule: 'a person may match a leftover at any step of a walk, which leaves nothing for a rebuild',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      let is_walking = true;
      let steps = 0;
      for (; is_walking; steps += 1) {
        const world = await ActWorld.on(storage);
        // Each of two lines makes up the clearing, so neither is chosen while both are left over.
        await world.clear({ amount: 1_000 });
        const line_id = await world.line({ amount: 1_000 });
        await world.line({ amount: 1_000 });
        const elsewhere = { amount: 1_000, settlement_date: '2026-09-20' };
        const clearing_id = await world.clear(elsewhere);
        await world.catchUp();
        // With one more they are too many for a step. The walk writes its sets after it has read all.
        await world.line({ amount: 77, date: '2026-05-15' });
        const options = { steps_max: 1, leftovers_max: 2, walks: new Map() };
        const step = () => catchUp(world.ports(), world.company_id, options);
        for (let at = 0; at <= steps && is_walking; at += 1) is_walking = (await step()).is_pending;
        await world.actOn(itemIdOf(line(line_id)), 'match', { with: { clearing_ids: [clearing_id] } });
        while ((await step()).is_pending);
        await world.catchUp();
        const found = await rebuild(world.ports(), { company_id: world.company_id, check_only: true });
        assert.equal(found.items_different + found.entries_different, 0, `matched after ${steps + 1} steps`);
      }
      assert(steps > 2, `the walk has ${steps} steps`);
    },
  },
  {
    rule: 'a walk writes nothing more when another one over its dates has ended',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      for (let steps = 1; steps <= 12; steps += 1) {
        const world = await ActWorld.on(storage);
        await world.clear({ amount: 1_000 });
        const line_id = await world.line({ amount: 1_000 });
        await world.line({ amount: 1_000 });
        const clearing_id = await world.clear({ amount: 1_000, settlement_date: '2026-09-20' });
        for (const amount of [501, 502, 503]) await world.line({ amount, date: '2026-12-01' });
        await world.catchUp();
        await world.line({ amount: 77, date: '2026-05-15' });
        const walking = { steps_max: 1, leftovers_max: 2, walks: new Map() };
        const other = { steps_max: 1, leftovers_max: 2, walks: new Map() };
        const step = (options: typeof walking) => catchUp(world.ports(), world.company_id, options);
        for (let at = 0; at < steps; at += 1) await step(walking);
        while ((await step(other)).is_pending);
        await world.actOn(itemIdOf(line(line_id)), 'match', { with: { clearing_ids: [clearing_id] } });
        // Elsewhere one more is too much for a step, so the first walk goes on.
        await world.line({ amount: 504, date: '2026-12-01' });
        while ((await step(walking)).is_pending);
        const found = await rebuild(world.ports(), { company_id: world.company_id, check_only: true });
        assert.equal(found.items_different + found.entries_different, 0, `overtaken after ${steps} steps`);
      }
    },
  },
  {
    rule: 'what changes during a walk is found after its last write, also when another process joins it',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      await world.clear({ amount: 1_000 });
      const line_id = await world.line({ amount: 1_000 });
      await world.line({ amount: 1_000 });
      const clearing_id = await world.clear({ amount: 1_000, settlement_date: '2026-09-20' });
      await world.catchUp();
      await world.line({ amount: 77, date: '2026-05-15' });
      const walking = { steps_max: 1, leftovers_max: 2, walks: new Map() };
      const other = { steps_max: 1, leftovers_max: 2, walks: new Map() };
      const step = (options: typeof walking) => catchUp(world.ports(), world.company_id, options);
      await step(walking);
      await world.actOn(itemIdOf(line(line_id)), 'match', { with: { clearing_ids: [clearing_id] } });
      for (let at = 0; at < 2; at += 1) await step(other);
      // The first walk has read the line before the match.
      await step(walking);
      while ((await step(other)).is_pending);
      const found = await rebuild(world.ports(), { company_id: world.company_id, check_only: true });
      assert.equal(found.items_different + found.entries_different, 0, 'the differences');
    },
  },
]);
