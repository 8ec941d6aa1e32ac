/**
 * A prefix of every table, index and trigger on SQLite, so that they can stand in the file of a host
 * beside tables with the same names (ADR 0046). Statements are written without it. The handle of the
 * database adds it when it prepares a statement, which happens once for each text.
 */
import { assert } from '@tallystick/kernel';
import type { Database } from 'better-sqlite3';
import type { SchemaMigration } from '../schema/migrations/index.ts';
import { type SqlToken, sqlTokens } from './sql-tokens.ts';

/** Returns the statement with the prefix before each of our names. */
export type AddPrefix = (sql: string) => string;

export const withoutPrefix: AddPrefix = (sql) => sql;

/** Statements that a host's transaction runs are not prepared once. */
const texts_kept = 1_000;

/** The statements with the prefix, for a database with these migrations. */
export async function tablePrefix(prefix: string, migrations: readonly SchemaMigration[]): Promise<AddPrefix> {
  if (prefix === '') return withoutPrefix;
  const names = await namesOf(migrations);
  const kept = new Map<string, string>();
  return (sql) => {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    const prefixed = addPrefix(sql, prefix, names);
    if (kept.size >= texts_kept) kept.clear();
    kept.set(sql, prefixed);
    return prefixed;
  };
}

/**
 * The same handle, with the prefix added to what it prepares and executes. Without a prefix it is
 * the handle itself.
 */
export function prefixing(database: Database, add: AddPrefix): Database {
  if (add === withoutPrefix) return database;
  return Object.create(database, {
    prepare: { value: (sql: string) => database.prepare(add(sql)) },
    exec: { value: (sql: string) => database.exec(add(sql)) },
  });
}

const created = new Set(['table', 'index', 'trigger', 'view']);

/** Every name that a migration creates, also those that a later one drops. */
async function namesOf(migrations: readonly SchemaMigration[]): Promise<ReadonlySet<string>> {
  const names = new Set(['migrations']);
  for (const { class: each } of migrations) {
    for (const statement of await each.statements('sqlite')) {
      for (const name of createdIn(sqlTokens(statement))) names.add(name);
    }
  }
  return names;
}

function* createdIn(tokens: readonly SqlToken[]): Generator<string> {
  for (const [at, { kind, value }] of tokens.entries()) {
    if (kind !== 'word') continue;
    let name = at + 1;
    if (value === 'to' && isWord(tokens[at - 1], 'rename')) yield tokens[name]!.value;
    if (!created.has(value) || !['create', 'unique', 'temp', 'temporary'].includes(tokens[at - 1]?.value ?? ''))
      continue;
    if (isWord(tokens[name], 'if')) name += 3;
    yield tokens[name]!.value;
  }
}

/** The words before a table, an index or a trigger. */
const before_name: ReadonlySet<string> = new Set(
  'from join into update table index trigger view on references replace in exists to analyze reindex'.split(' '),
);

/** The words after which a comma separates no tables any more. */
const ends_from: ReadonlySet<string> = new Set(
  'select where group order limit having union except intersect set values returning window begin end'.split(' '),
);

/** Tables of SQLite about tables. In a statement that reads one, strings are also names. */
const of_catalogue = /^(sqlite_(master|schema|sequence|stat\d)|pragma_\w+|dbstat|pragma)$/;

/**
 * A name is that of a table by its place in the statement: columns, aliases of results and
 * parameters with the same name stay as they are.
 */
function addPrefix(sql: string, prefix: string, names: ReadonlySet<string>): string {
  const tokens = sqlTokens(sql);
  const strings_are_names = tokens.some(({ kind, value }) => kind === 'word' && of_catalogue.test(value));
  /** For each open parenthesis, whether a comma separates tables there. */
  const in_from = [false];
  let prefixed = '';
  let end = 0;
  for (const [at, token] of tokens.entries()) {
    const { kind, value, from } = token;
    if (kind === 'other') {
      if (value === '(') in_from.push(false);
      else if (value === ')' && in_from.length > 1) in_from.pop();
      continue;
    }
    if (kind === 'word') {
      if (value === 'from') in_from[in_from.length - 1] = true;
      else if (ends_from.has(value)) in_from[in_from.length - 1] = false;
    }
    if (!names.has(value)) continue;
    if (kind === 'string' ? !strings_are_names : !isTable(tokens, at, in_from.at(-1) === true)) continue;
    prefixed += `${sql.slice(end, from)}${prefix}`;
    end = from;
  }
  return prefixed + sql.slice(end);
}

function isTable(tokens: readonly SqlToken[], at: number, in_from: boolean): boolean {
  const before = tokens[at - 1];
  const after = tokens[at + 1];
  const is_expression = isWord(after, 'as')
    ? ['(', 'materialized', 'not'].includes(tokens[at + 2]?.value ?? '')
    : after?.value === '(' && [',', 'with', 'recursive'].includes(before?.value ?? '');
  assert(!is_expression, `a common table expression has the name of a table: ${tokens[at]!.value}`);
  if (before?.kind === 'other') {
    // `main.events` is never written, so what follows a dot is a column.
    if (before.value === '.') return false;
    if (before.value === ',' && in_from) return true;
    if (before.value === '(' && isWord(tokens[0], 'pragma')) return true;
  }
  if (after?.kind === 'other' && after.value === '.') return true;
  if (before?.kind !== 'word') return false;
  return before_name.has(before.value) || (before.value === 'by' && isWord(tokens[at - 2], 'indexed'));
}

function isWord(token: SqlToken | undefined, value: string): boolean {
  return token?.kind === 'word' && token.value === value;
}
