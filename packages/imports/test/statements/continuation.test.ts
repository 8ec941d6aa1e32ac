import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Line, rising, type StatementPlan, statementFile } from '@tallystick/harness';
import { checkOnStorages } from '@tallystick/test-support';
import { continueImports, type ImportOutcome, ImportStopped, import_lease_ms, releaseImport } from '../../src/index.ts';
import { Crash, crashingAt, type ImportChanges, ImportWorld } from '../world.ts';
import { endOf, makeAccount, openLater, recordedOf } from './statement-world.ts';

const monday: StatementPlan = { as_of: '2026-05-18', opening: 1_000, lines: [-100, -250, 75, 1, -1] };
const tuesday: StatementPlan = { as_of: '2026-05-19', opening: 725, lines: [-25, 5] };
const wednesday: StatementPlan = { as_of: '2026-05-20', opening: 705, lines: [-200] };

const amounts = [-100, -250, 75, 1, -1, -25, 5, -200].toSorted();

const balances = [900, 650, 725, 726, 725, 700, 705, 505].toSorted();

/** Does the work. Returns whether it crashed. */
async function crashes(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return false;
  } catch (error) {
    if (error instanceof Crash) return true;
    throw error;
  }
}

checkOnStorages('imports of statements by several processes', [
  {
    rule: 'an import of statements that crashed at any commit continues, and ends like an unbroken one',
    async check(open) {
      const storage = await open();
      for (const when of ['before', 'after'] as const) {
        for (let at = 1, crashed = true; crashed; at += 1) {
          const world = new ImportWorld(storage);
          const account = await makeAccount(world);
          const lines = statementFile(account, [monday, tuesday, wednesday]);
          crashed = await crashes(world.import(lines, { ports: crashingAt(world, at, when) }));
          world.machine_ms += 2 * import_lease_ms;
          // A server ends what was staged whole, and the same command anything.
          if (at % 2 === 0) await continueImports(world.ports(), world.call);
          const place = `${when} commit ${at}`;
          const { import: ended } = await world.import(lines);
          assert.deepEqual([...endOf(ended), ended.records], ['completed', null, 8, 0, 13], place);
          const recorded = await recordedOf(world, account);
          assert.deepEqual(recorded.amounts.toSorted(), amounts, place);
          assert.deepEqual(
            recorded.lines.map(({ balance_after }) => Number(balance_after)).toSorted(),
            balances,
            `the balances after the lines: ${place}`,
          );
          assert.deepEqual(recorded.ends[1], { as_of: '2026-05-20', balance: 505 }, place);
          const left = await storage.unitOfWork.read(({ imports }) => imports.batches(ended.id, 'lines', 0, 1));
          assert.deepEqual(left, [], `the batches that are left: ${place}`);
        }
      }
    },
  },
  {
    rule: 'a held file that waits is applied once, whichever commit of what fills its gap crashes',
    async check(open) {
      const storage = await open();
      for (const when of ['before', 'after'] as const) {
        for (let at = 1, crashed = true; crashed; at += 1) {
          const world = new ImportWorld(storage);
          const account = await makeAccount(world);
          await world.import(statementFile(account, [monday]));
          await world.import(statementFile(account, [wednesday]));
          const filling = statementFile(account, [tuesday]);
          let commits = 0;
          const ports = crashingAt(world, at, when);
          const counted = {
            ...ports,
            unitOfWork: {
              ...ports.unitOfWork!,
              run: (work: never) => {
                commits += 1;
                return ports.unitOfWork!.run(work);
              },
            },
          };
          await crashes(world.import(filling, { ports: counted as typeof ports }));
          // Without the crash there are no more commits than this.
          crashed = commits >= at;
          world.machine_ms += 2 * import_lease_ms;
          await world.import(filling);
          await continueImports(world.ports(), world.call);
          const recorded = await recordedOf(world, account);
          assert.deepEqual(recorded.amounts.toSorted(), amounts, `${when} commit ${at}`);
          assert.deepEqual(recorded.ends[1], { as_of: '2026-05-20', balance: 505 }, `${when} commit ${at}`);
        }
      }
    },
  },
  {
    rule: 'continuing reports that it was stopped, or why it cannot apply what waited, which is applied by another call',
    async check(open) {
      const world = new ImportWorld(await open());
      const number = `waits${world.storage.now_ms}`;
      await world.import(statementFile({ number }, [monday]));
      const account = await openLater(world, number);
      const stopped = continueImports(world.ports(), world.call, { signal: AbortSignal.abort() });
      await assert.rejects(stopped, (error) => error instanceof ImportStopped, 'the stopped call');
      const failing = continueImports(world.ports(crashingAt(world, 1, 'before')), world.call);
      await assert.rejects(failing, (error) => error instanceof Crash, 'the failing call');
      assert.deepEqual((await recordedOf(world, account)).amounts, [], 'the lines before');
      assert.deepEqual(await continueImports(world.ports(), world.call), 1, 'another call');
      assert.deepEqual((await recordedOf(world, account)).amounts.length, 5, 'the lines after');
    },
  },
  {
    rule: 'a process that was stopped longer than its lease records no line after another, and reports its end',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      for (let at = 2, is_past_end = false; !is_past_end; at += 1) {
        const world = new ImportWorld(storage);
        const account = await makeAccount(world);
        const lines = statementFile(account, [monday]);
        let transactions = 0;
        const slow: ImportChanges['ports'] = {
          unitOfWork: {
            read: (work) => storage.unitOfWork.read(work),
            async run(work) {
              transactions += 1;
              if (transactions === at) {
                world.machine_ms += 2 * import_lease_ms;
                await world.import(lines);
              }
              return await storage.unitOfWork.run(work);
            },
          },
        };
        const { import: seen } = await world.import(lines, { ports: slow });
        is_past_end = transactions < at;
        assert.deepEqual(endOf(seen), ['completed', null, 5, 0], `the outcome, stopped before transaction ${at}`);
        const { import: ended } = await world.import(lines);
        assert.deepEqual([ended.id, ...endOf(ended)], [seen.id, 'completed', null, 5, 0], 'the import');
        assert.deepEqual((await recordedOf(world, account)).amounts.length, 5, 'the lines');
      }
    },
  },
  {
    rule: 'while a file of statements is checked, another one waits for its turn',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      const [one, other] = [new ImportWorld(storage), new ImportWorld(await storage.another())];
      const account = await makeAccount(one);
      const rival = statementFile(account, [{ ...monday, lines: [-251] }]);
      const reached = Promise.withResolvers<string>();
      let second: Promise<unknown> | null = null;
      const waiting: ImportChanges['ports'] = {
        pause: async (ms) => {
          // The other pauses are those between two renewals of a lease.
          if (ms >= import_lease_ms / 3) await new Promise(() => {});
          reached.resolve('waits');
          await nextTurn();
        },
      };
      let is_checking = false;
      const checking: ImportChanges['ports'] = {
        unitOfWork: {
          run: (work) => storage.unitOfWork.run(work),
          async read(work) {
            if (is_checking && second === null) {
              second = other.import(rival, { ports: waiting }).then((outcome) => {
                reached.resolve('ended');
                return outcome;
              });
              assert.deepEqual(await reached.promise, 'waits', 'what the second file does while the first is checked');
            }
            return await storage.unitOfWork.read(work);
          },
        },
      };
      const first = await one.import(statementFile(account, [monday]), {
        ports: checking,
        onProgress: ({ phase }) => {
          is_checking = phase === 'checking';
        },
      });
      assert.deepEqual(endOf(first.import), ['completed', null, 5, 0], 'the first');
      const { import: held } = (await second!) as ImportOutcome;
      assert.deepEqual(endOf(held), ['held', 'statement_differs', 0, 0], 'the second');
    },
  },
  {
    rule: 'of two files that two processes import for one account at once, the second is checked against the first',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      const [one, other] = [new ImportWorld(storage), new ImportWorld(await storage.another())];
      const both = async (first: readonly Line[], second: readonly Line[]): Promise<readonly ImportOutcome[]> =>
        await Promise.all([one.import(first), other.import(second)]);
      for (let round = 0; round < 5; round += 1) {
        const account = await makeAccount(one);
        const file = (plan: StatementPlan) => statementFile(account, [plan]);
        await one.import(file(monday));
        const rivals = await both(file(tuesday), file({ ...tuesday, lines: [-25, 6] }));
        const statuses = rivals.map(({ import: { status, problem } }) => `${status} ${problem?.code ?? ''}`);
        assert.deepEqual(statuses.toSorted(), ['completed ', 'held statement_differs'], 'two versions of a day');
        const closing = rivals[0]!.import.status === 'completed' ? 705 : 706;
        const repeats = await both(
          file({ ...wednesday, opening: closing }),
          file({ ...wednesday, opening: closing, reference: 'again' }),
        );
        assert.deepEqual(
          rising(repeats.map(({ import: { applied } }) => applied)),
          [0, 1],
          'one of two files with the same statement records it',
        );
        const days = [1, 2, 3, 4].map((day) => ({
          as_of: `2026-05-2${day}`,
          opening: closing - 200 - 10 * (day - 1),
          lines: [-10],
        }));
        await both(file(days[1]!), file(days[3]!));
        await both(file(days[2]!), file(days[0]!));
        await continueImports(one.ports(), one.call);
        const recorded = await recordedOf(one, account);
        assert.deepEqual(recorded.ends[1], { as_of: '2026-05-24', balance: closing - 240 }, 'the end of the chain');
        assert.deepEqual(recorded.amounts.length, 5 + 2 + 1 + 4, 'the lines');
      }
    },
  },
  {
    rule: 'an account that is opened while its file is imported receives its lines',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      const [one, other] = [new ImportWorld(storage), new ImportWorld(await storage.another())];
      for (let round = 0; round < 5; round += 1) {
        const number = `race${one.storage.now_ms}x${round}x${Math.trunc(other.machine_ms)}`;
        const [account] = await Promise.all([
          openLater(one, number),
          other.import(statementFile({ number }, [monday, tuesday])),
        ]);
        await continueImports(one.ports(), one.call);
        assert.deepEqual((await recordedOf(one, account)).amounts.length, 7, 'the lines');
      }
    },
  },
  {
    rule: 'a file that a person releases while it is applied by itself is applied once',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      const [one, other] = [new ImportWorld(storage), new ImportWorld(await storage.another())];
      for (let round = 0; round < 5; round += 1) {
        const account = await makeAccount(one);
        await one.import(statementFile(account, [monday]));
        const { import: held } = await one.import(statementFile(account, [wednesday]));
        await Promise.allSettled([
          one.import(statementFile(account, [tuesday])),
          releaseImport(other.ports(), other.call, held.id, 'now'),
        ]);
        await continueImports(one.ports(), one.call);
        const recorded = await recordedOf(one, account);
        assert.deepEqual(recorded.amounts.toSorted(), amounts, 'the lines');
        assert.deepEqual(recorded.ends[1], { as_of: '2026-05-20', balance: 505 }, 'the end of the chain');
      }
    },
  },
]);
