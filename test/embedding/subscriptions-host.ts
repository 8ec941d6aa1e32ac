/**
 * A host process that writes events of its cards in transactions of its own, and handles the events
 * of all processes: `node subscriptions-host.ts <database url> <events>`. It prints a line at each
 * commit and in each call of its handler, and `complete` once the log has that number of events. It
 * ends when its standard input ends.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createSubscriber, type SubscriptionHandler } from '@tallystick/events';
import { mikroOrmPersistence, type Tx } from '@tallystick/mikro-orm';
import { testAuditMac } from '@tallystick/test-support';

const [, , database_url = '', events_text = '0'] = process.argv;
const events_max = Number(events_text);
const writers_count = 3;
/** How far the writers run ahead of the handler. */
const ahead_max = 800;
const cards_count = 7;

const clock = { nowMs: () => Date.now() };
const persistence = await mikroOrmPersistence({ audit_mac: testAuditMac, database_url, clock });
const is_sqlite = database_url.startsWith('sqlite:');
const sql = (text: string): string => (is_sqlite ? text.replaceAll(/\$\d/g, '?') : text);
let is_ended = false;

const subscriber = createSubscriber({
  ...persistence,
  dialect: is_sqlite ? 'sqlite' : 'postgres',
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  clock,
  monotonicNow: () => performance.now(),
  machineNow: () => Date.now(),
  random: { below: () => 0, bytes: (count) => new Uint8Array(randomBytes(count)) },
  failed: ({ error }) => console.log(`failed ${String(error)}`),
  removed() {},
  listenerFailed() {},
});

/** The effect: a row for each event, with the number of the event among those of its card. */
const handler: SubscriptionHandler = async (events, tx) => {
  for (const { id, payload } of events) {
    const values = [id, payload.vcn_id, payload.number];
    await tx.query(sql('insert into effects (event_id, card, number) values ($1, $2, $3)'), values);
  }
  console.log('call');
};

/** Writes events of a card with rising numbers, as a decision does: the card is locked first. */
async function write(turn: number): Promise<number> {
  const { host, commit, rollback } = await persistence.begin();
  const execute = (text: string, ...values: unknown[]) => host.execute({ text: sql(text), values });
  const count = 1 + (turn % 8);
  const card = 1 + Math.floor(Math.random() * cards_count);
  const { rows } = await execute(
    'update host_cards set number = number + $1 where id = $2 returning number',
    count,
    card,
  );
  const first = Number(rows[0]?.number) - count + 1;
  await persistence.joining(host).run(({ events }: Pick<Tx, 'events'>) =>
    events.append(
      Array.from({ length: count }, (_, place) => ({
        company_id: 1,
        event_type: 'virtualcard.clearings',
        payload: { vcn_id: card, number: first + place },
        previous: null,
        created_at_ms: Date.now(),
        request_id: null,
      })),
    ),
  );
  const totals = await execute(
    'select (select sum(number) from host_cards) as written, (select coalesce(max(position), 0) from effects) as handled',
  );
  // Transactions overlap on Postgres, so that lower ids commit later.
  if (!is_sqlite) await delay(Math.random() * 4);
  if (turn % 9 === 8) await rollback();
  else await commit();
  subscriber.nudge();
  const [{ written, handled } = {}] = totals.rows;
  console.log(`written ${written}`);
  if (Number(written) - Number(handled) > ahead_max) await delay(20);
  return Number(written);
}

async function writer(): Promise<void> {
  for (let turn = 0; !is_ended && (await write(turn)) < events_max; turn += 1);
}

process.stdin.resume();
const stopped = new Promise<void>((resolve) => process.stdin.once('end', () => resolve()));
await subscriber.subscribe('effects', ['virtualcard.clearings'], handler, { from: 'beginning' });
subscriber.start();
const writing = Promise.all(Array.from({ length: writers_count }, writer));
void writing.then(() => console.log('complete'));
await stopped;
is_ended = true;
await writing;
await subscriber.stop();
await persistence.close();
