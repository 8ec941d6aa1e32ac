import assert from 'node:assert/strict';
import { checkOnStorages } from '@tallystick/test-support';
import type { Item } from '../src/index.ts';
import { ActWorld, assertRebuilt } from './acts/world.ts';

const references = { net_reference_number: 'MCCCCCCCC0520', approval_code: 'A55555', merchant_id: 'M5' };
const presented = { ...references, acquirer_reference_data: '74123456061000000000017', amount: 3_000 };

let ids_made = 0;

/** A transaction id that no card has. */
function newId(): string {
  ids_made += 1;
  return `U${ids_made}`;
}

/** A purchase of 3,000 that was cleared twice and booked once, and the reversal of one clearing. */
const records = {
  authorization: (world: ActWorld) => world.authorize({ ...references, amount: 3_000 }),
  clearing: (world: ActWorld) => world.clear({ ...presented, network_financial_transaction_id: newId() }),
  duplicate: (world: ActWorld) => world.clear({ ...presented, network_financial_transaction_id: newId() }),
  reversal: (world: ActWorld) =>
    world.clear({
      ...presented,
      network_financial_transaction_id: newId(),
      clearing_type: 'CREDIT',
      cycle: 'reversal',
    }),
  line: (world: ActWorld) => world.line({ amount: 3_000, reference: presented.acquirer_reference_data }),
} as const;

type RecordName = keyof typeof records;

function ordersOf<One>(all: readonly One[]): readonly (readonly One[])[] {
  if (all.length <= 1) return [all];
  return all.flatMap((first) => ordersOf(all.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}

/** The items once these records have arrived; each is taken up before the next one comes, or all at once. */
async function itemsAfter(world: ActWorld, order: readonly RecordName[], one_by_one: boolean) {
  for (const name of order) {
    await records[name](world);
    if (one_by_one) await world.catchUp();
  }
  return await world.items();
}

const summaryOf = ({ status, kind, authorized, cleared, stated }: Item) => ({
  status,
  kind,
  authorized,
  cleared,
  stated,
});

checkOnStorages('a clearing that a message reversal undid', [
  {
    rule: 'is no break with its reversal, in whichever order the records of its purchase arrive',
    async check(open) {
      const storage = await open();
      const names = Object.keys(records) as RecordName[];
      for (const [at, order] of ordersOf(names).entries()) {
        const world = await ActWorld.on(storage);
        const items = await itemsAfter(world, order, at % 2 === 0);
        const matched = { status: 'matched', kind: null, authorized: 3_000, cleared: 3_000, stated: 3_000 };
        assert.deepEqual(items.map(summaryOf), [matched], order.join(', '));
        if (at % 24 === 0) await assertRebuilt(world, order.join(', '));
        await world.close();
      }
    },
  },
  {
    rule: 'needs no line with its reversal, when its purchase was cleared once',
    async check(open) {
      const world = await ActWorld.on(await open());
      const [item] = await itemsAfter(world, ['authorization', 'clearing', 'reversal'], true);
      assert.deepEqual(item?.clearing_ids.length, 2);
      assert.deepEqual([item.kind, item.cleared, item.stated], [null, 0, null]);
    },
  },
]);
