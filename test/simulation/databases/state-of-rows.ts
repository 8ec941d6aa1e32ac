import { newState, type State, type Table } from '@tallystick/memory';
import { payloadOf } from '@tallystick/mikro-orm';

/** A row as the driver returns it. */
type Row = Readonly<Record<string, unknown>>;

/** Reads all rows of a table, or of several joined. */
export type ReadRows = (from: string) => Promise<readonly Row[]>;

type Records = readonly (readonly [key: string | number, record: object])[];

/** How the rows of one table of the database become rows of the state. */
interface Source {
  readonly name: keyof State;
  readonly table: string;
  /** The columns of JSON. */
  readonly json?: readonly string[];
  readonly booleans?: readonly string[];
  /** The key and the record of a row; the id and the row when absent. Null: it makes none. */
  readonly recordOf?: (row: Row) => readonly [key: string | number, record: object] | null;
}

const json_of_items = ['authorization_ids', 'clearing_ids', 'line_ids', 'matches', 'alternatives', 'tolerated'];

/**
 * What the oracles read. The state of the storage in memory has the records of the domain, which
 * are the rows of the database but for a few.
 */
const sources: readonly Source[] = [
  { name: 'companies', table: 'companies', booleans: ['full_details_in_mail'], recordOf: companyOf },
  {
    name: 'real_cards',
    table: 'real_cards',
    json: ['network_data_names'],
    booleans: ['velocity_enabled', 'is_default'],
  },
  { name: 'templates', table: 'purchase_templates', json: ['mcc_list'] },
  {
    name: 'cards',
    table: 'virtual_cards v join tallystick_virtual_card_details d on d.card_id = v.id',
    json: ['emails', 'network_data', 'metadata'],
    booleans: ['per_transaction_max_defaulted', 'notified'],
    recordOf: cardOf,
  },
  {
    name: 'card_windows',
    table: 'card_windows',
    recordOf: (row) => [JSON.stringify([row.card_id, row.window_start_ms]), row],
  },
  { name: 'authorizations', table: 'authorizations', json: ['details'], booleans: ['incremental'] },
  {
    name: 'clearings',
    table: 'clearings',
    json: ['details', 'sent', 'choices'],
    booleans: ['partial', 'review', 'synthetic_id'],
  },
  { name: 'events', table: 'events', json: ['previous'], recordOf: eventOf },
  { name: 'outbox', table: 'event_outbox', recordOf: (row) => [row.event_id as number, { ...row, id: row.event_id }] },
  {
    name: 'subscriptions',
    table: 'subscriptions',
    json: ['event_types'],
    recordOf: (row) => [row.name as string, row],
  },
  { name: 'webhooks', table: 'webhooks', json: ['event_type_ids'] },
  {
    name: 'webhook_sequences',
    table: 'webhooks',
    recordOf: ({ id, last_sequence }) => (last_sequence === 0 ? null : [id as number, last_sequence as never]),
  },
  { name: 'deliveries', table: 'deliveries' },
  { name: 'delivery_leases', table: 'deliveries', recordOf: leaseOf },
  {
    name: 'delivery_attempts',
    table: 'delivery_attempts',
    recordOf: (row) => [Number(row.delivery_id) * 1_000 + Number(row.number), row],
  },
  { name: 'mails', table: 'mails' },
  { name: 'mail_leases', table: 'mails', recordOf: leaseOf },
  {
    name: 'imports',
    table: 'imports',
    json: ['other_records', 'control_totals', 'warnings', 'problem', 'read_with', 'held_statements'],
    booleans: ['is_repeatable'],
    recordOf: (row) => [row.id as number, { ...row, lease: leaseOf(row)?.[1] ?? null }],
  },
  { name: 'quarantine', table: 'quarantine', json: ['excerpt'] },
  { name: 'accounts', table: 'accounts' },
  { name: 'statements', table: 'statements' },
  { name: 'statement_lines', table: 'statement_lines' },
  {
    name: 'bank_users',
    table: 'bank_users',
    json: ['eligible_services', 'configured_services', 'viewable_accounts'],
    booleans: ['may_view_direct_debits'],
    recordOf: (row) => [row.user_id as string, row],
  },
  { name: 'third_parties', table: 'third_parties', json: ['scopes', 'redirect_uris'], booleans: ['is_sandbox'] },
  {
    name: 'consents',
    table: 'consents',
    json: ['account_numbers', 'permissions', 'debtor_account'],
    booleans: ['decided_ahead'],
  },
  { name: 'authorisation_records', table: 'authorisation_records' },
  { name: 'reconciliation_inbox', table: 'reconciliation_inbox' },
  {
    name: 'reconciliation_items',
    table: 'reconciliation_items',
    json: json_of_items,
    booleans: ['is_touched'],
  },
  { name: 'reconciliation_cells', table: 'reconciliation_cells', recordOf: cellOf },
  {
    name: 'idempotency_records',
    table: 'idempotency_records',
    recordOf: ({ scope, key, ...row }) => [JSON.stringify([scope, key]), row],
  },
  {
    name: 'audit',
    table: 'audit_entries',
    json: ['details'],
    recordOf: ({ content_hash, number, link, ...entry }) => [entry.id as number, entry],
  },
  {
    name: 'audit_hashes',
    table: 'audit_entries',
    recordOf: ({ id, content_hash, number, link }) => [id as number, { content_hash, number, link }],
  },
  {
    name: 'retention',
    table: 'retention',
    recordOf: (row) => [row.kind as string, { ...row, lease: leaseOf(row)?.[1] ?? null }],
  },
  { name: 'audit_chain', table: 'audit_chain', recordOf: ({ id, ...row }) => [id as number, row] },
];

