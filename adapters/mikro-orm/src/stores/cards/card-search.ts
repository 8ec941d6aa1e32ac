import { createHash } from 'node:crypto';
import type { CardFilter, VirtualCard } from '@tallystick/cards';
import { afterId, invalidQuery, type PageRequest } from '@tallystick/kernel';
import { type RawBuilder, sql } from 'kysely';
import type { Session } from '../../connection/session.ts';
import type { Dialect } from '../../schema/dialect.ts';
import { isOneOf } from '../queries/json-rows.ts';

/** Cards are counted up to this number to find the rarest condition. */
const counted_max = 200;

/** The cards of the rarest condition that one statement compares with the others. */
const compared_max = 1_000;

/**
 * The cards of the rarest condition that one page compares, and two more for each card of its
 * offset. On SQLite 1,000 take about two milliseconds, in which the process does nothing else.
 */
export const searched_max = 1_000;

/** A condition on cards. An index lists the cards that meet it in the order of their ids. */
interface Condition {
  readonly table: 'tallystick_virtual_cards' | 'tallystick_virtual_card_metadata';
  readonly id: 'id' | 'card_id';
  readonly where: RawBuilder<boolean>;
  /** Almost every card meets it: never counted, and never the condition of the walk. */
  readonly is_common?: true;
}

export interface FoundCards {
  /** Newest first, at most one more than a page has. */
  readonly ids: readonly number[];
  /** The id below which the next page continues a search that ended early. Null: it did not. */
  readonly continues_below: number | null;
}

/**
 * Finds the cards of a company, or of all companies for null, that meet the filter.
 *
 * The search walks back through the cards of the rarest condition, and looks each of them up by the
 * keys of the other conditions, from the rarest on, until one is not met. So the cards that it
 * reads do not grow with the number of conditions, and of a company only with its own cards. It ends
 * after `searched_max`: the page has fewer cards, and the next one continues. It refuses
 * (`invalid_query`) an offset that it does not reach until then.
 */
export async function findCards(
  session: Session,
  company_id: number | null,
  filter: CardFilter,
  page: PageRequest,
): Promise<FoundCards> {
  await planByIndexOrder(session);
  const conditions = await fromRarest(session, conditionsOf(company_id, filter, session.dialect));
  const [rarest, ...others] = conditions;
  if (rarest === undefined) return { ids: [], continues_below: null };
  const offset = page.offset ?? 0;
  const wanted = page.limit + 1 + offset;
  const ids: number[] = [];
  let below = afterId('virtual_cards', page) ?? Number.MAX_SAFE_INTEGER;
  const searchable = searched_max + 2 * offset;
  for (let searched = 0; ids.length < wanted; ) {
    if (searched >= searchable) {
      if (ids.length < offset) throw unreached(searched);
      return { ids: ids.slice(offset), continues_below: below };
    }
    // A single condition is met by every card that is read. Otherwise each statement compares more
    // cards than the one before it.
    const more = Math.min(compared_max, Math.max(2 * wanted, searched), searchable - searched);
    const count = others.length === 0 ? wanted - ids.length : more;
    const { met, compared, last } = await compare(session, rarest, others, below, count);
    ids.push(...met);
    if (last === null || compared < count) break;
    below = last;
    searched += others.length === 0 ? 0 : compared;
    await session.giveWay();
  }
  return { ids: ids.slice(offset, wanted), continues_below: null };
}

function unreached(searched: number): Error {
  const message = `is too far for these filters: too few of ${searched} cards meet them; use page[after]`;
  return invalidQuery({ path: 'offset', message });
}

/**
 * On Postgres, until the transaction ends, a plan reads by an index and in its order, whatever the
 * statistics are. Otherwise it could read and sort all cards of a condition for each page.
 */
async function planByIndexOrder({ db, dialect }: Session): Promise<void> {
  if (dialect !== 'postgres') return;
  const settings = ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'];
  await sql`select ${sql.join(settings.map((name) => sql`set_config(${name}, 'off', true)`))}`.execute(db);
}

function conditionsOf(
  company_id: number | null,
  { metadata = {}, metadata_value, ids, frozen, ...columns }: CardFilter,
  dialect: Dialect,
): readonly Condition[] {
  const of_company = company_id === null ? sql<boolean>`true` : sql<boolean>`o.company_id = ${company_id}`;
  const equalities = Object.entries(columns).filter(([, value]) => value !== undefined);
  const ofCards = (where: RawBuilder<boolean>): Condition => ({ table: 'tallystick_virtual_cards', id: 'id', where });
  const withEntry = (entry: Uint8Array): Condition => ({
    table: 'tallystick_virtual_card_metadata',
    id: 'card_id',
    where: sql<boolean>`o.company_id = ${company_id ?? all_companies} and o.entry = ${entry}`,
  });
  const conditions: Condition[] = [
    ...(ids === undefined ? [] : [ofCards(sql<boolean>`${of_company} and ${isOneOf(dialect, 'o.id', ids)}`)]),
    ...Object.entries(metadata).map(([name, value]) => withEntry(toMetadataEntry(name, value))),
    ...(metadata_value === undefined ? [] : [withEntry(toValueEntry(metadata_value))]),
    ...equalities.map(([column, value]) =>
      ofCards(sql<boolean>`${of_company} and ${sql.ref(`o.${column}`)} = ${value}`),
    ),
  ];
  if (frozen) conditions.push(ofCards(sql<boolean>`${of_company} and o.frozen_at_ms is not null`));
  if (conditions.length === 0) conditions.push(ofCards(of_company));
  if (frozen === false) conditions.push({ ...ofCards(sql<boolean>`o.frozen_at_ms is null`), is_common: true });
  return conditions;
}

