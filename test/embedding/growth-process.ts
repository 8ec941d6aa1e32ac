/**
 * Opens, uses and closes instances one after another, and prints what the process holds after the
 * first ones and at the end: `node --expose-gc growth-process.ts <GrowthPlan as JSON>`.
 */
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import Database from 'better-sqlite3';
import pg from 'pg';
import { createTallystick } from 'tallystick';

export interface GrowthPlan {
  /** In turn. `handle`: a handle of the host that all instances share. `file`: each has a new file. */
  readonly databases: readonly ('file' | 'memory' | 'address' | 'handle')[];
  /** Of the file, or of the database on Postgres. */
  readonly database_url: string;
  readonly keys: string;
  /** How many instances there are on each database, before the first measure and after it. */
  readonly first: number;
  readonly further: number;
}

/** What the process holds. */
export interface Held {
  readonly objects: number;
  readonly heap_bytes: number;
  readonly listeners: number;
  readonly resources: number;
}

export interface Growth {
  readonly before: Held;
  readonly after: Held;
}

const plan = JSON.parse(process.argv[2] ?? '') as GrowthPlan;
const is_postgres = plan.database_url.startsWith('postgres');
const handle = plan.databases.includes('handle') ? openHandle() : null;

function openHandle(): pg.Pool | Database.Database {
  return is_postgres ? new pg.Pool({ connectionString: plan.database_url }) : new Database(':memory:');
}

async function useOne(on: GrowthPlan['databases'][number]): Promise<void> {
  const address = on === 'memory' ? 'sqlite::memory:' : plan.database_url;
  const database = on === 'handle' ? handle! : address;
  const tally = await createTallystick({ database, keys: plan.keys, sandbox: true });
  await tally.migrate();
  await tally.start();
  const { id } = await tally.company(1).cards.issue({ total_card_amount: 5_000 });
  await tally.subscribe('orders', ['all'], async () => {});
  await tally.company(1).sandbox.buy({ vcn_id: id, amount: 1_000 });
  await tally.sandbox.clock.move({ advance: 'PT1H' });
  await tally.fetch(new Request('http://shop.example/healthz'));
  await tally.metrics();
  await tally.close();
  if (on !== 'file') return;
  for (const end of ['', '-wal', '-shm']) rmSync(`${plan.database_url.slice('sqlite:'.length)}${end}`, { force: true });
}

function held(): Held {
  // It also collects what nothing refers to.
  const objects = queryObjects(Object, { format: 'count' });
  globalThis.gc?.();
  return {
    objects,
    heap_bytes: process.memoryUsage().heapUsed,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    resources: process.getActiveResourcesInfo().length,
  };
}

/** What is held once nothing more is released: connections and timers end a little later. */
async function heldInTheEnd(): Promise<Held> {
  for (let least = held(); ; ) {
    await delay(100);
    const now = held();
    if (now.objects >= least.objects && now.resources >= least.resources) return least;
    least = now;
  }
}

async function useEach(count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) for (const on of plan.databases) await useOne(on);
}

await useEach(plan.first);
const before = await heldInTheEnd();
await useEach(plan.further);
const after = await heldInTheEnd();
console.log(JSON.stringify({ before, after } satisfies Growth));
if (handle !== null) await ('end' in handle ? handle.end() : handle.close());
process.exit();
