import { readFileSync } from 'node:fs';
import { createNetwork } from '@tallystick/cards';
import { byHand } from './by-hand.ts';
import { type FilledDatabase, filledDatabase } from './filled-database.ts';
import type { Bench } from './main.ts';
import { interleave, median, row } from './measure.ts';
import { byCallers, no_codes, plain_quarantine, purchases, random } from './messages.ts';

const callers = 64;
const cards = 1_000;
/** For the bytes: so many that two decisions of a pass seldom concern one page. */
const many = { cards: 100_000, authorizations: 500_000, events: 0 };

/** Decides and records in process on SQLite, against hand-written better-sqlite3. */
export const decide_sqlite: Bench = {
  name: 'decide-sqlite',
  async run({ quick, repetitions, log }) {
    const time_ms = quick ? 1_000 : 2_000;
    log(`${callers} callers over ${cards} cards, ${time_ms} ms each time, on SQLite (WAL, synchronous FULL)`);
    const fill = { cards, authorizations: 0, events: 0 };
    const ours = await filledDatabase('sqlite', fill);
    const hand = await filledDatabase('sqlite', fill);
    const network = createNetwork({ ledger: ours.persistence.ledger, vault: no_codes, random, ...plain_quarantine });
    const by_hand = byHand(pathOf(hand));
    const timed = (decide: Parameters<typeof byCallers>[2]) => async () =>
      await byCallers(callers, purchases(quick ? 20_000 : 60_000, cards), decide, time_ms);
    const warm_up = purchases(callers * 20, cards);
    for (const decide of [network.authorize, by_hand.decide]) await byCallers(callers, warm_up, decide);
    const medians = await interleave(repetitions, { ours: timed(network.authorize), by_hand: timed(by_hand.decide) });
    by_hand.close();
    for (const database of [ours, hand]) await database.dispose();
    log(`the bytes, over ${many.cards} cards with ${many.authorizations} authorizations`);
    const bytes = await writtenBytes(quick);
    return [
      row(
        'decide and record, SQLite FULL, 64 callers',
        '/s',
        { ours: medians.ours, baseline: medians.by_hand, baseline_name: 'hand-written better-sqlite3' },
        { kind: 'at_least', ratio: 0.8 },
      ),
      ...(bytes === null
        ? []
        : [
            row(
              'bytes written per decision, SQLite',
              'B',
              { ...bytes, baseline_name: 'hand-written, with 5 + 18 indexes in place of keys' },
              { kind: 'at_most', ratio: 0.45 },
            ),
          ]),
    ];
  },
};

/**
 * The bytes that one decision writes, of the log and of its copy into the database, by the service
 * and by hand-written code on the indexes of the first release. Null where the system does not
 * count them.
 */
async function writtenBytes(quick: boolean): Promise<{ ours: number; baseline: number } | null> {
  if (bytesWritten() === null) return null;
  const fill = quick ? { cards, authorizations: 5_000, events: 0 } : many;
  const ours = await filledDatabase('sqlite', fill);
  const before = await filledDatabase('sqlite', fill);
  for (const statement of first_indexes) await before.execute(statement);
  const by_hand = byHand(pathOf(before), 'indexes');
  const network = createNetwork({ ledger: ours.persistence.ledger, vault: no_codes, random, ...plain_quarantine });
  const count = quick ? 640 : 12_800;
  const bytesOf = async (decide: Parameters<typeof byCallers>[2]): Promise<number> => {
    const messages = purchases(count, fill.cards);
    const began = bytesWritten() ?? 0;
    await byCallers(callers, messages, decide);
    return ((bytesWritten() ?? 0) - began) / count;
  };
  const figures = { ours: [] as number[], baseline: [] as number[] };
  for (let round = 0; round < 3; round += 1) {
    figures.ours.push(await bytesOf(network.authorize));
    figures.baseline.push(await bytesOf(by_hand.decide));
  }
  by_hand.close();
  for (const database of [ours, before]) await database.dispose();
  return { ours: median(figures.ours), baseline: median(figures.baseline) };
}

/** What this process has written to disks so far; null on systems other than Linux. */
function bytesWritten(): number | null {
  try {
    const bytes = /^write_bytes: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1];
    return bytes === undefined ? null : Number(bytes);
  } catch {
    return null;
  }
}

const nullable_filter_columns = [
  ...['merchant_amount', 'billing_amount', 'transaction_date_time_ms', 'approval_code', 'net_reference_number'],
  ...['card_number', 'financial_network_code', 'mcc_description', 'mcc', 'merchant_name', 'rcn_alias', 'rcn_id'],
  ...['transaction_type', 'vcn_id', 'payload_id', 'status'],
];

/**
 * The indexes of the first release that a decision extended, and the column that some begin with.
 */
const first_indexes = [
  'alter table tallystick_events add column segment bigint generated always as (id >> 11) virtual',
  'create index if not exists authorizations_page on tallystick_authorizations (card_id, id)',
  'create index if not exists authorizations_approval on tallystick_authorizations (card_id, approval_code) where approval_code is not null',
  'create index if not exists authorizations_network_reference on tallystick_authorizations (card_id, substr(net_reference_number, 4, 6)) where net_reference_number is not null',
  `create index if not exists authorizations_aging on tallystick_authorizations (card_id, hold_end_ms) where hold_end_ms is not null and status in ('open', 'partially_cleared')`,
  'create unique index if not exists authorizations_message on tallystick_authorizations (card_id, trace_id, message_type, system_trace_audit_number, transaction_date_time_ms)',
  ...nullable_filter_columns.map(
    (column) =>
      `create index if not exists events_by_${column} on tallystick_events (segment, company_id, ${column}, id) where ${column} is not null`,
  ),
  'create index if not exists events_by_event_type on tallystick_events (segment, company_id, event_type, id)',
  'create index if not exists events_by_created_at_ms on tallystick_events (segment, company_id, created_at_ms, id)',
];

function pathOf({ database_url }: FilledDatabase): string {
  return database_url.slice('sqlite:'.length);
}
