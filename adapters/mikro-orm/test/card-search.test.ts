import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CardFilter } from '@tallystick/cards';
import { cursor, filters_max, type PageRequest, type Refusal } from '@tallystick/kernel';
import { database_names, repeatableRandom, type ScratchDatabase, scratchDatabase } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import { type Connection, connect } from '../src/connection/connection.ts';
import { migrate } from '../src/connection/migrations/migrate.ts';
import type { Session, Tables } from '../src/connection/session.ts';
import { sqliteDialect } from '../src/connection/sqlite/sqlite-dialect.ts';
import { Turns } from '../src/connection/sqlite/turns.ts';
import { unitOfWorkOn } from '../src/connection/unit-of-work.ts';
import { findCards, searched_max, toMetadataEntry } from '../src/stores/cards/card-search.ts';

const company_id = 1;
const cards_of_each = 20_000;

/**
 * Ten values that the first half of the cards have, and ten of which each halves the cards again.
 */
const patterns: readonly (readonly [metadata: string, cards: string])[] = [
  ...Array.from({ length: filters_max }, (_, at) => [`same_${at}`, `id > ${cards_of_each / 2}`] as const),
  ...Array.from({ length: filters_max }, (_, at) => [`bit_${at}`, `(id >> ${at}) % 2 = 0`] as const),
  ['low', `id <= ${cards_of_each / 2}`],
  ['rare', 'id in (5, 10000, 20000)'],
];

const filterOf = (...names: readonly string[]): CardFilter => ({
  metadata: Object.fromEntries(names.map((name) => [name, 'x'])),
});
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}_${at}`);

async function addCards(connection: Connection, of_company: number): Promise<void> {
  for (const [name, condition] of patterns) {
    const entry = Buffer.from(toMetadataEntry(name, 'x')).toString('hex');
    if (connection.dialect === 'postgres') {
      await connection.pool.query(`insert into tallystick_virtual_card_metadata
        select ${of_company}, '\\x${entry}', id from generate_series(1, ${cards_of_each}) as s (id) where ${condition}`);
    } else {
      await connection.immediately((client) =>
        client.exec(`insert into tallystick_virtual_card_metadata
          with recursive s (id) as (select 1 union all select id + 1 from s where id < ${cards_of_each})
          select ${of_company}, x'${entry}', id from s where ${condition}`),
      );
    }
  }
}

/** Gives the value of a name to the cards of a range of ids. */
async function addEntries(connection: Connection, of_company: number, name: string, range: string): Promise<void> {
  const entry = Buffer.from(toMetadataEntry(name, 'x')).toString('hex');
  if (connection.dialect === 'postgres') {
    await connection.pool.query(`insert into tallystick_virtual_card_metadata
      select ${of_company}, '\\x${entry}', id from generate_series(${range}) as s (id)`);
    return;
  }
  const [from, to] = range.split(', ');
  await connection.immediately((client) =>
    client.exec(`insert into tallystick_virtual_card_metadata
      with recursive s (id) as (select ${from} union all select id + 1 from s where id < ${to})
      select ${of_company}, x'${entry}', id from s`),
  );
}

/** Searches, and counts the entries of indexes and the rows of tables that were read. */
interface Counter {
  readonly search: (filter: CardFilter, page?: PageRequest) => Promise<{ ids: readonly number[]; read: number }>;
  readonly close: () => void;
}

function counterOnPostgres(connection: Connection): Counter {
  const { read } = unitOfWorkOn(connection, repeatableRandom(1), (session) => session);
  const search: Counter['search'] = (filter, page = { limit: 50 }) =>
    read(async (session) => {
      const read_before = await readSoFar(session);
      const { ids } = await findCards(session, company_id, filter, page);
      return { ids, read: (await readSoFar(session)) - read_before };
    });
  return { search, close: () => undefined };
}

async function readSoFar({ db }: Session): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select sum(pg_stat_get_xact_tuples_returned(oid)) as count from pg_class
    where relname like 'virtual_card%'`.execute(db);
  return Number(rows[0]!.count);
}

/**
 * SQLite does not count what it reads, so the plan of each statement is checked: a step walks an
 * index in its order, or looks up one key for each card that the statement returns.
 */
function counterOnSqlite(database_url: string): Counter {
  const statements: string[] = [];
  const handle = new Database(database_url.slice('sqlite:'.length), {
    verbose: (text) => void statements.push(String(text)),
  });
  const db = new Kysely<Tables>({ dialect: sqliteDialect(() => handle, new Turns()) });
  const search: Counter['search'] = async (filter, page = { limit: 50 }) => {
    statements.length = 0;
    const { ids } = await findCards(
      { dialect: 'sqlite', db, giveWay: () => undefined, beforeCommit: () => undefined },
      company_id,
      filter,
      page,
    );
    const reads = [...statements].map((statement) => {
      const lookups = lookupsOf(handle, statement);
      const rows = handle.prepare(statement).all() as Record<string, number>[];
      const counted = Object.entries(rows[0] ?? {}).filter(([name]) => /^c\d/.test(name));
      if (counted.length > 0) return counted.reduce((sum, [, count]) => sum + count, 0);
      return (rows[0]?.compared ?? 0) * (1 + lookups);
    });
    return { ids, read: reads.reduce((sum, read) => sum + read, 0) };
  };
  return { search, close: () => void handle.close() };
}

/**
 * How many steps of the plan look one card up. Each other step must walk one index in its order.
 */
