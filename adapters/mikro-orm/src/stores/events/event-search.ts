import type { EventFilter } from '@tallystick/events';
import { afterId, type PageRequest } from '@tallystick/kernel';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../../connection/prepared-statement.ts';
import type { Session } from '../../connection/session.ts';
import { addMatches, beginsAfter, hasMatch, start_bytes } from '../../event-index/filter-block.ts';
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

/** A search for the `wanted` newest events of a company below an id. */
interface Search {
  readonly company_id: number;
  readonly filters: readonly EventFilter[];
  readonly below: number;
  readonly wanted: number;
}

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
 * The ids of the company's events that match every filter, newest first, one more than a page has.
 *
 * The newest events and all that are not indexed yet are compared one by one. A common combination
 * of filters fills the page there. Otherwise the search walks back through the index, range by
 * range, until the page is full.
 */
export async function findEventIds(
  session: Session,
  company_id: number,
  filters: readonly EventFilter[],
  page: PageRequest,
): Promise<readonly number[]> {
  const state = await beginSearch(session);
  const offset = page.offset ?? 0;
  const wanted = page.limit + 1 + offset;
  const below = afterId('events', page) ?? (state.newest_id ?? 0) + 1;
  const search = { company_id, filters: inLeadingOrder(filters), below, wanted };
  const compared_from = Math.min(state.indexed_below, below - Math.max(newest_looked_at, 2 * wanted));
  const ids = await compareEach(session, search, compared_from);
  if (ids.length < wanted && compared_from > 0) {
    const older = { ...search, below: compared_from, wanted: wanted - ids.length };
    return [...ids, ...(await findIndexed(session, older, state))].slice(offset);
  }
  return ids.slice(offset);
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
  const { rows } = await sql<{ id: number }>`
    select id from tallystick_events where id < ${below} and id >= ${from_id} and company_id + 0 = ${company_id}
      and ${toConditions(filters)} order by id desc limit ${wanted}`.execute(db);
  return rows.map(({ id }) => id);
}

async function findIndexed(session: Session, search: Search, state: IndexState): Promise<readonly number[]> {
  let ids: readonly number[] = [];
  const ranges = rangesBack(search.below, state);
  for (let round = 0; ids.length < search.wanted; round += 1) {
    const batch = ranges.take(ranges_at_once[Math.min(round, ranges_at_once.length - 1)]!).toArray();
    if (batch.length === 0) break;
    const left = { ...search, wanted: search.wanted - ids.length };
    const found = await findInRanges(session, left, batch, state);
    // Segments became a volume after the state was read.
    if (found === null) return await findIndexed(session, search, await beginSearch(session));
    ids = [...ids, ...found];
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
 * The newest ids in these ranges that match every filter, newest first, as many as are wanted. Null
 * when segments among them have become a volume.
 *
 * First it reads the start of the last block of each range, for each filter. That shows which
 * ranges have a match, and for a rare value it is the whole block. A common value has a long block,
 * and a range of values may have many blocks in each range of events. They are read from the newest
 * range on, and only until the page is full.
 */
async function findInRanges(
  session: Session,
  { company_id, filters, below, wanted }: Search,
  ranges: readonly EventRange[],
  { merged_below, is_purged }: IndexState,
): Promise<readonly number[] | null> {
  const lookups = filters.map((filter) => ({ filter, keys: keyRangeOf(company_id, filter) }));
  const starts = new Map<number, Uint8Array[]>(ranges.map(({ from_id }) => [from_id, []]));
  let left = ranges;
  for (const { filter, keys } of lookups) {
    const blocks = await readStarts(session, filter, keys, left);
    if (blocks.some((block) => block.merged_below !== merged_below)) return null;
    for (const { from_id, start } of blocks) {
      if (start !== null && hasMatch(start, keys)) starts.get(from_id)!.push(start);
      else starts.delete(from_id);
    }
    left = left.filter(({ from_id }) => starts.has(from_id));
    if (left.length === 0) return [];
  }
  const newest: number[] = [];
  for (let at = 0, count = 1; at < left.length && newest.length < wanted; at += count, count *= 2) {
    const group = left.slice(at, at + count);
    const matching = group.map((): Set<number> | null => null);
    for (const [place, { filter, keys }] of lookups.entries()) {
      const incomplete = group.filter(({ from_id }) => !isAll(starts.get(from_id)![place]!, keys));
      const more = incomplete.length === 0 ? [] : await readBlocks(session, filter, keys, incomplete);
      if (more.some((block) => block.merged_below !== merged_below)) return null;
      const more_of = Map.groupBy(more, ({ from_id }) => from_id);
      for (const [which, { from_id }] of group.entries()) {
        const blocks = more_of.get(from_id)?.map(({ entries }) => entries) ?? [starts.get(from_id)![place]!];
        const ids: number[] = [];
        for (const entries of blocks) if (entries !== null) addMatches(entries, from_id, keys, ids);
        const found = new Set(ids);
        matching[which] = matching[which]?.intersection(found) ?? found;
      }
    }
    const found = matching.flatMap((ids) => [...(ids ?? [])].filter((id) => id < below));
    found.sort((one, other) => other - one);
    for (let from = 0; from < found.length && newest.length < wanted; from += wanted) {
      const next = found.slice(from, from + wanted);
      const kept = is_purged ? await keptOf(session, next) : next;
      newest.push(...kept.slice(0, wanted - newest.length));
    }
  }
  return newest;
}

/** Those of the events that were not purged, newest first. */
async function keptOf({ db, dialect }: Session, ids: readonly number[]): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`${prepared}
    select id from tallystick_events where ${isOneOf(dialect, 'id', ids)} order by id desc`.execute(db);
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
): Promise<readonly BlockStart[]> {
  const start = lastOf(filter, keys.to, sql`substr(l.entries, 1, ${sql.lit(start_bytes)})`);
  const { rows } = await sql<BlockStart>`${prepared}
    select r.from_id, ${start} as start, ${merged_below} from ${tableOf(session, ranges)} as r`.execute(session.db);
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

function toConditions(filters: readonly EventFilter[]): RawBuilder<unknown> {
  return sql.join(
    filters.map((filter) => toCondition(filter)),
    sql` and `,
  );
}

function toCondition(filter: EventFilter): RawBuilder<unknown> {
  const column = sql.ref(event_filter_columns[filter.name]);
  if (filter.kind === 'equals') return sql`${column} = ${filter.value}`;
  const bounds: RawBuilder<unknown>[] = [];
  if (filter.from !== undefined) bounds.push(sql`${column} >= ${filter.from}`);
  if (filter.to !== undefined) bounds.push(sql`${column} <= ${filter.to}`);
  return bounds.length === 0 ? sql`${column} is not null` : sql.join(bounds, sql` and `);
}
