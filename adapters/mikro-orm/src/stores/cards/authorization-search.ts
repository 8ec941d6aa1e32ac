import {
  type AuthorizationSearch,
  type AuthorizationStatus,
  authorization_event_type,
  type CardOfItem,
  decided_as,
  type FoundAuthorization,
} from '@tallystick/cards';
import type { EventFilter } from '@tallystick/events';
import { afterId, cursor, type Page, type PageRequest } from '@tallystick/kernel';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../../connection/prepared-statement.ts';
import type { Session } from '../../connection/session.ts';
import { isOfText } from '../../event-index/filter-key.ts';
import { type AuthorizationRow, authorizationOf } from '../../schema/records/record-rows.ts';
import { changed_status_sql } from '../../schema/tables/network.ts';
import { findEventIds, toConditions } from '../events/event-search.ts';
import { isOneOf } from '../queries/json-rows.ts';
import { pageOf } from '../queries/paging.ts';
import { authorizationList } from './card-activity.ts';

/** The messages that one page examines by their rows. On SQLite they take about two milliseconds. */
const examined_max = 250;

const list = 'found_authorizations';

/**
 * Finds messages by the event index: what a decision has determined is in its event. A status that
 * was given later is compared with the rows of the events, `examined_max` for a page, or it is
 * found by the index of changed statuses. That index leads when it is asked for nothing else, and
 * when it has few messages with the status.
 */
export async function findAuthorizations(
  session: Session,
  company_id: number | null,
  { status, filters }: AuthorizationSearch,
  page: PageRequest,
): Promise<Page<FoundAuthorization>> {
  if (status === undefined) return await walkEvents(session, company_id, filters, null, page);
  if (status === 'declined') {
    return await walkEvents(session, company_id, [...filters, decided_as.declined], null, page);
  }
  if (status !== 'open' && company_id !== null) {
    const leads = filters.length === 0 || (await isRare(session, company_id, status));
    if (leads) return await walkStatus(session, company_id, status, filters, page);
  }
  return await walkEvents(session, company_id, filters, status, page);
}

/** Walks back through the events of decisions that meet the filters. */
async function walkEvents(
  session: Session,
  company_id: number | null,
  filters: readonly EventFilter[],
  status: AuthorizationStatus | null,
  page: PageRequest,
): Promise<Page<FoundAuthorization>> {
  const indexed = indexedOf(company_id, filters);
  const compared = [of_decision, ...filters].filter((filter) => !indexed.includes(filter));
  const of_status = status === null ? sql`true` : sql`a.root_id = a.id and a.status = ${status}`;
  const found: FoundRow[] = [];
  let below = afterId(list, page);
  for (let examined = 0; ; ) {
    const missing = page.limit + 1 - found.length;
    const more = compared.length === 0 ? missing : Math.max(2 * missing, examined);
    const wanted = Math.min(status === null ? more : examined_max, examined_max - examined);
    const ids = await findEventIds(session, { company_id, filters: indexed, below, wanted });
    if (ids.length > 0) {
      const places = sql`select id, cast(payload_id as bigint) as authorization_id from tallystick_events
        where ${isOneOf(session.dialect, 'id', ids)} and ${toConditions(compared)}`;
      // After `findEventIds`, which sets how the statement is planned.
      found.push(...(await readFound(session, sql`${prepared}`, places, of_status, missing)));
    }
    examined += ids.length;
    below = ids.at(-1) ?? null;
    if (found.length > page.limit || ids.length < wanted || below === null) {
      return pageOf(list, found, page.limit, shown);
    }
    if (examined >= examined_max) return { items: found.map(shown), next: cursor(list, below) };
    await session.giveWay();
  }
}

const of_decision: EventFilter = { name: 'event_type', kind: 'equals', value: authorization_event_type };

/**
 * The filters that the index finds. The lists of what nearly all events are, their type and that
 * they were approved, are long: they are compared with what other filters find. Numbers are not
 * indexed for all companies together.
 */
function indexedOf(company_id: number | null, filters: readonly EventFilter[]): readonly EventFilter[] {
  const usable = company_id === null ? filters.filter(({ name }) => isOfText(name)) : filters;
  const selective = usable.filter((filter) => filter !== decided_as.approved);
  return selective.length > 0 ? selective : [of_decision];
}

/** Walks back through the authorizations that have the status now. */
async function walkStatus(
  session: Session,
  company_id: number,
  status: AuthorizationStatus,
  filters: readonly EventFilter[],
  page: PageRequest,
): Promise<Page<FoundAuthorization>> {
  const below = afterId(list, page) ?? Number.MAX_SAFE_INTEGER;
  const met =
    filters.length === 0
      ? sql`true`
      : sql`exists (select 1 from tallystick_events where id = s.event_id and ${toConditions(filters)})`;
  const places = sql`select s.event_id as id, s.id as authorization_id from tallystick_authorizations s
    where s.company_id = ${company_id} and s.status = ${status} and ${sql.raw(changed_status_sql)}
      and s.event_id < ${below} and ${met} order by s.event_id desc limit ${page.limit + 1}`;
  const found = await readFound(session, sql``, places, sql`true`, page.limit + 1);
  return pageOf(list, found, page.limit, shown);
}

/** Whether so few of the company's authorizations have the status that one page examines them all. */
async function isRare({ db }: Session, company_id: number, status: AuthorizationStatus): Promise<boolean> {
  const { rows } = await sql<{ count: number | string }>`select count(*) as count from (
    select 1 from tallystick_authorizations
    where company_id = ${company_id} and status = ${status} and ${sql.raw(changed_status_sql)} limit ${examined_max}
  ) counted`.execute(db);
  return Number(rows[0]!.count) < examined_max;
}

/** A message that was found, at its place in the list: that of its event. */
interface FoundRow extends FoundAuthorization {
  readonly id: number;
}

/**
 * The newest messages at the places that a query finds: an event and an authorization each. Without
 * reduced ones.
 */
async function readFound(
  { db }: Session,
  mark: RawBuilder<unknown>,
  places: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
  limit: number,
): Promise<readonly FoundRow[]> {
  const { rows } = await sql<AuthorizationRow & Omit<CardOfItem, 'id' | 'company_id'>>`${mark}
    select ${sql.raw(authorizationList())}, v.rcn_id, r.alias as rcn_alias, r.billing_currency, v.last4, v.recurring
    from (${places}) e join tallystick_authorizations a on a.id = e.authorization_id
      left join tallystick_authorizations o on o.id = a.root_id
      join tallystick_virtual_cards v on v.id = a.card_id join tallystick_real_cards r on r.id = v.rcn_id
    where a.reduced_at_ms is null and ${condition} order by e.id desc limit ${limit}`.execute(db);
  return rows.map(({ rcn_id, rcn_alias, billing_currency, last4, recurring, ...row }) => {
    const of_item = { rcn_id, rcn_alias, billing_currency, last4, recurring };
    const card = { ...of_item, id: row.card_id, company_id: row.company_id };
    return { id: row.event_id, authorization: authorizationOf(row), card };
  });
}

function shown({ authorization, card }: FoundAuthorization): FoundAuthorization {
  return { authorization, card };
}
