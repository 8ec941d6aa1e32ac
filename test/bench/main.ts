import { parseArgs } from 'node:util';
import type { Row } from './measure.ts';
import { machine, table } from './report.ts';
import { againstFigures, figuresOf, readFigures, writeFigures } from './smoke.ts';
import { runWithServers } from './with-servers.ts';

/** The size of a run. */
export interface BenchOptions {
  /** Small sizes, for a run of which only the large changes of a ratio mean something. */
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
  async () => (await import('./processes.ts')).processes,
  async () => (await import('./hostile.ts')).hostile,
  async () => (await import('./hostile.ts')).strangers,
  async () => (await import('./hostile-endpoints.ts')).endpoints,
  async () => (await import('./growth.ts')).growth,
  async () => (await import('./event-pages.ts')).event_pages,
  async () => (await import('./authorization-search.ts')).authorization_search,
  async () => (await import('./open-banking.ts')).open_banking,
  async () => (await import('./deliveries.ts')).deliveries,
  async () => (await import('./files.ts')).files,
  async () => (await import('./imports.ts')).imports,
  async () => (await import('./imports.ts')).import_memory,
  async () => (await import('./imports.ts')).import_beside,
  async () => (await import('./reconciliation.ts')).reconciliation,
  async () => (await import('./breaks.ts')).breaks,
  async () => (await import('./reconciliation-filters.ts')).reconciliation_filters,
  async () => (await import('./console.ts')).console_pages,
];

/** The benches of a smoke run: those whose ratios noise disturbs least. */
const smoked = ['decide-sqlite', 'decide-postgres', 'http', 'express', 'files', 'imports', 'console'];

const usage = `npm run bench -- [options]
  --only <name>          decide-sqlite, decide-postgres, http, pressure, express, processes, hostile, strangers, endpoints, growth,
                         event-pages, authorization-search, open-banking, deliveries, files, imports, import-memory, import-beside, reconciliation,
                         reconciliation-filters, breaks or console; may be repeated
  --json                 the rows as JSON
  --smoke                small sizes, in about a minute: fails when a ratio is much worse than in
                         test/bench/figures.json. Alone, it runs ${smoked.join(', ')}
  --write-figures        renews that file after a smoke run
  --repetitions <n>      interleaved repetitions of each contender (default 5; smoke 3)
  --growth-scale <0..1>  share of the full size to fill (default: growth 0.3, about three minutes; others 1)
  --no-postgres          skips Postgres, which is otherwise used at $TEST_POSTGRES_URL or on this machine`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    'write-figures': { type: 'boolean', default: false },
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
  quick: values.smoke,
  repetitions: positive('repetitions', values.repetitions ?? (values.smoke ? '3' : '5')),
  growth_scale: growthScale(values['growth-scale'] ?? (values.smoke ? '0.002' : undefined)),
  postgres: !values['no-postgres'],
  log: (line) => console.error(line),
};

if (values['write-figures'] && (!values.smoke || values.only !== undefined || !options.postgres)) {
  console.error('--write-figures is for a whole smoke run');
  process.exit(2);
}
if (values.smoke && options.postgres) await runWithServers();

const known = await Promise.all(benches.map((load) => load()));
const unknown = values.only?.find((name) => !known.some((bench) => bench.name === name));
if (unknown !== undefined) {
  console.error(`--only ${unknown}: no such bench\n\n${usage}`);
  process.exit(2);
}
const chosen = values.only ?? (values.smoke ? smoked : known.map(({ name }) => name));
let rows: Row[] = [];
for (const bench of known) {
  if (!chosen.includes(bench.name)) continue;
  options.log(`# ${bench.name}`);
  rows.push(...(await bench.run(options)));
}
if (values['write-figures']) writeFigures(figuresOf(rows));
if (values.smoke) rows = againstFigures(rows, readFigures());
const texts = Object.entries(machine()).map(([name, value]) => `${name} ${value}`);
console.log(
  values.json
    ? JSON.stringify({ machine: machine(), smoke: values.smoke, rows }, null, 2)
    : `${texts.join(', ')}\n\n${table(rows)}`,
);
if (values.smoke && rows.some(({ ok }) => ok === false)) {
  console.error(
    'a ratio is much worse than in test/bench/figures.json; if it is meant to be, run with --write-figures',
  );
  process.exit(1);
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
