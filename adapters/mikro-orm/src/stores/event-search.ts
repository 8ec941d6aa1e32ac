import type { EventFilter } from '@tallystick/events';
import { afterId, type PageRequest } from '@tallystick/kernel';
import { type RawBuilder, sql } from 'kysely';
import { findEventIdsByColumns } from '../before-event-index/event-search.ts';
import type { Session } from '../connection/session.ts';
import { addMatches } from '../event-index/filter-block.ts';
import { keyRangeOf } from '../event-index/filter-key.ts';
import { inLeadingOrder } from '../event-index/filter-order.ts';
import type { EventRange } from '../event-index/index-range.ts';
import { event_filter_numbers, event_index_backfill } from '../schema/event-index-schema.ts';
import { event_filter_columns } from '../schema/schema.ts';
import { jsonRows } from './json-rows.ts';

/** The least number of newest ids whose events are compared one by one before the index is used. */
const newest_looked_at = 512;

/**
 * The ranges of events that one statement looks up: few at first, because few may fill the page.
 */
const ranges_at_once: readonly number[] = [8, 128, 2_048];

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
  /** False while events from before the index are copied into it. */
  readonly is_complete: boolean | 0 | 1;
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
  const state = await readState(session);
  if (!state.is_complete) return await findEventIdsByColumns(session, company_id, filters, page);
  const offset = page.offset ?? 0;
  const wanted = page.limit + 1 + offset;
  const below = afterId('events', page) ?? (await readNewestId(session)) + 1;
  const search = { company_id, filters: inLeadingOrder(filters), below, wanted };
  const compared_from = Math.min(state.indexed_below, below - Math.max(newest_looked_at, 2 * wanted));
  const ids = await compareEach(session, search, compared_from);
  if (ids.length < wanted && compared_from > 0) {
    ids.push(...(await findIndexed(session, { ...search, below: compared_from, wanted: wanted - ids.length }, state)));
  }
  return ids.slice(offset);
}

async function readState({ db }: Session): Promise<IndexState> {
  const { rows } = await sql<IndexState>`
    select i.segment_size, i.volume_size, i.indexed_below, i.merged_below, b.state <> 'copying' as is_complete
    from event_index i cross join backfills b where b.name = ${event_index_backfill}`.execute(db);
  return rows[0]!;
}

async function readNewestId({ db }: Session): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`select max(id) as id from events`.execute(db);
  return rows[0]?.id ?? 0;
}

/**
 * Compares every event from an id on. The table is read in the order of ids, without the index of
 * companies: neighbours share pages.
 */
async function compareEach({ db }: Session, search: Search, from_id: number): Promise<number[]> {
  const { company_id, filters, below, wanted } = search;
  const { rows } = await sql<{ id: number }>`
    select id from events where id < ${below} and id >= ${from_id} and company_id + 0 = ${company_id}
      and ${toConditions(filters)} order by id desc limit ${wanted}`.execute(db);
  return rows.map(({ id }) => id);
}

async function findIndexed(session: Session, search: Search, state: IndexState): Promise<readonly number[]> {
  const ids: number[] = [];
  const ranges = rangesBack(search.below, state);
  for (let round = 0; ids.length < search.wanted; round += 1) {
    const batch = ranges.take(ranges_at_once[Math.min(round, ranges_at_once.length - 1)]!).toArray();
    if (batch.length === 0) break;
    const found = await findInRanges(session, search, batch, state);
    // Segments became a volume after the state was read.
    if (found === null) return await findIndexed(session, search, await readState(session));
    ids.push(...found);
  }
  return ids.slice(0, search.wanted);
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
 * The ids in these ranges that match every filter, newest first. Null when segments among them have
 * become a volume.
 */
async function findInRanges(
  session: Session,
  { company_id, filters, below }: Search,
  ranges: readonly EventRange[],
  { merged_below }: IndexState,
): Promise<readonly number[] | null> {
  /** By the first id of the range. */
  let matching: Map<number, readonly number[]> | null = null;
  for (const filter of filters) {
    const left = ranges.filter(({ from_id }) => matching?.has(from_id) ?? true);
    const keys = keyRangeOf(company_id, filter);
    const found = new Map<number, number[]>();
    for (const block of await readBlocks(session, filter, keys, left)) {
      if (block.merged_below !== merged_below) return null;
      const ids = found.get(block.from_id) ?? [];
      if (block.entries !== null) addMatches(block.entries, block.from_id, keys, ids);
      if (ids.length > 0) found.set(block.from_id, ids);
    }
    matching = intersect(found, matching);
    if (matching.size === 0) return [];
  }
  return ranges.flatMap(({ from_id }) => (matching?.get(from_id) ?? []).filter((id) => id < below).toReversed());
}

/** The ids of each range that are also in the other map, ascending. */
function intersect(found: Map<number, number[]>, others: Map<number, readonly number[]> | null) {
  const matching = new Map<number, readonly number[]>();
  for (const [from_id, ids] of found) {
    const wanted = others === null ? null : new Set(others.get(from_id));
    const both = wanted === null ? ids : ids.filter((id) => wanted.has(id));
    if (both.length > 0)
      matching.set(
        from_id,
        both.sort((a, b) => a - b),
      );
  }
  return matching;
}

interface FoundBlock {
  readonly from_id: number;
  /** Null for a range without such a block. */
  readonly entries: Uint8Array | null;
  readonly merged_below: number;
}

/**
 * The blocks of a filter that may contain the keys, in each of the ranges. The first of them may
 * begin before the keys.
 */
async function readBlocks(
  { db, dialect }: Session,
  { name }: EventFilter,
  keys: { readonly from: Uint8Array; readonly to: Uint8Array },
  ranges: readonly EventRange[],
): Promise<readonly FoundBlock[]> {
  const field = sql.lit(event_filter_numbers[name]);
  const blocks = (alias: string) =>
    sql`event_filter_blocks ${sql.ref(alias)} where ${sql.ref(`${alias}.range_size`)} = r.range_size
      and ${sql.ref(`${alias}.from_id`)} = r.from_id and ${sql.ref(`${alias}.field`)} = ${field}`;
  const first = sql`coalesce((select f.first_key from ${blocks('f')} and f.first_key <= ${keys.from}
    order by f.first_key desc limit 1), ${keys.from})`;
  const of_ranges = jsonRows(dialect, { from_id: 'integer', range_size: 'integer' }, ranges);
  const state = sql`(select merged_below from event_index)`;
  // The inner order keeps Postgres from any other plan than a lookup for each range.
  const joined: RawBuilder<unknown> =
    dialect === 'postgres'
      ? sql`left join lateral (
          select b.entries from ${blocks('b')} and b.first_key between ${first} and ${keys.to} order by b.first_key limit 1000000
        ) b on true`
      : sql`left join event_filter_blocks b on b.range_size = r.range_size and b.from_id = r.from_id and b.field = ${field}
          and b.first_key between ${first} and ${keys.to}`;
  const { rows } = await sql<FoundBlock>`
    select r.from_id, b.entries, ${state} as merged_below from ${of_ranges} as r ${joined}`.execute(db);
  return rows;
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
