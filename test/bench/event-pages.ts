import { type EventFilter, type FilterName, filter_fields } from '@tallystick/events';
import { page_limit_default } from '@tallystick/kernel';
import { type DatabaseName, type FilledDatabase, filledDatabase } from './filled-database.ts';
import type { Bench, BenchOptions } from './main.ts';
import { pairwise, type Row, row } from './measure.ts';

const full_size = 1_000_000;
const started_ms = 1_700_000_000_000;

/** Pages of the event log: at depth, and with every filter. */
export const event_pages: Bench = {
  name: 'event-pages',
  async run(options) {
    const rows = [...(await measure('sqlite', options))];
    if (options.postgres) rows.push(...(await measure('postgres', options)));
    return rows;
  },
};

async function measure(name: DatabaseName, { growth_scale, repetitions, quick, log }: BenchOptions): Promise<Row[]> {
  const events = Math.max(1_000, Math.round(full_size * (growth_scale ?? 1)));
  const size = events.toLocaleString('en-US');
  log(`filling ${name} with ${size} events`);
  const database = await filledDatabase(name, { cards: 10, authorizations: 0, events });
  const rounds = quick ? 3 : repetitions * 8;
  const first = async () => void (await page(database, []));
  const deep = await cursorAt(database, events);
  const depth = await pairwise(rounds * 4, async () => void (await page(database, [], deep)), first);
  const rows = [
    row(
      `one page of events at depth ${size}, ${name}`,
      'µs',
      { ...depth, baseline_name: 'first page' },
      { kind: 'at_most', ratio: 1.5 },
    ),
  ];
  rows.push(...(await everyFilter(database, events, rounds, `at ${size}`)));
  const burst = Math.round(events / 10);
  log(`${burst.toLocaleString('en-US')} more events at once`);
  await database.appendBurst(events + 1, events + burst);
  rows.push(
    ...(await everyFilter(database, events, rounds, `directly after a burst of ${burst.toLocaleString('en-US')}`)),
  );
  await database.dispose();
  return rows;
}

/** A row for the filter with the highest ratio. */
async function everyFilter(database: FilledDatabase, events: number, rounds: number, when: string): Promise<Row[]> {
  const { name } = database;
  const first = async () => void (await page(database, []));
  const cases: Row[] = [];
  for (const { what, filter } of filterCases(events)) {
    const figures = await pairwise(rounds, async () => void (await page(database, [filter])), first);
    const { items } = await page(database, [filter]);
    cases.push(
      row(
        `${filter.name} ${what} (${items.length} on the page), ${name}`,
        'µs',
        { ...figures, baseline_name: 'unfiltered' },
        { kind: 'at_most', ratio: 5 },
      ),
    );
  }
  const [worst, ...others] = cases.toSorted((a, b) => b.ratio - a.ratio);
  if (worst === undefined) return [];
  const missed = cases.filter(({ ok }) => ok === false).length;
  const next = others.slice(0, 3).map(({ name: other, ratio }) => `${other} ${ratio.toFixed(1)}`);
  const note = `the worst of ${cases.length}, ${missed} of which miss: ${worst.name}; then ${next.join('; ')}`;
  return [{ ...worst, name: `every event filter ${when}, first page, ${name}`, note }];
}

async function page({ persistence }: FilledDatabase, filters: readonly EventFilter[], after?: string) {
  return await persistence.unitOfWork.read(
    async (tx) =>
      await tx.events.list(1, filters, { limit: page_limit_default, ...(after === undefined ? {} : { after }) }),
  );
}

/** The cursor of the second to last page. */
async function cursorAt(database: FilledDatabase, events: number): Promise<string> {
  const oldest: EventFilter = { name: 'created_at', kind: 'range', to: started_ms + Math.min(events / 2, 200) * 1000 };
  const { next } = await page(database, [oldest]);
  if (next === null) throw new Error('the oldest events do not fill a page');
  return next;
}

/**
 * For every filter a common value, a rare one and one that no event has; for every range a wide
 * one, a narrow one and an empty one.
 */
function filterCases(events: number): { readonly what: string; readonly filter: EventFilter }[] {
  const end_ms = started_ms + events * 1000;
  const middle_ms = started_ms + (events / 2) * 1000;
  const values: Readonly<
    Record<FilterName, { common?: string | number; rare: string | number; absent: string | number }>
  > = {
    'payload.merchant_amount': { rare: 7_919, absent: 5_000_000 },
    'payload.billing_amount': { rare: 7_919, absent: 5_000_000 },
    'payload.transaction_date_time': { rare: middle_ms + 1_000, absent: 1 },
    'payload.approval_code': { rare: String(100_000 + 31), absent: 'ZZZZZZ' },
    'payload.net_ref_num': { rare: `MCC${100_000 + 31}1120`, absent: 'ZZZ' },
    'payload.card_number': { rare: '************1017', absent: '************0000' },
    'payload.financial_network_code': { common: 'MCC', rare: 'VIS', absent: 'ZZZ' },
    'payload.mcc_description': { common: 'Eating places', rare: 'Zoos', absent: 'Nothing' },
    'payload.mcc': { common: '5812', rare: '7998', absent: '0000' },
    'payload.merchant_name': { common: 'Merchant 7', rare: 'Merchant 4999', absent: 'Nobody' },
    'payload.merchant_id': { common: 'M7', rare: 'M4999', absent: 'M' },
    'payload.decline_reason': { common: 'F', rare: 'J', absent: 'U' },
    'payload.rcn_alias': { common: 'Travel', rare: 'Fuel', absent: 'None' },
    'payload.rcn_id': { common: 1, rare: 2, absent: 99 },
    'payload.transaction_type': { common: 'Authorization Request', rare: 'Reversal Request', absent: 'Other' },
    'payload.vcn_id': { common: 7_920, rare: 1, absent: 100_000_000 },
    'payload.id': { rare: '1', absent: '0' },
    'payload.status': { common: 'open', rare: 'declined', absent: 'other' },
    event_type: { common: 'virtualcard.realtime.auths', rare: 'virtualcard.created', absent: 'ach.status' },
    created_at: { rare: middle_ms + 1_000, absent: 1 },
  };
  const ranges: Partial<Record<FilterName, readonly (readonly [string, string | number, string | number])[]>> = {};
  for (const name of ['payload.merchant_amount', 'payload.billing_amount'] as const) {
    ranges[name] = [
      ['wide range', 0, 900_000],
      ['range of a hundredth', 500_000, 510_000],
      ['range of a thousandth', 500_000, 501_000],
      ['empty range', 2_000_000, 3_000_000],
    ];
  }
  for (const name of ['payload.transaction_date_time', 'created_at'] as const) {
    ranges[name] = [
      ['wide range', started_ms, end_ms],
      ['range long ago', started_ms, started_ms + 1_000_000],
      ['range in the middle', middle_ms, middle_ms + 60_000],
      ['empty range', 1, 2],
    ];
  }
  ranges['payload.net_ref_num'] = [
    ['wide range', 'MCC1', 'MCC9'],
    ['range of a thousandth', 'MCC500000', 'MCC500900'],
    ['empty range', 'X', 'Y'],
  ];
  return (Object.keys(filter_fields) as FilterName[]).flatMap((name) => [
    ...Object.entries(values[name]).map(([what, value]) => {
      const filter: EventFilter = { name, kind: 'equals', value };
      return { what, filter };
    }),
    ...(ranges[name] ?? []).map(([what, from, to]) => {
      const filter: EventFilter = { name, kind: 'range', from, to };
      return { what, filter };
    }),
  ]);
}