function lookupsOf(handle: Database.Database, statement: string): number {
  const steps = handle.prepare(`explain query plan ${statement}`).all() as { detail: string }[];
  let lookups = 0;
  for (const { detail } of steps) {
    if (/\(company_id=\? AND entry=\? AND card_id=\?\)/.test(detail)) lookups += 1;
    assert.doesNotMatch(detail, /SCAN (?!c\b|counted|CONSTANT|\(subquery)|B-TREE|\(company_id=\?\)/, statement);
  }
  return lookups;
}

for (const name of database_names) {
  describe(`a search for cards by metadata, on ${name}`, () => {
    let database: ScratchDatabase;
    let connection: Connection;
    let counter: Counter;
    const count: Counter['search'] = (filter, page) => counter.search(filter, page);

    before(async () => {
      database = await scratchDatabase(name);
      connection = await connect(database);
      await migrate(connection);
      await addCards(connection, company_id);
      counter = name === 'postgres' ? counterOnPostgres(connection) : counterOnSqlite(database.database_url);
    });

    after(async () => {
      counter.close();
      await connection.close();
      await database.dispose();
    });

    /** The entries that counting the cards of each filter may read. */
    const counting = filters_max * 200;

    const rules: Readonly<Record<string, () => Promise<void>>> = {
      'looks at the cards of the rarest filter only, whatever its place is': async () => {
        for (const filter of [filterOf('rare', ...names('same', 9)), filterOf(...names('same', 9), 'rare')]) {
          const { ids, read } = await count(filter);
          assert.deepEqual(ids, [20_000]);
          assert(read <= counting + 3 * filters_max, `read ${read}`);
        }
      },
      'reads a page of ten filters that half of the cards meet without reading these cards': async () => {
        const one = await count(filterOf('same_0'));
        const ten = await count(filterOf(...names('same', 10)));
        assert.deepEqual(ten.ids, one.ids);
        assert.equal(ten.ids.length, 51);
        assert(one.read <= 52, `one filter read ${one.read}`);
        assert(ten.read <= counting + filters_max * 2 * 51, `ten filters read ${ten.read}`);
      },
      'reads a page after an offset of 9,000 without sorting': async () => {
        const { ids, read } = await count(filterOf(...names('same', 10)), { limit: 50, offset: 9_000 });
        assert.equal(ids[0], cards_of_each - 9_000);
        assert.equal(ids.length, 51);
        assert(read <= counting + filters_max * 10_000, `read ${read}`);
      },
      'reads no more for ten filters than for two when few cards meet all': async () => {
        const two = await count(filterOf('low', 'same_0'));
        assert.deepEqual(two.ids, []);
        const ten = await count(filterOf('low', ...names('same', 9)));
        assert.deepEqual(ten.ids, []);
        const bits = await count(filterOf(...names('bit', 10)));
        // On SQLite each lookup of the plan is counted, although the first one that fails is the
        // last.
        const of_each = name === 'postgres' ? 4 : filters_max;
        for (const { read } of [ten, bits]) {
          assert(read <= counting + (of_each * cards_of_each) / 2, `read ${read}`);
        }
      },
      'ends at the count when no card has a value': async () => {
        const { ids, read } = await count(filterOf(...names('same', 9), 'absent'));
        assert.deepEqual(ids, []);
        assert(read <= counting, `read ${read}`);
      },
    };

    for (const [rule, check] of Object.entries(rules)) it(rule, check);

    it('finds the few cards that meet ten filters on its pages', async () => {
      const { read } = unitOfWorkOn(connection, repeatableRandom(1), (session) => session);
      const found: number[] = [];
      for (let page: PageRequest = { limit: 50 }; ; ) {
        const { ids, continues_below } = await read((session) =>
          findCards(session, company_id, filterOf(...names('bit', 10)), page),
        );
        found.push(...ids);
        if (continues_below === null) break;
        page = { limit: 50, after: cursor('virtual_cards', continues_below) };
      }
      const expected = Array.from({ length: Math.floor(cards_of_each / 1_024) }, (_, at) => (at + 1) * 1_024);
      assert.deepEqual(found, expected.toReversed());
    });

    it('ends after the most cards of one search, and the next pages continue it', async () => {
      const of_company = 9;
      const deep = 2 * searched_max + 5;
      await addEntries(connection, of_company, 'deep', `1, ${deep}`);
      await addEntries(connection, of_company, 'wide', `${searched_max + 5}, ${searched_max + 6}`);
      // Counted up to the same number as the first, so that the search walks the first.
      await addEntries(connection, of_company, 'wide', `${deep + 1}, ${deep + 1_000}`);
      const { read } = unitOfWorkOn(connection, repeatableRandom(1), (session) => session);
      const find = (page: PageRequest) =>
        read((session) => findCards(session, of_company, filterOf('deep', 'wide'), page));
      const pages = [];
      for (let page: PageRequest = { limit: 50 }; ; ) {
        const found = await find(page);
        pages.push(found.ids);
        if (found.continues_below === null) break;
        page = { limit: 50, after: cursor('virtual_cards', found.continues_below) };
      }
      assert.deepEqual(pages, [[searched_max + 6], [searched_max + 5], []]);
      await assert.rejects(find({ limit: 50, offset: 3 }), (error: Refusal) => error.code === 'invalid_query');
      assert.deepEqual((await find({ limit: 50, offset: 1 })).ids, [searched_max + 5]);
    });

    it('reads the same beside the cards of other companies, with and without statistics', async () => {
      const searches = [filterOf(...names('same', 10)), filterOf(...names('bit', 10)), filterOf('low', 'rare')];
      const alone: number[] = [];
      for (const search of searches) alone.push((await count(search)).read);
      for (const other of [2, 3]) await addCards(connection, other);
      if (connection.dialect === 'postgres')
        await connection.pool.query('vacuum analyze tallystick_virtual_card_metadata');
      const beside: number[] = [];
      for (const search of searches) beside.push((await count(search)).read);
      assert.deepEqual(beside, alone);
    });
  });
}
