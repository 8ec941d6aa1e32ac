import type { CandidateKeyKind, FileProgress, HistorySearch, PastWindow, WindowKey } from '@tallystick/cards';
import type { Database } from 'better-sqlite3';
import { listed, networkReferenceSql } from '../schema/look-ups.ts';
import {
  type CardRow,
  card_columns,
  card_tables,
  type TemplateRow,
  template_columns,
} from '../schema/records/card-rows.ts';
import { event_columns } from '../schema/records/event-row.ts';
import {
  type AuthorizationRow,
  authorization_columns,
  type ClearingRow,
  clearing_change_columns,
  clearing_columns,
  selectList,
} from '../schema/records/record-rows.ts';
import { progress_counts, refused_again_sql, refused_columns } from '../schema/tables/imports.ts';
import { consultation_columns, consulted_again_sql } from '../schema/tables/network.ts';

export interface MerchantParameters extends Pick<HistorySearch, 'since_ms'> {
  readonly card_id: number;
  /** A JSON array. */
  readonly merchant_ids: string;
}

/** A question for clearings that no whole reference settled, in the same form. */
export interface UnsettledParameters extends MerchantParameters {
  /** A JSON array. */
  readonly debit_merchant_ids: string;
  readonly clearings_max: number;
}

/** The progress of an import as the parameters of a statement. */
export interface ProgressParameters extends Omit<FileProgress, 'batch_number' | 'to' | 'lease'> {
  readonly to: number;
  readonly token: string;
  readonly until_machine_ms: number;
}

/** The part of a prepared statement that a pass needs. */
export interface Prepared<Parameters extends unknown[], Row> {
  run(...parameters: Parameters): unknown;
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
}

/**
 * The limit as an expression: SQLite compiles a statement again whenever the value of a parameter
 * changes that is the whole limit.
 */
function limitOf(parameter: string): string {
  return `limit 0 + ${parameter}`;
}

/** Finds the rows of a card that have a candidate key, by the kind of the key. */
type FindByKey<Row> = Prepared<[number, string], Row>;

/** Finds the ids of up to so many clearings of a card that have one of the values, a JSON array. */
type FindIds = Prepared<[values: string, card_id: number, limit: number], number>;

/** Kept for the life of the connection. */
export type LedgerStatements = ReturnType<typeof prepareStatements>;

