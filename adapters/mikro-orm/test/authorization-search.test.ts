import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  type Authorization,
  type AuthorizationAnswer,
  type AuthorizationSearch,
  authorization_event_type,
  authorization_filters,
  authorization_statuses,
  decided_as,
  foldMessages,
  lookupsOf,
  type PassPorts,
  sweepHolds,
} from '@tallystick/cards';
import { type Event, type EventFilter, filter_fields, indexedValuesOf, matches } from '@tallystick/events';
import { everyPage } from '@tallystick/harness';
import type { Random } from '@tallystick/kernel';
import {
  changeRows,
  database_names,
  repeatableRandom,
  test_seed,
  testAuditMac,
  testRuns,
} from '@tallystick/test-support';
import { mikroOrmPersistence, type Persistence } from '../src/index.ts';
import { noon_ms, plain_quarantine, seededDatabase } from './ledger-fixture.ts';
import { Traffic } from './traffic.ts';

const histories = testRuns({ short: 1, full: 10 });
const steps = { sqlite: 24, postgres: 10 };
const cards = 3;
const limits = { recurring: 'Weekly', per_transaction_max: 100, total_card_amount: 900 };
const merchant_names = ['Corner Grocer', 'Corner', 'CORNER', 'Café', 'Cafe\u0301', 'corner '];

/** What a message says beyond what decisions compare. */
function describe(random: Random) {
  const name = merchant_names[random.below(merchant_names.length + 1)] ?? null;
  return {
    mcc: ['5812', '5411', '7011'][random.below(3)]!,
    net_reference_number: random.below(3) === 0 ? null : `MCC${random.below(9)}`,
    details: { merchant_name: name },
  };
}

const of_another_company = {
  company_id: 2,
  event_type: 'virtualcard.created',
  payload: {},
  previous: null,
  created_at_ms: noon_ms,
  request_id: null,
};

/** A message with its event, as a scan of everything finds them. */
interface Recorded {
  readonly row: Authorization;
  readonly event: Event;
}

for (const name of database_names) {
  it(`searches find what a scan finds, once each, while messages change it, on ${name}`, async () => {
    for (let history = 0; history < histories; history += 1) {
      const seed = test_seed + history;
      await searchThrough(name, repeatableRandom(seed), `TALLYSTICK_TEST_SEED=${seed}`);
    }
  });
}

async function searchThrough(name: 'sqlite' | 'postgres', random: Random, repeat: string): Promise<void> {
  const database = await seededDatabase(name, cards, limits);
  await changeRows(database, 'update tallystick_event_index set segment_size = 16, volume_size = 64');
  let now_ms = noon_ms;
  const { database_url } = database;
  const persistence = await mikroOrmPersistence({
    database_url,
    clock: { nowMs: () => now_ms },
    audit_mac: testAuditMac,
  });
  const traffic = new Traffic(random, { merchants: 4, amount_max: 120, cards, describe });
  const ports: PassPorts = { vault: { cvcMatches: () => true }, random: repeatableRandom(1), ...plain_quarantine };

  async function pass(count: number): Promise<void> {
    const messages = Array.from({ length: count }, () => traffic.next(now_ms));
    const answers = await persistence.ledger.pass(messages.flatMap(lookupsOf), (state) =>
      foldMessages(state, messages, ports),
    );
    for (const [at, answer] of answers.entries()) {
      if (messages[at]!.kind !== 'authorization') continue;
      const decided = answer as AuthorizationAnswer;
      if (decided.kind === 'answered') traffic.noteAnswer(decided);
    }
    now_ms += traffic.moved();
    if (random.below(4) === 0) await sweepHolds(persistence.ledger, 100);
  }

  try {
    for (let step = 0; step < steps[name]; step += 1) {
      await pass(1 + random.below(30));
      // A search uses the index only for what is not among the newest events.
      await persistence.unitOfWork.run((tx) => tx.events.append(new Array(random.below(300)).fill(of_another_company)));
      if (random.below(3) > 0) await persistence.event_index.run();
      for (let searches = 0; searches < 3; searches += 1) {
        const recorded = await scan(persistence);
        const search = searchFor(random, recorded);
        const company_id = random.below(3) === 0 ? null : 1;
        let [always, ever] = [idsOf(recorded, search), new Set<number>()];
        const found: number[] = [];
        const [limit, is_quiet] = [1 + random.below(40), random.below(2) === 0];
        for (let after: string | null | undefined; after !== null; ) {
          const now = idsOf(is_quiet ? recorded : await scan(persistence), search);
          always = always.intersection(now);
          ever = ever.union(now);
          const request = { limit, ...(after === undefined ? {} : { after }) };
          const page = await persistence.unitOfWork.read((tx) =>
            tx.cards.searchAuthorizations(company_id, search, request),
          );
          assert(page.items.length <= limit);
          found.push(...page.items.map(({ authorization }) => authorization.event_id));
          after = page.next;
          if (!is_quiet && after !== null && found.length < 200) await pass(1 + random.below(3));
        }
        const what = `${JSON.stringify(search)} of ${company_id}, limit ${limit}; ${repeat}`;
        assert.deepEqual(
          found,
          [...new Set(found)].toSorted((one, other) => other - one),
          what,
        );
        const [missed, wrong] = [always.difference(new Set(found)), new Set(found).difference(ever)];
        assert.deepEqual({ missed: [...missed], wrong: [...wrong] }, { missed: [], wrong: [] }, what);
      }
    }
  } finally {
    await persistence.close();
    await database.dispose();
  }
}

