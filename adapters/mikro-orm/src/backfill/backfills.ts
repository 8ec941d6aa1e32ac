import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { PoolClient } from 'pg';
import type { Connection, PostgresConnection, SqliteConnection } from '../connection/connection.ts';
import { faultOf } from '../connection/faults.ts';
import type { BackfillState } from '../schema/backfill-schema.ts';
import { lock_wait_ms_max } from '../schema/migrations/index.ts';
import { schema_number } from '../schema/schema-locks.ts';
import type { BackfillStep } from './backfill-step.ts';

/**
 * How long the old structure stays after the last row was copied, milliseconds: longer than any
 * transaction that began before.
 */
const settle_ms = 10_000;

/** A backfill that is not done. */
export interface BackfillProgress {
  readonly name: string;
  readonly state: Exclude<BackfillState, 'done'>;
  /** What `done` and `total` count. */
  readonly unit: string;
  readonly done: number;
  readonly total: number;
  /**
   * The time until the last row is copied at the rate that this process has seen, in milliseconds,
   * rounded up. Null before two batches have run here.
   */
  readonly remaining_ms: number | null;
}

/** The work that migrations left to do beside the service. */
export interface Backfills {
  /**
   * Runs the next batch of each backfill, and removes what is no longer read. Returns the backfills
   * that are not done; empty when nothing is left. Safe while other processes do the same. Rejects
   * with a `Fault` when the database fails; the batch is then tried again by the next call.
   */
  runBatches(): Promise<readonly BackfillProgress[]>;
  /** Runs batches until nothing is left, and reports after each round. */
  runAll(report: (progress: readonly BackfillProgress[]) => void): Promise<void>;
  /** The backfills that are not done. Runs nothing. */
  list(): Promise<readonly BackfillProgress[]>;
}

/** The same for readers of this adapter. */
export interface KnownBackfills extends Backfills {
  /**
   * Whether every row of before is copied, as far as this process knows: it never becomes false
   * again. Transactions that begin after it is true may read the new structure.
   */
  isCopied(name: string): boolean;
  /** Makes `isCopied` true. For a reader that has read the state itself. */
  noteCopied(name: string): void;
  /** Reads the states. Needed once before the first reader. */
  refresh(): Promise<void>;
}

interface BackfillRow {
  readonly name: string;
  readonly state: BackfillState;
  readonly checkpoint: number;
  readonly until: number;
  readonly age_ms: number | null;
}

/** The backfills of a database. The tables must be migrated before the first call. */
export function backfillsOn(connection: Connection, steps: readonly BackfillStep[]): KnownBackfills {
  const work = connection.dialect === 'sqlite' ? onSqlite(connection) : onPostgres(connection);
  const copied = new Set<string>();
  const rates = new Map<string, { readonly since_ms: number; readonly from: number; batches: number }>();
  let is_done = false;

  async function unfinished(): Promise<readonly { readonly step: BackfillStep; readonly row: BackfillRow }[]> {
    if (is_done) return [];
    const rows = await work.rows();
    for (const { name, state } of rows) if (state !== 'copying') copied.add(name);
    const left = rows.filter(({ state }) => state !== 'done');
    is_done = rows.length > 0 && left.length === 0;
    return left.flatMap((row) => {
      const step = steps.find(({ name }) => name === row.name);
      return step === undefined ? [] : [{ step, row }];
    });
  }

  function progressOf({ step, row }: { readonly step: BackfillStep; readonly row: BackfillRow }): BackfillProgress {
    const { name, checkpoint, until } = row;
    const rate = rates.get(name);
    const passed = rate === undefined || rate.batches < 2 ? 0 : checkpoint - rate.from;
    const remaining_ms =
      passed > 0 && rate !== undefined
        ? Math.ceil(((performance.now() - rate.since_ms) / passed) * (until - checkpoint))
        : null;
    const state = row.state === 'copied' ? 'copied' : 'copying';
    return { name, state, unit: step.unit, done: checkpoint, total: until, remaining_ms };
  }

  async function runBatches(): Promise<readonly BackfillProgress[]> {
    for (const { step, row } of await unfinished()) {
      if (row.state === 'copying') {
        const rate = rates.get(step.name) ?? { since_ms: performance.now(), from: row.checkpoint, batches: 0 };
        rates.set(step.name, rate);
        await work.batch(step);
        rate.batches += 1;
      } else if ((row.age_ms ?? 0) >= settle_ms) {
        await work.remove(step);
      }
    }
    return (await unfinished()).map(progressOf);
  }

  const guarded = <Result>(run: () => Promise<Result>): Promise<Result> =>
    run().catch((error: unknown) => {
      throw faultOf(error);
    });

  return {
    runBatches: () => guarded(runBatches),
    async runAll(report) {
      for (;;) {
        const progress = await guarded(runBatches);
        report(progress);
        if (progress.length === 0) return;
        // Nothing is left to copy: wait for the time at which the old structures may go.
        if (progress.every(({ state }) => state === 'copied')) await delay(200);
      }
    },
    list: () => guarded(async () => (await unfinished()).map(progressOf)),
    isCopied: (name) => copied.has(name),
    noteCopied: (name) => void copied.add(name),
    refresh: async () => void (await guarded(unfinished)),
  };
}

