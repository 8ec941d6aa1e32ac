import assert from 'node:assert/strict';
import type { Account, ReportedLine } from '@tallystick/accounts';
import {
  bytesOf,
  freshFileId,
  type Line,
  newLine,
  refusalOf,
  reportedLine,
  type StatementPlan,
  statementFile,
  statementRecords,
} from '@tallystick/harness';
import { money } from '@tallystick/kernel';
import { checkOnStorages } from '@tallystick/test-support';
import { continueImports, type Import, previewFile, readImport, releaseImport } from '../../src/index.ts';
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
        booking_date: '2026-05-17',
        value_date: '2026-05-19',
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
      const { id, statement_id, recorded_at_ms, ...recorded } = lines[1]!;
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
          balance_after: 5 + 1 - 1_234,
        },
        'the line',
      );
      assert.deepEqual(lines[0]!.balance_after, money(5 + 1), 'the balance after the line before it');
      const statement = await world.storage.unitOfWork.read((tx) => tx.accounts.findStatement(statement_id!));
      assert.deepEqual(
        [statement?.reference, statement?.import_id, statement?.company_id],
        ['S/1', imported.id, account.company_id],
        'its statement',
      );
      assert.deepEqual([id > 0, recorded_at_ms], [true, world.call.now_ms], 'when it was recorded');
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
    rule: 'a known statement with other balances is held, shows both versions, and cannot be released',
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
        assert(held.problem!.message.includes('7.00 USD'), `${held.problem!.message} shows what is recorded`);
        const refusal = await refusalOf(releaseImport(world.ports(), world.call, held.id, 'please'), 'the release');
        assert.deepEqual(refusal.code, 'conflict', 'the refusal');
      }
      const renamed = await world.imported(statementFile(account, [{ ...tuesday, reference: 'T9' }]));
      assert.deepEqual(endOf(renamed), ['completed', null, 0, 1], 'the same balances under another reference');
      assert.deepEqual((await recordedOf(world, account)).amounts.length, 6, 'the lines');
    },
  },
  {
    rule: 'a line that is reported again with another amount, date or code holds the whole file, with both versions',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const line = { amount: -25, bank_reference: 'R1' };
      await world.import(statementFile(account, [monday, { ...tuesday, lines: [line] }]));
      const repeated = [
        { ...monday, lines: [-101, -249, 75] },
        { ...monday, lines: [-100, -250, { amount: 75, bai_code: '399' }] },
        { ...monday, lines: [-100, { amount: -250, value_date: '2026-05-19' }, 75] },
        { ...monday, lines: [-100, -250, 75, 0] },
        { ...monday, lines: [-100, -250, { amount: 75, bank_reference: 'R7' }] },
        { ...tuesday, lines: [{ ...line, booking_date: '2026-05-18' }] },
        { ...wednesday, lines: [{ ...line, amount: -200 }, 50] },
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
      const held = await heldOf(world, statementFile(account, [repeated[0]!]), 'statement_differs');
      for (const part of ['-1.01 USD of 2026-05-18', '-1.00 USD of 2026-05-18']) {
        assert(held.problem!.message.includes(part), `the message ${held.problem!.message} shows ${part}`);
      }
      assert.deepEqual((await recordedOf(world, account)).amounts.toSorted(), [-100, -25, -250, 75], 'the lines');
    },
  },
  {
    rule: 'two lines of a file with one bank reference hold it, also in two statements and in other batches',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const named = (amount: number) => ({ amount, bank_reference: 'R1' });
      const files = [
        statementFile(account, [{ ...monday, lines: [named(-100), named(-100)] }]),
        statementFile(account, [{ ...monday, lines: [named(-100), 1, 2, 3, 4, 5, named(-175)] }, tuesday]),
        statementFile(account, [
          { ...monday, lines: [named(-275)] },
          { ...tuesday, lines: [named(-25)] },
        ]),
      ];
      for (const file of files) await heldOf(world, file, 'statement_differs');
      const twice = [...statementRecords(account, monday), ...statementRecords(account, monday)];
      await heldOf(world, [{ kind: 'header' }, ...twice, { kind: 'trailer', records: 10 }], 'statement_differs');
      assert.deepEqual((await recordedOf(world, account)).amounts, [], 'the lines');
      const other = await makeAccount(world);
      const both = [account, other].flatMap((one) => statementRecords(one, { ...monday, lines: [named(-275)] }));
      const imported = await world.imported([{ kind: 'header' }, ...both, { kind: 'trailer', records: 6 }]);
      assert.deepEqual(endOf(imported), ['completed', null, 2, 0], 'one reference on two accounts');
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
    rule: 'a bad line, and a value that cannot be stored, refuse the whole file with the place',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const [head, ...lines] = statementRecords(account, monday) as [Line, ...Line[]];
      const files: readonly (readonly [string, readonly Line[]])[] = [
        ['line_bad', [head, ...lines, { kind: 'bad' }]],
        [
          'line_malformed',
          statementRecords(account, { ...monday, lines: [{ amount: 1, booking_date: '2026-02-30' }] }),
        ],
        ['line_malformed', statementRecords(account, { ...monday, lines: [{ amount: 1, bai_code: '82' }] })],
        ['line_malformed', statementRecords(account, { ...monday, lines: [{ amount: 1, bank_reference: '' }] })],
        ['line_malformed', statementRecords(account, { ...monday, lines: [{ amount: 1, acquirer_reference: '12' }] })],
        ['statement_malformed', statementRecords({ number: 'no number' }, monday)],
        ['statement_malformed', statementRecords(account, { ...monday, as_of: '2026-5-1' })],
      ];
      for (const [code, records] of files) {
        const file: readonly Line[] = [
          { kind: 'header', file_id: freshFileId() },
          ...records,
          { kind: 'trailer', records: records.length + 2 },
        ];
        const refused = await world.imported(file);
        assert.deepEqual([refused.status, refused.problem?.code], ['refused', code], code);
        assert((refused.problem?.offset ?? 0) > 0, `the offset of ${code}`);
      }
      assert.deepEqual((await recordedOf(world, account)).statements, [], 'what is recorded');
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
      const [status, code] = await preview(statementFile(account, [wednesday]));
      assert.deepEqual([status, code], ['held', 'statement_gap'], 'behind a gap');
      const changed = await preview(statementFile(account, [{ ...monday, lines: [-101, -249, 75] }]));
      assert.deepEqual(changed.slice(0, 2), ['held', 'statement_differs'], 'with other lines');
    },
  },
]);
