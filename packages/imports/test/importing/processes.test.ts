import assert from 'node:assert/strict';
import { fileOf, freshFileId, type Records } from '@tallystick/harness';
import { checkOnStorages } from '@tallystick/test-support';
import {
  continueImports,
  type Import,
  type ImportOutcome,
  type ImportPorts,
  import_lease_ms,
  releaseImport,
} from '../../src/index.ts';
import { ImportWorld, transactionsOf, wholeFile } from '../world.ts';

/**
 * The ports of a process that is suspended before its second pass for longer than its lease.
 * `meanwhile` is what other processes do in this time.
 */
function suspended(world: ImportWorld, meanwhile: () => Promise<unknown>): Partial<ImportPorts> {
  const { ledger } = world.storage;
  let passes = 0;
  return {
    ledger: {
      ...ledger,
      async pass(messages, fold, bounds) {
        passes += 1;
        if (passes === 2) {
          world.machine_ms += 2 * import_lease_ms;
          await meanwhile();
        }
        return await ledger.pass(messages, fold, bounds);
      },
    },
  };
}

checkOnStorages('imports by several processes', [
  {
    rule: 'a process that was stopped longer than its lease applies no batch that another applied',
    on_postgres: true,
    async check(open) {
      const world = new ImportWorld(await open());
      const { card, lines } = await wholeFile(world, 6);
      // Before its second batch is applied, another process continues the import to its end.
      const slow = suspended(world, () => world.import(lines));
      const outcome = await world.import(lines, { ports: slow });
      assert.deepEqual([outcome.kind, outcome.import.status], ['known', 'completed'], 'the outcome of the slow one');
      assert.deepEqual(outcome.import.applied, 6, 'the applied records');
      assert.deepEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings');
    },
  },
  {
    rule: 'a process that was stopped longer than its lease reports a file that another held or refused as it is',
    on_postgres: true,
    async check(open) {
      const world = new ImportWorld(await open());
      const { unitOfWork } = world.storage;
      const records = (await wholeFile(world, 3)).lines.slice(1, -1) as Records;
      const of_test = fileOf(records, { file_id: freshFileId(), mode: 'test' });
      const miscounted = fileOf(records, { file_id: freshFileId() }).with(-1, { kind: 'trailer', records: 9 });
      for (const [file, status] of [
        [of_test, 'held'],
        [miscounted, 'refused'],
      ] as const) {
        let transactions = 0;
        const slow: Partial<ImportPorts> = {
          unitOfWork: {
            read: (work) => unitOfWork.read(work),
            async run(work) {
              transactions += 1;
              // The import has begun, and nothing is staged.
              if (transactions === 2) {
                world.machine_ms += 2 * import_lease_ms;
                await world.import(file);
              }
              return await unitOfWork.run(work);
            },
          },
        };
        const { kind, import: found } = await world.import(file, { ports: slow });
        assert.deepEqual([kind, found.status], ['known', status], 'the outcome');
      }
    },
  },
  {
    rule: 'an import that another process is at work on is left alone',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      const other = new ImportWorld(await storage.another());
      for (const is_repeatable of [true, false]) {
        const world = new ImportWorld(storage);
        const { card, lines } = await wholeFile(world, 5);
        const { ledger } = storage;
        const outcomes: ImportOutcome[] = [];
        const resumed: number[] = [];
        const beginning = { source: { is_repeatable }, onResumed: ({ id }: Import) => resumed.push(id) };
        const busy: Partial<ImportPorts> = {
          ledger: {
            ...ledger,
            async pass(messages, fold, bounds) {
              if (outcomes.length === 0) outcomes.push(await other.import(lines, beginning));
              return await ledger.pass(messages, fold, bounds);
            },
          },
        };
        const own = await world.import(lines, { ports: busy, source: { is_repeatable } });
        const [beside] = outcomes;
        assert.deepEqual([beside?.kind, beside?.import.id], ['in_progress', own.import.id], 'the second process');
        assert.deepEqual(resumed, [], 'what the second process continues');
        assert.deepEqual([own.kind, own.import.applied], ['imported', 5], 'the first process');
        assert.deepEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings');
      }
    },
  },
  {
    rule: 'a released import that another process continues is reported as it is',
    on_postgres: true,
    async check(open) {
      const world = new ImportWorld(await open());
      const { card, lines } = await wholeFile(world, 6);
      const held = await world.imported(
        fileOf(lines.slice(1, -1) as Records, { file_id: freshFileId(), mode: 'test' }),
      );
      const slow = suspended(world, () => continueImports(world.ports(), world.call));
      const { kind, import: found } = await releaseImport(world.ports(slow), world.call, held.id, 'checked by phone');
      assert.deepEqual(
        [kind, found.id, found.status, found.applied],
        ['known', held.id, 'completed', 6],
        'the outcome',
      );
      assert.deepEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings');
    },
  },
  {
    rule: 'of two processes that import a file at once, one applies it, and each record once',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      const other = await storage.another();
      for (const is_repeatable of [true, false]) {
        const world = new ImportWorld(storage);
        const { card, lines } = await wholeFile(world, 9);
        const source = { is_repeatable };
        const outcomes = await Promise.all(
          Array.from({ length: 4 }, (_, at) =>
            new ImportWorld(at % 2 === 0 ? storage : other).import(lines, { source }),
          ),
        );
        assert.deepEqual(outcomes.filter(({ kind }) => kind === 'imported').length, 1, 'how many applied it');
        assert.deepEqual(new Set(outcomes.map((outcome) => outcome.import.id)).size, 1, 'how many imports there are');
        assert.deepEqual(await world.clearingsOf(card), transactionsOf(lines), 'the clearings');
      }
    },
  },
]);