function companyOf(row: Row): readonly [number, object] {
  return [row.id as number, { ...row, hold_days: row.hold_days === 0 ? 'never' : row.hold_days }];
}

function cardOf(row: Row): readonly [number, object] {
  const { window_start_ms, held, cleared, uses, next_hold_end_ms, code_failures, code_failures_on, ...card } = row;
  const counters = { window_start_ms, held, cleared, uses, next_hold_end_ms, code_failures, code_failures_on };
  return [card.id as number, { ...card, counters }];
}

function eventOf(row: Row): readonly [number, object] {
  const { id, company_id, event_type, created_at_ms, request_id, payload, previous } = row;
  const event = {
    id,
    company_id,
    event_type,
    created_at_ms,
    request_id,
    payload: payloadOf(String(payload)),
    previous,
  };
  return [id as number, event];
}

function leaseOf({ id, lease, lease_until_machine_ms }: Row): readonly [number, object] | null {
  return lease === null ? null : [id as number, { token: lease, until_machine_ms: lease_until_machine_ms }];
}

/** An empty text in a key stands for null. */
function cellOf({ company_id, ...row }: Row): readonly [string, object] {
  const cell = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === '' ? null : value]));
  return [
    JSON.stringify([company_id, row.currency, row.status, row.kind, row.class, row.due_date]),
    { company_id, cell },
  ];
}

/**
 * The committed rows of a database as the state of the storage in memory, for the oracles. A row
 * that has not changed stays the same object, so that they see what a step has changed.
 */
export class StateOfRows {
  #state: State = emptyState();
  /** What each row was when it was last read. */
  readonly #texts = new Map<keyof State, Map<string | number, string>>();

  get state(): State {
    return this.#state;
  }

  async read(readRows: ReadRows): Promise<void> {
    const tables = new Map<string, readonly Row[]>();
    for (const { table } of sources) if (!tables.has(table)) tables.set(table, await readRows(`tallystick_${table}`));
    const state = draftOf(this.#state);
    for (const source of sources) {
      this.#update(state[source.name] as Table<unknown, string | number>, source, tables.get(source.table)!);
    }
    this.#state = state;
  }

  #update(table: Table<unknown, string | number>, source: Source, rows: readonly Row[]): void {
    const before = this.#texts.get(source.name) ?? new Map<string | number, string>();
    const after = new Map<string | number, string>();
    for (const [key, record] of recordsOf(source, rows)) {
      const text = JSON.stringify(record);
      after.set(key, text);
      if (before.get(key) !== text) table.set(key, record);
    }
    for (const key of before.keys()) if (!after.has(key)) table.delete(key);
    this.#texts.set(source.name, after);
  }
}

function recordsOf({ json = [], booleans = [], recordOf }: Source, rows: readonly Row[]): Records {
  return rows.flatMap((read) => {
    const row: Record<string, unknown> = { ...read };
    for (const name of json) if (row[name] !== null) row[name] = JSON.parse(row[name] as string);
    for (const name of booleans) row[name] = Boolean(row[name]);
    const made = recordOf === undefined ? ([row.id as number, row] as const) : recordOf(row);
    return made === null ? [] : [made];
  });
}

/**
 * The state of no installation: the rows of a new one are in the database. It has no table that has
 * no source, so that an oracle that reads one fails.
 */
function emptyState(): State {
  const state = newState();
  const tables = sources.map(({ name }) => [name, state[name] as Table<unknown, string | number>] as const);
  for (const [, table] of tables) for (const key of table.keys()) table.delete(key);
  return Object.fromEntries(tables) as never;
}

/** A copy that can be written, as a transaction has one. */
export function draftOf(state: State): State {
  const drafts = Object.entries(state).map(([name, table]) => [name, table.draft({ mode: 'write' })]);
  return Object.fromEntries(drafts) as State;
}
