import { type HostTransaction, UnusableTransaction } from '@tallystick/kernel';
import type { PostgresConnection } from '../connection/connection.ts';
import { faultOf } from '../connection/faults.ts';
import { statement_settings } from '../connection/postgres/session-settings.ts';
import { another_database, none_open, only_reads, unusable } from './host-errors.ts';
import { type OpenedHost, savepoint } from './opened-host.ts';

/** Where the tables of this instance are. */
interface Place {
  readonly database: string;
  /** The schemas in which a connection of this instance finds tables, in their order. */
  readonly search_path: string;
  readonly server_started_at: string;
  /** The first schema of the path, which has the tables. */
  readonly schema: string;
  readonly installation_id: string;
}

/** The names that opening sets, besides the schema, and their values. */
const entered = Object.entries(statement_settings) as [keyof typeof statement_settings, string][];

/** What opening sets, and what stores change for the rest of a transaction. */
const settings = [
  'search_path',
  ...entered.map(([name]) => name),
  'enable_seqscan',
  'enable_bitmapscan',
  'enable_sort',
  'enable_hashjoin',
  'enable_mergejoin',
  'jit',
  'plan_cache_mode',
  'idle_in_transaction_session_timeout',
] as const;

type Settings = Readonly<Record<(typeof settings)[number], string>>;

interface State extends Settings, Pick<Place, 'database' | 'server_started_at' | 'installation_id'> {
  readonly only_reads: string;
  readonly transaction_id: string;
}

const places = new WeakMap<PostgresConnection, Promise<Place>>();

/** The transaction that each value stood for at its first use. */
const transactions = new WeakMap<HostTransaction, string>();

/** The time as a number of microseconds: as a text it would depend on settings of each session. */
const state_columns = `current_database()::text as database,
  (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text as server_started_at`;

/** The settings as they are, and then as the stores expect them: a select list is computed in order. */
const enter = (
  schema: string,
): string => `select ${settings.map((name) => `current_setting('${name}') as ${name}`).join(', ')},
  txid_current()::text as transaction_id, current_setting('transaction_read_only') as only_reads, ${state_columns},
  (select installation_id from ${schema}.tallystick_installation where id = 1) as installation_id,
  set_config('search_path', $1, true) as own_search_path, ${entered.map(([name, value]) => `set_config('${name}', '${value}', true) as own_${name}`).join(', ')}`;

const leave = `select ${settings.map((name, at) => `set_config('${name}', $${at + 1}, true)`).join(', ')}`;

/**
 * Begins a savepoint in the transaction, in which the tables of this instance are found. Throws
 * `UnusableTransaction` when none is open, when it is on another database, and when it is not the
 * one that this value stood for at first, or only reads.
 */
export async function openOnPostgres(connection: PostgresConnection, host: HostTransaction): Promise<OpenedHost> {
  const place = await placeOf(connection);
  try {
    await host.execute({ text: `savepoint ${savepoint}`, values: [] });
  } catch (error) {
    throw unusable(error);
  }
  try {
    const { rows } = await host.execute({ text: enter(place.schema), values: [place.search_path] });
    const state = rows[0] as unknown as State;
    assertSameTransaction(host, state);
    if (state.only_reads === 'on') throw new UnusableTransaction(only_reads);
    if (!(await isSame(connection, place, state))) throw new UnusableTransaction(another_database);
    return {
      async restore({ settings_changed }) {
        const is_changed =
          state.search_path !== place.search_path || entered.some(([name, value]) => state[name] !== value);
        if (!settings_changed && !is_changed) return;
        await host.execute({ text: leave, values: settings.map((name) => state[name]) });
      },
    };
  } catch (error) {
    await host.execute({ text: `rollback to savepoint ${savepoint}`, values: [] }).catch(() => undefined);
    await host.execute({ text: `release savepoint ${savepoint}`, values: [] }).catch(() => undefined);
    throw unusable(error);
  }
}

function assertSameTransaction(host: HostTransaction, { transaction_id }: State): void {
  const first = transactions.get(host) ?? transaction_id;
  transactions.set(host, first);
  if (first !== transaction_id) throw new UnusableTransaction(none_open);
}

/** A copy of the database has the same name and id, but not the same server. */
async function isSame(connection: PostgresConnection, place: Place, state: State): Promise<boolean> {
  if (state.database !== place.database || state.installation_id !== place.installation_id) return false;
  if (state.server_started_at === place.server_started_at) return true;
  // Our server has started again, or theirs is another.
  places.delete(connection);
  return state.server_started_at === (await placeOf(connection)).server_started_at;
}

/** Reads it once, on a connection of its own. */
export async function placeOf(connection: PostgresConnection): Promise<Place> {
  const known = places.get(connection);
  if (known !== undefined) return await known;
  const reading = readPlace(connection);
  places.set(connection, reading);
  // The next call reads again.
  reading.catch(() => places.delete(connection));
  return await reading;
}

async function readPlace({ pool }: PostgresConnection): Promise<Place> {
  try {
    // Temporary tables of the host come last: they must not hide ours.
    const { rows } = await pool.query<Place>(`select ${state_columns},
      (select string_agg(quote_ident(name), ', ' order by place)
         from unnest(current_schemas(false)) with ordinality as s (name, place)) || ', pg_temp' as search_path,
      quote_ident(current_schema()) as schema, installation_id from tallystick_installation where id = 1`);
    return rows[0]!;
  } catch (error) {
    throw faultOf(error);
  }
}
