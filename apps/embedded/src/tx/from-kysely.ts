import { type HostStatement, type HostTransaction, UnusableTransaction } from '@tallystick/kernel';
import { asJsonRows, returnsRows, rowsOfJson } from './json-rows.ts';
import { remembered } from './remembered.ts';

/** What is used of a `Transaction` or `ControlledTransaction` of Kysely. */
export interface KyselyTransaction {
  readonly isTransaction: boolean;
  withoutPlugins(): object;
}

interface CompiledQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly query: object;
  readonly queryId: { readonly queryId: string };
}

/** The parts of Kysely whose types name Kysely's own. */
export interface Executing {
  executeQuery(query: CompiledQuery): Promise<{ readonly rows: readonly unknown[]; readonly numAffectedRows?: bigint }>;
  selectNoFrom(select: (builder: ValueBuilder) => unknown): { compile(): { readonly sql: string } };
}

interface ValueBuilder {
  val(value: unknown): { as(name: string): unknown };
}

/**
 * The transaction of `db.transaction().execute(async (trx) => ...)` or `db.startTransaction()`, on
 * Postgres or SQLite. Plugins and type parsers of the host have no effect on what is read here.
 */
export function fromKysely(trx: KyselyTransaction): HostTransaction {
  if (typeof (trx as Partial<KyselyTransaction> | null)?.withoutPlugins !== 'function') {
    throw new UnusableTransaction('fromKysely takes the trx of db.transaction().execute((trx) => ...)');
  }
  return remembered(trx, () => {
    if (!trx.isTransaction) {
      throw new UnusableTransaction(
        'fromKysely takes the trx of db.transaction().execute((trx) => ...), not the db: begin a transaction first',
      );
    }
    const executing = trx.withoutPlugins() as Executing;
    const dialect = dialectOf(executing);
    return {
      dialect,
      handle: trx,
      execute: (statement) =>
        dialect === 'sqlite' ? onSqlite(executing, statement) : onPostgres(executing, statement),
    };
  });
}

/** By how it writes a parameter. */
export function dialectOf(executing: Executing): HostTransaction['dialect'] {
  const { sql } = executing.selectNoFrom((builder) => builder.val(1).as('one')).compile();
  if (sql === 'select $1 as "one"') return 'postgres';
  if (sql === 'select ? as "one"') return 'sqlite';
  throw new UnusableTransaction('fromKysely takes a transaction on Postgres or SQLite: this one is on neither');
}

export async function onPostgres(executing: Executing, { text, values }: HostStatement) {
  if (!returnsRows(text)) return { rows: [], changes: changesOf(await executing.executeQuery(compiled(text, values))) };
  const { rows } = await executing.executeQuery(compiled(asJsonRows(text), values));
  return { rows: rowsOfJson(rows), changes: rows.length };
}

async function onSqlite(executing: Executing, { text, values }: HostStatement) {
  const given = values.map((value) => (typeof value === 'boolean' ? Number(value) : value));
  const result = await executing.executeQuery(compiled(text, given));
  return { rows: result.rows.map(withNumbers), changes: changesOf(result) };
}

function changesOf({ numAffectedRows }: { readonly numAffectedRows?: bigint }): number {
  return Number(numAffectedRows ?? 0);
}

/** The row of a handle that returns `BigInt`, with numbers. */
function withNumbers(row: unknown): Readonly<Record<string, unknown>> {
  const entries = Object.entries(row as object);
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]));
}

let last_id = 0;

/** What Kysely's `CompiledQuery.raw` returns. */
export function compiled(sql: string, parameters: readonly unknown[]): CompiledQuery {
  last_id += 1;
  return {
    sql,
    parameters,
    query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
    queryId: { queryId: `tallystick_${last_id}` },
  };
}
