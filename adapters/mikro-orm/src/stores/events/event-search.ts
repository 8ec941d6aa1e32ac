import type { EventFilter } from '@tallystick/events';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../../connection/prepared-statement.ts';
import type { Session } from '../../connection/session.ts';
import { addMatches, beginsAfter, block_bytes, matchingBytes, start_bytes } from '../../event-index/filter-block.ts';
import { type KeyRange, keyRangeOf } from '../../event-index/filter-key.ts';
import { inLeadingOrder } from '../../event-index/filter-order.ts';
import type { EventRange } from '../../event-index/index-range.ts';
import { event_filter_columns, event_filter_numbers } from '../../schema/tables/events.ts';
import { isOneOf, jsonRows } from '../queries/json-rows.ts';

/** The least number of newest ids whose events are compared one by one before the index is used. */
const newest_looked_at = 512;

/**
 * The ranges of events that one statement looks up: few at first, because few may fill the page.
 */
const ranges_at_once: readonly number[] = [16, 64, 2_048];

/** A search for the `wanted` newest events below an id. */
export interface EventSearch {
  /** Null: of all companies. Then every filter is of a text (`isOfText`). */
  readonly company_id: number | null;
  readonly filters: readonly EventFilter[];
  /** Null: from the newest on. */
  readonly below: number | null;
  readonly wanted: number;
}

type Search = EventSearch & { readonly below: number };

/** How much of the log is indexed, as one statement has read it. */
interface IndexState {
  readonly segment_size: number;
  readonly volume_size: number;
  readonly indexed_below: number;
  readonly merged_below: number;
  /** Null when there is no event. */
  readonly newest_id: number | null;
  /** Whether events may have been purged that the index still has. */
  readonly is_purged: boolean | 0 | 1;
}

/**
 * The ids of the events that match every filter, newest first, as many as are wanted.
 *
 * The newest events and all that are not indexed yet are compared one by one. A common combination
 * of filters fills the page there. Otherwise the search walks back through the index, range by
 * range, until enough are found.
 */
export async function findEventIds(session: Session, wanted_events: EventSearch): Promise<readonly number[]> {
  const state = await beginSearch(session);
  const { wanted } = wanted_events;
  const below = wanted_events.below ?? (state.newest_id ?? 0) + 1;
  const search = { ...wanted_events, filters: inLeadingOrder(wanted_events.filters), below };
  const compared_from = Math.min(state.indexed_below, below - Math.max(newest_looked_at, 2 * wanted));
  const ids = await compareEach(session, search, compared_from);
  if (ids.length < wanted && compared_from > 0) {
    const older = { ...search, below: compared_from, wanted: wanted - ids.length };
    return [...ids, ...(await findIndexed(session, older, state))];
  }
  return ids;
}

/**
 * Reads the state of the index. On Postgres it also sets, until the transaction ends, that a
 * prepared statement keeps its plan for all values, and that no plan reads a whole table: made
 * while the tables are almost empty, such a plan would stay while the tables grow. So every
 * `prepared` statement must come after it.
 */
async function beginSearch({ db, dialect }: Session): Promise<IndexState> {
  const settings =
    dialect === 'postgres'
      ? sql`, set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)`
      : sql``;
  const { rows } = await sql<IndexState>`
    select i.segment_size, i.volume_size, i.indexed_below, i.merged_below, (select max(id) from tallystick_events) as newest_id,
      exists (select 1 from tallystick_retention where kind = 'events') as is_purged ${settings}
    from tallystick_event_index i`.execute(db);
  return rows[0]!;
}

/**
 * Compares every event from an id on. The table is read in the order of ids, without the index of
 * companies: neighbours share pages.
 */
async function compareEach({ db }: Session, search: Search, from_id: number): Promise<number[]> {
  const { company_id, filters, below, wanted } = search;
  const of_company = company_id === null ? sql`true` : sql`company_id + 0 = ${company_id}`;
  const { rows } = await sql<{ id: number }>`
    select id from tallystick_events where id < ${below} and id >= ${from_id} and ${of_company}
      and ${toConditions(filters)} order by id desc limit ${wanted}`.execute(db);
  return rows.map(({ id }) => id);
}

