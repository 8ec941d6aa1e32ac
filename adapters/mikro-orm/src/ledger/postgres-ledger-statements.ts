import {
  type CandidateKeyKind,
  type FileProgress,
  joinMerchants,
  type LedgerChanges,
  type LedgerState,
  type NeighbourQuestions,
  neighbours_max,
  partsOfKey,
  type SeenActs,
} from '@tallystick/cards';
import { copyInto } from '../connection/postgres/copied-rows.ts';
import { type NamedQuery, named, types } from '../connection/postgres/named-query.ts';
import { event_writers_lock, lockKey } from '../schema/locks.ts';
import { lookedUp, networkReferenceSql } from '../schema/look-ups.ts';
import type { NewAuditRow } from '../schema/records/audit-rows.ts';
import { card_columns, card_tables, template_columns } from '../schema/records/card-rows.ts';
import { event_columns, eventRecord } from '../schema/records/event-row.ts';
import {
  authorization_columns,
  clearing_change_columns,
  clearing_columns,
  selectList,
} from '../schema/records/record-rows.ts';
import { progress_counts, refused_again_sql, refused_columns } from '../schema/tables/imports.ts';
import { consultation_columns, consulted_again_sql } from '../schema/tables/network.ts';
import { keyChangesOf } from './key-changes.ts';
import type { CardSearch } from './postgres-lookups.ts';

/**
 * Begins a pass. Statements are planned once per connection. On a young database the plans would be
 * made for almost empty tables: they would read whole tables, and stay while the tables grow. The
 * settings turn such plans off. They do not keep Postgres from reading a whole index; `lookedUp`
 * does. Without `plan_cache_mode` Postgres plans the lock of the cards for each pass.
 *
 * The pass waits for `held_ms_max` for a card that another transaction holds. Passes and changes
 * hold a card for milliseconds.
 *
 * The transaction is a writer of events from here on, before it draws their ids.
 */
export function begin(held_ms_max: number): NamedQuery[] {
  const off = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map(
    (name) => `set_config('enable_${name}', 'off', true)`,
  );
  const text = `select ${off.join(', ')}, set_config('plan_cache_mode', 'force_generic_plan', true),
    set_config('lock_timeout', $1, true), pg_advisory_xact_lock_shared(${lockKey(event_writers_lock)})`;
  return [named('ledger_begin', 'begin', []), named('ledger_settings', text, [Math.max(1, Math.floor(held_ms_max))])];
}

const database_ms_sql = '(extract(epoch from clock_timestamp()) * 1000)::float8';

const cards = `select ${card_columns} from ${card_tables}`;
const authorizations = selectList(authorization_columns, 'a');
const clearings = selectList(clearing_columns, 'c');

/**
 * No index is in this order. Postgres would otherwise walk through all cards in the order of ids.
 */
const in_id_order = 'order by v.id + 0';

/** Locks and reads the cards of these numbers, in id order so that two passes cannot deadlock. */
export function lockByNumber(number_indexes: readonly Uint8Array[]): NamedQuery {
  return named(
    'ledger_lock_by_number',
    `${cards} where v.number_index = any($1::bytea[]) ${in_id_order} for update of v`,
    [number_indexes],
  );
}

/** Like `lockByNumber`, for messages that name cards by number or by id. */
export function lockByNumberOrId(number_indexes: readonly Uint8Array[], ids: readonly number[]): NamedQuery {
  return named(
    'ledger_lock_by_number_or_id',
    `${cards} where v.id = any(array(select n.id from tallystick_virtual_cards n where n.number_index = any($1::bytea[])) || $2::bigint[])
       ${in_id_order} for update of v`,
    [number_indexes, ids],
  );
}

export interface NamedCard {
  readonly id: number;
  readonly number_index: Uint8Array;
}

