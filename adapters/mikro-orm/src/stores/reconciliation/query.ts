import { CompiledQuery, type DatabaseConnection } from 'kysely';
import type { Session } from '../../connection/session.ts';

/** Statements of both databases, with a list of ids or texts as one parameter. */
export interface Queries {
  readonly is_postgres: boolean;
  /**
   * Runs a statement whose text never contains a value: both databases prepare it once. Postgres is
   * sent several that are not awaited at once, and answers in their order.
   */
  all<Row>(text: string, ...parameters: readonly unknown[]): Promise<Row[]>;
  run(text: string, ...parameters: readonly unknown[]): Promise<void>;
  /**
   * Keeps Postgres from plans that read whole tables, until the transaction ends. Those made while
   * the tables are almost empty would stay while they grow: a connection keeps its plans.
   */
  preferIndexes(): Promise<void>;
  /** A list as a table `j` with the column `value`. */
  readonly from_ids: string;
  readonly from_texts: string;
  /**
   * The rows `alias` of a query for each row of `from`, looked up one by one: the end of a select
   * from `from`. Plans made while the tables are almost empty would begin with all rows of a
   * company. Where the id is known, `+company_id` keeps them from the indexes of companies.
   */
  each(from: string, alias: string, columns: string, tables: string, condition: string): string;
  /** A list as the parameter of these two. */
  list(values: readonly (number | string)[]): unknown;
  field(text: string, name: string): string;
}

/**
 * The text of a statement has `?` for its parameters, which SQLite reads. For Postgres they are
 * numbered.
 */
export function queriesOf({ dialect, db }: Session): Queries {
  const is_postgres = dialect === 'postgres';
  const textOf = is_postgres ? numbered : (text: string) => text;
  // Kysely would wait for each answer before it sends the next statement of a transaction.
  let connection: DatabaseConnection | null = null;
  let prefers_indexes = false;
  async function all<Row>(text: string, ...parameters: readonly unknown[]): Promise<Row[]> {
    const query = CompiledQuery.raw(textOf(text), [...parameters]);
    if (!is_postgres) return (await db.executeQuery<Row>(query)).rows;
    connection ??= await db.getExecutor().provideConnection(async (its_own) => its_own);
    return (await connection.executeQuery<Row>(query)).rows;
  }
  return {
    is_postgres,
    all,
    async run(text, ...parameters) {
      await all(text, ...parameters);
    },
    async preferIndexes() {
      if (!is_postgres || prefers_indexes) return;
      prefers_indexes = true;
      await all(`select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
        set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true)`);
    },
    from_ids: is_postgres ? 'unnest(?::bigint[]) as j(value)' : 'json_each(?) as j',
    from_texts: is_postgres ? 'unnest(?::text[]) as j(value)' : 'json_each(?) as j',
    each: (from, alias, columns, tables, condition) =>
      is_postgres
        ? `select ${alias}.* from ${from} cross join lateral
            (select ${columns} from ${tables} where ${condition} offset 0) ${alias}`
        : `select ${columns} from ${from} cross join ${tables} where ${condition}`,
    list: (values) => (is_postgres ? values : JSON.stringify(values)),
    field: (text, name) => (is_postgres ? `${text}::json ->> '${name}'` : `${text} ->> '$.${name}'`),
  };
}

/** How many values one statement is asked for. */
const values_of_statement = 200;

/**
 * Asks for each of these values, some at a time: one statement of SQLite, and what is made of its
 * rows, is one turn of the event loop (ADR 0054).
 */
export async function inPieces<Value, Result>(
  values: readonly Value[],
  ask: (piece: readonly Value[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < values.length; from += values_of_statement) {
    for (const result of await ask(values.slice(from, from + values_of_statement))) results.push(result);
  }
  return results;
}

/**
 * The values of a column of a company's rows: each is one look into an index that begins with both.
 */
export async function distinctTexts(
  { all }: Queries,
  table: string,
  column: string,
  company_id: number,
): Promise<readonly string[]> {
  const next = (after: string) => `(select min(${column}) from ${table} where company_id = ? ${after})`;
  const rows = await all<{ found: string }>(
    `with recursive known(found) as (select ${next('')}
        union all select ${next(`and ${column} > known.found`)} from known where known.found is not null)
      select found from known where found is not null`,
    company_id,
    company_id,
  );
  return rows.map(({ found }) => found);
}

const numbered_texts = new Map<string, string>();

/** The text with `$1`, `$2` for its parameters, marked to be prepared once for each connection. */
function numbered(text: string): string {
  const known = numbered_texts.get(text);
  if (known !== undefined) return known;
  let count = 0;
  const made = `/* prepared */${text.replaceAll('?', () => `$${++count}`)}`;
  numbered_texts.set(text, made);
  return made;
}
