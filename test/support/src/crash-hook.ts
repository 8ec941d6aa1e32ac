/**
 * Loaded before a program that is to be killed: `--import`. It names the phases of the program by
 * its transactions: a phase is the table that a transaction writes first. At a commit of the
 * transactions in `TALLYSTICK_TEST_CRASH`, the process ends by SIGKILL, either before the commit is
 * sent or before the program knows of it. With a path to record to, the phases are written to that
 * file.
 */
import { appendFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import pg from 'pg';
import type { CrashOrder } from './crash-rig.ts';

const order: CrashOrder = JSON.parse(process.env.TALLYSTICK_TEST_CRASH ?? '{}');
const written = /\b(?:insert\s+(?:or\s+\w+\s+)?into|update|delete\s+from)\s+(?:"?\w+"?\.)?"?(\w+)"?/gi;
let commits = 0;

/** The tables that the open transaction of a connection has written, by connection. */
const tables = new WeakMap<object, Set<string>>();

/**
 * Notes what a statement does. Returns the tables that were written, in their order, when it commits
 * them; else null.
 */
function note(connection: object, text: string): readonly string[] | null {
  const its = tables.get(connection) ?? new Set();
  tables.set(connection, its);
  for (const [, table = ''] of text.matchAll(written)) its.add(table.replace(/^tallystick_/, ''));
  const is_end = /^\s*(commit|rollback)\s*;?\s*$/i.exec(text);
  if (is_end === null) return null;
  tables.delete(connection);
  return its.size > 0 && is_end[1]?.toLowerCase() === 'commit' ? [...its] : null;
}

/** Notes a moment of a commit, and kills the process if it is the one that is ordered. */
function commitOf(written_tables: readonly string[], moment: 'before' | 'after'): void {
  if (moment === 'before' && order.record !== undefined) appendFileSync(order.record, `${written_tables[0]}\n`);
  if (order.phase === undefined || !written_tables.includes(order.phase) || moment !== order.moment) return;
  commits += 1;
  if (commits === order.nth) process.kill(process.pid, 'SIGKILL');
}

const { exec, prepare } = Database.prototype;
Database.prototype.exec = function (this: Database.Database, text: string) {
  const phase = note(this, text);
  if (phase !== null) commitOf(phase, 'before');
  const result = exec.call(this, text);
  if (phase !== null) commitOf(phase, 'after');
  return result;
};
Database.prototype.prepare = function (this: Database.Database, text: string) {
  const statement = prepare.call(this, text);
  if (text.search(written) < 0 && !/^\s*(commit|rollback)/i.test(text)) return statement;
  for (const name of ['run', 'all', 'get'] as const) {
    const method = statement[name].bind(statement) as (...values: unknown[]) => unknown;
    const hooked = (...values: unknown[]): unknown => {
      const phase = note(this, text);
      if (phase !== null) commitOf(phase, 'before');
      const result = method(...values);
      if (phase !== null) commitOf(phase, 'after');
      return result;
    };
    Object.defineProperty(statement, name, { value: hooked });
  }
  return statement;
} as typeof prepare;

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const [asked] = args as [string | { readonly text?: string }];
  const text = typeof asked === 'string' ? asked : (asked?.text ?? '');
  const phase = note(this, text);
  if (phase !== null) commitOf(phase, 'before');
  const answer = (query as (...values: unknown[]) => unknown).apply(this, args);
  if (phase !== null && answer instanceof Promise) {
    return answer.then((result) => {
      commitOf(phase, 'after');
      return result;
    });
  }
  return answer;
} as typeof query;
