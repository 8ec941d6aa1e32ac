import assert from 'node:assert/strict';
import { checkOnStorages } from '@tallystick/test-support';
import { readBridge } from '../../src/index.ts';
import { ActWorld } from '../acts/world.ts';

checkOnStorages('the bridge of an account', [
  {
    rule: 'a card line that is in no item yet is a pending difference, so that the sums agree',
    async check(open) {
      const world = await ActWorld.on(await open());
      await world.line({ amount: 1_000 });
      await world.line({ amount: 30, code: '475' });
      const account = await world.storage.unitOfWork.read((tx) => tx.accounts.find(world.account_id));
      const read = async () => {
        const bridge = await world.storage.unitOfWork.read((tx) => readBridge(tx, world.call(), account!.number, {}));
        const { card_lines, other_lines, difference_sums, unexplained_sum } = bridge;
        return { card_lines, other_lines, difference_sums, unexplained_sum };
      };
      const lines = { card_lines: -1_000, other_lines: -30 };
      const pending = { step: 'statement', kind: 'pending', count: 1, sum: -1_000 };
      assert.deepEqual(await read(), { ...lines, difference_sums: [pending], unexplained_sum: 0 });
      await world.catchUp();
      assert.deepEqual(await read(), { ...lines, difference_sums: [], unexplained_sum: -1_000 }, 'in an item');
    },
  },
]);
