import { type ChildProcess, fork } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createNetwork } from '@tallystick/cards';
import { importFile } from '@tallystick/imports';
import { machine_timers } from '@tallystick/kernel';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import { testAuditMac } from '@tallystick/test-support';
import Database from 'better-sqlite3';
import { clock, type DatabaseName, filledDatabase } from './filled-database.ts';
import { fileSource, type ImportSet, import_call, importPorts, importSet } from './import-set.ts';
import type { Bench, BenchOptions } from './main.ts';
import { interleave, type Row, row } from './measure.ts';
import { byCallers, no_codes, plain_quarantine, purchases, random } from './messages.ts';

/** A file through both phases into SQLite, against a bulk insert of the rows that it wrote. */
export const imports: Bench = {
  name: 'imports',
  async run({ quick, repetitions, log }) {
    const [cards, records] = quick ? [500, 5_000] : [5_000, 50_000];
    const set = importSet(cards, records);
    const folder = mkdtempSync(join(tmpdir(), 'tallystick-bench-imports-'));
    try {
      log(`${records} records of IPM over ${cards} cards, with their authorizations, on SQLite (synchronous FULL)`);
      const original = join(folder, 'original.db');
      await prepare(set, cards, original);
      const copied = (name: string): string => {
        const path = join(folder, name);
        for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
        copyFileSync(original, path);
        return path;
      };
      const imported = copied('imported.db');
      await timeOfImport(set, imported);
      const medians = await interleave(repetitions, {
        ours: async () => (records * 1000) / (await timeOfImport(set, copied('ours.db'))),
        baseline: () => (records * 1000) / timeOfInserts(original, imported, copied('by-hand.db')),
      });
      return [
        row(
          'clearing file, parsed, stored, matched, events written, SQLite',
          'records/s',
          { ...medians, baseline_name: 'bulk insert of the same rows' },
          { kind: 'at_least', ratio: 0.3 },
        ),
      ];
    } finally {
      set.dispose();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** The peak memory of an import does not depend on the length of its file. */
export const import_memory: Bench = {
  name: 'import-memory',
  async run({ quick, log }) {
    const sizes = quick
      ? { few: 2_000, staged: 20_000, applied: 4_000 }
      : { few: 50_000, staged: 5_000_000, applied: 500_000 };
    const few_staged = await peakOf(sizes.few, 'stage', log);
    const few_applied = await peakOf(sizes.few, 'end', log);
    const rows = [];
    for (const [until, few] of [
      ['stage', few_staged],
      ['end', few_applied],
    ] as const) {
      const many = until === 'stage' ? sizes.staged : sizes.applied;
      const work = until === 'stage' ? 'parsed and staged' : 'parsed, staged and applied';
      rows.push(
        row(
          `peak memory, ${many.toLocaleString('en-US')} records ${work}, SQLite`,
          'MiB',
          {
            ours: (await peakOf(many, until, log)) / 2 ** 20,
            baseline: few / 2 ** 20,
            baseline_name: `${sizes.few.toLocaleString('en-US')} records`,
          },
          { kind: 'at_most', ratio: 1.2 },
        ),
      );
    }
    return rows;
  },
};

/** Decisions of one process while another one imports a file into the same database. */
export const import_beside: Bench = {
  name: 'import-beside',
  async run(options) {
    const rows = await besideOn('sqlite', options);
    if (options.postgres) rows.push(...(await besideOn('postgres', options)));
    return rows;
  },
};

/** A database with the cards and authorizations of the set, in one file. */
async function prepare(set: ImportSet, cards: number, path: string): Promise<void> {
  const filled = await filledDatabase('sqlite', { cards, authorizations: 0, events: 0 });
  await set.authorize(filled.persistence);
  await filled.persistence.event_index.run();
  await filled.execute('pragma wal_checkpoint(truncate)');
  copyFileSync(filled.database_url.slice('sqlite:'.length), path);
  await filled.dispose();
}

/** Milliseconds, from the first byte that is read to the last commit. */
async function timeOfImport(set: ImportSet, path: string): Promise<number> {
  const persistence = await mikroOrmPersistence({ audit_mac: testAuditMac, database_url: `sqlite:${path}`, clock });
  const began_ms = performance.now();
  const outcome = await importFile(importPorts(persistence), import_call, fileSource(set.path));
  const time_ms = performance.now() - began_ms;
  if (outcome.import.status !== 'completed_with_quarantine') throw new Error(`the import is ${outcome.import.status}`);
  await persistence.close();
  return time_ms;
}

/** Records of an import that one transaction of the baseline has, too. */
const rows_of_transaction = 1_000;

/**
 * Milliseconds to insert the rows that an import added, with prepared statements, into the same
 * tables.
 */
function timeOfInserts(original: string, imported: string, path: string): number {
  const source = new Database(imported, { readonly: true });
  source.exec(`attach '${original}' as original`);
  const tables = ['clearings', 'events', 'event_outbox', 'quarantine']
    .map((name) => `tallystick_${name}`)
    .flatMap((table) => {
      const columns = source.pragma(`table_info(${table})`) as { readonly name: string; readonly pk: number }[];
      if (columns.length === 0) return [];
      const names = columns.map(({ name }) => `"${name}"`);
      const key = columns.find(({ pk }) => pk === 1)?.name ?? 'rowid';
      const last = `(select coalesce(max("${key}"), 0) from original.${table})`;
      const rows = source
        .prepare(`select ${names} from main.${table} where "${key}" > ${last} order by "${key}"`)
        .raw()
        .all() as unknown[][];
      return [{ table, names, rows }];
    });
  source.close();
  const database = new Database(path);
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = full');
  database.pragma('cache_size = -65536');
  const began_ms = performance.now();
  const inserts = tables.map(({ table, names, rows }) => ({
    rows,
    insert: database.prepare(`insert into ${table} (${names}) values (${names.map(() => '?')})`),
  }));
  const longest = Math.max(...inserts.map(({ rows }) => rows.length));
  for (let from = 0; from < longest; from += rows_of_transaction) {
    database.transaction(() => {
      for (const { insert, rows } of inserts) {
        for (const values of rows.slice(from, from + rows_of_transaction)) insert.run(...values);
      }
    })();
  }
  const time_ms = performance.now() - began_ms;
  database.close();
  return time_ms;
}

interface FromChild {
  readonly phase?: 'applying';
  readonly peak_bytes?: number;
}

function startImport(database_url: string, path: string, until: 'stage' | 'end'): ChildProcess {
  const child = fork(fileURLToPath(new URL('import-child.ts', import.meta.url)), [database_url, path, until], {
    execArgv: ['--conditions=source'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

/** Bytes of peak memory of a process that imports a file of so many records. */
async function peakOf(records: number, until: 'stage' | 'end', log: (line: string) => void): Promise<number> {
  const cards = 1_000;
  log(`writing a file of ${records.toLocaleString('en-US')} records`);
  const set = importSet(cards, records);
  const filled = await filledDatabase('sqlite', { cards, authorizations: 0, events: 0 });
  try {
    const began_ms = performance.now();
    const child = startImport(filled.database_url, set.path, until);
    const peak_bytes = await new Promise<number>((resolve, reject) => {
      child.on('message', ({ peak_bytes }: FromChild) => {
        if (peak_bytes !== undefined) resolve(peak_bytes);
      });
      child.once('exit', (code) => reject(new Error(`the import exited with status ${code}`)));
    });
    const seconds = (performance.now() - began_ms) / 1000;
    log(
      `${records.toLocaleString('en-US')} records, ${Math.round(set.bytes / 2 ** 20)} MiB, to the ${until}: ` +
        `${seconds.toFixed(1)} s, peak ${Math.round(peak_bytes / 2 ** 20)} MiB`,
    );
    return peak_bytes;
  } finally {
    set.dispose();
    await filled.dispose();
  }
}

const callers = 64;

/** The longest time for which decisions beside an import are measured. */
const beside_ms_max = 20_000;

/** The longest time for which an import without decisions beside it is measured. */
const alone_ms_max = 3_000;

/**
 * Decisions per second while an import applies its records, and alone before and after. Records per
 * second of the import meanwhile, and then alone.
 */
async function besideOn(name: DatabaseName, { quick, log }: BenchOptions): Promise<Row[]> {
  const [cards, records, time_ms] = quick ? [1_000, 4_000, 300] : [20_000, 60_000, 5_000];
  const set = importSet(cards, records);
  const filled = await filledDatabase(name, { cards, authorizations: 0, events: 0 });
  const { ledger, unitOfWork } = filled.persistence;
  const network = createNetwork({ ledger, vault: no_codes, random, ...plain_quarantine });
  const decideFor = (ms: number) => byCallers(callers, purchases(ms * 12, cards), network.authorize, ms);
  const applied = async (): Promise<number> => {
    const page = await unitOfWork.read((tx) => tx.imports.list({}, { limit: 1 }));
    return page.items[0]?.applied ?? 0;
  };
  try {
    await set.authorize(filled.persistence);
    log(`${callers} callers over ${cards} cards on ${name}, beside an import of ${records} records`);
    await decideFor(time_ms);
    const before = await decideFor(time_ms);
    const child = startImport(filled.database_url, set.path, 'end');
    let done = false;
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => {
        done = true;
        resolve();
      });
    });
    await Promise.race([ended, new Promise<void>((resolve) => child.once('message', () => resolve()))]);
    /** Records per second that the import applies while the work lasts. */
    const rateDuring = async (work: (isOver: () => boolean) => Promise<void>, ms_max: number): Promise<number> => {
      const began_ms = performance.now();
      const began_with = await applied();
      await work(() => done || performance.now() - began_ms >= ms_max);
      return (((await applied()) - began_with) * 1000) / (performance.now() - began_ms);
    };
    const rates: number[] = [];
    const beside = await rateDuring(async (isOver) => {
      while (!isOver() && (await applied()) < records / 2) rates.push(await decideFor(quick ? 100 : 500));
    }, beside_ms_max);
    const alone = await rateDuring(async (isOver) => {
      while (!isOver()) await machine_timers.pause(100);
    }, alone_ms_max);
    child.kill('SIGKILL');
    await ended;
    const after = await decideFor(time_ms);
    if (rates.length === 0) throw new Error('the import ended before it could be measured');
    return [
      row(
        `decisions of a server beside an import, ${name}`,
        '/s',
        {
          ours: rates.reduce((sum, rate) => sum + rate, 0) / rates.length,
          baseline: (before + after) / 2,
          baseline_name: 'without an import',
        },
        { kind: 'at_least', ratio: 0.5 },
      ),
      row(
        `records of the import beside these decisions, ${name}`,
        'records/s',
        { ours: beside, baseline: alone, baseline_name: 'without decisions' },
        { kind: 'at_least', ratio: 0.2 },
        'at least 1,000 records/s on 2 cores',
      ),
    ];
  } finally {
    await network.drain();
    set.dispose();
    await filled.dispose();
  }
}
