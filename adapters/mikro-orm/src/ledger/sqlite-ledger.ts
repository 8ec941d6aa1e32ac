import type { Fold, Ledger, LedgerState, PassBounds } from '@tallystick/cards';
import type { Database } from 'better-sqlite3';
import type { SqliteConnection } from '../connection/connection.ts';
import { faultOf } from '../connection/faults.ts';
import type { PassPorts } from './ledger-rows.ts';
import { TemplateRules } from './ledger-rows.ts';
import { loadDue, loadState, type Reads } from './sqlite-ledger-state.ts';
import { prepareStatements } from './sqlite-ledger-statements.ts';
import { writeChanges } from './sqlite-ledger-writes.ts';
import { sqliteLookups } from './sqlite-lookups.ts';

/**
 * The ledger on SQLite: a pass is one `BEGIN IMMEDIATE` .. `COMMIT` of prepared statements without
 * an await, so that no other pass or transaction, in this process or another, runs between its
 * reads and writes.
 */
export function sqliteLedger(
  connection: Pick<SqliteConnection, 'immediately' | 'timers'>,
  { clock, audit_mac }: PassPorts,
): Ledger {
  const templates = new TemplateRules();
  /** The statements of each connection: the file may be opened again. */
  const prepared = new WeakMap<Database, Reads>();

  async function run<Result>(
    load: (reads: Reads) => LedgerState,
    fold: Fold<Result>,
    { deadline, onHolding }: PassBounds = {},
  ): Promise<Result> {
    let folding = false;
    try {
      return await connection.immediately((database) => {
        onHolding?.();
        const reads = prepared.get(database) ?? {
          statements: prepareStatements(database),
          lookups: sqliteLookups(database),
        };
        prepared.set(database, reads);
        const state = load(reads);
        folding = true;
        const { changes, result } = fold(state);
        folding = false;
        writeChanges(reads.statements, state, changes, audit_mac);
        return result;
      }, deadline);
    } catch (error) {
      throw folding ? error : faultOf(error);
    }
  }

  return {
    blocks_process: true,
    /**
     * A pass takes a whole turn, however many messages it has. Without this wait, the request of
     * one socket would be decided and committed before the next socket is read.
     */
    gather: connection.timers.nextTurn,
    pass: (messages, fold, bounds) => run((reads) => loadState(reads, templates, clock, messages), fold, bounds),
    passDue: (limit, fold) => run((reads) => loadDue(reads, templates, clock, limit), fold),
  };
}
