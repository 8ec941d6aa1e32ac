import { type AuthorizationSearch, authorization_filters, decided_as, searchAuthorizations } from '@tallystick/cards';
import type { EventFilter } from '@tallystick/events';
import { page_limit_default } from '@tallystick/kernel';
import { type DatabaseName, type FilledDatabase, filledDatabase } from './filled-database.ts';
import type { Bench, BenchOptions } from './main.ts';
import { pairwise, type Row, row } from './measure.ts';

const full_size = 1_000_000;
const started_ms = 1_700_000_000_000;

/** Searches of authorizations across cards, with every filter and every pair of them. */
export const authorization_search: Bench = {
  name: 'authorization-search',
  async run(options) {
    const rows = [...(await measure('sqlite', options))];
    if (options.postgres) rows.push(...(await measure('postgres', options)));
    return rows;
  },
};

async function measure(name: DatabaseName, { growth_scale, repetitions, quick, log }: BenchOptions): Promise<Row[]> {
  const count = Math.max(1_000, Math.round(full_size * (growth_scale ?? 1)));
  const size = count.toLocaleString('en-US');
  log(`filling ${name} with ${size} authorizations`);
  const cards = Math.max(10, count / 10);
  const database = await filledDatabase(name, { cards, authorizations: count, events: count });
  for (const change of changes) await database.execute(`update tallystick_authorizations set ${change}`);
  const rounds = quick ? 3 : repetitions * 8;
  const first = async () => void (await page(database, { filters: [] }));
  const measured: Row[] = [];
  for (const { what, search, company_id = 1 } of cases(count)) {
    const ours = async () => void (await page(database, search, company_id));
    let figures = await pairwise(3, ours, first);
    if (figures.ours > 3 * figures.baseline) figures = await pairwise(rounds, ours, first);
    const { items } = await page(database, search, company_id);
    const text = `${what} (${items.length} on the page), ${name}`;
    measured.push(row(text, 'µs', { ...figures, baseline_name: 'unfiltered' }, { kind: 'at_most', ratio: 5 }));
  }
  await database.dispose();
  const [worst, ...others] = measured.toSorted((a, b) => b.ratio - a.ratio);
  const missed = measured.filter(({ ok }) => ok === false).length;
  const next = others.slice(0, 4).map(({ name: other, ratio }) => `${other} ${ratio.toFixed(1)}`);
  const note = `the worst of ${measured.length}, ${missed} of which miss: ${worst!.name}; then ${next.join('; ')}`;
  return [{ ...worst!, name: `every filter of authorizations at ${size}, first page, ${name}`, note }];
}

/** Statuses that were given later: common, rarer and rare. Some messages are about an earlier one. */
const changes = [
  "status = 'reversed' where id % 25 = 3 and status = 'cleared'",
  "status = 'partially_cleared' where id % 5000 = 4 and status = 'cleared'",
  "status = 'expired' where id % 20000 = 7 and status = 'cleared'",
  "root_id = id - 1, status = 'open', held = 0 where id % 50 = 4 and status = 'cleared'",
  'card_id = 1 where id % 100000 = 11',
];

async function page({ persistence }: FilledDatabase, search: AuthorizationSearch, company_id: number | null = 1) {
  return await persistence.unitOfWork.read((tx) =>
    searchAuthorizations(tx, company_id, search, { limit: page_limit_default }),
  );
}

interface Case {
  readonly what: string;
  readonly search: AuthorizationSearch;
  readonly company_id?: number | null;
}

/**
 * For every filter a common value where there is one, a rare one and one that no message has; and
 * every pair of these.
 */
function cases(count: number): readonly Case[] {
  const equals = (name: keyof typeof authorization_filters, value: string | number): EventFilter => ({
    name: authorization_filters[name],
    kind: 'equals',
    value,
  });
  const between = (name: keyof typeof authorization_filters, from: number, to: number): EventFilter => ({
    name: authorization_filters[name],
    kind: 'range',
    from,
    to,
  });
  const middle_ms = started_ms + (count / 2) * 1000;
  const decided: readonly EventFilter[] = [
    ...[7_920, 1, 100_000_000].map((value) => equals('vcn_id', value)),
    ...['Merchant 7', 'Merchant 4999', 'Nobody'].map((value) => equals('merchant_name', value)),
    ...['M7', 'M4999', 'M'].map((value) => equals('merchant_id', value)),
    ...['5812', '7998', '0000'].map((value) => equals('mcc', value)),
    ...['100031', 'ZZZZZZ'].map((value) => equals('approval_code', value)),
    ...['MCC1000311120', 'ZZZ'].map((value) => equals('net_reference_number', value)),
    ...['F', 'J', 'U'].map((value) => equals('decline_reason', value)),
    ...(['billing_amount', 'merchant_amount'] as const).flatMap((name) => [
      equals(name, 7_919),
      equals(name, 5_000_000),
      between(name, 0, 900_000),
      between(name, 500_000, 500_100),
      between(name, 500_000, 501_000),
      between(name, 2_000_000, 3_000_000),
    ]),
    ...(['transaction_date_time', 'decided_at'] as const).flatMap((name) => [
      between(name, started_ms, started_ms + count * 1000),
      between(name, started_ms, started_ms + count * 1000 - 2_000_000),
      between(name, started_ms, started_ms + 1_000_000),
      between(name, middle_ms, middle_ms + 60_000),
      between(name, middle_ms, middle_ms + 86_400_000),
      between(name, 1, 2),
    ]),
    decided_as.approved,
    decided_as.declined,
  ];
  const statuses = ['open', 'cleared', 'partially_cleared', 'reversed', 'expired', 'released', 'declined'] as const;
  const ones = [
    ...decided.map((filter) => ({ what: JSON.stringify(filter), name: filter.name, search: { filters: [filter] } })),
    ...statuses.map((status) => ({ what: `status ${status}`, name: 'status', search: { status, filters: [] } })),
  ];
  const pairs = ones.flatMap((one, at) =>
    ones
      .slice(at + 1)
      .filter(({ name }) => name !== one.name)
      .map((other) => ({
        what: `${one.what} and ${other.what}`,
        search: { ...one.search, ...other.search, filters: [...one.search.filters, ...other.search.filters] },
      })),
  );
  return [
    ...ones,
    ...pairs,
    ...[
      equals('approval_code', '100031'),
      equals('approval_code', 'ZZZZZZ'),
      between('billing_amount', 500_000, 500_100),
    ].map((filter) => ({
      what: `${JSON.stringify(filter)} of all companies`,
      search: { filters: [filter] },
      company_id: null,
    })),
    { what: 'status expired of all companies', search: { status: 'expired', filters: [] }, company_id: null },
  ];
}
