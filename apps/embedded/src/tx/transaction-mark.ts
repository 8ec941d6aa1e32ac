/** A mark in a transaction, which is gone with it: the host may end the transaction within its work. */
import { type HostTransaction, UnusableTransaction } from '@tallystick/kernel';
import type { RunStatement } from './sqlite-begin.ts';

type Dialect = HostTransaction['dialect'];

const savepoint = 'tallystick_transaction';

/**
 * Postgres: a setting of the transaction, with which it may still set its isolation level. The end
 * asks for rows, because parsers of the host may change values.
 */
export const mark_texts: Readonly<Record<Dialect, { readonly set: string; readonly check: string }>> = {
  postgres: {
    set: "set local tallystick.transaction = 'open'",
    check: "select 1 where current_setting('tallystick.transaction', true) = 'open'",
  },
  sqlite: { set: `savepoint ${savepoint}`, check: `release savepoint ${savepoint}` },
};

/** Rejects with `UnusableTransaction` unless the transaction with the mark is open and can commit. */
export async function assertMarked(dialect: Dialect, run: RunStatement): Promise<void> {
  let is_open = true;
  try {
    const rows = await run(mark_texts[dialect].check);
    is_open = dialect === 'sqlite' || rows.length > 0;
  } catch (error) {
    const is_over = error instanceof Error && error.message.includes('no such savepoint');
    throw new UnusableTransaction(is_over ? was_over : had_failed, { cause: error });
  }
  if (!is_open) throw new UnusableTransaction(was_over);
}

export const had_failed =
  'nothing was committed, because a statement of the transaction had failed: let its error reject';

const was_over =
  'the transaction was over before the end of its work: leave commit and rollback to transaction(), and reject to roll back';
