import assert from 'node:assert/strict';
import { checkOnStorages } from '@tallystick/test-support';
import { closePeriod } from '../src/index.ts';
import { ActWorld, assertRebuilt, clearing } from './acts/world.ts';

const record_names = ['authorization', 'clearing', 'duplicate', 'reversal', 'line'] as const;

type RecordName = (typeof record_names)[number];

let purchases_made = 0;

/** A purchase of 3,000 that was cleared twice and booked once, and the reversal of one clearing. */
class TwiceCleared {
  readonly #world: ActWorld;
  readonly #references: object;
  readonly #presented: object;
  readonly #reference: string;
  readonly #number: string;

  constructor(world: ActWorld) {
    purchases_made += 1;
    this.#world = world;
    this.#number = String(purchases_made).padStart(4, '0');
    this.#reference = `741234560610000000${this.#number}0`;
    const letters = this.#number.replace(/\d/g, (digit) => 'ABCDEFGHIJ'[Number(digit)]!);
    this.#references = {
      net_reference_number: `MCC${letters}CC0520`,
      approval_code: `A${letters}1`,
      merchant_id: `M${this.#number}`,
      amount: 3_000,
    };
    this.#presented = { ...this.#references, acquirer_reference_data: this.#reference };
  }

  /** Returns the id of the record. */
  add(name: RecordName): Promise<number> {
    const world = this.#world;
    const network_financial_transaction_id = `${name} ${this.#number}`;
    if (name === 'authorization') return world.authorize(this.#references);
    if (name === 'line') return world.line({ amount: 3_000, reference: this.#reference });
    const undo = name === 'reversal' ? ({ clearing_type: 'CREDIT', cycle: 'reversal' } as const) : {};
    return world.clear({ ...this.#presented, network_financial_transaction_id, ...undo });
  }
}

function ordersOf<One>(all: readonly One[]): readonly (readonly One[])[] {
  if (all.length <= 1) return [all];
  return all.flatMap((first) => ordersOf(all.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}

/** Adds the records, and takes up each before the next one comes, or all at once. */
async function addAll(world: ActWorld, purchase: TwiceCleared, order: readonly RecordName[], one_by_one = true) {
  let clearing_id = 0;
  for (const name of order) {
    const id = await purchase.add(name);
    if (name !== 'authorization' && name !== 'line') clearing_id = id;
    if (one_by_one) await world.catchUp();
  }
  return clearing_id;
}

checkOnStorages('a clearing that a message reversal undid', [
  {
    rule: 'is no break with its reversal, in whichever order the records of its purchase arrive',
    async check(open) {
      const world = await ActWorld.on(await open());
      for (const [at, order] of ordersOf(record_names).entries()) {
        const clearing_id = await addAll(world, new TwiceCleared(world), order, at % 2 === 0);
        const { item } = await world.read(clearing(clearing_id));
        const { status, kind, clearing_ids, line_ids, authorized, cleared, stated } = item;
        const found = [status, kind, clearing_ids.length, line_ids.length, authorized, cleared, stated];
        assert.deepEqual(found, ['matched', null, 3, 1, 3_000, 3_000, 3_000], order.join(', '));
      }
      await assertRebuilt(world, 'after all');
    },
  },
  {
    rule: 'needs no line with its reversal, when its purchase was cleared once',
    async check(open) {
      const world = await ActWorld.on(await open());
      const clearing_id = await addAll(world, new TwiceCleared(world), ['authorization', 'clearing', 'reversal']);
      const { item } = await world.read(clearing(clearing_id));
      assert.deepEqual([item.clearing_ids.length, item.kind, item.cleared, item.stated], [2, null, 0, null]);
    },
  },
  {
    rule: 'is no break when its purchase was frozen meanwhile, or its break carried forward',
    async check(open) {
      const storage = await open();
      for (const closed_after of [3, 4]) {
        const world = await ActWorld.on(storage);
        const order = ['authorization', 'clearing', 'line', 'duplicate', 'reversal'] as const;
        const purchase = new TwiceCleared(world);
        await addAll(world, purchase, order.slice(0, closed_after));
        await closePeriod(world.ports(), world.call(), { closed_through: '2026-05-31' });
        await addAll(world, purchase, order.slice(closed_after));
        const items = await world.items();
        assert.deepEqual(
          items.map(({ status, kind, clearing_ids }) => [status, kind, clearing_ids.length]),
          closed_after === 3
            ? [
                ['matched', null, 1],
                ['matched', null, 2],
              ]
            : [['matched', null, 3]],
        );
        assert.equal(items.at(-1)!.frozen_item_id, closed_after === 3 ? items[0]!.id : null);
        await assertRebuilt(world, 'after the closing');
        await world.close();
      }
    },
  },
  {
    rule: 'is a late change of the item that a person accepted before its period was closed',
    async check(open) {
      const world = await ActWorld.on(await open());
      const purchase = new TwiceCleared(world);
      const clearing_id = await addAll(world, purchase, ['authorization', 'clearing', 'line', 'duplicate']);
      const { id: item_id } = await world.act(clearing(clearing_id), 'accept');
      await closePeriod(world.ports(), world.call(), { closed_through: '2026-05-31' });
      const { item: late } = await world.read(clearing(await addAll(world, purchase, ['reversal'])));
      assert.deepEqual([late.status, late.kind, late.frozen_item_id], ['break', 'late_change', item_id]);
    },
  },
]);