async function findIndexed(session: Session, search: Search, state: IndexState): Promise<readonly number[]> {
  const ids: number[] = [];
  const ranges = rangesBack(search.below, state);
  let { filters } = search;
  for (let round = 0; ids.length < search.wanted; round += 1) {
    const batch = ranges.take(ranges_at_once[Math.min(round, ranges_at_once.length - 1)]!).toArray();
    if (batch.length === 0) break;
    const left = { ...search, filters, wanted: search.wanted - ids.length };
    const found = await findInRanges(session, left, batch, state);
    // Segments became a volume after the state was read.
    if (found === null) return await findIndexed(session, search, await beginSearch(session));
    ids.push(...found.ids);
    filters = found.filters;
  }
  return ids;
}

/** The indexed ranges below an id, newest first: segments, then volumes. */
function rangesBack(below: number, state: IndexState): { take(count: number): IteratorObject<EventRange> } {
  let next = Math.min(below, state.indexed_below) - 1;
  function* take(count: number): Generator<EventRange, undefined> {
    for (let taken = 0; taken < count && next >= 0; taken += 1) {
      const range_size = next >= state.merged_below ? state.segment_size : state.volume_size;
      const from_id = Math.floor(next / range_size) * range_size;
      next = from_id - 1;
      yield { from_id, range_size };
    }
  }
  return { take };
}

/**
 * The newest ids in these ranges that match every filter, newest first, as many as are wanted, and
 * the filters in the order in which to look them up in older ranges: those with the shortest lists
 * first. Null when segments among the ranges have become a volume.
 *
 * First it reads the start of the last block of each range, for each filter. That shows which
 * ranges have a match, and how long the lists are; for a rare value it is the whole block. The
 * shortest lists lead: they are read from the newest range on, only until the page is full, at
 * first in as many ranges as have lists of one block together, then in twice as many each time.
 * What they have is compared with the events themselves. While few of those meet the other filters,
 * the next lists are read where that takes less time than the events.
 */
async function findInRanges(
  session: Session,
  { company_id, filters, below, wanted }: Search,
  ranges: readonly EventRange[],
  { merged_below, is_purged }: IndexState,
): Promise<{ readonly ids: readonly number[]; readonly filters: readonly EventFilter[] } | null> {
  let lookups: readonly Lookup[] = [];
  let left = ranges;
  for (const filter of filters) {
    const keys = keyRangeOf(company_id, filter);
    const found = await readStarts(session, filter, keys, left, filter.kind === 'range' && filters.length > 1);
    if (found.some((start) => start.merged_below !== merged_below)) return null;
    const lookup = { filter, keys, starts: startsOf(found, keys) };
    left = left.filter(({ from_id }) => lookup.starts.has(from_id));
    lookups = [...lookups, lookup];
    if (bytesIn(lookup, left) <= short_list * left.length) break;
  }
  const others = filters.slice(lookups.length);
  lookups = lookups.toSorted(
    (one, other) => bytesIn(one, left) - bytesIn(other, left) || one.starts.size - other.starts.size,
  );
  const newest: number[] = [];
  let compared = 0;
  let count = Math.ceil((block_bytes * left.length) / bytesIn(lookups[0]!, left));
  for (let at = 0; at < left.length && newest.length < wanted; at += count, count *= 2) {
    const group = left.slice(at, at + count);
    let lists_read = 0;
    let candidates = null as readonly number[] | null;
    while (newest.length < wanted) {
      const lookup: Lookup | undefined = lookups[lists_read];
      const are_few_met = newest.length * 4 < compared;
      if (
        candidates === null ||
        (lookup !== undefined && are_few_met && bytesIn(lookup, group) < candidates.length * bytes_as_one_event)
      ) {
        const ids = await readIds(session, lookup!, group, merged_below);
        if (ids === null) return null;
        const listed: ReadonlySet<number> = new Set(ids);
        candidates = candidates?.filter((id) => listed.has(id)) ?? ids.filter((id) => id < below);
        lists_read += 1;
        continue;
      }
      if (candidates.length === 0) break;
      const next = candidates.slice(0, compared_at_once);
      const unread = [...lookups.slice(lists_read).map(({ filter }) => filter), ...others];
      const kept = is_purged || unread.length > 0 ? await keptOf(session, next, unread) : next;
      newest.push(...kept.slice(0, wanted - newest.length));
      compared += next.length;
      candidates = candidates.slice(next.length);
    }
  }
  return { ids: newest, filters: [...lookups.map(({ filter }) => filter), ...others] };
}

