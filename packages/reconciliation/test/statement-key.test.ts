import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fixedClock } from '@tallystick/kernel';
import { memoryPersistence } from '@tallystick/memory';
import { checkOnStorages, type StorageRule } from '@tallystick/test-support';
import type { StatementKeySetting } from '../src/index.ts';
import { ActWorld, clearing } from './acts/world.ts';

const long = '74123456061000000000017';
const short = '41234500000000001';
/** The same without its date. */
const dated = '74123456065000000000019';

const references = { net_reference_number: 'MCCCCCCCC0520', approval_code: 'A55555', merchant_id: 'M5' };

async function isLineFound(world: ActWorld, reference: string): Promise<boolean> {
  await world.authorize(references);
  const clearing_id = await world.clear({ ...references, acquirer_reference_data: long });
  const line_id = await world.line({ reference });
  const { item } = await world.read(clearing(clearing_id));
  return item.line_ids.includes(line_id);
}

const rules = (['bin+sequence', 'whole'] satisfies StatementKeySetting[]).map(
  (setting): StorageRule => ({
    rule: `references that differ in the date find each other by BIN and sequence only; the setting is ${setting}`,
    on_postgres: true,
    async check(open) {
      const storage = await (await open()).withStatementKey(setting);
      for (const reference of [long, short, dated]) {
        const is_found = await isLineFound(await ActWorld.on(storage), reference);
        assert.equal(is_found, setting === 'bin+sequence' || reference === long, reference);
      }
    },
  }),
);

checkOnStorages('the setting of the statement key', rules);

it('an adapter that makes every statement key as a whole is noticed', async () => {
  const now_ms = Date.UTC(2026, 4, 20, 12);
  const { unitOfWork, ledger, close } = memoryPersistence({ clock: fixedClock(now_ms) });
  type Its = Parameters<Parameters<typeof unitOfWork.run>[0]>[0];
  const wholeKeys = (tx: Its): Its => {
    const lines: typeof tx.reconciliation.lines = async (...asked) =>
      (await tx.reconciliation.lines(...asked)).map((line) => ({ ...line, statement_key: line.acquirer_reference }));
    return { ...tx, reconciliation: { ...tx.reconciliation, lines } };
  };
  const world = (plant: (tx: Its) => Its) =>
    ActWorld.on({
      unitOfWork: {
        run: (work) => unitOfWork.run((tx) => work(plant(tx))),
        read: (work) => unitOfWork.read((tx) => work(plant(tx))),
      },
      ledger,
      close,
      now_ms,
      another: () => assert.fail('one process is enough'),
    });
  assert.equal(await isLineFound(await world((tx) => tx), dated), true);
  assert.equal(await isLineFound(await world(wholeKeys), dated), false);
});
