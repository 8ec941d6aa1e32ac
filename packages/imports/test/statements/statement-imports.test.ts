import assert from 'node:assert/strict';
import type { Account, ReportedLine } from '@tallystick/accounts';
import { Pan } from '@tallystick/cards';
import {
  bytesOf,
  fileOf,
  freshFileId,
  type Line,
  newLine,
  type Records,
  refusalOf,
  reportedLine,
  type StatementPlan,
  statementFile,
  statementRecords,
} from '@tallystick/harness';
import { money } from '@tallystick/kernel';
import { checkOnStorages } from '@tallystick/test-support';
import { continueImports, type Import, previewFile, readImport, releaseImport, replayImport } from '../../src/index.ts';
import { ImportWorld, sourceOf } from '../world.ts';
import { endOf, makeAccount, openLater, recordedOf, withWhiteSpace } from './statement-world.ts';

const monday: StatementPlan = { as_of: '2026-05-18', opening: 1_000, lines: [-100, -250, 75] };
const tuesday: StatementPlan = { as_of: '2026-05-19', opening: 725, lines: [-25] };
const wednesday: StatementPlan = { as_of: '2026-05-20', opening: 700, lines: [-200, 50] };
const thursday: StatementPlan = { as_of: '2026-05-21', opening: 550, lines: [] };

function find({ storage }: ImportWorld, { id }: Import): Promise<Import> {
  return storage.unitOfWork.read((tx) => readImport(tx, id));
}

/** Imports a file that is held, and returns it. */
async function heldOf(world: ImportWorld, lines: readonly Line[], code: string): Promise<Import> {
  const held = await world.imported(lines);
  assert.deepEqual(endOf(held), ['held', code, 0, 0], 'the held import');
  return held;
}

/** Imports the statements in files of their own, in this order. */
async function importEach(world: ImportWorld, account: Account, plans: readonly StatementPlan[]): Promise<void> {
  for (const plan of plans) await world.import(statementFile(account, [plan]));
}

const whole_chain = {
  ends: [
    { as_of: '2026-05-18', balance: 1_000 },
    { as_of: '2026-05-21', balance: 550 },
  ],
  statements: [
    ['2026-05-18', 1_000, 725],
    ['2026-05-19', 725, 700],
    ['2026-05-20', 700, 550],
    ['2026-05-21', 550, 550],
  ],
  amounts: [-100, -250, 75, -25, -200, 50],
};

async function assertWholeChain(world: ImportWorld, account: Account, what: string): Promise<void> {
  const { lines, amounts, ...recorded } = await recordedOf(world, account);
  assert.deepEqual(recorded, { ends: whole_chain.ends, statements: whole_chain.statements }, what);
  assert.deepEqual(amounts.toSorted(), whole_chain.amounts.toSorted(), `${what}: the lines`);
  assert.deepEqual(
    new Set(lines.map(({ statement_id }) => statement_id)).size,
    3,
    `${what}: the statements of the lines`,
  );
}

/** Balances of JPY that Open Banking can show, and one that it cannot: 13 digits, and 14. */
const yen_max = 9_999_999_999_999;

checkOnStorages('statements with balances that Open Banking cannot show', [
  {
    rule: 'are held alone, whichever balance it is, stated or not, and cannot be released',
    on_postgres: true,
    async check(open) {
      const world = new ImportWorld(await open());
      for (const [opening, amount] of [
        [yen_max, 1],
        [yen_max + 1, -1],
        [-yen_max, -1],
        [-yen_max - 1, 1],
      ] as const) {
        for (const unstated of [{}, { opening_balance: null }, { closing_balance: null }]) {
          const account = await makeAccount(world, { currency: 'JPY' });
          const other = await makeAccount(world);
          const [head, line] = statementRecords(account, { as_of: '2026-05-18', opening, lines: [amount] });
          const large = { ...head, head: { ...(head as Extract<Line, { kind: 'statement' }>).head, ...unstated } };
          const records = [large, line!, ...statementRecords(other, monday)] as unknown as Records;
          const imported = await world.imported(fileOf(records, { file_id: freshFileId() }));
          assert.deepEqual(endOf(imported), ['completed_with_quarantine', null, 3, 0], 'the import');
          const [problem] = imported.held_statements;
          assert.deepEqual([problem?.code, problem?.waits_for], ['statement_too_large', null]);
          assert.match(problem!.message, /-?10000000000000 JPY, .* show is 9999999999999 JPY/);
          const released = releaseImport(world.ports(), world.call, imported.id, 'as it is');
          assert.equal((await refusalOf(released, 'the release')).code, 'conflict');
          assert.deepEqual((await recordedOf(world, account)).ends, [null, null], 'the chain');
        }
      }
    },
  },
  {
    rule: 'are held while they follow from the chain',
    on_postgres: true,
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world, { currency: 'JPY' });
      await world.imported(statementFile(account, [{ as_of: '2026-05-18', opening: yen_max, lines: [] }]));
      const [head, line] = statementRecords(account, { as_of: '2026-05-19', opening: 0, lines: [1] });
      const balances = { opening_balance: null, closing_balance: null };
      const unstated = { ...head, head: { ...(head as Extract<Line, { kind: 'statement' }>).head, ...balances } };
      const file = fileOf([unstated, line!] as unknown as Records, { file_id: freshFileId() });
      const held = await heldOf(world, file, 'balance_missing');
      assert.match(held.held_statements[0]!.message, /no statement before it is recorded from which one within bounds/);
    },
  },
  {
    rule: 'are recorded up to the largest one, and a line between with a larger one has none',
    on_postgres: true,
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world, { currency: 'JPY' });
      const plan = { as_of: '2026-05-18', currency: 'JPY', opening: yen_max - 1, lines: [1, 1, -1, -3] };
      assert.deepEqual(endOf(await world.imported(statementFile(account, [plan]))), ['completed', null, 4, 0]);
      const { lines, ends } = await recordedOf(world, account);
      assert.deepEqual(ends[1], { as_of: '2026-05-18', balance: yen_max - 3 });
      const balances = lines.toSorted((a, b) => a.place! - b.place!).map(({ balance_after }) => balance_after);
      assert.deepEqual(balances, [yen_max, null, yen_max, yen_max - 3]);
    },
  },
]);