/** Candidates that one statement compares. */
const compared_at_once = 100;

/** The bytes of lists that are read in the time in which one event is compared. */
const bytes_as_one_event = 200;

/** A range with a list of these bytes has so few events that no other list of it is worth a look. */
const short_list = 32;

/** A filter in ranges of events. */
interface Lookup {
  readonly filter: EventFilter;
  readonly keys: KeyRange;
  /** By the first id of the range. */
  readonly starts: ReadonlyMap<number, Start>;
}

/** The start of the last block of a range that may contain the keys. */
interface Start {
  /** At most `start_bytes`. */
  readonly start: Uint8Array;
  /** Of the lists of the keys, estimated where other blocks contain keys, too. */
  readonly bytes: number;
}

function startsOf(found: readonly BlockStart[], keys: KeyRange): ReadonlyMap<number, Start> {
  const starts = new Map<number, Start>();
  for (const { from_id, start, blocks } of found) {
    const bytes = start === null ? 0 : matchingBytes(start, keys);
    if (start === null || bytes === 0) continue;
    starts.set(from_id, {
      start,
      // The first of the blocks may have few of the keys.
      bytes: blocks < blocks_counted ? bytes + Math.max(0, blocks - 1) * block_bytes : many_bytes,
    });
  }
  return starts;
}

/** The blocks of a range of values are counted up to here. */
const blocks_counted = 4;

/** The bytes of as many blocks, or more. */
const many_bytes = 16 * block_bytes;

function bytesIn({ starts }: Lookup, ranges: readonly EventRange[]): number {
  return ranges.reduce((sum, { from_id }) => sum + starts.get(from_id)!.bytes, 0);
}

/** The ids in these ranges that match the filter, newest first. Null: see `findInRanges`. */
async function readIds(
  session: Session,
  { filter, keys, starts }: Lookup,
  ranges: readonly EventRange[],
  merged_below: number,
): Promise<readonly number[] | null> {
  const ids: number[] = [];
  const incomplete = ranges.filter(({ from_id }) => !isAll(starts.get(from_id)!.start, keys));
  const blocks = incomplete.length === 0 ? [] : await readBlocks(session, filter, keys, incomplete);
  if (blocks.some((block) => block.merged_below !== merged_below)) return null;
  for (const { from_id, entries } of blocks) if (entries !== null) addMatches(entries, from_id, keys, ids);
  for (const range of ranges) {
    if (!incomplete.includes(range)) addMatches(starts.get(range.from_id)!.start, range.from_id, keys, ids);
  }
  return ids.sort((one, other) => other - one);
}

/** Those of the events that exist and match the filters, newest first. */
async function keptOf(
  { db, dialect }: Session,
  ids: readonly number[],
  filters: readonly EventFilter[],
): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`${prepared}
    select id from tallystick_events where ${isOneOf(dialect, 'id', ids)} and ${toConditions(filters)}
    order by id desc`.execute(db);
  return rows.map(({ id }) => id);
}

interface FoundBlock {
  readonly from_id: number;
  /** Null for a range without such a block. */
  readonly entries: Uint8Array | null;
  readonly merged_below: number;
}

/** The start of the last block that may contain the keys. */
interface BlockStart {
  readonly from_id: number;
  /** At most `start_bytes`. Null for a range without such a block. */
  readonly start: Uint8Array | null;
  /** The blocks before it that may contain keys, too, up to `blocks_counted`. */
  readonly blocks: number;
  readonly merged_below: number;
}