/** The conditions from the rarest on; none when no card meets one of them. */
async function fromRarest({ db }: Session, all: readonly Condition[]): Promise<readonly Condition[]> {
  const [conditions, common] = [all.filter((one) => !one.is_common), all.filter((one) => one.is_common)];
  if (conditions.length === 1) return [...conditions, ...common];
  const counts = conditions.map(
    ({ table, id, where }, at) => sql`(select count(*) from (
      select 1 from ${sql.table(table)} o where ${where} order by ${sql.ref(`o.${id}`)} desc limit ${counted_max}
    ) counted) as ${sql.ref(`c${at}`)}`,
  );
  const { rows } = await sql<Record<string, number | string>>`select ${sql.join(counts)}`.execute(db);
  const counted = conditions.map((condition, at) => ({ condition, count: Number(rows[0]![`c${at}`]) }));
  if (counted.some(({ count }) => count === 0)) return [];
  counted.sort((one, other) => one.count - other.count);
  return [...counted.map(({ condition }) => condition), ...common];
}

/** The result of one statement of a search. */
interface Compared {
  /** The cards that meet all conditions, newest first. */
  readonly met: readonly number[];
  /** How many cards were compared. */
  readonly compared: number;
  /** The last of them; null: there was none. */
  readonly last: number | null;
}

/** Compares the next cards of a condition below an id, from the newest on, with the others. */
async function compare(
  { db, dialect }: Session,
  { table, id, where }: Condition,
  others: readonly Condition[],
  below: number,
  count: number,
): Promise<Compared> {
  // With `offset`, Postgres looks up each card. It would otherwise collect all cards of the
  // condition.
  const lookups = others.map(
    (other) => sql`exists (
      select 1 from ${sql.table(other.table)} o
      where ${other.where} and ${sql.ref(`o.${other.id}`)} = c.id limit 1 offset 0
    )`,
  );
  // Within `case`, the first condition that is not met ends the lookups on SQLite, too.
  const is_met =
    lookups.length === 0 ? sql`true` : sql`case when ${sql.join(lookups, sql` and `)} then true else false end`;
  // One row, whatever the number of cards: rows take more time here than the lookups there.
  const met =
    dialect === 'postgres'
      ? sql`coalesce(json_agg(c.id) filter (where ${is_met}), '[]')::text`
      : sql`json_group_array(c.id) filter (where ${is_met})`;
  const { rows } = await sql<{ met: string; compared: number | string; last: number | string | null }>`
    select ${met} as met, count(*) as compared, min(c.id) as last from (
      select ${sql.ref(`o.${id}`)} as id from ${sql.table(table)} o
      where ${where} and ${sql.ref(`o.${id}`)} < ${below} order by ${sql.ref(`o.${id}`)} desc limit ${count}
    ) c`.execute(db);
  const { met: ids, compared, last } = rows[0]!;
  const newest_first = (JSON.parse(ids) as number[]).sort((one, other) => other - one);
  return { met: newest_first, compared: Number(compared), last: last === null ? null : Number(last) };
}

/**
 * The company under which each entry of metadata stands a second time, so that operators find it in
 * all companies. No company has this id.
 */
export const all_companies = 0;

/** The search entries of a card's metadata: one for each of its top-level names. */
export function toMetadataEntries(metadata: VirtualCard['metadata']): Uint8Array[] {
  return textsOf(metadata).map(([name, text]) => toMetadataEntry(name, text));
}

/** The search entries of its values, each once. They stand only among those of the company. */
export function toValueEntries(metadata: VirtualCard['metadata']): Uint8Array[] {
  return [...new Set(textsOf(metadata).map(([, text]) => text))].map(toValueEntry);
}

/** Each top-level value as text: text unchanged, all else as JSON; null has none. */
function textsOf(metadata: VirtualCard['metadata']): readonly (readonly [name: string, text: string])[] {
  return Object.entries(metadata ?? {}).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : value === null ? undefined : JSON.stringify(value);
    return text === undefined ? [] : [[name, text] as const];
  });
}

export function toMetadataEntry(name: string, value: string): Uint8Array {
  return hashOf([name, value]);
}

function toValueEntry(value: string): Uint8Array {
  return hashOf([value]);
}

function hashOf(parts: readonly string[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
}
