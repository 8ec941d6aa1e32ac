import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Account, reportRecords, type StatementLine } from '@tallystick/accounts';
import { type StatementPlan, statementFile } from '@tallystick/harness';
import { checkOnStorages, propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { continueImports, releaseImport } from '../../src/index.ts';
import { crashingAt, ImportWorld, newWorld } from '../world.ts';
import { endOf, makeAccount, recordedOf } from './statement-world.ts';

/** A transaction that the bank reports by itself. */
interface Reported {
  readonly bank_reference: string;
  readonly booking_date: string;
  readonly amount: number;
  readonly bai_code?: string;
}

const day = (number: number) => `2026-05-${String(number).padStart(2, '0')}`;

const codeOf = ({ amount }: Pick<Reported, 'amount'>) => (amount < 0 ? '821' : '142');

/** Returns how many were applied, and how many rejected. */
async function report(world: ImportWorld, { number }: Account, transactions: readonly Reported[]) {
  const { unitOfWork } = world.storage;
  const call = { ...world.call, company_id: null, served_company_id: null };
  const lines = transactions.map((value, at) => ({
    line: at + 1,
    value: { kind: 'transaction', account: number, bai_code: codeOf(value), ...value },
  }));
  async function* batches() {
    yield lines;
  }
  const { applied, rejected } = await reportRecords({ unitOfWork, refuseCardNumbers: async () => {} }, call, batches());
  return [applied, rejected];
}

/** The lines of an account: reference, date, amount, who has it and how it stands. */
async function standingsOf(world: ImportWorld, account: Account): Promise<readonly string[]> {
  const { lines } = await recordedOf(world, account);
  return lines.map(standingOf).toSorted();
}

function standingOf({ bank_reference, booking_date, amount, statement_id, standing }: StatementLine): string {
  const owner = statement_id === null ? 'bank' : 'statement';
  return [bank_reference ?? '-', booking_date.slice(-2), amount, owner, ...(standing === null ? [] : [standing])].join(
    ' ',
  );
}

function named<Changes extends object = object>(bank_reference: string, amount: number, changes?: Changes) {
  return { bank_reference, amount, ...changes } as { bank_reference: string; amount: number } & Changes;
}

checkOnStorages('lines of the bank beside statements', [
  {
    rule: 'a line becomes that of the statement that has it, and differs from a statement of its date that has not',
    on_postgres: true,
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const on = { booking_date: day(18) };
      const reported = [
        named('same', -5, on),
        named('other amount', -7, on),
        named('lacking', -1, on),
        named('later', -2, { booking_date: day(19) }),
      ];
      assert.deepEqual(await report(world, account, reported), [4, 0]);
      const lines = [named('same', -5), named('other amount', -8)];
      const imported = await world.imported(statementFile(account, [{ as_of: day(18), opening: 100, lines }]));
      assert.deepEqual(endOf(imported), ['completed', null, 1, 1]);
      const after = [
        'lacking 18 -1 bank differs',
        'later 19 -2 bank',
        'other amount 18 -7 bank differs',
        'other amount 18 -8 statement',
        'same 18 -5 statement',
      ];
      assert.deepEqual(await standingsOf(world, account), after);
      assert.deepEqual(await report(world, account, [named('same', -5, on)]), [0, 0], 'the same again');
      const late = named('late', -3, { booking_date: day(18), bai_code: '475' });
      assert.deepEqual(await report(world, account, [late]), [1, 0], 'a late one, of another code');
      assert.deepEqual(await standingsOf(world, account), [...after, 'late 18 -3 bank differs'].toSorted());
    },
  },
  {
    rule: 'a further page of its date, and a statement that fills a gap, end the difference or make one',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const onDay = (name: string, number: number, amount: number) =>
        named(name, amount, { booking_date: day(number) });
      await report(world, account, [onDay('page', 18, -5), onDay('gap', 19, -6), onDay('none', 19, -1)]);
      const page = (lines: StatementPlan['lines'], opening: number): StatementPlan => ({
        as_of: day(18),
        reference: 'S1',
        opening,
        lines,
      });
      await world.imported(statementFile(account, [page([1], 100)]));
      const with_page = (await standingsOf(world, account)).includes('page 18 -5 bank differs');
      assert.ok(with_page, 'before the page comes');
      await world.imported(statementFile(account, [page([named('page', -5)], 101)]));
      const third = { as_of: day(20), opening: 90, lines: [] };
      const held = await world.imported(statementFile(account, [third]));
      assert.deepEqual(endOf(held), ['held', 'statement_gap', 0, 0]);
      await releaseImport(world.ports(), world.call, held.id, 'over the gap');
      const before = ['gap 19 -6 bank', 'none 19 -1 bank'];
      const others = ['- 18 1 statement', 'page 18 -5 statement'];
      assert.deepEqual(await standingsOf(world, account), [...others, ...before].toSorted(), 'over the gap');
      const second = { as_of: day(19), opening: 96, lines: [named('gap', -6)] };
      assert.deepEqual(endOf(await world.imported(statementFile(account, [second]))), ['completed', null, 0, 1]);
      const after = ['gap 19 -6 statement', 'none 19 -1 bank differs'];
      assert.deepEqual(await standingsOf(world, account), [...others, ...after].toSorted(), 'with the gap filled');
    },
  },
  {
    rule: 'of lines that the bank reports while a statement is recorded, each is recorded once and none is missed',
    on_postgres: true,
    async check(open) {
      const storage = await open();
      const world = new ImportWorld(storage);
      const account = await makeAccount(world);
      const reporting = new ImportWorld(await storage.another());
      const on = { booking_date: day(18) };
      const stated = Array.from({ length: 40 }, (_, at) => named(`S${at}`, -5, on));
      const others = Array.from({ length: 40 }, (_, at) => named(`X${at}`, -7, on));
      const reports = async () => {
        for (const at of stated.keys()) {
          assert.deepEqual((await report(reporting, account, [stated[at]!, others[at]!]))[1], 0, 'rejected');
        }
      };
      const file = statementFile(account, [{ as_of: day(18), opening: 1_000, lines: stated }]);
      const [imported] = await Promise.all([world.imported(file), reports()]);
      assert.equal(imported.status, 'completed');
      const expected = [
        ...stated.map(({ bank_reference }) => `${bank_reference} 18 -5 statement`),
        ...others.map(({ bank_reference }) => `${bank_reference} 18 -7 bank differs`),
      ];
      assert.deepEqual(await standingsOf(world, account), expected.toSorted());
    },
  },
  {
    rule: 'a statement that is known does not have a line because the bank reported it, and a release records it',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const plan = { as_of: day(18), opening: 100, lines: [named('one', -5), named('two', -5)] };
      await world.imported(statementFile(account, [plan]));
      await report(world, account, [named('three', -5, { booking_date: day(18) })]);
      const other = { ...plan, lines: [named('one', -5), named('three', -5)] };
      const held = await world.imported(statementFile(account, [other]));
      assert.deepEqual(endOf(held), ['held', 'statement_differs', 0, 0]);
      await releaseImport(world.ports(), world.call, held.id, 'also booked');
      const after = ['one', 'three', 'two'].map((name) => `${name} 18 -5 statement`);
      assert.deepEqual(await standingsOf(world, account), after);
    },
  },
  {
    rule: 'lines that one transaction cannot compare are compared in several, also by a process that continues',
    async check(open) {
      const world = new ImportWorld(await open());
      const reported = Array.from({ length: 600 }, (_, at) => named(`R${at}`, -1, { booking_date: day(18) }));
      for (let [at, is_over] = [1, false]; !is_over; at += 1) {
        const account = await makeAccount(world);
        await report(world, account, reported);
        const file = statementFile(account, [{ as_of: day(18), opening: 0, lines: [1] }]);
        const imported = await world.import(file, { ports: crashingAt(world, at, 'after') }).catch(() => null);
        is_over = imported !== null;
        world.machine_ms += 60 * 60 * 1_000;
        await continueImports(world.ports(), world.call);
        // It ended before anything was staged.
        if ((await recordedOf(world, account)).statements.length === 0) await world.import(file);
        const standings = await standingsOf(world, account);
        assert.equal(standings.filter((text) => text.endsWith(' bank differs')).length, 600, `commit ${at}`);
      }
    },
  },
]);