interface BackfillWork {
  rows(): Promise<readonly BackfillRow[]>;
  /** Copies the next batch, unless another process is copying it. */
  batch(step: BackfillStep): Promise<void>;
  remove(step: BackfillStep): Promise<void>;
}

function rangeOf({ checkpoint, until }: Pick<BackfillRow, 'checkpoint' | 'until'>, { batch_max }: BackfillStep) {
  return { after: checkpoint, through: Math.min(until, checkpoint + batch_max) };
}

function onSqlite(connection: SqliteConnection): BackfillWork {
  const now_ms = `cast(unixepoch('subsec') * 1000 as integer)`;
  const select = `select name, state, checkpoint, until, ${now_ms} - copied_at_ms as age_ms from backfills`;
  const rowOf = (database: Database, name: string) =>
    database.prepare<[string], BackfillRow>(`${select} where name = ?`).get(name);
  return {
    rows: () => connection.reading((database) => database.prepare<[], BackfillRow>(select).all()),
    batch: (step) =>
      connection.immediately((database) => {
        const row = rowOf(database, step.name);
        if (row?.state !== 'copying') return;
        const range = rangeOf(row, step);
        step.copyOnSqlite(database, range);
        database.prepare('update backfills set checkpoint = ? where name = ?').run(range.through, step.name);
        if (range.through < row.until) return;
        database
          .prepare(`update backfills set state = 'copied', copied_at_ms = ${now_ms} where name = ?`)
          .run(step.name);
      }),
    async remove(step) {
      for (const statement of step.removal.sqlite) {
        await connection.immediately((database) => void database.exec(statement));
      }
      await connection.immediately((database) =>
        database.prepare(`update backfills set state = 'done' where name = ?`).run(step.name),
      );
    },
  };
}

/** The advisory lock on the removal of a backfill; `$1` names the backfill. */
const backfill_lock = `hashtextextended($1, ${schema_number})`;

function onPostgres({ pool, long, runOutermost }: PostgresConnection): BackfillWork {
  const now_ms = `cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
  const select = `select name, state, checkpoint, until, ${now_ms} - copied_at_ms as age_ms from backfills`;

  async function onClient(run: (client: PoolClient) => Promise<void>): Promise<void> {
    await runOutermost(async () => {
      const client = await long.connect();
      let failed = true;
      try {
        await run(client);
        failed = false;
      } finally {
        // A failed client may be within a transaction or hold a lock: closing it ends both.
        client.release(failed);
      }
    });
  }

  return {
    rows: async () => (await pool.query<BackfillRow>(select)).rows,
    batch: (step) =>
      onClient(async (client) => {
        await client.query('begin');
        const { rows } = await client.query<BackfillRow>(`${select} where name = $1 for update skip locked`, [
          step.name,
        ]);
        const [row] = rows;
        if (row?.state === 'copying') {
          const range = rangeOf(row, step);
          await step.copyOnPostgres(client, range);
          await client.query('update backfills set checkpoint = $1 where name = $2', [range.through, step.name]);
          if (range.through >= row.until) {
            await client.query(`update backfills set state = 'copied', copied_at_ms = ${now_ms} where name = $1`, [
              step.name,
            ]);
          }
        }
        await client.query('commit');
      }),
    remove: (step) =>
      onClient(async (client) => {
        const lock = [`backfill ${step.name}`];
        const { rows } = await client.query<{ is_locked: boolean }>(
          `select pg_try_advisory_lock(${backfill_lock}) as is_locked`,
          lock,
        );
        if (rows[0]?.is_locked !== true) return;
        try {
          // Statements that lock the table wait for running passes, and passes wait for them.
          await client.query(`set lock_timeout = '${lock_wait_ms_max}ms'`);
          for (const statement of step.removal.postgres) await client.query(statement);
          await client.query(`update backfills set state = 'done' where name = $1`, [step.name]);
        } finally {
          await client.query('reset lock_timeout');
          await client.query(`select pg_advisory_unlock(${backfill_lock})`, lock);
        }
      }),
  };
}