/** The cards of these numbers and ids; with `free`, those that no other transaction holds. */
export function cardsNamed(
  number_indexes: readonly Uint8Array[],
  ids: readonly number[],
  { free }: { readonly free: boolean },
): NamedQuery {
  return {
    text: `select v.id, v.number_index from tallystick_virtual_cards v
      where v.id = any(array(select n.id from tallystick_virtual_cards n where n.number_index = any($1::bytea[])) || $2::bigint[])
      ${free ? 'for update of v skip locked' : ''}`,
    values: [number_indexes, ids],
    types,
  };
}

/** Those of the numbers that cards have. Nothing is locked. */
export function numbersAmong(number_indexes: readonly Uint8Array[]): NamedQuery {
  return named(
    'ledger_numbers_among',
    'select v.number_index from tallystick_virtual_cards v where v.number_index = any($1::bytea[])',
    [number_indexes],
  );
}

/**
 * Locks and reads cards with a hold whose end has come. Skips cards that another transaction holds.
 */
export function lockDue(now_ms: number, limit: number): NamedQuery {
  return named(
    'ledger_lock_due',
    `${cards} where v.next_hold_end_ms <= $1::bigint order by v.next_hold_end_ms limit $2 for update of v skip locked`,
    [now_ms, limit],
  );
}

/** New ids of each kind, as three arrays, and the time of the database's clock. */
export function drawIds(needed: { authorizations: number; clearings: number; events: number }): NamedQuery {
  const ids = (sequence: string, count: string) =>
    `array(select nextval('${sequence}') from generate_series(1, ${count}::int))`;
  return named(
    'ledger_fresh_ids',
    `select ${ids('tallystick_authorizations_id_seq', '$1')} as authorization_ids, ${ids('tallystick_clearings_id_seq', '$2')} as clearing_ids,
       ${ids('tallystick_events_id_seq', '$3')} as event_ids, ${database_ms_sql} as database_ms`,
    [needed.authorizations, needed.clearings, needed.events],
  );
}

/**
 * Fails with `missed_deadline_state` unless the database's clock is before `limit_ms`. A process of
 * the database that stood still may find the statements of a pass in its socket when it goes on,
 * long after their messages were answered.
 */
export function stillInTime(limit_ms: number): NamedQuery {
  return named('ledger_in_time', `select 1 / (${database_ms_sql} < $1::float8)::int`, [limit_ms]);
}

/** Division by zero. No other statement of a pass divides. */
export const missed_deadline_state = '22012';

export function authorizationsById(ids: readonly number[]): NamedQuery {
  return named(
    'ledger_authorizations',
    `select ${authorizations} from tallystick_authorizations a where a.id = any($1::bigint[])`,
    [ids],
  );
}

export function templatesById(ids: readonly number[]): NamedQuery {
  return named(
    'ledger_templates',
    `select ${template_columns} from tallystick_purchase_templates where id = any($1::bigint[])`,
    [ids],
  );
}

/** A clearing message and the values of its reference keys. */
export interface ClearingKeys extends Partial<Readonly<Record<CandidateKeyKind, string>>> {
  /** Hexadecimal. */
  readonly number_index: string | null;
  readonly vcn_id: number | null;
  readonly transaction_id: string;
  /** Whether the clearings that refer to those found are read, too. */
  readonly referring: boolean;
}

const clearing_keys = `(
  select m.*, coalesce(m.vcn_id, (select v.id from tallystick_virtual_cards v where v.number_index = decode(m.number_index, 'hex'))) as card_id
    from json_to_recordset($1::json) as m (number_index text, vcn_id bigint, transaction_id text, referring boolean, acquirer_reference_data text,
      approval_code text, network_reference text)
  ) m`;

/**
 * Adds to `found`, a query of clearings with the column `referring`, the clearings that refer to
 * them where it is true, and the clearings that refer to these.
 */
function withReferring(found: string): string {
  const referring = (table: string, which: string) =>
    `select c.* from ${table} f
       cross join lateral ${lookedUp('tallystick_clearings', 'card_id = f.card_id and clearing_id = f.id')} c ${which}`;
  return `with found as (${found}), referring as (${referring('found', 'where f.referring')})
    select ${selectList(clearing_columns, 'f')} from found f
    union all select ${selectList(clearing_columns, 'r')} from referring r
    union all select ${clearings} from (${referring('referring', '')}) c`;
}

