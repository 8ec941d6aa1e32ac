import assert from 'node:assert/strict';
import { checkOnStorages } from '@tallystick/test-support';
import { type ReconciliationPorts, rebuild } from '../../src/index.ts';
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
]);
