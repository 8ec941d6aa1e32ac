import assert from 'node:assert/strict';
import { Refusal } from '@tallystick/kernel';
import { checkOnStorages, propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  type Act,
  type ActKind,
  act_kinds,
  changeTolerances,
  closePeriod,
  daysAfter,
  decideByTable,
  type Item,
  itemIdOf,
  listPeriods,
  type RecordKey,
  rebuild,
  recordNamesOf,
  recordOfItemId,
  recordsOf,
  reopenPeriod,
  standingActs,
} from '../../src/index.ts';
import { ActWorld, assertSameState, authorization, clearing, line, tableOf, type WorldState } from './world.ts';

const runs = {
  sqlite: propertyParameters({ short: 6, full: 30 }),
  postgres: propertyParameters({ short: 3, full: 9 }),
};

/** A record of a small world. Records with the same code or reference may belong together. */
interface RecordPlan {
  readonly kind: 'authorization' | 'clearing' | 'refund' | 'line' | 'late line' | 'fee' | 'differing line' | 'salary';
  readonly amount: number;
  /** 0: none. */
  readonly code: number;
  /** 0: none. */
  readonly reference: number;
  /** After 2026-05-20, which is the date of a record without it. */
  readonly days?: number;
}

/** What a person tries: the places of items wrap around. */
interface Attempt {
  readonly action: ActKind;
  readonly item: number;
  readonly other: number;
  /** Of a match. */
  readonly is_accepting: boolean;
}

const accepting = { accept_difference: true, reason: 'rounding' };

const record_plan: fc.Arbitrary<RecordPlan> = fc.record({
  kind: fc.constantFrom(
    'authorization',
    'clearing',
    'clearing',
    'refund',
    'line',
    'line',
    'late line',
    'fee',
    'differing line',
    'salary',
  ),
  amount: fc.constantFrom(400, 600, 1_000),
  code: fc.nat(2),
  reference: fc.nat(2),
});

/** What a person tries on some item. */
const attempt_plan: fc.Arbitrary<Attempt> = fc.record({
  action: fc.constantFrom(...act_kinds, 'match', 'match', 'unmatch'),
  item: fc.nat(20),
  other: fc.nat(20),
  is_accepting: fc.boolean(),
});

/** Lets the record arrive. Returns it. */
async function arrive(world: ActWorld, { kind, amount, code, reference, days = 0 }: RecordPlan): Promise<RecordKey> {
  const coded = { amount, ...(code === 0 ? {} : { approval_code: `A0000${code}`, merchant_id: `M${code}` }) };
  const number = reference === 0 ? null : `7412345606100000000${reference}017`;
  const date = daysAfter('2026-05-20', kind === 'late line' ? days + 10 : days);
  if (kind === 'authorization') return authorization(await world.authorize(coded));
  if (kind === 'clearing' || kind === 'refund') {
    const clearing_type = kind === 'refund' ? 'CREDIT' : 'DEBIT';
    const settled = { acquirer_reference_data: number, settlement_date: date, clearing_type } as const;
    return clearing(await world.clear({ ...coded, ...settled }));
  }
  if (kind === 'differing line' || kind === 'salary') {
    // A day of its own, so that the statement contradicts no other line.
    const day = daysAfter(date, 30);
    const line_id = await world.line({ amount, reference: number, date: day, code: kind === 'salary' ? '475' : '821' });
    await world.statement(day);
    return line(line_id);
  }
  return line(await world.line({ amount, reference: number, date, code: kind === 'fee' ? '825' : '821' }));
}

/**
 * The items in the order in which their first records arrived. Ids would order them otherwise in
 * each world, so that a failure could not be repeated.
 */
