import { createNetwork } from '@tallystick/cards';
import { type DatabaseName, type FilledDatabase, filledDatabase } from './filled-database.ts';
import type { Bench, BenchOptions } from './main.ts';
import { interleave, type Row, row } from './measure.ts';
import { byCallers, no_codes, plain_quarantine, purchases, random } from './messages.ts';

const small = { cards: 1_000, authorizations: 10_000, events: 10_000 };
const full = { cards: 1_000_000, authorizations: 10_000_000, events: 1_000_000 };
/** Filling the full size takes about ten minutes. */
const growth_scale_default = 0.3;
const callers = 64;

/** The cost of one decision when the tables are a thousand times as large. */
export const growth: Bench = {
  name: 'growth',
  async run(options) {
    const rows = [...(await measure('sqlite', options))];
    if (options.postgres) rows.push(...(await measure('postgres', options)));
    return rows;
  },
};

async function measure(name: DatabaseName, options: BenchOptions): Promise<Row[]> {
  const { quick, repetitions, log } = options;
  const growth_scale = options.growth_scale ?? growth_scale_default;
  const scaled = (most: number, least: number) => Math.max(least, Math.round(most * growth_scale));
  const fill = {
    cards: scaled(full.cards, small.cards),
    authorizations: scaled(full.authorizations, small.authorizations),
    events: scaled(full.events, small.events),
  };
  const size = `${fill.cards.toLocaleString('en-US')} cards, ${fill.authorizations.toLocaleString('en-US')} authorizations`;
  log(`filling ${name} with ${size}, ${fill.events.toLocaleString('en-US')} events`);
  const began_ms = performance.now();
  const large_database = await filledDatabase(name, fill);
  const small_database = await filledDatabase(name, small);
  log(`filled in ${Math.round((performance.now() - began_ms) / 1000)} s`);
  const large = decisionCost(large_database, fill.cards, quick);
  const few = decisionCost(small_database, small.cards, quick);
  // Rows that were just filled are neither in the connection's cache nor completely on the disk.
  for (let round = 0; round < 3; round += 1) {
    await large(callers);
    await few(callers);
  }
  const together = await interleave(repetitions, { ours: () => large(callers), baseline: () => few(callers) });
  const alone = await interleave(repetitions, { ours: () => large(1), baseline: () => few(1) });
  await large_database.dispose();
  await small_database.dispose();
  const baseline_name = 'with 1,000 and 10,000';
  const scale =
    growth_scale === 1 ? null : `filled to ${growth_scale} of the full size; --growth-scale 1 fills all of it`;
  return [
    row(
      `cost of one decision among 64, ${size}, ${name}`,
      'µs',
      { ...together, baseline_name },
      { kind: 'at_most', ratio: 1.15 },
      scale,
    ),
    row(
      `cost of one decision alone, ${size}, ${name}`,
      'µs',
      { ...alone, baseline_name },
      { kind: 'at_most', ratio: 1.15 },
      scale,
    ),
  ];
}

/** Microseconds per decision on random cards, with this number of callers. */
function decisionCost({ persistence }: FilledDatabase, cards: number, quick: boolean) {
  const network = createNetwork({ ledger: persistence.ledger, vault: no_codes, random, ...plain_quarantine });
  return async (at_once: number): Promise<number> => {
    const messages = purchases(quick ? 2_000 : 60_000, cards);
    return 1_000_000 / (await byCallers(at_once, messages, network.authorize, quick ? 100 : 2_000));
  };
}
