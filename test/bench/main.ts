import { parseArgs } from 'node:util';
import type { Row } from './measure.ts';
import { machine, table } from './report.ts';

/** The size of a run. */
export interface BenchOptions {
  /** A smoke run: every bench runs, but its figures mean nothing. */
  readonly quick: boolean;
  /** Interleaved repetitions of each contender. */
  readonly repetitions: number;
  /**
   * Share of the full size (1,000,000 cards, 10,000,000 authorizations; 1,000,000 events) to fill,
   * 0..1; null: the default of each bench.
   */
  readonly growth_scale: number | null;
  /** Whether to measure also on Postgres. */
  readonly postgres: boolean;
  /** Reports the progress on standard error. */
  readonly log: (line: string) => void;
}

/** A bench returns rows. `--only` selects it by its name. */
export interface Bench {
  readonly name: string;
  readonly run: (options: BenchOptions) => Promise<readonly Row[]>;
}

const benches: readonly (() => Promise<Bench>)[] = [
  async () => (await import('./decide-sqlite.ts')).decide_sqlite,
  async () => (await import('./decide-postgres.ts')).decide_postgres,
  async () => (await import('./http.ts')).http,
  async () => (await import('./pressure.ts')).pressure,
  async () => (await import('./express/express.ts')).express,
  async () => (await import('./hostile.ts')).hostile,
  async () => (await import('./hostile.ts')).strangers,
  async () => (await import('./growth.ts')).growth,
  async () => (await import('./event-pages.ts')).event_pages,
  async () => (await import('./open-banking.ts')).open_banking,
  async () => (await import('./deliveries.ts')).deliveries,
  async () => (await import('./files.ts')).files,
  async () => (await import('./imports.ts')).imports,
  async () => (await import('./imports.ts')).import_memory,
  async () => (await import('./imports.ts')).import_beside,
  async () => (await import('./reconciliation.ts')).reconciliation,
  async () => (await import('./breaks.ts')).breaks,
  async () => (await import('./reconciliation-filters.ts')).reconciliation_filters,
];

const usage = `npm run bench -- [options]
  --only <name>          decide-sqlite, decide-postgres, http, pressure, express, hostile, strangers, growth,
                         event-pages, open-banking, deliveries, files, imports, import-memory, import-beside, reconciliation,
                         reconciliation-filters or breaks; may be repeated
  --json                 the rows as JSON
  --quick                small sizes and one repetition: shows that everything runs
  --repetitions <n>      interleaved repetitions of each contender (default 5)
  --growth-scale <0..1>  share of the full size to fill (default: growth 0.3, about three minutes; others 1)
  --no-postgres          skips Postgres, which is otherwise used at $TEST_POSTGRES_URL or on this machine`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    repetitions: { type: 'string' },
    'growth-scale': { type: 'string' },
    'no-postgres': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}

const options: BenchOptions = {
  quick: values.quick,
  repetitions: positive('repetitions', values.repetitions ?? (values.quick ? '1' : '5')),
  growth_scale: growthScale(values['growth-scale'] ?? (values.quick ? '0.002' : undefined)),
  postgres: !values['no-postgres'],
  log: (line) => console.error(line),
};

const known = await Promise.all(benches.map((load) => load()));
const unknown = values.only?.find((name) => !known.some((bench) => bench.name === name));
if (unknown !== undefined) {
  console.error(`--only ${unknown}: no such bench\n\n${usage}`);
  process.exit(2);
}
const rows: Row[] = [];
for (const bench of known) {
  if (values.only !== undefined && !values.only.includes(bench.name)) continue;
  options.log(`# ${bench.name}`);
  rows.push(...(await bench.run(options)).map((row) => (options.quick ? { ...row, target: null, ok: null } : row)));
}
console.log(values.json ? JSON.stringify({ machine: machine(), quick: options.quick, rows }, null, 2) : report());

function report(): string {
  const of = Object.entries(machine()).map(([name, value]) => `${name} ${value}`);
  return `${of.join(', ')}\n\n${table(rows)}${options.quick ? '\n\n--quick: shows that everything runs; the figures mean nothing' : ''}`;
}

function growthScale(text: string | undefined): number | null {
  return text === undefined ? null : Math.min(1, positive('growth-scale', text));
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  console.error(`--${name} ${text}: must be a number above 0\n\n${usage}`);
  process.exit(2);
}
