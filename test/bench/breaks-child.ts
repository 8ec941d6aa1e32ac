import { once } from 'node:events';
import { fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createNetwork } from '@tallystick/cards';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import {
  type CaughtUp,
  catchUpAll,
  decideByTable,
  exportItems,
  type Item,
  itemIdOf,
  type LeftoverWalk,
  listItems,
  rebuild,
  suggestFor,
  type TableRow,
} from '@tallystick/reconciliation';
import { testAuditMac } from '@tallystick/test-support';
import { import_call } from './import-set.ts';
import { no_codes, plain_quarantine, random } from './messages.ts';

/**
 * A person works on the breaks of a company, in a separate process: `database_url` and the number of
 * breaks. Sends `{ next }` before each part, begins it when a message comes, and sends `{ end, figures }`
 * after it.
 */
const [database_url = '', count_text = ''] = process.argv.slice(2);
const count = Number(count_text);
/** An instant at which all breaks are due. */
const clock = { nowMs: () => Date.parse('2026-06-15T12:00:00Z') };
const persistence = await mikroOrmPersistence({ audit_mac: testAuditMac, database_url, clock });
const call = { ...import_call, company_id: 1, now_ms: clock.nowMs(), actor: 'person' };
/** How long each limit of the machine is measured, milliseconds. */
const limits_ms = count < 1_000 ? 100 : 5_000;
/** About what a transaction of the work writes. */
const synced_bytes = 200_000;
const matches_max = Math.min(10_000, count / 10);

let longest_ms = 0;
/** As the commands have it. Measures from the begin of a transaction until it has rested. */
const unitOfWork: typeof persistence.unitOfWork = {
  read: (work) => persistence.long_work.read(work),
  async run(work) {
    let began: NodeJS.CpuUsage | undefined;
    const result = await persistence.long_work.run((tx) => {
      began = process.threadCpuUsage();
      return work(tx);
    });
    longest_ms = Math.max(longest_ms, sinceMs(began));
    return result;
  },
};

/** Processor time of this thread, milliseconds. */
function sinceMs(began?: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1_000;
}
const network = createNetwork({ ledger: persistence.ledger, vault: no_codes, random, ...plain_quarantine });
const ports = { unitOfWork, clock, network };

async function part(name: string, work: () => Promise<string>): Promise<void> {
  process.send?.({ next: name });
  await once(process, 'message');
  longest_ms = 0;
  let turn_ms = 0;
  // A turn and up to a millisecond. A loop over `setImmediate` would take a core while the work waits.
  let last = process.threadCpuUsage();
  const turns = setInterval(() => {
    turn_ms = Math.max(turn_ms, sinceMs(last));
    last = process.threadCpuUsage();
  }, 1);
  const cpu = process.threadCpuUsage();
  const began_ms = performance.now();
  const said = await work();
  const ms = performance.now() - began_ms;
  const cpu_ms = sinceMs(cpu);
  clearInterval(turns);
  const rss_mb = Math.round(process.memoryUsage().rss / 1e6);
  process.send?.({ end: name, figures: { ms, cpu_ms, turn_ms, longest_ms, rss_mb, said } });
}

/** Turns of a piece of work, each followed by a pause that is as long, as in the work on breaks. */
async function inTurns(piece: () => void): Promise<string> {
  let turns = 0;
  for (const end_ms = performance.now() + limits_ms; performance.now() < end_ms; turns += 1) {
    const began_ms = performance.now();
    piece();
    await pause(performance.now() - began_ms);
  }
  return `${turns} turns`;
}

// What the machine costs decisions without any work on the database.
await part('a process that only computes', () =>
  inTurns(() => {
    for (const began = process.threadCpuUsage(); sinceMs(began) < 5; );
  }),
);
await part('a process that only syncs a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-bench-syncs-'));
  const file = openSync(join(folder, 'file'), 'w');
  const said = await inTurns(() => {
    writeSync(file, Buffer.alloc(synced_bytes, 1));
    fdatasyncSync(file);
  });
  rmSync(folder, { recursive: true });
  return said;
});
await part('keeping up', async () => {
  const walks = new Map<number, LeftoverWalk>();
  for (let result: CaughtUp = { is_pending: true, taken: 1 }; result.is_pending; ) {
    result = await catchUpAll({ unitOfWork, clock }, { steps_max: 10, walks });
  }
  const cells = await unitOfWork.read((tx) => tx.reconciliation.cells(1));
  const kinds = Map.groupBy(
    cells.filter(({ status }) => status === 'break'),
    ({ kind }) => kind,
  );
  return [...kinds].map(([kind, of]) => `${of.reduce((sum, one) => sum + one.count, 0)} ${kind}`).join(', ');
});
await part('a page of 50 with suggestions', async () => {
  const suggestions = await unitOfWork.read(async (tx) => {
    const { items } = await listItems(tx, call, { status: 'break', kind: 'unexplained_line' }, { limit: 50 });
    return await suggestFor(tx.reconciliation, 1, items);
  });
  return `${[...suggestions.values()].flat().length} suggestions`;
});
await part('the table of all breaks', async () => {
  let length = 0;
  for await (const piece of exportItems({ unitOfWork }, call, { status: 'break' })) length += piece.length;
  return `${Math.round(length / 1e6)} MB`;
});
await part('a table of matches', async () => {
  const ids = Array.from({ length: matches_max }, (_, at) => at * 5 + 2);
  const rows: TableRow[] = [];
  for (let at = 0; at < ids.length; at += 200) {
    const of_batch = ids.slice(at, at + 200).map((id) => itemIdOf({ kind: 'clearing', id }));
    const items: readonly Item[] = await unitOfWork.read((tx) => tx.reconciliation.items(1, of_batch));
    for (const { id, version, clearing_ids } of items) {
      const cells = {
        id: `${id}`,
        version: `${version}`,
        decision: 'match',
        note: 'seen',
        with: `line:${clearing_ids[0]! + 2}`,
      };
      rows.push({ number: rows.length + 2, cells: new Map(Object.entries(cells)) });
    }
  }
  const source = {
    async *rows() {
      for (let at = 0; at < rows.length; at += 100) yield rows.slice(at, at + 100);
    },
  };
  const { decided } = await decideByTable(ports, call, source, { dry_run: false });
  return `${decided} decided`;
});
await part('a rebuild', async () => {
  const found = await rebuild({ unitOfWork, clock }, { company_id: 1, check_only: false });
  return `${found.items_different + found.entries_different + found.cells_different} differences`;
});
await network.drain();
await persistence.close();
process.disconnect?.();
