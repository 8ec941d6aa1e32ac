import { createNetwork } from '@tallystick/cards';
import { byHand } from './by-hand.ts';
import { type FilledDatabase, filledDatabase } from './filled-database.ts';
import type { Bench } from './main.ts';
import { interleave, row } from './measure.ts';
import { byCallers, purchases } from './messages.ts';
import { no_codes, random } from './network-ports.ts';

const callers = 64;
const cards = 1_000;

/** Decides and records in process on SQLite, against hand-written better-sqlite3. */
export const decide_sqlite: Bench = {
  name: 'decide-sqlite',
  async run({ quick, repetitions, log }) {
    const time_ms = quick ? 100 : 2_000;
    log(`${callers} callers over ${cards} cards, ${time_ms} ms each time, on SQLite (WAL, synchronous FULL)`);
    const fill = { cards, authorizations: 0, events: 0 };
    const databases = [
      await filledDatabase('sqlite', fill),
      await filledDatabase('sqlite', fill),
      await filledDatabase('sqlite', fill),
      await filledDatabase('sqlite', fill),
    ] as const;
    const [ours, hand, bare, alone] = databases;
    await dropFilterIndexes(bare);
    await dropFilterIndexes(alone);
    const network = createNetwork({ ledger: ours.persistence.ledger, vault: no_codes, random });
    const network_without = createNetwork({ ledger: alone.persistence.ledger, vault: no_codes, random });
    const by_hand = byHand(hand.database_url.slice('sqlite:'.length));
    const by_hand_bare = byHand(bare.database_url.slice('sqlite:'.length));
    const timed = (decide: Parameters<typeof byCallers>[2]) => async () =>
      await byCallers(callers, purchases(quick ? 2_000 : 60_000, cards), decide, time_ms);
    const warm_up = purchases(callers * 20, cards);
    for (const decide of [network.authorize, network_without.authorize, by_hand.decide, by_hand_bare.decide]) {
      await byCallers(callers, warm_up, decide);
    }
    const medians = await interleave(repetitions, {
      ours: timed(network.authorize),
      by_hand: timed(by_hand.decide),
      by_hand_bare: timed(by_hand_bare.decide),
      ours_bare: timed(network_without.authorize),
    });
    by_hand.close();
    by_hand_bare.close();
    for (const database of databases) await database.dispose();
    const baseline_name = 'hand-written better-sqlite3';
    return [
      row(
        'decide and record, SQLite FULL, 64 callers',
        '/s',
        { ours: medians.ours, baseline: medians.by_hand, baseline_name },
        { kind: 'at_least', ratio: 0.5 },
      ),
      row(
        'the same, hand-written without the event filter indexes',
        '/s',
        { ours: medians.ours, baseline: medians.by_hand_bare, baseline_name },
        null,
        'shows the cost of the indexes',
      ),
      row(
        'the same, both without the event filter indexes',
        '/s',
        { ours: medians.ours_bare, baseline: medians.by_hand_bare, baseline_name },
        null,
      ),
    ];
  },
};

/** The indexes that only filters on the event log use. */
async function dropFilterIndexes({ execute, indexNames }: FilledDatabase): Promise<void> {
  for (const name of await indexNames('events')) if (name.startsWith('events_by_')) await execute(`drop index ${name}`);
}
