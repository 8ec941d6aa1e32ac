import assert from 'node:assert/strict';
import { refusalOf } from '@tallystick/harness';
import { fixedClock } from '@tallystick/kernel';
import { checkOnStorages } from '@tallystick/test-support';
import {
  type ActPorts,
  type ActTx,
  catchUp,
  decideByTable,
  exportItems,
  type RecordKey,
  recordOfItemId,
  startOf,
} from '../../src/index.ts';
import {
  ActWorld,
  areConfirmed,
  assertRebuilt,
  assertSameState,
  clearing,
  Ended,
  endingAfter,
  line,
  proposeTwo,
  tableOf,
} from './world.ts';

/** The unit of work, which counts the calls of stores that ask the database. */
function countCalls({ run, read }: ActPorts['unitOfWork'], counted: { calls: number }): ActPorts['unitOfWork'] {
  const counting = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function' || name === 'giveWay') return value;
        return (...parameters: readonly unknown[]) => {
          counted.calls += 1;
          return Reflect.apply(value, target, parameters);
        };
      },
    });
  const storesOf = ({ reconciliation, events, audit, cards }: ActTx): ActTx => ({
    reconciliation: counting(reconciliation),
    events: counting(events),
    audit: counting(audit),
    cards: counting(cards),
  });
  return {
    run: (work) => run((tx) => work(storesOf(tx))),
    read: (work) => read((tx) => work(storesOf(tx))),
  };
}

/** The row of an item as it is. */
async function rowOf(world: ActWorld, record: RecordKey, decision: string, note = 'agreed', names = '') {
  const { item } = await world.read(record);
  return { id: String(item.id), version: String(item.version), decision, note, with: names };
}