/**
 * Whether this start contains all entries of the keys: the block was read whole, and no block
 * before it can contain them.
 */
function isAll(start: Uint8Array, keys: KeyRange): boolean {
  return start.length < start_bytes && !beginsAfter(start, keys.from);
}

/** The start of the last block of a filter that may contain the keys, in each of the ranges `r`. */
async function readStarts(
  session: Session,
  filter: EventFilter,
  keys: KeyRange,
  ranges: readonly EventRange[],
  is_counted: boolean,
): Promise<readonly BlockStart[]> {
  const start = lastOf(filter, keys.to, sql`substr(l.entries, 1, ${sql.lit(start_bytes)})`);
  const blocks = is_counted
    ? sql`(select count(*) from (select 1 from tallystick_event_filter_blocks l where ${isOf(filter, 'l')}
        and l.first_key > ${keys.from} and l.first_key <= ${keys.to} limit ${sql.lit(blocks_counted)}) counted)`
    : sql`0`;
  const { rows } = await sql<BlockStart>`${prepared}
    select r.from_id, ${start} as start, ${blocks} as blocks, ${merged_below} from ${tableOf(session, ranges)} as r`.execute(
    session.db,
  );
  return rows;
}

/**
 * The blocks of a filter that may contain the keys, in each of the ranges `r`. The first of them
 * may begin before the keys. A range without such a block has one row, without entries.
 */
async function readBlocks(
  session: Session,
  filter: EventFilter,
  keys: KeyRange,
  ranges: readonly EventRange[],
): Promise<readonly FoundBlock[]> {
  const condition = sql`${isOf(filter, 'b')}
    and b.first_key between coalesce(${lastOf(filter, keys.from, sql`l.first_key`)}, ${keys.from}) and ${keys.to}`;
  // Postgres does not join across `offset`, so it looks the blocks up for each range.
  const blocks =
    session.dialect === 'postgres'
      ? sql`lateral (
          select b.entries from tallystick_event_filter_blocks b where ${condition} order by b.first_key offset 0
        ) b on true`
      : sql`tallystick_event_filter_blocks b on ${condition}`;
  const { rows } = await sql<FoundBlock>`${prepared}
    select r.from_id, b.entries, ${merged_below} from ${tableOf(session, ranges)} as r left join ${blocks}`.execute(
    session.db,
  );
  return rows;
}

const merged_below = sql`(select merged_below from tallystick_event_index) as merged_below`;

function tableOf({ dialect }: Session, ranges: readonly EventRange[]): RawBuilder<unknown> {
  return jsonRows(dialect, { from_id: 'integer', range_size: 'integer' }, ranges);
}

/** The conditions on a block of a filter within the range `r`. */
function isOf({ name }: EventFilter, block: string): RawBuilder<unknown> {
  return sql`${sql.ref(`${block}.range_size`)} = r.range_size and ${sql.ref(`${block}.from_id`)} = r.from_id
    and ${sql.ref(`${block}.field`)} = ${event_filter_numbers[name]}`;
}

/** A value of the last block `l` of the range `r` that begins at or before a key. */
function lastOf(filter: EventFilter, key: Uint8Array, value: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select ${value} from tallystick_event_filter_blocks l
    where ${isOf(filter, 'l')} and l.first_key <= ${key} order by l.first_key desc limit 1)`;
}

export function toConditions(filters: readonly EventFilter[]): RawBuilder<unknown> {
  return filters.length === 0 ? sql`true` : sql.join(filters.map(toCondition), sql` and `);
}

function toCondition(filter: EventFilter): RawBuilder<unknown> {
  const column = sql.ref(event_filter_columns[filter.name]);
  if (filter.kind === 'equals') return sql`${column} = ${filter.value}`;
  const bounds: RawBuilder<unknown>[] = [];
  if (filter.from !== undefined) bounds.push(sql`${column} >= ${filter.from}`);
  if (filter.to !== undefined) bounds.push(sql`${column} <= ${filter.to}`);
  return bounds.length === 0 ? sql`${column} is not null` : sql.join(bounds, sql` and `);
}
