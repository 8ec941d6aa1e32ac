import assert from 'node:assert/strict';
import { checkOnStorages } from '@tallystick/test-support';
import { decideByTable, itemIdOf, recordsOf, type TableAnswer } from '../../src/index.ts';
import { ActWorld, assertRebuilt, clearing, line, tableOf } from './world.ts';

const races = 6;

/** A line, and two clearings that it could belong to, all too distant for a rule. */
async function contested(world: ActWorld, amount: number) {
  const clearing_ids = [await world.clear({ amount }), await world.clear({ amount })] as const;
  return { clearing_ids, line_id: await world.line({ amount, date: '2026-06-20' }) };
}

type Contested = Awaited<ReturnType<typeof contested>>;

/** The table that matches the clearing at a place of each contest with its line. */
async function tableOfRows(world: ActWorld, contests: readonly Contested[], place: 0 | 1) {
  const rows = [];
  for (const { clearing_ids, line_id } of contests) {
    const { item } = await world.read(clearing(clearing_ids[place]));
    const words = { decision: 'match', note: `by table ${place}`, with: `line:${line_id}` };
    rows.push({ id: String(item.id), version: String(item.version), ...words });
  }
  return tableOf(rows);
}

async function decide(world: ActWorld, contests: readonly Contested[], place: 0 | 1): Promise<TableAnswer> {
  const table = await tableOfRows(world, contests, place);
  return await decideByTable(world.ports(), world.call(`key:${place}`), table, { dry_run: false });
}

async function assertSound(world: ActWorld, what: string): Promise<void> {
  const ids = (await world.items()).flatMap((item) => recordsOf(item).map(itemIdOf));
  assert.equal(new Set(ids).size, ids.length, `${what}: no record is in two items`);
  await assertRebuilt(world, what);
}

/**
 * Asserts that one of both was done, and that the other one is a conflict that says what happened.
 */
function assertOneDone(outcomes: readonly PromiseSettledResult<unknown>[], what: string): void {
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  assert.equal(refused.length, 1, `${what}: ${refused.map(({ reason }) => reason).join(' | ')}`);
  const { code, message } = refused[0]!.reason as { readonly code: string; readonly message: string };
  // A table that is refused by its check lists its errors.
  assert.ok(code === 'conflict' || code === 'validation_failed', `${what}: ${message}`);
  assert.match(message, /line \d+ is matched in item \d+ already.*key:[01] matched it at|version \d+ by now/, what);
}

checkOnStorages('tables beside others', [
  {
    rule: 'of two people who match one line at once with two clearings, one is done',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const there = await world.another();
      for (let race = 0; race < races; race += 1) {
        const { clearing_ids, line_id } = await contested(world, 1_001 + 10 * race);
        const request = { with: { line_ids: [line_id] } };
        const outcomes = await Promise.allSettled([
          world.act(clearing(clearing_ids[0]), 'match', request, 'key:0'),
          there.act(clearing(clearing_ids[1]), 'match', request, 'key:1'),
        ]);
        assertOneDone(outcomes, `race ${race}`);
      }
      await assertSound(world, 'two people');
      await there.close();
    },
  },
  {
    rule: 'of two tables at once that match the same lines, at most one is done, and nothing of the other one',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const there = await world.another();
      for (let race = 0; race < 2; race += 1) {
        const contests: Contested[] = [];
        // More than one batch has.
        for (let at = 0; at < 50; at += 1) contests.push(await contested(world, 1_001 + 10 * (50 * race + at)));
        await world.catchUp();
        const outcomes = await Promise.allSettled([
          decide(world, contests, 0),
          decide(there, contests.toReversed(), 1),
        ]);
        const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
        // Both may find records of the other one, and then nothing of either is left.
        assert.ok(done <= 1, 'at most one table is done');
        const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
        for (const { clearing_ids, line_id } of contests) {
          const { item } = await world.read(line(line_id));
          assert.deepEqual(item.clearing_ids, winner < 0 ? [] : [clearing_ids[winner]], `the line of race ${race}`);
        }
        await assertSound(world, `race ${race}`);
      }
      await there.close();
    },
  },
  {
    rule: 'a table beside an act on one of its lines is done as a whole or not at all',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const there = await world.another();
      for (let race = 0; race < races; race += 1) {
        const contests = [await contested(world, 1_001 + 20 * race), await contested(world, 1_011 + 20 * race)];
        const [first, last] = contests as [Contested, Contested];
        const outcomes = await Promise.allSettled([
          decide(world, contests, 0),
          there.act(clearing(last.clearing_ids[1]), 'match', { with: { line_ids: [last.line_id] } }, 'key:1'),
        ]);
        assertOneDone(outcomes, `race ${race}`);
        const is_done = outcomes[0].status === 'fulfilled';
        const { item } = await world.read(line(first.line_id));
        assert.deepEqual(item.clearing_ids, is_done ? [first.clearing_ids[0]] : [], `the other line of race ${race}`);
      }
      await assertSound(world, 'a table beside an act');
      await there.close();
    },
  },
  {
    rule: 'a table beside an import that brings the line of its clearing leaves what a rebuild would make',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const there = await world.another();
      for (let race = 0; race < races; race += 1) {
        const amount = 1_001 + 10 * race;
        const reference = `74123456061${String(race + 1).padStart(11, '0')}7`;
        const clearing_id = await world.clear({ amount, acquirer_reference_data: reference });
        const line_id = await world.line({ amount, date: '2026-06-20' });
        const contest: Contested = { clearing_ids: [clearing_id, clearing_id], line_id };
        const [decided, arrived] = await Promise.allSettled([
          decide(world, [contest], 0),
          there.line({ amount, reference }).then(async (id) => {
            await there.catchUp();
            return id;
          }),
        ]);
        assert.ok(arrived.status === 'fulfilled', 'the line arrives');
        const { item } = await world.read(clearing(clearing_id));
        const of_table = decided.status === 'fulfilled' && item.line_ids.includes(line_id);
        const of_import = item.line_ids.includes(arrived.value);
        assert.ok(of_table || of_import, `race ${race}: the clearing has a line`);
        assert.equal(of_table, decided.status === 'fulfilled', `race ${race}: a match of a person stands`);
        await assertSound(world, `race ${race}`);
      }
      await there.close();
    },
  },
]);