checkOnStorages('tables of decisions', [
  {
    rule: 'a table is checked by a dry run, decides once, and changes nothing the second time',
    async check(open) {
      const world = await ActWorld.on(await open());
      const records = [line(await world.line({ amount: 70 })), line(await world.line({ amount: 80 }))] as const;
      const skipped = clearing(await world.clear());
      const rows = [
        await rowOf(world, records[0], 'accept', "'=bank error"),
        await rowOf(world, records[1], ' Ignore ', 'not ours'),
        await rowOf(world, skipped, '', ''),
      ];
      const before = await world.state();
      const counted = { pending: 0, rows: 3, skipped: 1, errors: [], errors_total: 0 };
      const dry = await decideByTable(world.ports(), world.call(), tableOf(rows), { dry_run: true });
      assert.deepEqual(dry, { ...counted, decided: 2, unchanged: 0, dry_run: true }, 'the dry run');
      assertSameState(await world.state(), before, 'everything after the dry run');
      const done = await decideByTable(world.ports(), world.call(), tableOf(rows), { dry_run: false });
      assert.deepEqual(done, { ...counted, decided: 2, unchanged: 0, dry_run: false }, 'the upload');
      const { item, history } = await world.read(records[0]);
      assert.deepEqual([item.status, history[0]?.note], ['accepted', '=bank error'], 'the accepted item');
      assert.deepEqual((await world.read(records[1])).item.status, 'ignored', 'the ignored item');
      const decided = await world.items();
      const again = await decideByTable(world.ports(), world.call(), tableOf(rows), { dry_run: false });
      assert.deepEqual(again, { ...counted, decided: 0, unchanged: 2, dry_run: false }, 'the same upload again');
      assert.deepEqual(await world.items(), decided, 'the items after the same upload');
      const reopening = [await rowOf(world, records[0], 'reopen'), await rowOf(world, records[1], 'reopen')];
      await decideByTable(world.ports(), world.call(), tableOf(reopening), { dry_run: false });
      assertSameState(await world.state(), before, 'everything after the decisions were undone');
      const reopened = await decideByTable(world.ports(), world.call(), tableOf(reopening), { dry_run: false });
      assert.deepEqual(reopened.unchanged, 2, 'the same reopening again');
    },
  },
  {
    rule: 'a table of before still decides a break that has only become older',
    async check(open) {
      const world = await ActWorld.on(await open());
      const record = line(await world.line({ amount: 70, date: '2026-07-10' }));
      const row = await rowOf(world, record, 'accept');
      assert.notEqual((await world.read(record)).item.next_change_ms, null, 'it becomes older');
      const aged = { ...world.ports(), clock: fixedClock(startOf('2026-09-20')) };
      await catchUp(aged, world.company_id);
      assert.equal((await world.read(record)).item.next_change_ms, null, 'it is in the last age bucket');
      const answer = await decideByTable(aged, world.call(), tableOf([row]), { dry_run: false });
      assert.deepEqual([answer.decided, answer.errors], [1, []]);
    },
  },
  {
    rule: 'a provisional match that a table confirms is one that a person made',
    async check(open) {
      const world = await ActWorld.on(await open());
      await world.authorize({ approval_code: 'A44444', merchant_id: 'M4' });
      const record = clearing(await world.clear({ merchant_id: 'M4' }));
      await world.line({ amount: 1_000 });
      const row = await rowOf(world, record, 'confirm');
      await decideByTable(world.ports(), world.call(), tableOf([row]), { dry_run: false });
      const { item } = await world.read(record);
      assert.deepEqual([item.status, item.matches[0]?.rule], ['matched', 'person'], 'the confirmed item');
      const again = await decideByTable(world.ports(), world.call(), tableOf([row]), { dry_run: false });
      assert.deepEqual([again.decided, again.unchanged], [0, 1], 'the same table again');
    },
  },
  {
    rule: 'all errors of a table are listed by row and column, and nothing of it is done',
    async check(open) {
      const world = await ActWorld.on(await open());
      const record = line(await world.line({ amount: 70 }));
      const good = await rowOf(world, record, 'accept');
      const other = await rowOf(world, line(await world.line({ amount: 80 })), 'accept');
      const foreign = await ActWorld.on(world.storage);
      const foreign_row = await rowOf(foreign, line(await foreign.line()), 'ignore');
      const rows = [
        good,
        { ...other, version: '17' },
        { ...other, decision: 'delete' },
        { ...other, note: '\u200b' },
        { ...other, id: '1e3', version: '' },
        foreign_row,
        good,
        { ...(await rowOf(world, clearing(await world.clear()), 'confirm')) },
      ];
      const { errors, errors_total } = await decideByTable(world.ports(), world.call(), tableOf(rows), {
        dry_run: true,
      });
      const places = errors.map(({ row, column }) => `${row} ${column}`);
      assert.deepEqual(
        places,
        ['3 version', '4 decision', '5 note', '6 id', '6 version', '7 id', '8 id', '9 decision'],
        'the places of errors',
      );
      assert.deepEqual(errors_total, errors.length, 'their number');
      const refusal = await refusalOf(
        decideByTable(world.ports(), world.call(), tableOf(rows), { dry_run: false }),
        'the upload',
      );
      assert.deepEqual([refusal.code, refusal.fields.length], ['validation_failed', errors.length], refusal.message);
      assert.deepEqual(refusal.fields[0]?.path, 'rows[3].version', 'the first path');
      assert.deepEqual((await world.read(record)).history, [], 'the history of the first row');
    },
  },
  {
    rule: 'a table is undone as a whole when one of its items changes while it is written',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const line_ids = [];
      for (let at = 0; at < 130; at += 1) line_ids.push(await world.line({ amount: 70 + at }));
      const rows = [];
      for (const id of line_ids) rows.push(await rowOf(world, line(id), 'accept'));
      const last = line(line_ids.at(-1)!);
      let readings = 0;
      const change = async () => {
        readings += 1;
        if (readings === 2) await world.act(last, 'ignore', {}, 'key:2');
      };
      const source = tableOf(rows, change);
      const refusal = await refusalOf(
        decideByTable(world.ports(), world.call(), source, { dry_run: false }),
        'a table whose last item changes',
      );
      assert.deepEqual(refusal.code, 'conflict', refusal.message);
      assert.deepEqual(/key:2 ignored it at .*nothing was decided/.test(refusal.message), true, refusal.message);
      const { item, history } = await world.read(line(line_ids[0]!));
      assert.deepEqual(item.status, 'break', 'the first item');
      assert.deepEqual(
        history.map(({ action }) => action),
        ['accept', 'reopen'],
        'its history',
      );
    },
  },
  {
    rule: 'matches that a table confirmed or reopened are undone with it when another row is refused',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const other_card = await world.addCard();
      const confirmed = await proposeTwo(world, other_card);
      const reopened = await proposeTwo(world);
      await world.act(line(reopened.line_id), 'confirm');
      const refused = await proposeTwo(world, other_card);
      const plain = line(await world.line({ amount: 70 }));
      const rows = [
        await rowOf(world, line(confirmed.line_id), 'confirm'),
        await rowOf(world, line(reopened.line_id), 'reopen'),
        await rowOf(world, plain, 'accept'),
        await rowOf(world, line(refused.line_id), 'confirm'),
      ];
      const before = await world.state();
      // The last row is refused by its pass, after the others were written.
      const late: ActPorts = {
        ...world.ports(),
        network: {
          async rematch(message) {
            const is_last = message.matches.some(({ clearing_id }) => clearing_id === refused.clearing_ids[1]);
            if (is_last) await world.act(line(refused.line_id), 'ignore', {}, 'key:2');
            return await world.network.rematch(message);
          },
        },
      };
      const refusal = await refusalOf(
        decideByTable(late, world.call(), tableOf(rows), { dry_run: false }),
        'a table whose last row is refused by a pass',
      );
      assert.deepEqual(refusal.code, 'conflict', refusal.message);
      assert.deepEqual(/key:2 ignored it at .*nothing was decided$/.test(refusal.message), true, refusal.message);
      const pairs = [confirmed, reopened, refused].map(({ clearing_ids }) => clearing_ids);
      const states = [];
      for (const clearing_ids of pairs) states.push(await areConfirmed(world, clearing_ids));
      assert.deepEqual(
        states,
        [
          [false, false],
          [true, true],
          [false, false],
        ],
        'the matches after the refusal',
      );
      const actions = async (record: RecordKey) => (await world.read(record)).history.map(({ action }) => action);
      assert.deepEqual(await actions(line(confirmed.line_id)), ['confirm', 'reopen'], 'the history of the first row');
      assert.deepEqual(await actions(line(reopened.line_id)), ['confirm', 'reopen', 'confirm'], 'that of the second');
      assert.deepEqual(await actions(plain), ['accept', 'reopen'], 'that of the third');
      await world.act(line(refused.line_id), 'reopen', {}, 'key:2');
      assertSameState(await world.state(), before, 'everything but the acts');
      await assertRebuilt(world, 'after the refusal');
    },
  },
  {
    rule: 'a table that ends at any point is completed by the same table, and no row is half done in between',
    async check(open) {
      const storage = await open();
      let is_stopped = true;
      for (let steps = 0; is_stopped; steps += 1) {
        const world = await ActWorld.on(storage);
        const other_card = await world.addCard();
        const confirmed = await proposeTwo(world, other_card);
        const reopened = await proposeTwo(world);
        await world.act(line(reopened.line_id), 'confirm');
        const plain = line(await world.line({ amount: 70 }));
        const [stated, matched] = [await world.clear({ amount: 80 }), await world.clear()];
        const distant = await world.line({ amount: 80, date: '2026-06-20' });
        const root_id = await world.authorize();
        const rows = [
          await rowOf(world, plain, 'accept'),
          await rowOf(world, line(confirmed.line_id), 'confirm'),
          await rowOf(world, line(reopened.line_id), 'reopen'),
          await rowOf(world, line(distant), 'match', 'agreed', `clearing:${stated}`),
          await rowOf(world, clearing(matched), 'match', 'agreed', `authorization:${root_id}`),
        ];
        const before = [];
        for (const { id } of rows) before.push((await world.read(recordOfItemId(Number(id))!)).history.length);
        const outcome = await decideByTable(endingAfter(steps, world.ports()), world.call(), tableOf(rows), {
          dry_run: false,
        }).catch((error: unknown) => error);
        is_stopped = outcome instanceof Ended;
        assert(is_stopped || !(outcome instanceof Error), `after ${steps} steps: ${outcome}`);
        const done = [];
        for (const [at, { id }] of rows.entries()) {
          done.push((await world.read(recordOfItemId(Number(id))!)).history.length - before[at]!);
        }
        const what = `after ${steps} steps`;
        const [is_confirmed, is_reopened] = [done[1] === 1, done[2] === 1];
        assert.deepEqual(await areConfirmed(world, confirmed.clearing_ids), [is_confirmed, is_confirmed], what);
        assert.deepEqual(await areConfirmed(world, reopened.clearing_ids), [!is_reopened, !is_reopened], what);
        const again = await decideByTable(world.ports(), world.call(), tableOf(rows), { dry_run: false });
        const decided = done.filter((acts) => acts === 0).length;
        assert.deepEqual([again.decided, again.unchanged], [decided, rows.length - decided], `the same table ${what}`);
        assert.deepEqual(await areConfirmed(world, confirmed.clearing_ids), [true, true], `completed ${what}`);
        assert.deepEqual(await areConfirmed(world, reopened.clearing_ids), [false, false], `completed ${what}`);
        assert.deepEqual((await world.read(plain)).item.status, 'accepted', `completed ${what}`);
        assert.deepEqual((await world.read(clearing(stated))).item.line_ids, [distant], `completed ${what}`);
        assert.deepEqual((await world.read(clearing(matched))).item.authorization_ids, [root_id], `completed ${what}`);
        assert.deepEqual(steps < 100, true, 'a table has fewer steps');
        await assertRebuilt(world, what);
      }
    },
  },
  {
    rule: 'the rows of a batch are read and written together: twice the rows ask the stores no more often',
    async check(open) {
      const storage = await open();
      const calls = [];
      for (const count of [1, 2]) {
        const world = await ActWorld.on(storage);
        const rows = [];
        for (let at = 0; at < count; at += 1) {
          const [shop, reference] = [`S${at}`, `74123456061${String(at).padStart(11, '0')}0`];
          await world.authorize({ merchant_id: shop });
          await world.clear({ merchant_id: shop, acquirer_reference_data: reference });
          const matched = line(await world.line({ reference }));
          rows.push(await rowOf(world, matched, 'confirm'), await rowOf(world, line(await world.line()), 'accept'));
          const distant = line(await world.line({ amount: 1_003 + 10 * at, date: '2026-06-20' }));
          const names = `clearing:${await world.clear({ amount: 1_003 + 10 * at })}`;
          const lone = clearing(await world.clear({ amount: 1_006 + 10 * at }));
          const root = `authorization:${await world.authorize()}`;
          rows.push(await rowOf(world, distant, 'match', 'agreed', names));
          rows.push(await rowOf(world, lone, 'match', 'agreed', root));
        }
        const counted = { calls: 0 };
        const ports = { ...world.ports(), unitOfWork: countCalls(storage.unitOfWork, counted) };
        const { decided } = await decideByTable(ports, world.call(), tableOf(rows), { dry_run: false });
        assert.deepEqual(decided, 4 * count, 'the decided rows');
        calls.push(counted.calls);
      }
      const [of_few = 0, of_many = 0] = calls;
      assert(of_few > 0 && of_many <= of_few, `4 rows make ${of_few} calls, and 8 rows ${of_many}`);
    },
  },
  {
    rule: 'the table that was exported is the table that is sent back',
    async check(open) {
      const world = await ActWorld.on(await open());
      for (let at = 0; at < 3; at += 1) await world.line({ amount: 70 + at });
      await world.items();
      let csv = '';
      for await (const part of exportItems(world.storage, world.call(), {})) csv += part;
      const [head, ...lines] = csv
        .trimEnd()
        .split('\r\n')
        .map((row) => row.split(','));
      assert(head !== undefined && lines.length === 3, 'the table has a head and three rows');
      const rows = lines.map((cells) =>
        Object.fromEntries(
          head.map((name, at) => [name, { decision: 'accept', note: 'fine' }[name] ?? cells[at] ?? '']),
        ),
      );
      const answer = await decideByTable(world.ports(), world.call(), tableOf(rows), { dry_run: false });
      assert.deepEqual([answer.decided, answer.errors_total], [3, 0], 'the answer');
      assert.deepEqual(
        (await world.items()).map(({ id, status }) => [id, status]),
        rows.map(({ id }) => [Number(id), 'accepted']).sort(([a], [b]) => Number(a) - Number(b)),
        'the items',
      );
    },
  },
]);