checkOnStorages('imports of statements', [
  {
    rule: 'the lines of a file of statements are recorded once, with the ends of the chain of their account',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const file = statementFile(account, [monday, tuesday, wednesday, thursday]);
      const imported = await world.imported(file);
      assert.deepEqual(endOf(imported), ['completed', null, 6, 0], 'the import');
      assert.deepEqual([imported.statements, imported.records, imported.phase], [4, 12, null], 'its records');
      await assertWholeChain(world, account, 'what is recorded');
      const again = await world.import(file);
      assert.deepEqual([again.kind, again.import.id], ['known', imported.id], 'the same bytes again');
      const spaced = await world.imported(withWhiteSpace(file));
      assert.deepEqual(endOf(spaced), ['completed', null, 0, 6], 'the same statements with other white space');
      await assertWholeChain(world, account, 'what is recorded after both');
    },
  },
  {
    rule: 'a line has the dates, code, references and place that its statement reported, and no number of a card in its text',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world, { currency: 'EUR' });
      const line = {
        amount: -1_234,
        bank_reference: 'B "1"',
        booking_date: '2026-05-19',
        value_date: '2026-05-17',
        bai_code: '822',
        text: 'REFUND 4111 1111 1111 1111',
        acquirer_reference: '12345678901234567890123',
      };
      const plan: StatementPlan = {
        as_of: '2026-05-18',
        currency: 'EUR',
        reference: 'S/1',
        opening: 5,
        lines: [1, line],
      };
      const imported = await world.imported(statementFile(account, [plan]));
      assert.deepEqual(endOf(imported), ['completed', null, 2, 0], 'the import');
      const { lines } = await recordedOf(world, account);
      const ofAmount = (amount: number) => lines.find((one) => one.amount === amount)!;
      const { id, statement_id, recorded_at_ms, ...recorded } = ofAmount(line.amount);
      const text = 'REFUND ************1111';
      assert.deepEqual(
        recorded,
        {
          ...line,
          text,
          account_id: account.id,
          company_id: account.company_id,
          currency: 'EUR',
          place: 2,
          occurrence: 1,
          standing: null,
          balance_after: 5 + 1 - 1_234,
        },
        'the line',
      );
      assert.deepEqual(ofAmount(1).balance_after, money(5 + 1), 'the balance after the line before it');
      const statements = await world.storage.unitOfWork.read((tx) =>
        tx.accounts.statementsOf(account.id, '2026-05-18'),
      );
      assert.deepEqual(
        statements.map((one) => [one.id, one.reference, one.import_id, one.company_id]),
        [[statement_id, 'S/1', imported.id, account.company_id]],
        'its statement',
      );
      assert.deepEqual([id > 0, recorded_at_ms], [true, world.call.now_ms], 'when it was recorded');
    },
  },
  {
    rule: 'a statement whose reference or account, or one of its lines, is named by the number of a card of ours is held, and shows the number nowhere',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const number = '5454540000000005';
      await world.makeCard(new Pan(number));
      const line = { amount: -5, bank_reference: number };
      for (const file of [
        statementFile(account, [{ ...monday, reference: `S/${number}` }]),
        statementFile({ number }, [monday]),
        statementFile(account, [{ ...monday, lines: [line] }]),
      ]) {
        const held = await heldOf(world, file, 'line_malformed');
        assert.deepEqual(
          JSON.stringify(await find(world, held)).includes(number),
          false,
          'whether it shows the number',
        );
      }
      const other = statementFile(account, [{ ...monday, reference: '5454540000000013' }]);
      assert.deepEqual(endOf(await world.imported(other)), ['completed', null, 3, 0], 'the number of no card');
    },
  },
  {
    rule: 'lines that do not lead to the closing balance are held with the difference, until a person releases them',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const held = await heldOf(
        world,
        statementFile(account, [{ ...monday, closing: 726 }]),
        'statement_out_of_balance',
      );
      const { message } = held.problem!;
      for (const part of ['10.00 USD', '-2.75 USD', '7.25 USD', '7.26 USD', '-0.01 USD off', '-2.74 USD']) {
        assert(message.includes(part), `the message ${message} names ${part}`);
      }
      assert.deepEqual((await recordedOf(world, account)).statements, [], 'while it is held');
      const { import: released } = await releaseImport(world.ports(), world.call, held.id, 'the bank knows');
      assert.deepEqual([...endOf(released), released.note], ['completed', null, 3, 0, 'the bank knows'], 'released');
      assert.deepEqual((await recordedOf(world, account)).statements, [['2026-05-18', 1_000, 726]], 'its balances');
      const { items } = await world.storage.unitOfWork.read(({ audit }) =>
        audit.list({ object: `import:${held.id}` }, { limit: 5 }),
      );
      assert.deepEqual(
        items.map(({ action, details }) => [action, details.reason]),
        [['import.released', 'statement_out_of_balance']],
        'the audit log',
      );
    },
  },
  {
    rule: 'a statement in another currency than its account is held, and cannot be released',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const held = await heldOf(world, statementFile(account, [{ ...monday, currency: 'EUR' }]), 'statement_currency');
      const refusal = await refusalOf(releaseImport(world.ports(), world.call, held.id, 'please'), 'the release');
      assert.deepEqual(refusal.code, 'conflict', 'the refusal');
      assert.deepEqual((await find(world, held)).status, 'held', 'after the refusal');
    },
  },
  {
    rule: 'statements of an account in several currencies go to the one with their currency after its number',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const [dollars, euros] = ['USD', 'EUR'].map((currency) => statementFile(account, [{ ...monday, currency }]));
      assert.deepEqual(endOf(await world.imported(dollars!)), ['completed', null, 3, 0], 'in its own currency');
      const held = await heldOf(world, euros!, 'statement_currency');
      assert.match(held.problem!.message, new RegExp(`create account ${account.number}EUR,`), 'what to create');
      const other = await openLater(world, `${account.number}EUR`, 'EUR');
      assert.deepEqual(await continueImports(world.ports(), world.call), 1, 'the one that waited');
      assert.deepEqual(endOf(await find(world, held)), ['completed', null, 3, 0], 'by itself');
      for (const one of [account, other])
        assert.deepEqual((await recordedOf(world, one)).amounts.length, 3, 'its lines');
    },
  },
  {
    rule: 'a statement of an unknown account is held, and applied by itself or by the same bytes once the account is there',
    async check(open) {
      const world = new ImportWorld(await open());
      const made: Account[] = [];
      for (const applies of ['by itself', 'by the same bytes'] as const) {
        const number = `later${freshFileId().replace('-', '')}`;
        const file = statementFile({ number }, [monday]);
        const held = await heldOf(world, file, 'unknown_account');
        assert.deepEqual(await continueImports(world.ports(), world.call), 0, 'while the account is unknown');
        const refusal = await refusalOf(releaseImport(world.ports(), world.call, held.id, 'please'), 'the release');
        assert.deepEqual(refusal.code, 'conflict', 'the refusal');
        made.push(await openLater(world, number));
        if (applies === 'by itself') assert.deepEqual(await continueImports(world.ports(), world.call), 1, applies);
        else assert.deepEqual((await world.import(file)).import.id, held.id, applies);
        assert.deepEqual(endOf(await find(world, held)), ['completed', null, 3, 0], applies);
      }
      for (const account of made) assert.deepEqual((await recordedOf(world, account)).amounts.length, 3, 'its lines');
    },
  },
  {
    rule: 'statements reach the same chain in any order of their files: each waits for what is between',
    async check(open) {
      const world = new ImportWorld(await open());
      const orders: readonly (readonly StatementPlan[])[] = [
        [monday, wednesday, thursday, tuesday],
        [thursday, monday, wednesday, tuesday],
        [wednesday, monday, thursday, tuesday],
        [tuesday, wednesday, monday, thursday],
        [thursday, wednesday, tuesday, monday],
      ];
      for (const order of orders) {
        const account = await makeAccount(world);
        await importEach(world, account, order);
        await assertWholeChain(world, account, order.map(({ as_of }) => as_of).join(', '));
      }
      const account = await makeAccount(world);
      const mixed = await world.imported(statementFile(account, [wednesday, monday, thursday, tuesday]));
      assert.deepEqual(endOf(mixed), ['completed', null, 6, 0], 'in one file, in any order');
      await assertWholeChain(world, account, 'in one file');
    },
  },
  {
    rule: 'the statements of one day join the chain when a file lists them newest first and a balance comes back',
    async check(open) {
      const world = new ImportWorld(await open());
      const day: readonly StatementPlan[] = [
        { as_of: '2026-05-18', reference: 'A', opening: 100, lines: [10] },
        { as_of: '2026-05-18', reference: 'B', opening: 110, lines: [-10] },
        { as_of: '2026-05-18', reference: 'C', opening: 100, lines: [-10] },
      ];
      for (const before of [[], [{ as_of: '2026-05-17', opening: 0, lines: [100] }]]) {
        const account = await makeAccount(world);
        await world.import(statementFile(account, before));
        const imported = await world.imported(statementFile(account, day.toReversed()));
        assert.deepEqual(endOf(imported), ['completed', null, 3, 0], 'the import');
        const { amounts } = await recordedOf(world, account);
        assert.deepEqual(amounts.toSorted(), [...before.map(() => 100), 10, -10, -10].toSorted(), 'its lines');
      }
    },
  },
  {
    rule: 'a statement behind a gap is held, names both balances, and reports its end when the gap is filled',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      await world.import(statementFile(account, [monday]));
      const held = await heldOf(world, statementFile(account, [wednesday]), 'statement_gap');
      for (const part of ['7.00 USD', '7.25 USD', '2026-05-18', '2026-05-20']) {
        assert(held.problem!.message.includes(part), `the message ${held.problem!.message} names ${part}`);
      }
      const after = await heldOf(world, statementFile(account, [thursday]), 'statement_gap');
      const ended: Import[] = [];
      await world.import(statementFile(account, [tuesday]), { onWaitingEnded: (one) => ended.push(one) });
      assert.deepEqual(
        ended.map(({ id, status, applied }) => [id, status, applied]),
        [
          [held.id, 'completed', 2],
          [after.id, 'completed', 0],
        ],
        'those that waited',
      );
      assert.deepEqual((await find(world, held)).problem, null, 'its problem');
      await assertWholeChain(world, account, 'the chain');
    },
  },
  {
    rule: 'a statement that is released over a gap leaves a hole, which the missing one fills',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      await world.import(statementFile(account, [monday]));
      const held = await heldOf(world, statementFile(account, [wednesday, thursday]), 'statement_gap');
      const { import: released } = await releaseImport(world.ports(), world.call, held.id, 'it may take weeks');
      assert.deepEqual(endOf(released), ['completed', null, 2, 0], 'released');
      const filled = await world.imported(statementFile(account, [tuesday]));
      assert.deepEqual(endOf(filled), ['completed', null, 1, 0], 'the missing one');
      await assertWholeChain(world, account, 'the chain');
    },
  },
  {
    rule: 'a release accepts the problem that it names only: another one holds the file again',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      await world.import(statementFile(account, [monday]));
      const file = statementFile(account, [{ ...wednesday, closing: 1 }], { mode: 'test' });
      const held = await heldOf(world, file, 'test_file');
      const release = async () => (await releaseImport(world.ports(), world.call, held.id, 'go on')).import;
      assert.deepEqual(endOf(await release()), ['held', 'statement_out_of_balance', 0, 0], 'after the first');
      assert.deepEqual(endOf(await release()), ['held', 'statement_gap', 0, 0], 'after the second');
      await world.import(statementFile(account, [tuesday]));
      assert.deepEqual(endOf(await find(world, held)), ['completed', null, 2, 0], 'after the gap is filled');
    },
  },
  {
    rule: 'a known statement with other balances is held, shows both versions, and a release records the lines that it lacks',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      await world.import(statementFile(account, [monday, { ...tuesday, reference: 'T1' }, wednesday]));
      const others: readonly StatementPlan[] = [
        { ...tuesday, reference: 'T1', lines: [-26] },
        { ...tuesday, reference: 'T2', lines: [-26] },
        { ...wednesday, lines: [-199, 50] },
      ];
      for (const other of others) {
        const held = await heldOf(world, statementFile(account, [other]), 'statement_differs');
        const { message } = held.problem!;
        assert(message.includes('which was recorded before, leads') && message.includes('7.00 USD'), message);
      }
      const versions = [monday, { ...tuesday, reference: 'T1' }, { ...tuesday, reference: 'T1', lines: [-26] }];
      const both = await world.imported(statementFile(await makeAccount(world), versions));
      assert.match(both.held_statements[0]!.message, /which is in the same file, leads .*7\.00 USD/);
      const renamed = await world.imported(statementFile(account, [{ ...tuesday, reference: 'T9' }]));
      assert.deepEqual(endOf(renamed), ['completed', null, 0, 1], 'the same balances under another reference');
      assert.deepEqual((await recordedOf(world, account)).amounts.length, 6, 'the lines');
      const corrected = { ...wednesday, lines: [...wednesday.lines, -7] };
      const held = await heldOf(world, statementFile(account, [corrected]), 'statement_differs');
      const { import: released } = await releaseImport(world.ports(), world.call, held.id, 'the bank forgot a line');
      assert.deepEqual(endOf(released), ['completed', null, 1, 2], 'the release');
      const { statements, amounts } = await recordedOf(world, account);
      assert.deepEqual(statements.at(-1), ['2026-05-20', 700, 550], 'its balances stay as they are');
      assert.deepEqual(amounts.at(-1), -7, 'the line that it lacked');
    },
  },
  {
    rule: 'a line that a known statement lacks holds that statement, with what is recorded of its reference',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const line = { amount: -25, bank_reference: 'R1' };
      await world.import(statementFile(account, [monday, { ...tuesday, lines: [line] }]));
      const repeated = [
        { ...monday, lines: [-101, -249, 75] },
        { ...monday, lines: [-100, -250, { amount: 75, bai_code: '399' }] },
        { ...monday, lines: [-100, -250, 75, 0] },
        { ...monday, lines: [-100, -250, { amount: 75, bank_reference: 'R7' }] },
        { ...tuesday, lines: [{ ...line, booking_date: '2026-05-18' }] },
        {
          ...wednesday,
          opening: 700,
          lines: [{ ...line, booking_date: '2026-05-19', value_date: '2026-05-19' }, -125],
        },
      ];
      for (const plan of repeated) {
        const held = await heldOf(world, statementFile(account, [plan]), 'statement_differs');
        assert(held.problem!.offset !== null, 'where the line is');
      }
      const held = await heldOf(world, statementFile(account, [repeated[4]!]), 'statement_differs');
      for (const part of ['-0.25 USD of 2026-05-18', '-0.25 USD of 2026-05-19']) {
        assert(held.problem!.message.includes(part), `the message ${held.problem!.message} shows ${part}`);
      }
      assert.deepEqual((await recordedOf(world, account)).amounts.toSorted(), [-100, -25, -250, 75], 'the lines');
      const { import: released } = await releaseImport(world.ports(), world.call, held.id, 'both are right');
      assert.deepEqual(endOf(released), ['completed', null, 1, 0], 'the release');
      const again = await world.imported(withWhiteSpace(statementFile(account, [repeated[4]!])));
      assert.deepEqual(endOf(again), ['completed', null, 0, 1], 'the same statement in another file');
    },
  },
  {
    rule: 'a reference alone names no line: lines that differ in date, amount or code, and equals of one statement, are all recorded',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const named = (amount: number, changes: Partial<ReportedLine> = {}) => ({
        ...changes,
        amount,
        bank_reference: 'R1',
      });
      const plan: StatementPlan = {
        ...monday,
        lines: [named(-100), named(-5), named(-100), 1, 2, 3, 4, 5, named(-100, { bai_code: '825' }), -86],
      };
      const imported = await world.imported(
        statementFile(account, [plan, { ...tuesday, opening: 624, lines: [named(-100)] }]),
      );
      assert.deepEqual(endOf(imported), ['completed', null, 11, 0], 'the import');
      const again = await world.imported(withWhiteSpace(statementFile(account, [plan])));
      assert.deepEqual(endOf(again), ['completed', null, 0, 10], 'the statement again');
      const one_more = { ...plan, lines: [...plan.lines, named(-100)], closing: 624 };
      const held = await heldOf(world, statementFile(account, [one_more]), 'statement_out_of_balance');
      assert.deepEqual(held.held, 11, 'the held lines');
    },
  },
  {
    rule: 'a line of one statement is no line of another one of the file, unless a person says so',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const line = { amount: -25, bank_reference: 'R1', booking_date: '2026-05-18', value_date: '2026-05-18' };
      const file = statementFile(account, [
        { ...monday, lines: [line] },
        { ...tuesday, opening: 975, lines: [1, 2, 3, 4, 5, line] },
        { ...wednesday, opening: 965 },
      ]);
      const imported = await world.imported(file);
      assert.deepEqual(endOf(imported), ['completed_with_quarantine', null, 1, 0], 'the import');
      assert.deepEqual(
        imported.held_statements.map(({ number, code }) => [number, code]),
        [
          [2, 'statement_differs'],
          [3, 'statement_gap'],
        ],
        'the held ones',
      );
      const { import: released } = await releaseImport(world.ports(), world.call, imported.id, 'twice', {
        statement: 2,
      });
      assert.deepEqual(endOf(released), ['completed', null, 9, 0], 'the release, and what waited for it');
      const { amounts } = await recordedOf(world, account);
      assert.deepEqual(amounts.filter((amount) => amount === -25).length, 2, 'both lines');
    },
  },
  {
    rule: 'a statement that is twice in a file is recorded once',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const named = {
        ...monday,
        reference: 'S1',
        lines: monday.lines.map((amount) => ({ amount, bank_reference: 'R' })),
      };
      const twice = [
        ...statementRecords(account, named as StatementPlan),
        ...statementRecords(account, named as StatementPlan),
      ];
      const imported = await world.imported([{ kind: 'header' }, ...twice, { kind: 'trailer', records: 10 }]);
      assert.deepEqual([...endOf(imported), imported.held], ['completed', null, 3, 3, 0], 'the import');
      const { amounts, statements } = await recordedOf(world, account);
      assert.deepEqual([amounts.length, statements.length], [3, 1], 'what is recorded');
    },
  },
  {
    rule: 'a line that the bank reported by itself before is a duplicate',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const [, { line }] = statementRecords(account, {
        ...monday,
        lines: [{ amount: -275, bank_reference: 'R1' }],
      }) as [Line, Extract<Line, { kind: 'line' }>];
      await world.storage.unitOfWork.run(({ accounts }) =>
        accounts.recordLines([
          {
            ...line,
            account_id: account.id,
            company_id: account.company_id,
            currency: 'USD',
            statement_id: null,
            place: null,
            occurrence: 1,
            balance_after: null,
            standing: null,
            recorded_at_ms: 1,
          },
        ]),
      );
      const imported = await world.imported(statementFile(account, [{ ...monday, lines: [line] }]));
      assert.deepEqual(endOf(imported), ['completed', null, 0, 1], 'the import');
    },
  },
  {
    rule: 'the balance after a line is the same wherever a batch ends, also behind lines that the bank reported before',
    async check(open) {
      const world = new ImportWorld(await open());
      for (let batch_records_max = 1; batch_records_max <= 7; batch_records_max += 1) {
        const account = await makeAccount(world);
        const [first, second] = [-5, 7].map((amount, at) =>
          reportedLine(amount, { bank_reference: `R${at}`, booking_date: monday.as_of, value_date: monday.as_of }),
        ) as [ReportedLine, ReportedLine];
        await world.storage.unitOfWork.run(({ accounts }) =>
          accounts.recordLines([first, second].map((line) => newLine(account, line))),
        );
        const file = statementFile(account, [
          { ...monday, lines: [-100, first, 10, second, 3, 1] },
          { ...tuesday, opening: 916, lines: [4, -6] },
        ]);
        const imported = await world.imported(file, { ports: { batch_records_max } });
        assert.deepEqual(endOf(imported), ['completed', null, 6, 2], `the import in batches of ${batch_records_max}`);
        const { lines } = await recordedOf(world, account);
        assert.deepEqual(
          lines.map(({ amount, balance_after }) => [amount, balance_after]).toSorted(([a], [b]) => a! - b!),
          [
            [-100, 900],
            [-6, 914],
            [-5, null],
            [1, 916],
            [3, 915],
            [4, 920],
            [7, null],
            [10, 905],
          ],
          `the balances with batches of ${batch_records_max}`,
        );
      }
    },
  },
  {
    rule: 'a bad line, and a value that cannot be stored, hold their statement alone with the place',
    async check(open) {
      const world = new ImportWorld(await open());
      const other = await makeAccount(world);
      const cases: readonly (readonly [string, (account: Account) => readonly Line[]])[] = [
        ['line_bad', (account) => [...statementRecords(account, monday), { kind: 'bad' }]],
        [
          'line_malformed',
          (account) => statementRecords(account, { ...monday, lines: [{ amount: 1, booking_date: '2026-02-30' }] }),
        ],
        [
          'line_malformed',
          (account) => statementRecords(account, { ...monday, lines: [{ amount: 1, bai_code: '82' }] }),
        ],
        [
          'line_malformed',
          (account) => statementRecords(account, { ...monday, lines: [{ amount: 1, bank_reference: '' }] }),
        ],
        [
          'line_malformed',
          (account) => statementRecords(account, { ...monday, lines: [{ amount: 1, acquirer_reference: '12' }] }),
        ],
        ['statement_malformed', () => statementRecords({ number: 'no number' }, monday)],
        ['statement_malformed', (account) => statementRecords(account, { ...monday, as_of: '2026-5-1' })],
      ];
      let opening = 0;
      for (const [code, recordsOf] of cases) {
        const account = await makeAccount(world);
        const sound = { as_of: '2026-05-18', opening, lines: [-1] };
        opening -= 1;
        const records = [...recordsOf(account), ...statementRecords(other, sound)];
        const file: readonly Line[] = [
          { kind: 'header', file_id: freshFileId() },
          ...records,
          { kind: 'trailer', records: records.length + 2 },
        ];
        const imported = await world.imported(file);
        assert.deepEqual(
          [...endOf(imported), imported.held_statements[0]?.code],
          ['completed_with_quarantine', null, 1, 0, code],
          code,
        );
        assert((imported.held_statements[0]?.offset ?? 0) > 0, `the offset of ${code}`);
        const refusal = await refusalOf(releaseImport(world.ports(), world.call, imported.id, 'please'), 'the release');
        assert.deepEqual(refusal.code, 'conflict', 'the release');
        assert.deepEqual((await recordedOf(world, account)).statements, [], 'what is recorded of the held one');
      }
    },
  },
  {
    rule: 'what does not fit of a file is held by itself with its account, and goes in once what it waits for is there, by itself or by its number',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const [late, later] = [freshFileId(), freshFileId()].map((id) => `later${id.replace('-', '')}`) as [
        string,
        string,
      ];
      const off = await makeAccount(world);
      const records = [
        ...statementRecords({ number: late }, monday),
        ...statementRecords(account, monday),
        ...statementRecords(off, { ...monday, closing: 1 }),
        ...statementRecords({ number: later }, monday),
        ...statementRecords(account, tuesday),
      ];
      const file: readonly Line[] = [{ kind: 'header' }, ...records, { kind: 'trailer', records: records.length + 2 }];
      const imported = await world.imported(file);
      assert.deepEqual([...endOf(imported), imported.held], ['completed_with_quarantine', null, 4, 0, 9], 'the import');
      assert.deepEqual(
        imported.held_statements.map(({ number, account_number, code, waits_for }) => [
          number,
          account_number,
          code,
          waits_for,
        ]),
        [
          [1, late, 'unknown_account', late],
          [3, off.number, 'statement_out_of_balance', null],
          [4, later, 'unknown_account', later],
        ],
        'the held ones',
      );
      await openLater(world, late);
      assert.deepEqual(await continueImports(world.ports(), world.call), 1, 'what waited for the first account');
      await openLater(world, later);
      const unheld = replayImport(world.ports(), world.call, imported.id, { statement: 1 });
      assert.deepEqual((await refusalOf(unheld, 'the replay')).code, 'conflict', 'of a statement that is not held');
      const replayed = await replayImport(world.ports(), world.call, imported.id, { statement: 4 });
      assert.deepEqual([...endOf(replayed), replayed.held], ['completed_with_quarantine', null, 10, 0, 3], 'replayed');
      const { import: released } = await releaseImport(world.ports(), world.call, imported.id, 'known', {
        statement: 3,
      });
      assert.deepEqual(
        [...endOf(released), released.held, released.held_statements],
        ['completed', null, 13, 0, 0, []],
        'released',
      );
      const left = await world.storage.unitOfWork.read(({ imports }) => imports.batches(imported.id, 'lines', 0, 1));
      assert.deepEqual(left, [], 'the staged lines');
    },
  },
  {
    rule: 'a balance that is not stated follows from the other one and the lines, or from the statement before it',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const stated = (plan: StatementPlan, balances: Partial<Record<'opening_balance' | 'closing_balance', null>>) => {
        const [head, ...lines] = statementRecords(account, plan) as [Extract<Line, { kind: 'statement' }>, ...Line[]];
        return [{ ...head, head: { ...head.head, ...balances } }, ...lines];
      };
      const none = { opening_balance: null, closing_balance: null };
      const import_ = async (records: readonly Line[]) =>
        await world.imported([
          { kind: 'header', file_id: freshFileId() },
          ...records,
          { kind: 'trailer', records: records.length + 2 },
        ]);
      const alone = await import_(stated(tuesday, none));
      assert.deepEqual(endOf(alone), ['held', 'balance_missing', 0, 0], 'before the first statement');
      const both = await import_([
        ...stated(wednesday, { opening_balance: null }),
        ...stated(monday, { closing_balance: null }),
      ]);
      assert.deepEqual(endOf(both), ['completed', null, 5, 0], 'with one balance, and what waited between');
      await import_(stated(thursday, none));
      const ended = await Promise.all([alone, both].map((one) => find(world, one)));
      assert.deepEqual(
        ended.map(endOf),
        [
          ['completed', null, 1, 0],
          ['completed', null, 5, 0],
        ],
        'all of them',
      );
      await assertWholeChain(world, account, 'the chain');
    },
  },
  {
    rule: 'a further page, a third statement of one day and a statement over known days are each recorded as what they are',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const day = { as_of: '2026-05-18' };
      const pages = [
        { ...day, reference: 'P', opening: 1_000, lines: [{ amount: -1, bank_reference: 'F' }] },
        { ...day, reference: 'P', opening: 999, lines: [{ amount: -1, bank_reference: 'F' }] },
      ];
      assert.deepEqual(endOf(await world.imported(statementFile(account, pages))), ['completed', null, 2, 0], 'pages');
      const later = { ...day, reference: 'P', opening: 998, lines: [{ amount: -2, bank_reference: 'G' }] };
      assert.deepEqual(
        endOf(await world.imported(statementFile(account, [later]))),
        ['completed', null, 1, 0],
        'a later page',
      );
      const tuesday_ = { as_of: '2026-05-19', opening: 996 };
      const of_day = [
        { ...tuesday_, reference: 'A', lines: [4] },
        { ...tuesday_, reference: 'B', opening: 1_000, lines: [-4] },
        { ...tuesday_, reference: 'C', lines: [4] },
      ];
      for (const one of of_day.slice(0, 2)) await world.import(statementFile(account, [one]));
      const third = await world.imported(
        statementFile(account, [{ ...of_day[2]!, lines: [{ amount: 4, bank_reference: 'H' }] }]),
      );
      assert.deepEqual(endOf(third), ['completed', null, 1, 0], 'the third statement of a day');
      const again = await world.imported(withWhiteSpace(statementFile(account, [of_day[0]!])));
      assert.deepEqual(endOf(again), ['completed', null, 0, 1], 'the first one again');
      const all: StatementPlan['lines'] = [
        ...pages.flatMap(({ lines }) => lines).map((line) => ({ ...line, booking_date: '2026-05-18' })),
        { ...later.lines[0]!, booking_date: '2026-05-18' },
        4,
        -4,
        { amount: 4, bank_reference: 'H' },
      ];
      const month = { as_of: '2026-05-19', reference: 'M', opening: 1_000, lines: all };
      const covering = await world.imported(statementFile(account, [month]));
      assert.deepEqual(endOf(covering), ['completed', null, 0, 6], 'a statement over all of these days');
      const other = { ...month, lines: [...all, 5, { amount: -5, bank_reference: 'X' }] };
      const held = await world.imported(statementFile(account, [other]));
      assert.deepEqual(endOf(held), ['held', 'statement_differs', 0, 0], 'with lines that none of them has');
      const { statements, amounts } = await recordedOf(world, account);
      assert.deepEqual([statements.length, amounts.reduce((sum, one) => sum + one, 0)], [6, 0], 'what is recorded');
    },
  },
  {
    rule: 'a statement that has some lines of known ones with its balances is held, and books none of them twice',
    async check(open) {
      const world = new ImportWorld(await open());
      for (const bank_reference of [null, 'R']) {
        const account = await makeAccount(world);
        const line = (amount: number, booking_date: string) => ({ amount, booking_date, bank_reference });
        const [first, second] = ['2026-05-18', '2026-05-19'];
        const all = [line(10, first), line(-4, first), line(-6, second)];
        const days = [
          { as_of: first, reference: 'D1', opening: 100, lines: all.slice(0, 2) },
          { as_of: second, reference: 'D2', opening: 106, lines: all.slice(2) },
        ];
        await world.import(statementFile(account, days));
        const changed = [
          {
            as_of: '2026-05-31',
            reference: 'M',
            opening: 100,
            lines: [...all.slice(0, 2), line(-3, second), line(-3, second)],
          },
          { as_of: second, reference: 'M', opening: 100, lines: [...all, line(1, second), line(-1, second)] },
        ];
        for (const plan of changed) await heldOf(world, statementFile(account, [plan]), 'statement_differs');
        const { amounts } = await recordedOf(world, account);
        assert.deepEqual(amounts.toSorted(), [10, -4, -6].toSorted(), 'what is recorded');
      }
    },
  },
  {
    rule: 'a page in a file of its own has equal lines of its own, also with the balances of an earlier page',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const pages = [0, 5, 0, 5].map((opening, at) => ({
        as_of: '2026-05-18',
        reference: 'P',
        opening,
        lines: [
          { amount: at % 2 === 0 ? 5 : -5, bank_reference: `page ${at}` },
          ...(at < 2 ? [{ amount: 0, bank_reference: 'F' }] : []),
        ],
      }));
      for (const page of pages) {
        const { length } = page.lines;
        const imported = await world.imported(statementFile(account, [page]));
        assert.deepEqual(endOf(imported), ['completed', null, length, 0], 'a page');
      }
      for (const page of pages) {
        const again = await world.imported(withWhiteSpace(statementFile(account, [page])));
        assert.deepEqual(endOf(again), ['completed', null, 0, page.lines.length], 'the page again');
      }
    },
  },
  {
    rule: 'a release of days within a known statement records no line a second time',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const on = (day: number, amount: number) => ({
        amount,
        booking_date: `2026-05-0${day}`,
        bank_reference: day === 3 ? null : 'R',
      });
      const days = [on(1, 10), on(2, 20), on(3, 30), on(4, 40)];
      await world.import(statementFile(account, [{ as_of: '2026-05-31', opening: 0, lines: days }]));
      const part = { as_of: '2026-05-03', opening: 10, lines: [...days.slice(1, 3), on(3, 7)] };
      const held = await heldOf(world, statementFile(account, [part]), 'statement_gap');
      const release = async () => (await releaseImport(world.ports(), world.call, held.id, 'known days')).import;
      assert.deepEqual(endOf(await release()), ['held', 'statement_differs', 0, 0], 'the line that the month lacks');
      assert.deepEqual(endOf(await release()), ['completed', null, 1, 2], 'both released');
      const { amounts, statements } = await recordedOf(world, account);
      assert.deepEqual([amounts.length, statements.length], [5, 1], 'what is recorded');
    },
  },
  {
    rule: 'a line that the bank reported by itself is the first of the equals of a statement',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const line = reportedLine(-5, { bank_reference: 'C1', booking_date: '2026-05-18' });
      await world.storage.unitOfWork.run(({ accounts }) => accounts.recordLines([newLine(account, line)]));
      const imported = await world.imported(statementFile(account, [{ ...monday, lines: [line, line] }]));
      assert.deepEqual(endOf(imported), ['completed', null, 1, 1], 'the import');
    },
  },
  {
    rule: 'the balance after a line is right in a statement whose days are newest first, and that closes with its balance',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const days = [3, 2, 1].map((amount) => ({ amount, booking_date: `2026-05-1${amount}` }));
      const [head, ...lines] = statementRecords(account, { as_of: '2026-05-13', opening: 100, lines: days });
      const stated = { ...(head as Extract<Line, { kind: 'statement' }>) };
      const opened: Line = { ...stated, head: { ...stated.head, as_of: '2026-05-11', closing_balance: null } };
      const end: Line = { kind: 'statement_end', closing_balance: money(106), as_of: '2026-05-13' };
      const imported = await world.imported([
        { kind: 'header' },
        opened,
        ...lines,
        end,
        { kind: 'trailer', records: 7 },
      ]);
      assert.deepEqual(endOf(imported), ['completed', null, 3, 0], 'the import');
      const recorded = await recordedOf(world, account);
      assert.deepEqual(recorded.statements, [['2026-05-13', 100, 106]], 'the statement');
      assert.deepEqual(
        recorded.lines.map(({ amount, balance_after }) => [amount, balance_after]).toSorted(),
        [
          [1, 101],
          [2, 103],
          [3, 106],
        ],
        'the balances',
      );
    },
  },
  {
    rule: 'a dry run shows what an import of statements would do, line by line, and writes nothing',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const preview = async (lines: readonly Line[]) => {
        const shown: string[] = [];
        const found = await previewFile(world.ports(), sourceOf(bytesOf(lines)), {}, (record) =>
          shown.push(`${record.outcome} ${record.amount} ${record.account_number === account.number}`),
        );
        return [found.status, found.problem?.code ?? null, found.statements, found.applied, found.duplicates, shown];
      };
      const first = statementFile(account, [monday]);
      const all_new = ['applied -100 true', 'applied -250 true', 'applied 75 true'];
      assert.deepEqual(await preview(first), ['completed', null, 1, 3, 0, all_new], 'a new statement');
      assert.deepEqual((await recordedOf(world, account)).statements, [], 'what is recorded');
      await world.import(first);
      const known = all_new.map((text) => text.replace('applied', 'duplicate'));
      assert.deepEqual(
        await preview(withWhiteSpace(first)),
        ['completed', null, 1, 0, 3, known],
        'with other white space',
      );
      const bytes = bytesOf(first);
      const cut = await previewFile(world.ports(), sourceOf(bytes), { bytes_max: bytes.length / 2 }, () => {});
      assert.deepEqual([cut.is_whole, cut.status, cut.held], [false, 'completed', 0], 'of half of a statement');
      const [status, code] = await preview(statementFile(account, [wednesday]));
      assert.deepEqual([status, code], ['held', 'statement_gap'], 'behind a gap');
      const changed = await preview(statementFile(account, [{ ...monday, lines: [-101, -249, 75] }]));
      assert.deepEqual(changed.slice(0, 2), ['held', 'statement_differs'], 'with other lines');
    },
  },
]);