/** The clearings that share a key with these messages. Rows may repeat. */
export function clearingsByReference(keys: readonly ClearingKeys[]): NamedQuery {
  const earlier = (which: string) => `select ${clearings} from ${lookedUp('tallystick_clearings c', which)} c`;
  return named(
    'ledger_clearing_candidates',
    withReferring(`select c.*, m.referring from ${clearing_keys} cross join lateral (
       ${earlier('c.network_financial_transaction_id = m.transaction_id')}
       union all ${earlier('c.paired_transaction_id = m.transaction_id')}
       union all ${earlier('c.card_id = m.card_id and c.acquirer_reference_data = m.acquirer_reference_data')}
       union all ${earlier('c.card_id = m.card_id and c.approval_code = m.approval_code')}
       union all ${earlier(`c.card_id = m.card_id and ${networkReferenceSql('c.net_reference_number')} = m.network_reference and c.net_reference_number is not null`)}
     ) c`),
    [JSON.stringify(askedOnce(keys))],
  );
}

/**
 * The same keys, each of a card only once. Clearings of one card that share a key would otherwise
 * each read all rows with it.
 */
function askedOnce(keys: readonly ClearingKeys[]): readonly object[] {
  const asked = new Set<string>();
  return keys.map((its) => {
    const once = (kind: 'acquirer_reference_data' | 'approval_code' | 'network_reference'): string | undefined => {
      const question = JSON.stringify([its.number_index, its.vcn_id, its.referring, kind, its[kind]]);
      if (asked.has(question)) return undefined;
      asked.add(question);
      return its[kind];
    };
    return {
      ...its,
      acquirer_reference_data: once('acquirer_reference_data'),
      approval_code: once('approval_code'),
      network_reference: once('network_reference'),
    };
  });
}

/**
 * The condition that a clearing `c` is of a card and its merchants `m`, and was not recorded before
 * `m.since_ms`. Ids and times of one card rise together, so the last row before that time bounds
 * the rows to read. The card is a range, so that only the index of the card's clearings is in this
 * order: in the order of ids, Postgres would walk through the clearings of all cards.
 */
const of_merchants_sql = `c.card_id = m.card_id and c.merchant_id = any(m.merchant_ids) and c.id > coalesce((
    select b.id from tallystick_clearings b
      where b.card_id between m.card_id and m.card_id and b.recorded_at_ms < m.since_ms
      order by b.card_id desc, b.id desc limit 1), 0)`;

/** The clearings that the searches of credits find, one search for each card. Rows may repeat. */
export function clearingsOfMerchants(searches: readonly CardSearch[]): NamedQuery {
  return named(
    'ledger_recent_clearings',
    withReferring(`select ${clearings}, true as referring
         from json_to_recordset($1::json) as m (card_id bigint, merchant_ids text[], since_ms bigint)
       cross join lateral ${lookedUp('tallystick_clearings c', of_merchants_sql)} c`),
    [JSON.stringify(searches)],
  );
}

/**
 * The clearings that people match, those of their authorizations and of the authorizations that
 * people chose, and those that refer to the first. Rows may repeat.
 */
export function clearingsMatchedByHand(ids: readonly number[], chosen_ids: readonly number[]): NamedQuery {
  const of_root = lookedUp(
    'tallystick_clearings c',
    'c.authorization_id = m.authorization_id',
    `limit ${neighbours_max + 1}`,
  );
  return named(
    'ledger_clearings_by_hand',
    withReferring(`select c.*, true as referring from unnest($1::bigint[]) as m (id)
         cross join lateral (select ${clearings} from ${lookedUp('tallystick_clearings c', 'c.id = m.id')} c) c
       union all select c.*, false from (
           select n.authorization_id from tallystick_clearings n where n.id = any($1::bigint[]) and n.authorization_id is not null
           union select unnest($2::bigint[])) m
         cross join lateral (select ${clearings} from ${of_root} c) c`),
    [ids, chosen_ids],
  );
}