export function prepareStatements(database: Database) {
  const cards = `select ${card_columns} from ${card_tables}`;
  const authorizations = `select ${selectList(authorization_columns, 'a')} from tallystick_authorizations a`;
  const clearings = `select ${selectList(clearing_columns, 'c')} from tallystick_clearings c`;
  // Ids and times of one card rise together, so the last row before `since_ms` bounds the rows to
  // read.
  const recent = `card_id = $card_id and id > coalesce((select id from tallystick_clearings where card_id = $card_id
       and recorded_at_ms < $since_ms order by id desc limit 1), 0) and merchant_id in ${listed('$merchant_ids')}`;
  const sql = <Parameters extends unknown[], Row = unknown>(text: string): Prepared<Parameters, Row> =>
    database.prepare<Parameters, Row>(text);
  const ids = <Parameters extends unknown[]>(text: string) =>
    database.prepare<Parameters, number>(text).pluck() as Prepared<Parameters, number>;
  // The card is an expression, so that SQLite uses the index of the values.
  const idsWith = (value: string, of_card = 'c.card_id = ?'): FindIds =>
    ids(
      `select c.id from json_each(?) j cross join tallystick_clearings c where ${of_card} and ${value} = j.value ${limitOf('?')}`,
    );
  // Repeats the condition of its index.
  const network_reference = `c.net_reference_number is not null and ${networkReferenceSql('c.net_reference_number')}`;
  return {
    card_by_number: sql<[Uint8Array], CardRow>(`${cards} where v.number_index = ?`),
    is_number: sql<[Uint8Array]>('select 1 from tallystick_virtual_cards where number_index = ?'),
    card_by_id: sql<[number], CardRow>(`${cards} where v.id = ?`),
    cards_due: sql<[number, number], CardRow>(
      `${cards} where v.next_hold_end_ms <= ? order by v.next_hold_end_ms limit ?`,
    ),
    template: sql<[number], TemplateRow>(`select ${template_columns} from tallystick_purchase_templates where id = ?`),
    authorization: sql<[number], AuthorizationRow>(`${authorizations} where a.id = ?`),
    /** The ids are a JSON array, also below. */
    authorizations: sql<[string], AuthorizationRow>(`${authorizations} where a.id in ${listed('?')}`),
    clearing_by_transaction: sql<[{ readonly id: string }], ClearingRow>(
      `${clearings} where c.network_financial_transaction_id = $id
         union all ${clearings} where c.paired_transaction_id = $id`,
    ),
    clearings_by: {
      acquirer_reference_data: sql(`${clearings} where c.card_id = ? and c.acquirer_reference_data = ?`),
      approval_code: sql(`${clearings} where c.card_id = ? and c.approval_code = ?`),
      network_reference: sql(`${clearings} where c.card_id = ? and ${network_reference} = ?`),
    } satisfies Record<CandidateKeyKind, FindByKey<ClearingRow>>,
    clearing_ids_with: {
      acquirer_reference_data: idsWith('c.acquirer_reference_data'),
      approval_code: idsWith('c.approval_code'),
      network_reference: idsWith(network_reference),
      authorization_id: idsWith('c.authorization_id', '+c.card_id = ?'),
      clearing_id: idsWith('c.clearing_id'),
    },
    clearings_of_merchants: sql<[MerchantParameters], ClearingRow>(`${clearings} where ${recent}`),
    unsettled_of_merchants: ids<[UnsettledParameters]>(
      `select c.id from tallystick_clearings c where ${recent}
         and (match_rule > 3 or (clearing_type = 'DEBIT' and merchant_id in ${listed('$debit_merchant_ids')}))
         ${limitOf('$clearings_max')}`,
    ),
    clearing: sql<[number], ClearingRow>(`${clearings} where c.id = ?`),
    clearings: sql<[string], ClearingRow>(`${clearings} where c.id in ${listed('?')}`),
    clearings_of_root: sql<[number, number], ClearingRow>(`${clearings} where c.authorization_id = ? ${limitOf('?')}`),
    clearings_referring: sql<[string, number], ClearingRow>(
      `select ${selectList(clearing_columns, 'c')} from json_each(?) j cross join tallystick_clearings c
         where c.card_id = ? and c.clearing_id = j.value`,
    ),
    window: sql<[WindowKey], PastWindow>(
      `select card_id, window_start_ms, held, cleared, uses from tallystick_card_windows
         where card_id = $card_id and window_start_ms = $window_start_ms`,
    ),
    upsert_window: sql<[PastWindow]>(
      `insert into tallystick_card_windows (card_id, window_start_ms, held, cleared, uses)
         values ($card_id, $window_start_ms, $held, $cleared, $uses)
         on conflict (card_id, window_start_ms) do update
         set held = excluded.held, cleared = excluded.cleared, uses = excluded.uses`,
    ),
    keep_version: sql<unknown[]>(
      `insert into tallystick_card_versions (card_id, version, state, ended_at_ms, ended_by, request_id)
         values (?, ?, ?, ?, ?, ?)`,
    ),
    raise_version: sql<[number, number]>('update tallystick_virtual_cards set controls_version = ? where id = ?'),
    /** The last id that a table has given, by its name; undefined before the first. */
    last_id: database.prepare<[string], number>('select seq from sqlite_sequence where name = ?').pluck() as Prepared<
      [string],
      number
    >,
    update_counters: sql<unknown[]>(
      `update tallystick_virtual_cards set window_start_ms = ?, held = ?, cleared = ?, uses = ?, code_failures = ?,
         code_failures_on = ? where id = ?`,
    ),
    // SQLite writes an index again when a statement sets its column, even to the same value.
    update_next_hold_end: sql<[number | null, number]>(
      'update tallystick_virtual_cards set next_hold_end_ms = ? where id = ?',
    ),
    freeze_card: sql<[frozen_at_ms: number | null, id: number]>(
      'update tallystick_virtual_cards set frozen_at_ms = ? where id = ?',
    ),
    insert_authorization: sql<[unknown[]]>(insertInto('tallystick_authorizations', Object.keys(authorization_columns))),
    update_authorization: sql<unknown[]>(
      `update tallystick_authorizations set status = ?, authorized = ?, held = ?, cleared = ?, uses = ?, hold_end_ms = ?,
         uncleared_status = ?, uncleared_uses = ? where id = ?`,
    ),
    /** Inserts so many keys: card, key and authorization of each. */
    insert_keys: [1, 2, 3, 4, 5].map((count) =>
      sql<[unknown[]]>(
        `insert into tallystick_authorization_keys (card_id, key, authorization_id) values ${Array(count).fill('(?, ?, ?)').join(', ')}`,
      ),
    ),
    delete_key: sql<[number, string]>('delete from tallystick_authorization_keys where card_id = ? and key = ?'),
    insert_clearing: sql<[unknown[]]>(insertInto('tallystick_clearings', Object.keys(clearing_columns))),
    update_clearing: sql<[unknown[]]>(
      `update tallystick_clearings set ${Object.keys(clearing_change_columns)
        .map((column) => `${column} = ?`)
        .join(', ')} where id = ?`,
    ),
    insert_event: sql<[unknown[]]>(insertInto('tallystick_events', Object.keys(event_columns))),
    insert_outbox: sql<[number, number, string]>(
      insertInto('tallystick_event_outbox', ['event_id', 'company_id', 'event_type']),
    ),
    insert_audit: sql<unknown[]>(
      insertInto('tallystick_audit_entries', [
        'id',
        'company_id',
        'actor',
        'action',
        'object',
        'request_id',
        'source_address',
        'details',
        'at_ms',
        'content_hash',
      ]),
    ),
    newer_act: sql<[company_id: number, records: string, newest_id: number]>(
      `select 1 from tallystick_reconciliation_act_records where company_id = ?
         and record in (select value from json_each(?)) and act_id > ? limit 1`,
    ),
    waiting_act: sql<[company_id: number, records: string, approval_id: number | null]>(
      `select 1 from tallystick_reconciliation_approval_records where company_id = ?
         and record in (select value from json_each(?)) and approval_id is not ? limit 1`,
    ),
    closed_item: sql<[item_ids: string]>(
      `select 1 from json_each(?) j left join tallystick_reconciliation_items i on i.id = j.value
         where i.id is null or i.period_id is not null limit 1`,
    ),
    insert_card_act: sql<[number, number, number, string]>(
      insertInto('tallystick_card_acts', ['card_id', 'event_id', 'at_ms', 'act']),
    ),
    /** An act may have an id of an event that is not written. No event or act gets it again. */
    use_event_id: sql<[number, number]>(
      `update sqlite_sequence set seq = ? where name = 'tallystick_events' and seq < ?`,
    ),
    insert_act: sql<unknown[]>(
      insertInto('tallystick_reconciliation_acts', [
        'company_id',
        'at_ms',
        'actor',
        'action',
        'item_id',
        'subject',
        'note',
        'reason',
        'request_id',
      ]),
    ),
    keep_consultation: sql<[unknown[]]>(
      `${insertInto('tallystick_consultations', Object.keys(consultation_columns))} ${consulted_again_sql}`,
    ),
    keep_refused: sql<[unknown[]]>(
      `${insertInto('tallystick_quarantine', ['status', ...Object.keys(refused_columns)])} ${refused_again_sql}`,
    ),
    batch: sql<[number, number]>(
      `select id from tallystick_import_batches where import_id = ? and kind = 'clearings' and number = ?`,
    ),
    /** Each of the two returns a row when it has changed one. */
    remove_batch: sql<[number, number]>(
      `delete from tallystick_import_batches where import_id = ? and kind = 'clearings' and number = ? returning id`,
    ),
    progress_import: sql<[ProgressParameters]>(
      `update tallystick_imports set lease_until_machine_ms = $until_machine_ms, applied_of_batch = $to,
         ${progress_counts.map((name) => `${name} = ${name} + $${name}`).join(', ')}
         where id = $import_id and lease = $token and applied_of_batch = $from returning id`,
    ),
    insert_unknown: sql<unknown[]>(
      insertInto('tallystick_unknown_number_messages', [
        'number_index',
        'last4',
        'message',
        'recorded_at_ms',
        'request_id',
      ]),
    ),
  };
}

function insertInto(table: string, columns: readonly string[]): string {
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
}
