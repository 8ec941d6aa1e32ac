import assert from 'node:assert/strict';
import { refusalOf } from '@tallystick/harness';
import { checkOnStorages } from '@tallystick/test-support';
import { type ActPorts, decideByTable, type RecordKey, recordOfItemId } from '../../src/index.ts';
import {
  ActWorld,
  areConfirmed,
  assertRebuilt,
  assertSameState,
  authorization,
  clearing,
  line,
  tableOf,
} from './world.ts';

/** The row of the item that has the record, which is to be matched with what `names` name. */
async function matchRow(
  world: ActWorld,
  record: RecordKey,
  names: string,
  more: Readonly<Record<string, string>> = {},
) {
  const { item } = await world.read(record);
  return {
    id: String(item.id),
    version: String(item.version),
    decision: 'match',
    note: 'agreed',
    with: names,
    ...more,
  };
}

type Row = Readonly<Record<string, string>>;

function decide(world: ActWorld, rows: readonly Row[], { dry_run = false, actor = 'key:1' } = {}) {
  return decideByTable(world.ports(), world.call(actor), tableOf(rows), { dry_run });
}

/** The places of the errors of a dry run, with their messages. */
async function errorsOf(world: ActWorld, rows: readonly Row[]): Promise<readonly string[]> {
  const { errors } = await decide(world, rows, { dry_run: true });
  return errors.map(({ row, column, message }) => `${row} ${column} ${message}`);
}

/** A clearing without a line, and a line that is too distant for a rule. */
async function apart(world: ActWorld, amount = 1_000) {
  return { clearing_id: await world.clear({ amount }), line_id: await world.line({ amount, date: '2026-06-20' }) };
}