/** What somebody has seen of the acts about a clearing that is matched by hand. */
export interface SeenActsOfClearing extends SeenActs {
  readonly clearing_id: number;
}

/**
 * Waits for transactions that record acts of these companies themselves. Before `overtakenClearings`,
 * in a separate statement, so that their acts are seen.
 */
export function lockActs(seen: readonly SeenActs[]): NamedQuery {
  return named(
    'ledger_lock_acts',
    `select 1 from tallystick_reconciliation_companies where company_id = any($1::bigint[])
       order by company_id for key share`,
    [[...new Set(seen.map(({ company_id }) => company_id))]],
  );
}

/** The clearings about which there is an act or a closing that was not seen, or another act that waits. */
export function overtakenClearings(seen: readonly SeenActsOfClearing[]): NamedQuery {
  return named(
    'ledger_overtaken_clearings',
    `select m.clearing_id from json_to_recordset($1::json)
         as m (clearing_id bigint, company_id bigint, newest_id bigint, approval_id bigint, records json, item_ids json)
       where exists (select 1 from json_array_elements_text(m.records) as j (record)
         join tallystick_reconciliation_act_records r on r.company_id = m.company_id and r.record = j.record::bigint
           and r.act_id > m.newest_id)
         or exists (select 1 from json_array_elements_text(m.records) as j (record)
         join tallystick_reconciliation_approval_records r on r.company_id = m.company_id and r.record = j.record::bigint
           and r.approval_id is distinct from m.approval_id)
         or exists (select 1 from json_array_elements_text(m.item_ids) as j (id)
           left join tallystick_reconciliation_items i on i.id = j.id::bigint where i.id is null or i.period_id is not null)`,
    [JSON.stringify(seen)],
  );
}

/**
 * The clearings that the questions ask for, up to `clearings_max` for each, without those with a
 * known id. Rows may repeat.
 */
export function neighbourClearings(
  questions: readonly NeighbourQuestions[],
  known_ids: Iterable<number> = [],
): NamedQuery {
  const found = (which: string) =>
    `select ${clearings} from ${lookedUp('tallystick_clearings c', which, 'limit m.clearings_max')} c`;
  return named(
    'ledger_neighbour_clearings',
    `select c.* from json_to_recordset($1::json) as m (card_id bigint, id bigint, acquirer_reference_data text,
         approval_code text, network_reference text, authorization_id bigint, clearing_id bigint, merchant_ids text[],
         debit_merchant_ids text[], since_ms bigint, clearings_max bigint)
       cross join lateral (
         ${found('c.id = m.id')}
         union all ${found('c.card_id = m.card_id and c.acquirer_reference_data = m.acquirer_reference_data')}
         union all ${found('c.card_id = m.card_id and c.approval_code = m.approval_code')}
         union all ${found(`c.card_id = m.card_id and ${networkReferenceSql('c.net_reference_number')} = m.network_reference and c.net_reference_number is not null`)}
         union all ${found('c.authorization_id = m.authorization_id')}
         union all ${found('c.card_id = m.card_id and c.clearing_id = m.clearing_id')}
         union all ${found(`m.merchant_ids is not null and ${of_merchants_sql}
           and (c.match_rule > 3 or (c.clearing_type = 'DEBIT' and c.merchant_id = any(m.debit_merchant_ids)))`)}
       ) c
       where not exists (select from unnest($2::bigint[]) as k (id) where k.id = c.id)`,
    [JSON.stringify(questions.flatMap(clearingQuestions)), [...known_ids]],
  );
}