async function itemsInOrder(world: ActWorld, arrived: readonly RecordKey[]): Promise<readonly Item[]> {
  const places = new Map(arrived.map((record, place) => [itemIdOf(record), place]));
  const placeOf = (item: Item) => Math.min(...recordsOf(item).map((record) => places.get(itemIdOf(record))!));
  return (await world.items()).toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** What a match of an item with another one names: the side that the item lacks. */
function withOf(item: Item, other: Item): object {
  const [root_id] = other.authorization_ids;
  if (item.clearing_ids.length > 0 && root_id !== undefined && other.id !== item.id)
    return { authorization_id: root_id };
  const { clearing_ids, line_ids } = other;
  if (item.line_ids.length > 0 && clearing_ids.length > 0) return { clearing_ids };
  return line_ids.length > 0 ? { line_ids } : { clearing_ids };
}

/** Tries an act, and returns the item afterwards; null: it was refused. */
async function tryAct(
  world: ActWorld,
  items: readonly Item[],
  { action, item: at, other: other_at, is_accepting }: Attempt,
): Promise<Item | null> {
  const item = items[at % items.length]!;
  const match = { with: withOf(item, items[other_at % items.length]!), ...(is_accepting ? accepting : {}) };
  const request = action === 'match' ? match : {};
  try {
    return await world.act(recordOfItemId(item.id)!, action, request);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** The words of a table for a match of an item with another one. */
function wordsOf(item: Item, other: Item): string {
  const matched_with = withOf(item, other) as Partial<Record<'authorization_id' | 'clearing_ids' | 'line_ids', never>>;
  const { authorization_id, clearing_ids = [], line_ids = [] } = matched_with;
  const authorization_ids = authorization_id === undefined ? [] : [authorization_id];
  return recordNamesOf({ authorization_ids, clearing_ids, line_ids });
}

type Row = Readonly<Record<string, string>>;

/** A table of what people try. Its rows with errors are left out. */
async function tableOfAttempts(
  world: ActWorld,
  items: readonly Item[],
  tried: readonly Attempt[],
): Promise<readonly Row[]> {
  let rows = tried.map(({ action, item: at, other, is_accepting }): Row => {
    const item = items[at % items.length]!;
    const decision = action === 'unmatch' ? 'match' : action;
    const words = wordsOf(item, items[other % items.length]!);
    const names = is_accepting ? `${words} accept_difference` : words;
    const { id, version } = item;
    return { id: `${id}`, version: `${version}`, decision, note: 'by table', with: decision === 'match' ? names : '' };
  });
  for (let is_sound = false; !is_sound; ) {
    const { errors } = await decideByTable(world.ports(), world.call(), tableOf(rows), { dry_run: true });
    const wrong = new Set(errors.map(({ row }) => row));
    rows = rows.filter((_, at) => !wrong.has(at + 2));
    is_sound = wrong.size === 0;
  }
  return rows;
}

async function assertEachOnce(world: ActWorld): Promise<void> {
  const items = await world.items();
  const ids = items.flatMap(recordsOf).map(itemIdOf);
  assert.equal(new Set(ids).size, ids.length, 'no record is in two items');
}

const record_plans = fc.array(record_plan, { minLength: 3, maxLength: 9 });

/** In minor units: amounts differ by 200, 400 and 600. */
const tolerances = fc.constantFrom(null, 200, 400);

async function tolerate(world: ActWorld, USD: number | null): Promise<void> {
  await world.storage.unitOfWork.run((tx) => changeTolerances(tx, world.call(), { USD }));
}

const attempts = fc.array(attempt_plan, { minLength: 3, maxLength: 14 });

interface Done {
  readonly before: WorldState;
  readonly acts: readonly Act[];
  /** The act that a reopening undid. */
  readonly undone: Act | null;
  /** Whether a match accepted a difference that an unmatch took apart. */
  readonly was_accepted: boolean;
}

/** Tries what the attempt says. Null: it was refused, and nothing changed. */
async function attempt(world: ActWorld, arrived: readonly RecordKey[], tried: Attempt): Promise<Done | null> {
  const { action, item: at } = tried;
  const items = await itemsInOrder(world, arrived);
  const before = await world.state();
  const { history } = await world.read(recordOfItemId(items[at % items.length]!.id)!);
  const after = await tryAct(world, items, tried);
  if (after === null) {
    assertSameState(await world.state(), before, `the world after a refused ${action}`);
    return null;
  }
  const all = (await world.read(recordOfItemId(after.id)!)).history;
  const seen = new Set(history.map(({ id }) => id));
  const acts = all.filter(({ id, action: its }) => !seen.has(id) && its === action);
  assert(acts.length > 0, `${action} is in no history`);
  const { fingerprint } = acts[0]!.subject;
  const undone = history.findLast(
    (act) => isDecision(act) && act.subject.rule !== 'tolerance' && act.subject.fingerprint === fingerprint,
  );
  const was_accepted = action === 'unmatch' && standingActs(history).accepted.size > standingActs(all).accepted.size;
  return { before, acts: acts.slice(-2), undone: action === 'reopen' ? (undone ?? null) : null, was_accepted };
}

function isDecision({ action }: Act): boolean {
  return action === 'ignore' || action === 'accept' || action === 'confirm';
}

async function undo(world: ActWorld, { acts, undone, was_accepted }: Done): Promise<void> {
  const { action, item_id, subject } = acts.at(-1)!;
  const [pair] = subject.pairs;
  const line_ids = [...new Set(subject.pairs.map(({ line_id }) => line_id))];
  const clearing_ids = [...new Set(subject.pairs.map(({ clearing_id }) => clearing_id))];
  const { authorization: matched } = subject;
  const again = was_accepted ? accepting : {};
  if (action === 'match' && matched !== null) {
    await world.act(clearing(matched.clearing_id), 'unmatch', { side: 'authorization' });
  } else if (action === 'match') {
    await world.act(line(pair!.line_id), 'unmatch', { side: 'statement' });
  } else if (action === 'unmatch' && matched !== null) {
    const { clearing_id, authorization_id } = matched;
    await world.act(clearing(clearing_id), 'match', {
      with: { authorization_id, clearing_ids: [clearing_id] },
      ...again,
    });
  } else if (action === 'unmatch') {
    await world.act(line(pair!.line_id), 'match', { with: { line_ids, clearing_ids }, ...again });
  } else {
    const inverse = subject.rule === 'tolerance' && action === 'reopen' ? 'accept' : undone?.action;
    await world.act(recordOfItemId(item_id)!, inverse ?? 'reopen');
  }
}

/** Something that happens to a company. */
type Happening =
  | { readonly kind: 'arrival'; readonly record: RecordPlan }
  | { readonly kind: 'act'; readonly attempt: Attempt }
  | { readonly kind: 'table'; readonly attempts: readonly Attempt[] }
  | { readonly kind: 'close'; readonly closed_through: string }
  | { readonly kind: 'tolerance'; readonly amount: number | null }
  | { readonly kind: 'reopen' };

const arrival: fc.Arbitrary<Happening> = fc
  .record({ record: record_plan, days: fc.nat(3) })
  .map(({ record, days }) => ({ kind: 'arrival', record: { ...record, days: 3 * days } }));

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: arrival },
  { weight: 5, arbitrary: attempt_plan.map((attempt): Happening => ({ kind: 'act', attempt })) },
  {
    weight: 2,
    arbitrary: fc.array(attempt_plan, { maxLength: 6 }).map((attempts): Happening => ({ kind: 'table', attempts })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('2026-05-20', '2026-05-24', '2026-05-31')
      .map((closed_through): Happening => ({ kind: 'close', closed_through })),
  },
  { weight: 1, arbitrary: fc.constant<Happening>({ kind: 'reopen' }) },
  { weight: 1, arbitrary: tolerances.map((amount): Happening => ({ kind: 'tolerance', amount })) },
);

const histories = fc.tuple(
  fc.array(arrival, { minLength: 2, maxLength: 5 }),
  fc.array(happening, { minLength: 4, maxLength: 16 }),
);

async function happen(world: ActWorld, arrived: RecordKey[], one: Happening): Promise<void> {
  if (one.kind === 'arrival') {
    arrived.push(await arrive(world, one.record));
  } else if (one.kind === 'act') {
    const items = await itemsInOrder(world, arrived);
    if (items.length > 0) await tryAct(world, items, one.attempt);
  } else if (one.kind === 'table') {
    const items = await itemsInOrder(world, arrived);
    const rows = items.length === 0 ? [] : await tableOfAttempts(world, items, one.attempts);
    await unlessRefused(() => decideByTable(world.ports(), world.call(), tableOf(rows), { dry_run: false }));
    await assertEachOnce(world);
  } else if (one.kind === 'tolerance') {
    await tolerate(world, one.amount);
  } else if (one.kind === 'close') {
    await unlessRefused(() => closePeriod(world.ports(), world.call(), one));
  } else {
    const { items } = await world.storage.unitOfWork.read((tx) => listPeriods(tx, world.call(), { limit: 100 }));
    const newest = items.find(({ status }) => status === 'closed');
    if (newest !== undefined) await reopenPeriod(world.ports(), world.call(), newest.id);
  }
}

async function unlessRefused(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

checkOnStorages('sequences of acts', [
  {
    rule: 'any sequence of acts and their undoing ends where it began, and a refused act changes nothing',
    on_postgres: true,
    async check(open, database) {
      const storage = await open();
      await fc.assert(
        fc.asyncProperty(record_plans, attempts, tolerances, async (records, tried, tolerance) => {
          const world = await ActWorld.on(storage);
          await tolerate(world, tolerance);
          const arrived: RecordKey[] = [];
          for (const record of records) arrived.push(await arrive(world, record));
          if ((await world.items()).length === 0) return;
          const done: Done[] = [];
          for (const one of tried) {
            const outcome = await attempt(world, arrived, one);
            if (outcome !== null) done.push(outcome);
          }
          for (const one of done.toReversed()) {
            await undo(world, one);
            const { action, subject } = one.acts.at(-1)!;
            assertSameState(await world.state(), one.before, `undone: ${action} ${JSON.stringify(subject)}`);
          }
          await world.close();
        }),
        runs[database],
      );
    },
  },
  {
    rule: 'a table of any decisions that is refused at its end leaves everything as it was, also after other acts',
    on_postgres: true,
    async check(open, database) {
      const storage = await open();
      const tries = fc.tuple(
        fc.array(attempt_plan, { maxLength: 4 }),
        fc.array(attempt_plan, { minLength: 2, maxLength: 8 }),
      );
      await fc.assert(
        fc.asyncProperty(record_plans, tries, async (records, [acts, tried]) => {
          const world = await ActWorld.on(storage);
          const arrived: RecordKey[] = [];
          for (const record of records) arrived.push(await arrive(world, record));
          for (const one of acts) await tryAct(world, await itemsInOrder(world, arrived), one);
          const rows = await tableOfAttempts(world, await itemsInOrder(world, arrived), tried);
          const { item: last } = await world.read(line(await world.line({ amount: 77, date: '2026-06-20' })));
          const ignored = {
            id: `${last.id}`,
            version: `${last.version}`,
            decision: 'ignore',
            note: 'by table',
            with: '',
          };
          const before = await world.state();
          let readings = 0;
          const change = async () => {
            readings += 1;
            if (readings === 2) await world.actOn(last.id, 'accept', {}, 'key:2');
          };
          const outcome = await decideByTable(world.ports(), world.call(), tableOf([...rows, ignored], change), {
            dry_run: false,
          }).catch((error: unknown) => error);
          assert(outcome instanceof Refusal && outcome.message.endsWith('nothing was decided'), `${outcome}`);
          await world.actOn(last.id, 'reopen', {}, 'key:2');
          assertSameState(await world.state(), before, `undone: ${JSON.stringify(rows)}`);
          await world.close();
        }),
        runs[database],
      );
    },
  },
  {
    rule: 'whatever arrives, people do and periods freeze, a rebuild finds nothing',
    on_postgres: true,
    async check(open, database) {
      const storage = await open();
      await fc.assert(
        fc.asyncProperty(histories, async ([first, then]) => {
          const world = await ActWorld.on(storage);
          const arrived: RecordKey[] = [];
          for (const one of [...first, ...then]) await happen(world, arrived, one);
          await world.catchUp();
          const found = await rebuild(world.ports(), { company_id: world.company_id, check_only: true });
          const { items_different, entries_different, cells_different } = found;
          assert.deepEqual(
            [items_different, entries_different, cells_different],
            [0, 0, 0],
            'what a rebuild would change',
          );
          await world.close();
        }),
        runs[database],
      );
    },
  },
]);
