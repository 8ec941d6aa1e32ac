import assert from 'node:assert/strict';
import { checkOnStorages } from '@tallystick/test-support';
import { catchUp, type ReconciliationPorts, rebuild } from '../../src/index.ts';
import { ActWorld } from '../acts/world.ts';

checkOnStorages('a rebuild', [
  {
    rule: 'of all companies rebuilds each of them once',
    async check(open) {
      const storage = await open();
      const rebuildAll = (world: ActWorld) => rebuild(world.ports(), { company_id: null, check_only: false });
      const before = await rebuildAll(await ActWorld.on(storage));
      const worlds = [await ActWorld.on(storage), await ActWorld.on(storage)] as const;
      for (const world of worlds) await world.line();
      const { companies, items } = await rebuildAll(worlds[0]);
      assert.deepEqual([companies - before.companies, items - before.items], [2, 2], 'those of two more companies');
      for (const world of worlds) assert.equal((await world.items()).length, 1);
    },
  },
  {
    rule: 'locks the company no more often for three times the records while nothing differs',
    async check(open) {
      const storage = await open();
      const locks = [];
      for (const count of [2, 6]) {
        const world = await ActWorld.on(storage);
        for (let at = 0; at < count; at += 1) await world.line({ amount: 70 + at });
        await world.catchUp();
        let locked = 0;
        const unitOfWork: ReconciliationPorts['unitOfWork'] = {
          read: (work) => storage.unitOfWork.read(work),
          run(work) {
            locked += 1;
            return storage.unitOfWork.run(work);
          },
        };
        const ports = { ...world.ports(), unitOfWork };
        const { records } = await rebuild(ports, { company_id: world.company_id, check_only: false, batch_max: 1 });
        assert.equal(records, count);
        locks.push(locked);
      }
      assert.equal(locks[1], locks[0], `the transactions that may write: ${locks}`);
    },
  },
  {
    rule: 'notes what it writes while a walk looks for covering sets, so that the next walk finds them again',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const reference = '74123456061000000123457';
      await world.clear({ amount: 1_000, acquirer_reference_data: reference });
      for (const amount of [1_000, 1_000]) await world.line({ amount });
      await world.catchUp();
      const options = { steps_max: 1, leftovers_max: 2, walks: new Map() };
      const step = () => catchUp(world.ports(), world.company_id, options);
      const { unitOfWork, ...ports } = world.ports();
      let phase = '';
      const meanwhile = new Map([
        [
          'entries',
          async () => {
            await world.line({ amount: 77, date: '2026-05-15' });
            // The walk has read the clearing, which the rebuild pairs with the line that arrives now.
            await step();
            await world.line({ amount: 1_000, reference });
          },
        ],
        [
          'items',
          async () => {
            while ((await step()).is_pending);
          },
        ],
      ]);
      const interrupted: ReconciliationPorts['unitOfWork'] = {
        run: (work) => unitOfWork.run(work),
        async read(work) {
          const act = meanwhile.get(phase);
          meanwhile.delete(phase);
          await act?.();
          return await unitOfWork.read(work);
        },
      };
      await rebuild(
        { ...ports, unitOfWork: interrupted },
        {
          company_id: world.company_id,
          check_only: false,
          onProgress: (progress) => {
            phase = progress.phase;
          },
        },
      );
      assert.equal(meanwhile.size, 0, 'what is left to do meanwhile');
      const found = await rebuild(world.ports(), { company_id: world.company_id, check_only: true });
      assert.equal(found.items_different + found.entries_different, 0, 'the differences');
    },
  },
]);