function clearingQuestions(asked: NeighbourQuestions): readonly object[] {
  const { card_id, clearings_max, clearings_of_merchant } = asked;
  const one = { card_id, clearings_max };
  return [
    ...asked.clearing_ids.map((id) => ({ ...one, id })),
    ...asked.clearing_keys.map(partsOfKey).map(({ kind, value }) => ({ ...one, [kind]: value })),
    ...asked.clearings_of.map((authorization_id) => ({ ...one, authorization_id })),
    ...asked.referring_to.map((clearing_id) => ({ ...one, clearing_id })),
    ...(clearings_of_merchant.length === 0 ? [] : [{ ...one, ...joinMerchants(clearings_of_merchant) }]),
  ];
}

/** Draws the ids of new audit entries, in ascending order. */
export function drawAuditIds(count: number): NamedQuery {
  return named(
    'ledger_audit_ids',
    `select nextval('tallystick_audit_entries_id_seq') as id from generate_series(1, $1)`,
    [count],
  );
}

type Copy = ReturnType<typeof copyInto>;

const copyAuthorizations = copyInto('ledger_authorizations_copy', 'tallystick_authorizations', authorization_columns);
const copyKeys = copyInto('ledger_keys_copy', 'tallystick_authorization_keys', {
  card_id: 'integer',
  key: 'text',
  authorization_id: 'integer',
});
const copyClearings = copyInto('ledger_clearings_copy', 'tallystick_clearings', clearing_columns);
const copyEvents = copyInto('ledger_events_copy', 'tallystick_events', event_columns);
const copyIntoOutbox = copyInto('ledger_outbox_copy', 'tallystick_event_outbox', {
  event_id: 'integer',
  company_id: 'integer',
  event_type: 'text',
});

/**
 * Everything that a pass writes, one statement per table: a COPY, or one that takes one JSON text.
 * All rows are encoded here, so nothing can fail while the statements are sent. `audit_rows` are the
 * rows of the audit entries.
 */
