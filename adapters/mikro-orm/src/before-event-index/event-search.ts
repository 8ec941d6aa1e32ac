import type { EventFilter } from '@tallystick/events';
import { afterId, type PageRequest } from '@tallystick/kernel';
import { type RawBuilder, sql } from 'kysely';
import type { Session } from '../connection/session.ts';
import { inLeadingOrder } from '../event-index/filter-order.ts';
import { event_segment_bits, segmentOf } from '../schema/event-segments.ts';
import { event_filter_columns } from '../schema/schema.ts';

/** The least number of newest events that are compared one by one before an index is used. */
const newest_looked_at = 256;

/** With this many events a filter counts as common when several filters are compared. */
const many = 512;

/** A search for the `wanted` newest events of a company below an id. */
interface Search {
  readonly company_id: number;
  readonly filters: readonly EventFilter[];
  readonly below: number;
  readonly wanted: number;
}

/**
 * The search by the indexes `events_by_*`, which databases of earlier versions have until their
 * events are copied into the index of filters. To be removed with support for such databases.
 *
 * The ids of the company's events that match every filter, newest first, one more than a page has.
 *
 * A common combination of filters fills the page from the newest few events. A rare one is searched
 * from the newest segment backwards in the index of one filter: one lookup in each segment for a
 * rare or absent value, until the page is full.
 */
export async function findEventIdsByColumns(
  session: Session,
  company_id: number,
  filters: readonly EventFilter[],
  page: PageRequest,
): Promise<readonly number[]> {
  const offset = page.offset ?? 0;
  const wanted = page.limit + 1 + offset;
  const below = afterId('events', page) ?? (await readNewestId(session)) + 1;
  const search = { company_id, filters, below, wanted };
  const newest = await searchNewest(session, search);
  const ids = newest.length < wanted ? await inSegments(session, search) : newest;
  return ids.slice(offset);
}

async function readNewestId({ db }: Session): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`select max(id) as id from events`.execute(db);
  return rows[0]?.id ?? 0;
}

async function searchNewest(
  { db }: Session,
  { company_id, filters, below, wanted }: Search,
): Promise<readonly number[]> {
  const columns = sql.join(
    [...new Set(filters.map(({ name }) => event_filter_columns[name]))].map((name) => sql.ref(name)),
  );
  const { rows } = await sql<{ id: number }>`
    select n.id from (
      select id, ${columns} from events where company_id = ${company_id} and id < ${below}
      order by id desc limit ${Math.max(newest_looked_at, 2 * wanted)}
    ) n where ${toConditions('n', filters)} order by n.id desc limit ${wanted}`.execute(db);
  return rows.map(({ id }) => id);
}

async function inSegments(session: Session, search: Search): Promise<readonly number[]> {
  return session.dialect === 'sqlite'
    ? await inSegmentsOfSqlite(session, search)
    : await inSegmentsOfPostgres(session, search);
}

// Both queries rely on nested loops that keep the order of their outer rows and stop at the inner
// limit.

async function inSegmentsOfSqlite(session: Session, search: Search): Promise<readonly number[]> {
  const { filters, below, wanted } = search;
  const lead = filters.length === 1 ? filters[0]! : await findRarest(session, search);
  const index = indexOf(lead);
  const met = sql`${belowOf(search)} and ${toConditions('e', filters)}`;
  const { rows } = await sql<{ id: number }>`
    with recursive
      ${orderBack(below)},
      hit (segment) as (
        select distinct segment from (
          select walk.segment from walk cross join events e indexed by ${index}
          on e.segment = walk.segment and ${met} limit ${wanted}
        )
      )
    select e.id from hit cross join events e indexed by ${index} on e.segment = hit.segment and ${met}
    order by e.id desc limit ${wanted}`.execute(session.db);
  return rows.map(({ id }) => id);
}

/** The filter that the fewest events match; among common ones, the usually rarest. */
async function findRarest({ db }: Session, search: Search): Promise<EventFilter> {
  let best: { readonly filter: EventFilter; readonly count: number } | undefined;
  for (const filter of inLeadingOrder(search.filters)) {
    const { rows } = await sql<{ count: number }>`
      with recursive ${orderBack(search.below)}
      select count(*) as count from (
        select 1 from walk cross join events e indexed by ${indexOf(filter)}
        on e.segment = walk.segment and ${belowOf(search)} and ${toCondition('e', filter)} limit ${many}
      )`.execute(db);
    const count = rows[0]?.count ?? 0;
    if (best === undefined || count < best.count) best = { filter, count };
  }
  return best!.filter;
}

async function inSegmentsOfPostgres({ db }: Session, search: Search): Promise<readonly number[]> {
  const { filters, below, wanted } = search;
  const top = segmentOf('postgres', below - 1);
  const size = sql.lit(2 ** event_segment_bits.postgres);
  // The bounds on ids are redundant. They keep any plan of the database within the segment.
  const { rows } = await sql<{ id: number }>`
    select f.id from (
      select l.id from generate_series(${top}::bigint, 0, -1) as walk (segment) cross join lateral (
        select e.id from events e where e.segment = walk.segment and ${belowOf(search)} and ${toConditions('e', filters)}
          and e.id >= walk.segment * ${size} and e.id < (walk.segment + 1) * ${size}
        order by e.id desc limit ${wanted}
      ) l limit ${wanted}
    ) f order by f.id desc`.execute(db);
  return rows.map(({ id }) => id);
}

/** The segments from the one before the id back to the first. */
function orderBack(below: number): RawBuilder<unknown> {
  const top = segmentOf('sqlite', below - 1);
  return sql`walk (segment) as (values (${top}) union all select segment - 1 from walk where segment > 0)`;
}

function belowOf({ company_id, below }: Search): RawBuilder<unknown> {
  return sql`e.company_id = ${company_id} and e.id < ${below}`;
}

function indexOf({ name }: EventFilter): RawBuilder<unknown> {
  return sql.ref(`events_by_${event_filter_columns[name]}`);
}

function toConditions(table: string, filters: readonly EventFilter[]): RawBuilder<unknown> {
  return sql.join(
    filters.map((filter) => toCondition(table, filter)),
    sql` and `,
  );
}

function toCondition(table: string, filter: EventFilter): RawBuilder<unknown> {
  const column = sql.ref(`${table}.${event_filter_columns[filter.name]}`);
  if (filter.kind === 'equals') return sql`${column} = ${filter.value}`;
  const bounds: RawBuilder<unknown>[] = [];
  if (filter.from !== undefined) bounds.push(sql`${column} >= ${filter.from}`);
  if (filter.to !== undefined) bounds.push(sql`${column} <= ${filter.to}`);
  return bounds.length === 0 ? sql`${column} is not null` : sql.join(bounds, sql` and `);
}
