import { machine_timers, UnusableTransaction } from '@tallystick/kernel';

/** How long a transaction waits for the write lock and for its handle, milliseconds. */
const wait_ms_max = 5_000;

/**
 * The longest pause between two attempts: handlers of events let the lock go for 20 ms (ADR 0060).
 */
const retry_ms_max = 7;

/** Runs one statement, and resolves with its rows. */
export type RunStatement = (text: string) => Promise<readonly unknown[]> | readonly unknown[];

/**
 * Begins a transaction that may write. Takes the write lock at once, because one that began by
 * reading cannot write after another connection has written. Waits for the lock without
 * `busy_timeout`, which would block the process. `run` is not called for anything else meanwhile.
 */
export async function beginImmediate(run: RunStatement, { monotonicNow, pause } = machine_timers): Promise<void> {
  const end_ms = monotonicNow() + wait_ms_max;
  for (let step_ms = 1; ; step_ms = Math.min(step_ms * 2, retry_ms_max)) {
    try {
      await withoutBusyTimeout(run, 'begin immediate');
      return;
    } catch (error) {
      const reason = reasonToWait(error);
      if (reason === null) throw error;
      if (monotonicNow() >= end_ms) throw new UnusableTransaction(reason, { cause: error });
    }
    await pause(step_ms);
  }
}

async function withoutBusyTimeout(run: RunStatement, text: string): Promise<void> {
  const [row] = await run('pragma busy_timeout');
  const before_ms = Number(Object.values(row as object)[0]);
  if (before_ms !== 0) await run('pragma busy_timeout = 0');
  try {
    await run(text);
  } finally {
    if (before_ms !== 0) await run(`pragma busy_timeout = ${before_ms}`);
  }
}

function reasonToWait(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && String(error.code).startsWith('SQLITE_BUSY')) {
    return 'no transaction began within 5 seconds: another connection holds the write lock of the database, so end its transaction first';
  }
  if (error.message.includes('within a transaction')) {
    return 'no transaction began within 5 seconds: another one is open on the handle, so end it or pass it on as { tx }';
  }
  return null;
}