export function writes(state: LedgerState, changes: LedgerChanges, audit_rows: readonly NewAuditRow[]): NamedQuery[] {
  const queries: NamedQuery[] = [];
  const add = (name: string, text: string, records: readonly unknown[]) => {
    if (records.length > 0) queries.push(named(name, text, [JSON.stringify(records)]));
  };
  const copy = <Item extends object>(into: Copy, records: readonly Item[]) => {
    if (records.length > 0) queries.push(into(records as readonly Readonly<Record<string, unknown>>[]));
  };
  add(
    'ledger_update_counters',
    `update tallystick_virtual_cards v set window_start_ms = u.window_start_ms, held = u.held, cleared = u.cleared, uses = u.uses,
         next_hold_end_ms = u.next_hold_end_ms, code_failures = u.code_failures, code_failures_on = u.code_failures_on
       from json_to_recordset($1::json) as u (card_id bigint, window_start_ms bigint, held bigint, cleared bigint,
         uses bigint, next_hold_end_ms bigint, code_failures bigint, code_failures_on text)
       where v.id = u.card_id`,
    changes.counters.map(({ card_id, counters }) => ({ card_id, ...counters })),
  );
  add(
    'ledger_freeze_cards',
    `update tallystick_virtual_cards v set frozen_at_ms = u.frozen_at_ms
       from json_to_recordset($1::json) as u (id bigint, frozen_at_ms bigint) where v.id = u.id`,
    changes.cards_frozen ?? [],
  );
  add(
    'ledger_upsert_windows',
    `insert into tallystick_card_windows (card_id, window_start_ms, held, cleared, uses)
       select u.card_id, u.window_start_ms, u.held, u.cleared, u.uses
       from json_to_recordset($1::json) as u (card_id bigint, window_start_ms bigint, held bigint, cleared bigint,
         uses bigint)
       on conflict (card_id, window_start_ms) do update
       set held = excluded.held, cleared = excluded.cleared, uses = excluded.uses`,
    changes.windows,
  );
  copy(copyAuthorizations, changes.authorizations_inserted);
  add(
    'ledger_update_authorizations',
    `update tallystick_authorizations a set status = u.status, authorized = u.authorized, held = u.held, cleared = u.cleared,
         uses = u.uses, hold_end_ms = u.hold_end_ms, uncleared_status = u.uncleared_status,
         uncleared_uses = u.uncleared_uses
       from json_to_recordset($1::json) as u (id bigint, status text, authorized bigint, held bigint, cleared bigint,
         uses bigint, hold_end_ms bigint, uncleared_status text, uncleared_uses bigint)
       where a.id = u.id`,
    changes.authorizations_changed,
  );
  const keys = keyChangesOf(state, changes);
  add(
    'ledger_delete_keys',
    `delete from tallystick_authorization_keys k using json_to_recordset($1::json) as u (card_id bigint, key text)
       where k.card_id = u.card_id and k.key = u.key`,
    keys.removed,
  );
  copy(
    copyKeys,
    keys.added.flatMap(({ card_id, id, keys }) => keys.map((key) => ({ card_id, key, authorization_id: id }))),
  );
  copy(copyClearings, changes.clearings_inserted);
  add('ledger_update_clearings', update_clearings_sql, changes.clearings_changed);
  copy(copyEvents, changes.events.map(eventRecord));
  copy(
    copyIntoOutbox,
    changes.events.map(({ id, company_id, event_type }) => ({ event_id: id, company_id, event_type })),
  );
  add(
    'ledger_insert_audit_entries',
    `insert into tallystick_audit_entries (id, company_id, actor, action, "object", request_id, source_address,
         details, at_ms, content_hash)
       select m.id, m.company_id, m.actor, m.action, m."object", m.request_id, m.source_address, m.details, m.at_ms,
         m.content_hash
       from json_to_recordset($1::json) as m (id bigint, company_id bigint, actor text, action text, "object" text,
         request_id text, source_address text, details text, at_ms bigint, content_hash text)`,
    audit_rows,
  );
  add(
    'ledger_insert_card_acts',
    `insert into tallystick_card_acts (card_id, event_id, at_ms, act)
       select m.card_id, m.event_id, m.at_ms, m.act::text
       from json_to_recordset($1::json) as m (card_id bigint, event_id bigint, at_ms bigint, act json)`,
    changes.card_acts ?? [],
  );
  add(
    'ledger_insert_acts',
    `insert into tallystick_reconciliation_acts (company_id, at_ms, actor, action, item_id, subject, note, reason, request_id)
       select m.company_id, m.at_ms, m.actor, m.action, m.item_id, m.subject, m.note, m.reason, m.request_id
       from json_to_recordset($1::json) as m (company_id bigint, at_ms bigint, actor text, action text, item_id bigint,
         subject text, note text, reason text, request_id text)`,
    changes.acts ?? [],
  );
  const ended = changes.card_versions ?? [];
  const ended_sql = `json_to_recordset($1::json) as m (card_id bigint, version bigint, state text, ended_at_ms bigint,
         ended_by text, request_id text)`;
  const ended_rows = ended.map((one) => ({ ...one, state: JSON.stringify(one.state) }));
  add(
    'ledger_keep_versions',
    `insert into tallystick_card_versions (card_id, version, state, ended_at_ms, ended_by, request_id)
       select m.card_id, m.version, m.state, m.ended_at_ms, m.ended_by, m.request_id from ${ended_sql}`,
    ended_rows,
  );
  add(
    'ledger_raise_versions',
    `update tallystick_virtual_cards v set controls_version = m.version + 1
       from (select card_id, max(version) as version from ${ended_sql} group by card_id) m where v.id = m.card_id`,
    ended_rows,
  );
  add('ledger_keep_consultations', keep_consultations_sql, changes.consultations ?? []);
  add(
    'ledger_keep_refused',
    keep_refused_sql,
    changes.quarantined.map(({ identity_sha256, message_sealed, ...refused }) => ({
      ...refused,
      identity_sha256: hex(identity_sha256),
      message_sealed: hex(message_sealed),
    })),
  );
  add(
    'ledger_insert_unknown_numbers',
    `insert into tallystick_unknown_number_messages (number_index, last4, message, recorded_at_ms, request_id)
       select decode(m.number_index, 'hex'), m.last4, m.message::text, m.recorded_at_ms, m.request_id
       from json_to_recordset($1::json) as m (number_index text, last4 text, message json, recorded_at_ms bigint,
         request_id text)`,
    changes.unknown_numbers.map((unknown) => ({ ...unknown, number_index: hex(unknown.number_index) })),
  );
  if (changes.file_progress !== undefined) queries.push(progressImport(changes.file_progress));
  return queries;
}

