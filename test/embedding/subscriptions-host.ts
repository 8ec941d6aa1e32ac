/**
 * A host process that decides purchases, issues cards in transactions of its own, and handles the
 * events of all processes: `node subscriptions-host.ts <HostPlan as JSON>`. It prints a line at each
 * commit and in each call of its handler, and `complete` once the log has enough events. It ends
 * when its standard input ends.
 */
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import pg from 'pg';
import { createTallystick, UnusableTransaction } from 'tallystick';

/** What a host process is started with. */
export interface HostPlan {
  readonly database_url: string;
  readonly keys: string;
  readonly company_id: string;
  /** The numbers of the cards with which only this process buys. */
  readonly card_numbers: readonly string[];
  /** The purchases of each card have rising numbers from here on. */
  readonly first_number: number;
  /** It writes until the log has this number of events. */
  readonly events_max: number;
}

/** How far the writers run ahead of the handler, events. */
const ahead_max = 800;

class Undone extends Error {}

const plan = JSON.parse(process.argv[2] ?? '') as HostPlan;
const is_sqlite = plan.database_url.startsWith('sqlite:');
const handle = is_sqlite
  ? new Database(plan.database_url.slice('sqlite:'.length))
  : new pg.Pool({ connectionString: plan.database_url, max: 4 });
const tally = await createTallystick({ database: plan.database_url, keys: plan.keys });
const { cards } = tally.company(plan.company_id);
let is_ended = false;

/** Whether the log is not full yet. Waits while the handler is behind. */
async function goesOn(): Promise<boolean> {
  const sql = 'select (select count(*) from tallystick_events) as written, (select count(*) from effects) as handled';
  for (;;) {
    const [row] = (
      handle instanceof Database ? handle.prepare(sql).all() : (await handle.query(sql)).rows
    ) as readonly { readonly written: unknown; readonly handled: unknown }[];
    const [written, handled] = [Number(row?.written), Number(row?.handled)];
    console.log(`written ${written}`);
    if (is_ended || written >= plan.events_max) return false;
    if (written - handled <= ahead_max) return true;
    await delay(20);
  }
}

/** Buys with the card, one purchase after another. */
async function buy(card_number: string): Promise<void> {
  for (let number = plan.first_number; number % 20 !== 0 || (await goesOn()); number += 1) {
    await tally.network.authorize({
      card_number,
      message_type_indicator: 'Authorization Request',
      trace_id: `T${number}-${card_number.slice(-4)}`,
      system_trace_audit_number: String(number).padStart(6, '0'),
      transaction_date_time: new Date().toISOString(),
      billing_amount: 100,
      billing_currency: 'USD',
      merchant_amount: 100,
      merchant_currency: 'USD',
      mcc: '5411',
    });
  }
}

/** Issues cards in transactions that stay open for a while, so that on Postgres ids commit late. */
async function issue(): Promise<void> {
  for (let turn = 0; turn % 20 !== 0 || (await goesOn()); turn += 1) {
    const issuing = tally.transaction(handle as pg.Pool, async (tx) => {
      await cards.issue({ total_card_amount: 1_000 }, { tx });
      if (!is_sqlite) await delay(Math.random() * 4);
      if (turn % 7 === 6) throw new Undone();
    });
    await issuing.catch((error: unknown) => {
      // With other writers on a busy machine, the lock of SQLite may not be free within 5 seconds.
      if (!(error instanceof Undone || error instanceof UnusableTransaction)) throw error;
    });
  }
}

process.stdin.resume();
const stopped = new Promise<void>((resolve) => process.stdin.once('end', () => resolve()));
const values = is_sqlite ? '?, ?, ?' : '$1, $2, $3';
await tally.subscribe(
  'effects',
  ['virtualcard.created', 'virtualcard.realtime.auths'],
  async (events, tx) => {
    for (const event of events) {
      const { id, event_type } = event;
      const of_purchase = event_type === 'virtualcard.realtime.auths';
      const [card, number] = of_purchase ? [event.payload.vcn_id, event.payload.system_trace_audit_number] : [0, id];
      const row = [id, Number(card), Number(number)];
      await tx.query(`insert into effects (event_id, card, number) values (${values})`, row);
    }
    console.log('call');
  },
  { from: 'beginning' },
);
await tally.start();
const writing = Promise.all([...plan.card_numbers.map(buy), issue()]);
void writing.then(() => console.log('complete'));
await stopped;
is_ended = true;
await writing;
await tally.close();
if (handle instanceof Database) handle.close();
else await handle.end();