/** Everything that was recorded, without a filter and without the index. */
async function scan({ unitOfWork }: Persistence): Promise<readonly Recorded[]> {
  return await unitOfWork.read(async (tx) => {
    const events = await everyPage((page) => tx.events.list(1, [], page), 100);
    const decisions = events.filter(({ event_type }) => event_type === authorization_event_type);
    const event_of = new Map(decisions.map((event) => [Number(event.payload.id), event]));
    const recorded: Recorded[] = [];
    for (let card_id = 1; card_id <= cards; card_id += 1) {
      const rows = await everyPage((page) => tx.cards.authorizations(1, card_id, page), 100);
      recorded.push(...rows.map((row) => ({ row, event: event_of.get(row.id)! })));
    }
    return recorded;
  });
}

/** The ids of the events of the messages that meet the search, compared one by one. */
function idsOf(recorded: readonly Recorded[], { status, filters }: AuthorizationSearch): Set<number> {
  const met = recorded.filter(({ row, event }) => {
    const is_its_own = row.root_id === row.id || row.status === 'declined';
    const has_status = status === undefined || (row.status === status && is_its_own);
    return has_status && filters.every((filter) => matches(event, filter));
  });
  return new Set(met.map(({ event }) => event.id));
}

/** A search whose values are those of recorded messages, or near them. */
function searchFor(random: Random, recorded: readonly Recorded[]): AuthorizationSearch {
  const names = Object.values(authorization_filters);
  const filters = Array.from({ length: random.below(4) }, (): EventFilter | null => {
    const kind = random.below(12);
    if (kind < 2) return kind === 0 ? decided_as.approved : decided_as.declined;
    const name = names[random.below(names.length)]!;
    const draw = () => indexedValuesOf(recorded[random.below(recorded.length)]!.event)[name];
    const [one, other] = [draw(), draw()];
    if (one === null || other === null) return null;
    if (!filter_fields[name].range || kind < 7)
      return { name, kind: 'equals', value: kind > 2 ? one : typeof one === 'number' ? 12_345 : 'none' };
    if (kind === 7) return { name, kind: 'range', from: one };
    if (kind === 8) return { name, kind: 'range', to: one };
    const [from, to] = one < other ? [one, other] : [other, one];
    return { name, kind: 'range', from, to };
  }).filter((filter) => filter !== null);
  const status = authorization_statuses[random.below(2 * authorization_statuses.length)];
  return { filters, ...(status === undefined ? {} : { status }) };
}