/**
 * Fails with `lease_lost_state`, which rolls the pass back, unless the batch is there, the import
 * is that of the lease, and `from` of its records are applied.
 */
function progressImport({ batch_number, lease, from, to, ...progress }: FileProgress): NamedQuery {
  const counts = progress_counts.map((name, at) => `${name} = ${name} + $${at + 7}::bigint`);
  const its = `tallystick_import_batches where import_id = $1 and kind = 'clearings' and number = $2`;
  return named(
    to === null ? 'ledger_end_batch' : 'ledger_progress_import',
    `with batch as (
        ${to === null ? `delete from ${its} returning 1` : `select 1 from ${its}`}
      ), import as (
        update tallystick_imports set lease_until_machine_ms = $4, applied_of_batch = $6, ${counts.join(', ')}
          where id = $1 and lease = $3 and applied_of_batch = $5 returning 1
      )
      select sqrt((select count(*) from batch) + (select count(*) from import) - 2)`,
    [
      progress.import_id,
      batch_number,
      lease.token,
      lease.until_machine_ms,
      from,
      to ?? 0,
      ...progress_counts.map((name) => progress[name]),
    ],
  );
}

/** The square root of a negative number. No other statement of a pass computes one. */
export const lease_lost_state = '2201F';

function updateClearings(): string {
  const columns = Object.entries(clearing_change_columns);
  const values = columns.map(([name, kind]) => `"${name}" = ${kind === 'json' ? `u."${name}"::text` : `u."${name}"`}`);
  const definitions = columns.map(([name, kind]) => `"${name}" ${json_types[kind]}`);
  return `update tallystick_clearings c set ${values.join(', ')}
    from json_to_recordset($1::json) as u (id bigint, ${definitions.join(', ')}) where c.id = u.id`;
}

const json_types = { integer: 'bigint', text: 'text', boolean: 'boolean', json: 'json' } as const;

function keepConsultations(): string {
  const columns = Object.entries(consultation_columns);
  const names = columns.map(([name]) => `"${name}"`).join(', ');
  const definitions = columns.map(([name, kind]) => `"${name}" ${json_types[kind]}`);
  return `insert into tallystick_consultations (${names})
    select ${names} from json_to_recordset($1::json) as m (${definitions.join(', ')}) ${consulted_again_sql}`;
}

function keepRefused(): string {
  const types = { ...json_types, bytes: 'text' } as const;
  const columns = Object.entries(refused_columns);
  const values = columns.map(([name, kind]) =>
    kind === 'bytes' ? `decode(m."${name}", 'hex')` : kind === 'json' ? `m."${name}"::text` : `m."${name}"`,
  );
  const definitions = columns.map(([name, kind]) => `"${name}" ${types[kind]}`);
  return `insert into tallystick_quarantine (status, ${columns.map(([name]) => `"${name}"`).join(', ')})
    select 'quarantined', ${values.join(', ')} from json_to_recordset($1::json) as m (${definitions.join(', ')})
    ${refused_again_sql}`;
}

const update_clearings_sql = updateClearings();
const keep_consultations_sql = keepConsultations();
const keep_refused_sql = keepRefused();

/** The SQLSTATE of an error of the database. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

/** A lock was not available within `lock_timeout`. */
export const lock_not_available = '55P03';

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