checkOnStorages('tables of matches', [
  {
    rule: 'a dry run refuses a match of a reversal, which belongs to what it reverses',
    async check(open) {
      const world = await ActWorld.on(await open());
      const references = { acquirer_reference_data: '74123456061000000000116', merchant_id: 'V1' };
      const undone = await world.clear({ ...references, amount: 300 });
      const credit = { clearing_type: 'CREDIT', cycle: 'reversal', amount: 300 } as const;
      const reversal_id = await world.clear({ ...references, ...credit });
      const row = await matchRow(world, authorization(await world.authorize()), `clearing:${reversal_id}`);
      const why = 'it belongs to what the clearing belongs to that it refers to';
      assert.deepEqual(await errorsOf(world, [row]), [`2 decision clearing ${reversal_id} is a reversal: ${why}`]);
      assert.deepEqual((await world.read(clearing(undone))).item.clearing_ids, [undone, reversal_id]);
    },
  },
  {
    rule: 'matches of both sides are made by one table, and the same table a second time changes nothing',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const one = await apart(world, 700);
      const other = await apart(world, 800);
      const [root_id, lone_id] = [await world.authorize(), await world.clear()];
      const before = await world.state();
      const suggestions = `1 = line:${one.line_id} (7.00 on 2026-06-20, 31 days later); 2 = line:${other.line_id} (8.00 on 2026-06-20, 31 days later)`;
      const rows = [
        await matchRow(world, clearing(one.clearing_id), 'suggestion:1', { suggestions }),
        await matchRow(world, line(other.line_id), `Clearing:${other.clearing_id}`),
        await matchRow(world, clearing(lone_id), `authorization:${root_id}`),
      ];
      const counted = { pending: 0, rows: 3, skipped: 0, errors: [], errors_total: 0 };
      const dry = await decide(world, rows, { dry_run: true });
      assert.deepEqual(dry, { ...counted, decided: 3, unchanged: 0, dry_run: true }, 'the dry run');
      assertSameState(await world.state(), before, 'everything after the dry run');
      assert.deepEqual(
        await decide(world, rows),
        { ...counted, decided: 3, unchanged: 0, dry_run: false },
        'the table',
      );
      for (const { clearing_id, line_id } of [one, other]) {
        const { item } = await world.read(line(line_id));
        assert.deepEqual([item.clearing_ids, item.line_ids], [[clearing_id], [line_id]], 'a matched line');
      }
      const { item } = await world.read(clearing(lone_id));
      assert.deepEqual(item.authorization_ids, [root_id], 'the matched clearing');
      const matched = await world.items();
      const again = await decide(world, rows);
      assert.deepEqual(again, { ...counted, decided: 0, unchanged: 3, dry_run: false }, 'the same table again');
      assert.deepEqual(await world.items(), matched, 'the items after the same table');
      await world.act(clearing(lone_id), 'unmatch');
      await world.act(line(other.line_id), 'unmatch');
      await world.act(line(one.line_id), 'unmatch');
      assertSameState(await world.state(), before, 'everything after the matches were undone');
      assert.equal((await errorsOf(world, rows)).length, 3, 'the table is one of other versions by now');
    },
  },
  {
    rule: 'several lines of several items are matched with several clearings of several items, fees aside',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const reference = '74123456061000000000017';
      const joined = await world.clear({ amount: 900, acquirer_reference_data: reference });
      const own_line = await world.line({ amount: 500, reference });
      const fee = await world.line({ amount: 30, reference, code: '825' });
      const lone = await world.clear({ amount: 600 });
      const lines = [
        await world.line({ amount: 650, date: '2026-06-20' }),
        await world.line({ amount: 350, date: '2026-06-21' }),
      ];
      const { item: split } = await world.read(clearing(joined));
      assert.deepEqual([split.line_ids, split.fees], [[own_line, fee], 30], 'the item of the reference');
      const before = await world.state();
      const names = `clearing:${joined} clearing:${lone}\nline:${own_line}; line:${lines[0]}, line:${lines[1]}`;
      const short = await errorsOf(world, [
        await matchRow(
          world,
          clearing(joined),
          `clearing:${joined} clearing:${lone} line:${own_line} line:${lines[0]}`,
        ),
      ]);
      assert.match(short.join(), /^2 with must add up: lines .* and clearings .* have a difference of -3\.50 USD/);
      await decide(world, [await matchRow(world, clearing(lone), names)]);
      const { item } = await world.read(line(lines[1]!));
      assert.deepEqual(
        item.clearing_ids,
        [joined, lone].sort((a, b) => a - b),
        'the clearings',
      );
      assert.deepEqual(
        item.line_ids,
        [own_line, fee, ...lines].sort((a, b) => a - b),
        'the lines',
      );
      assert.deepEqual([item.cleared, item.stated, item.fees], [1_500, 1_530, 30], 'the amounts');
      await assertRebuilt(world, 'after the match');
      await world.act(line(lines[0]!), 'unmatch');
      assertSameState(await world.state(), before, 'everything after the unmatch');
      const elsewhere = await world.line({ amount: 650, account: 1, date: '2026-06-20' });
      const mixed = await errorsOf(world, [
        await matchRow(world, clearing(lone), `line:${elsewhere} line:${lines[1]}`),
      ]);
      assert.match(mixed.join(), /^2 with must be of one account/);
    },
  },
  {
    rule: 'words of the column `with` that name no records are errors that say what would be right',
    async check(open) {
      const world = await ActWorld.on(await open());
      const record = clearing(await world.clear());
      const foreign = await (await ActWorld.on(world.storage)).line();
      const suggestions = '1 = line:408 (3.33 on 2030-03-22, 2 days later)';
      const expected: readonly (readonly [string, RegExp])[] = [
        ['', /^2 with is required for match: name the records/],
        ['408', /^2 with must be words such as authorization:9, .*, and "408" is none$/],
        ['line:0', /and "line:0" is none$/],
        ['line:12.0', /and "line:12.0" is none$/],
        ['accept_difference', /^2 with must also name the records of the other side, as line:408$/],
        ['item:12', /^2 with must name records, not items: .* of "item:12", as line:408$/],
        ['suggestion:2', /^2 with must name a suggestion of the row, and "suggestion:2" is none: .* has 1$/],
        ['authorization:1 authorization:2', /^2 with must name one authorization at most/],
        [`line:${foreign}`, new RegExp(`^2 with must be lines of the company, and there is no line ${foreign}$`)],
        ['authorization:1 line:2', /^2 with must be absent beside an authorization/],
        [Array.from({ length: 101 }, (_, at) => `line:${at + 1}`).join(' '), /^2 with must name at most 100 clearings/],
      ];
      for (const [names, message] of expected) {
        const errors = await errorsOf(world, [await matchRow(world, record, names, { suggestions })]);
        assert.equal(errors.length, 1, names);
        assert.match(errors[0]!, message);
      }
      const { with: _with, ...of_before } = await matchRow(world, record, '');
      assert.match((await errorsOf(world, [of_before])).join(), /^2 with is required .* no column of this name/);
      const accepted = await matchRow(world, record, 'line:408', { decision: 'accept' });
      assert.match(
        (await errorsOf(world, [accepted])).join(),
        /^2 with must be empty: it is only for match, not for accept/,
      );
      const without = await matchRow(world, record, 'suggestion:1');
      assert.match((await errorsOf(world, [without])).join(), /has none for "suggestion:1"$/);
    },
  },
  {
    rule: 'a record is in one row: another row about it is an error that names the first one, in the check',
    async check(open) {
      const world = await ActWorld.on(await open());
      const [one, other] = [await apart(world), await apart(world)];
      const by_line = await matchRow(world, line(one.line_id), `clearing:${one.clearing_id}`);
      assert.deepEqual(
        await errorsOf(world, [by_line, await matchRow(world, clearing(other.clearing_id), `line:${one.line_id}`)]),
        [`3 with must be about records of no other row: row 2 is also about line:${one.line_id}`],
        'two rows that match one line',
      );
      assert.deepEqual(
        await errorsOf(world, [
          by_line,
          await matchRow(world, clearing(one.clearing_id), '', { decision: 'ignore' }),
          await matchRow(world, line(other.line_id), `clearing:${one.clearing_id}`),
        ]),
        [
          `3 id must be about records of no other row: row 2 is also about clearing:${one.clearing_id}`,
          `4 with must be about records of no other row: row 2 is also about clearing:${one.clearing_id}`,
        ],
        'a row that decides what another one matches',
      );
    },
  },
  {
    rule: 'lines of two rows are matched with two clearings of one purchase, also by the same table again',
    async check(open) {
      const world = await ActWorld.on(await open());
      const code = { approval_code: 'A55555', merchant_id: 'M5' };
      await world.authorize(code);
      const parts = [];
      for (const amount of [400, 600]) {
        const clearing_id = await world.clear({ ...code, amount, partial: true });
        parts.push({ clearing_id, line_id: await world.line({ amount, date: '2026-06-20' }) });
      }
      const rows = [];
      for (const { clearing_id, line_id } of parts) {
        rows.push(await matchRow(world, line(line_id), `clearing:${clearing_id}`));
      }
      assert.deepEqual((await decide(world, rows)).decided, 2, 'the table');
      const { item } = await world.read(line(parts[1]!.line_id));
      assert.deepEqual(
        item.line_ids,
        parts.map(({ line_id }) => line_id),
        'the lines of the purchase',
      );
      assert.deepEqual((await decide(world, rows)).unchanged, 2, 'the same table again');
      await assertRebuilt(world, 'after the table');
    },
  },
  {
    rule: 'a match that gives back what was taken apart is planned against the rules when they do not make it',
    async check(open) {
      const world = await ActWorld.on(await open());
      const reference = '74123456061000000000017';
      const clearing_id = await world.clear({ acquirer_reference_data: reference });
      const line_id = await world.line({ reference });
      await world.act(line(line_id), 'unmatch');
      const nearer = await world.line({ reference });
      assert.deepEqual((await world.read(clearing(clearing_id))).item.line_ids, [nearer], 'the rule has another line');
      const taken = await world.act(line(nearer), 'unmatch');
      assert.deepEqual(taken.clearing_ids, [], 'both lines are apart');
      await decide(world, [await matchRow(world, line(line_id), `clearing:${clearing_id}`)]);
      assert.deepEqual((await world.read(clearing(clearing_id))).item.line_ids, [line_id], 'the line of the table');
      await assertRebuilt(world, 'after the table');
    },
  },
  {
    rule: 'what the rules match because of earlier rows is no reason to refuse later ones, and is undone with them',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const shop = { merchant_id: 'M8', amount: 900 };
      const roots = [await world.authorize(shop), await world.authorize(shop)];
      const tied = [await world.clear(shop), await world.clear(shop)];
      const lone = [await world.clear({ amount: 333 }), await world.clear({ amount: 333 })];
      const alike = [await world.line({ amount: 333 }), await world.line({ amount: 333 })];
      const settled = [await world.clear({ amount: 447 }), await world.clear({ amount: 447 })];
      const booked = [await world.line({ amount: 447 }), await world.line({ amount: 447 })];
      for (const record of [...tied, ...lone, ...settled]) {
        const { item } = await world.read(clearing(record));
        assert.deepEqual([item.authorization_ids, item.line_ids], [[], []], 'ambiguous, and so alone');
      }
      // More than the first batch has.
      const fillers = [];
      for (let at = 0; at < 100; at += 1) {
        const record = line(await world.line({ amount: 5_000 + at, date: '2026-06-20' }));
        fillers.push(await matchRow(world, record, '', { decision: 'accept' }));
      }
      const rows = [
        await matchRow(world, line(alike[0]!), `clearing:${lone[0]}`),
        await matchRow(world, line(booked[0]!), `clearing:${settled[0]}`),
        await matchRow(world, clearing(tied[0]!), `authorization:${roots[0]}`),
        await matchRow(world, clearing(tied[1]!), `authorization:${roots[1]}`),
        ...fillers,
        await matchRow(world, clearing(lone[1]!), `line:${alike[1]}`),
        await matchRow(world, line(booked[1]!), `clearing:${settled[1]}`),
      ];
      const last = await matchRow(world, line(await world.line({ amount: 99, date: '2026-06-20' })), '', {
        decision: 'ignore',
      });
      const before = await world.state();
      let readings = 0;
      const change = async () => {
        readings += 1;
        if (readings === 2) await world.actOn(Number(last.id), 'accept', {}, 'key:2');
      };
      const refusal = await refusalOf(
        decideByTable(world.ports(), world.call(), tableOf([...rows, last], change), { dry_run: false }),
        'a table whose last item changes',
      );
      assert.match(refusal.message, /key:2 accepted it at .*nothing was decided$/);
      await world.actOn(Number(last.id), 'reopen', {}, 'key:2');
      assertSameState(await world.state(), before, 'everything but the acts');
      const current = [];
      for (const row of rows) {
        const { item } = await world.read(recordOfItemId(Number(row.id))!);
        current.push({ ...row, version: String(item.version) });
      }
      assert.equal((await decide(world, current)).decided, rows.length, 'the table');
      for (const at of [0, 1]) {
        assert.deepEqual((await world.read(clearing(tied[at]!))).item.authorization_ids, [roots[at]], 'a purchase');
        for (const [clearing_id, line_id] of [
          [lone[at]!, alike[at]!],
          [settled[at]!, booked[at]!],
        ] as const) {
          const { item } = await world.read(clearing(clearing_id));
          assert.deepEqual([item.line_ids, item.matches.at(-1)?.rule], [[line_id], 'person'], 'a line');
        }
      }
      assert.deepEqual(await areConfirmed(world, tied), [true, true], 'both are matches of a person');
      assert.equal((await decide(world, current)).unchanged, rows.length, 'the same table again');
      await assertRebuilt(world, 'after the table');
    },
  },
  {
    rule: 'a row can accept what its match leaves, with the note as the reason',
    async check(open) {
      const world = await ActWorld.on(await open());
      const clearing_id = await world.clear({ amount: 500 });
      const line_id = await world.line({ amount: 498, date: '2026-06-20' });
      await world.authorize();
      const plain = await matchRow(world, line(line_id), `clearing:${clearing_id}`);
      assert.match((await errorsOf(world, [plain])).join(), /^2 with must add up/);
      const rows = [{ ...plain, with: `clearing:${clearing_id} accept_difference` }];
      assert.equal((await decide(world, rows)).decided, 1, 'the table');
      const { history } = await world.read(line(line_id));
      assert.deepEqual([history[0]?.reason, history[0]?.subject.accepted?.amount], ['agreed', -2], 'the act');
      assert.equal((await decide(world, rows)).unchanged, 1, 'the same table again');
      assert.equal((await errorsOf(world, [plain])).length, 1, 'a match that accepts nothing is another one');
    },
  },
  {
    rule: 'matches of both sides are undone with their table when another row is refused',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const [first, last] = [await apart(world), await apart(world)];
      const [root_id, lone_id] = [await world.authorize(), await world.clear()];
      const [other_root, refused] = [await world.authorize(), await world.clear()];
      const barred = await apart(world, 444);
      await world.act(line(barred.line_id), 'match', { with: { clearing_ids: [barred.clearing_id] } });
      await world.act(line(barred.line_id), 'unmatch');
      const rows = [
        await matchRow(world, line(first.line_id), `clearing:${first.clearing_id}`),
        await matchRow(world, line(barred.line_id), `clearing:${barred.clearing_id}`),
        await matchRow(world, clearing(lone_id), `authorization:${root_id}`),
        await matchRow(world, clearing(last.clearing_id), `line:${last.line_id}`),
        await matchRow(world, clearing(refused), `authorization:${other_root}`),
      ];
      const before = await world.state();
      // The last row is refused by its pass, after the others were written.
      const late: ActPorts = {
        ...world.ports(),
        network: {
          async rematch(message) {
            const is_last = message.matches.some(({ clearing_id }) => clearing_id === refused);
            if (is_last) await world.act(clearing(refused), 'ignore', {}, 'key:2');
            return await world.network.rematch(message);
          },
        },
      };
      const refusal = await refusalOf(
        decideByTable(late, world.call(), tableOf(rows), { dry_run: false }),
        'a table whose last row is refused by a pass',
      );
      assert.match(refusal.message, /key:2 ignored it at .*nothing was decided$/);
      const actions = async (record: RecordKey) => (await world.read(record)).history.map(({ action }) => action);
      assert.deepEqual(await actions(line(first.line_id)), ['match', 'unmatch'], 'the history of the first row');
      assert.deepEqual(await actions(clearing(lone_id)), ['match', 'unmatch'], 'that of the third');
      await world.act(clearing(refused), 'reopen', {}, 'key:2');
      assertSameState(await world.state(), before, 'everything but the acts');
      await assertRebuilt(world, 'after the refusal');
    },
  },
]);