/** What arrives: a file of one day, or lines that the bank reports. */
type Arrival = { readonly statement: number } | { readonly reported: Reported };

const days = [18, 19, 20, 21];
const amounts = fc.integer({ min: -3, max: 3 }).filter((amount) => amount !== 0);

/** The lines of each day, of which the bank reports some, some in another way, and others. */
const world_drawn = fc.record({
  lines: fc.array(fc.record({ at: fc.nat({ max: days.length - 1 }), amount: amounts, booked: fc.nat({ max: 1 }) }), {
    maxLength: 6,
  }),
  reports: fc.array(
    fc.record({
      of: fc.nat({ max: 9 }),
      date: fc.constantFrom(17, ...days, 22),
      amount: amounts,
      is_same: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
  order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
  first: fc.nat({ max: 2 }),
});

test('how lines of the bank stand depends on what arrived, and never on its order', async () => {
  await fc.assert(
    fc.asyncProperty(world_drawn, async ({ lines, reports, order, first }) => {
      const world = newWorld();
      const account = await makeAccount(world);
      const stated = lines.map(({ at, amount, booked }, number) =>
        named(`L${number}`, amount, {
          booking_date: day(days[at]! - booked),
          bai_code: codeOf({ amount }),
          at,
        }),
      );
      let opening = 100;
      const plans = days.map((number, at): StatementPlan => {
        const its = stated.filter((line) => line.at === at).map(({ at: _, ...line }) => line);
        const plan = { as_of: day(number), opening, lines: its };
        opening += its.reduce((sum, { amount }) => sum + amount, 0) + 100;
        return plan;
      });
      // The balances lead from day to day, and no two days have the same.
      const chained = plans.map((plan): StatementPlan => ({ ...plan, lines: [...plan.lines, 100] }));
      const reported = [
        ...new Map(
          reports.map(({ of, date, amount, is_same }): [string, Reported] => {
            const line = stated[of];
            if (line === undefined) return [`R${of}`, named(`R${of}`, amount, { booking_date: day(date) })];
            const { at: _, ...same } = line;
            const other = { ...same, booking_date: day(date), amount, bai_code: codeOf({ amount }) };
            return [same.bank_reference, is_same ? same : other];
          }),
        ).values(),
      ];
      const arrivals: Arrival[] = [...chained.keys().map((statement) => ({ statement }))];
      // The first statement begins the chain wherever it is, so that earlier ones come before it.
      arrivals.unshift(...arrivals.splice(first, 1));
      for (const [at, one] of reported.entries())
        arrivals.splice(order[at]! % (arrivals.length + 1), 0, { reported: one });
      const existing: Reported[] = [];
      for (const arrival of arrivals) {
        if ('statement' in arrival) await world.import(statementFile(account, [chained[arrival.statement]!]));
        else if ((await report(world, account, [arrival.reported]))[1] === 0) existing.push(arrival.reported);
        await continueImports(world.ports(), world.call);
      }
      const { lines: recorded } = await recordedOf(world, account);
      const isStated = (one: Reported) =>
        stated.some(
          (line) =>
            line.bank_reference === one.bank_reference &&
            line.booking_date === one.booking_date &&
            line.amount === one.amount,
        );
      const covered_from = [
        days[0]!,
        ...stated.filter(({ at }) => at === 0).map((line) => Number(line.booking_date.slice(-2))),
      ];
      const expected = existing
        .filter((one) => !isStated(one))
        .map((one) => {
          const number = Number(one.booking_date.slice(-2));
          const is_covered = number >= Math.min(...covered_from) && number <= days.at(-1)!;
          return `${one.bank_reference} ${number} ${one.amount} bank${is_covered ? ' differs' : ''}`;
        });
      assert.deepEqual(
        recorded
          .filter(({ statement_id }) => statement_id === null)
          .map(standingOf)
          .toSorted(),
        expected.toSorted(),
      );
      assert.equal(recorded.length, stated.length + days.length + expected.length, 'each line is recorded once');
    }),
    propertyParameters(),
  );
});
