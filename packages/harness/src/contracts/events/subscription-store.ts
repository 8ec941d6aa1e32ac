import {
  type EventHorizon,
  lag_events_max,
  type Subscription,
  type SubscriptionFilter,
  type SubscriptionStore,
  subscription_window,
} from '@tallystick/events';
import { assert, type Lease, Refusal, type RetentionStore, type UnitOfWork } from '@tallystick/kernel';
import { assertEqual, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { idsOf, newCompany } from '../storage/storage.ts';
import { uniqueNumber } from '../unique.ts';
import {
  minute_ms,
  now_ms,
  relayAll,
  type WebhookStorage,
  type WebhookStorageTx,
} from '../webhooks/webhook-storage.ts';

export interface SubscriptionStorage extends WebhookStorage {
  readonly unitOfWork: UnitOfWork<
    WebhookStorageTx & { readonly subscriptions: SubscriptionStore; readonly retention: RetentionStore }
  >;
  readonly event_horizon: EventHorizon;
}

const every_event: SubscriptionFilter = { event_types: null, company_id: null };

function leaseOf(token: string, machine_ms = now_ms): Lease {
  return { token, machine_ms, until_machine_ms: machine_ms + minute_ms };
}

async function insert(
  { unitOfWork }: SubscriptionStorage,
  changes: Partial<Subscription> = {},
): Promise<Omit<Subscription, 'lease_until_machine_ms'>> {
  const row = {
    name: `subscription-${uniqueNumber()}`,
    ...every_event,
    after_id: 0,
    created_at_ms: now_ms,
    ...changes,
  };
  const is_new = await unitOfWork.run((tx) => tx.subscriptions.insert(row));
  assert(is_new, `${row.name} was not inserted`);
  return row;
}

async function appendOfTypes(
  { unitOfWork }: SubscriptionStorage,
  company_id: number,
  event_types: readonly string[],
  created_at_ms = now_ms,
): Promise<readonly number[]> {
  const events = event_types.map((event_type, place) => ({
    company_id,
    event_type,
    payload: { id: place },
    previous: null,
    created_at_ms,
    request_id: null,
  }));
  return idsOf(await unitOfWork.run((tx) => tx.events.append(events)));
}

/** The last id, once every event up to it is final. */
async function finalId({ event_horizon }: SubscriptionStorage): Promise<number> {
  for (;;) {
    const { final_id, last_id } = await event_horizon.read();
    if (final_id === last_id) return final_id;
  }
}

const claim = (storage: SubscriptionStorage, name: string, lease: Lease, filter = every_event) =>
  storage.unitOfWork.run((tx) => tx.subscriptions.claim(name, filter, lease));

const advance = (storage: SubscriptionStorage, name: string, lease: Lease, from_id: number, to_id: number) =>
  storage.unitOfWork.run((tx) => tx.subscriptions.advance(name, lease, { from_id, to_id }));

const find = (storage: SubscriptionStorage, name: string) =>
  storage.unitOfWork.read((tx) => tx.subscriptions.find(name));

export const subscription_store_contract: readonly ContractRule<SubscriptionStorage>[] = [
  rule('a name is inserted once, and found and listed by name until it is deleted', async (here) => {
    const there = await anotherOf(here);
    const last = await insert(here, {
      name: `z-${`subscription-${uniqueNumber()}`}`,
      event_types: ['a', 'b'],
      company_id: 7,
    });
    const first = await insert(here, { name: `a-${`subscription-${uniqueNumber()}`}`, after_id: 3 });
    const again = { ...first, after_id: 9 };
    assertEqual(await there.unitOfWork.run((tx) => tx.subscriptions.insert(again)), false, 'a second insert');
    const expected = [first, last].map((row) => ({ ...row, lease_until_machine_ms: null }));
    const listed = await there.unitOfWork.read((tx) => tx.subscriptions.list());
    const own = listed.filter(({ name }) => name === first.name || name === last.name);
    assertEqual(own, expected, 'the list');
    assertEqual(await find(there, first.name), expected[0], 'the first');
    const remove = () => there.unitOfWork.run((tx) => tx.subscriptions.delete(first.name));
    assertEqual([await remove(), await remove()], [true, false], 'two removals');
    assertEqual(await find(here, first.name), null, 'after the removal');
    assertEqual(await claim(here, first.name, leaseOf('one')), null, 'a claim after the removal');
  }),
  rule('a lease excludes other tokens until it expires or is released, and not its own', async (here) => {
    const there = await anotherOf(here);
    const { name } = await insert(here, { after_id: 5 });
    const filter = { event_types: ['virtualcard.created'], company_id: 3 };
    assertEqual(await claim(here, name, leaseOf('one'), filter), 5, 'the first claim');
    const stored = await find(there, name);
    assertEqual(
      [stored?.event_types, stored?.company_id, stored?.lease_until_machine_ms],
      [filter.event_types, filter.company_id, now_ms + minute_ms],
      'what the owner asks for',
    );
    assertEqual(await claim(there, name, leaseOf('two', now_ms + minute_ms - 1)), null, 'before its end');
    assertEqual(await claim(here, name, leaseOf('one')), 5, 'again by the owner');
    assertEqual(await claim(there, name, leaseOf('two', now_ms + minute_ms)), 5, 'at its end');
    await here.unitOfWork.run((tx) => tx.subscriptions.release(name, 'one'));
    assertEqual(await claim(here, name, leaseOf('one', now_ms + minute_ms)), null, 'after a release by another');
    await there.unitOfWork.run((tx) => tx.subscriptions.release(name, 'two'));
    assertEqual(await claim(here, name, leaseOf('one')), 5, 'after its release');
  }),
  rule('a position moves only for the token that has the lease, and only from where it is', async (here) => {
    const there = await anotherOf(here);
    const { name } = await insert(here, { after_id: 5 });
    assertEqual(await advance(here, name, leaseOf('one'), 5, 6), false, 'without a lease');
    await claim(here, name, leaseOf('one'));
    assertEqual(await advance(there, name, leaseOf('two'), 5, 6), false, 'with another token');
    assertEqual(await advance(here, name, leaseOf('one'), 4, 6), false, 'from another position');
    assertEqual((await find(here, name))?.after_id, 5, 'the position');
    const later = leaseOf('one', now_ms + 1_000);
    assertEqual(await advance(here, name, later, 5, 8), true, 'by the owner');
    const moved = await find(there, name);
    assertEqual([moved?.after_id, moved?.lease_until_machine_ms], [8, later.until_machine_ms], 'after the move');
    assertEqual(await claim(there, name, leaseOf('two', later.until_machine_ms)), 8, 'taken over');
    assertEqual(await advance(here, name, leaseOf('one', later.until_machine_ms), 8, 9), false, 'by the former owner');
  }),
  rule('several positions move together, each as it would alone', async (here) => {
    const there = await anotherOf(here);
    const names = [];
    for (const place of [1, 2, 3, 4]) {
      const { name } = await insert(here, { after_id: 5 });
      if (place !== 4) await claim(here, name, leaseOf(`token ${place}`));
      names.push(name);
    }
    const later = now_ms + 1_000;
    const moves = names.map((name, at) => {
      // The second is another's, the third is elsewhere, the fourth has no lease.
      const lease = leaseOf(at === 1 ? 'another' : `token ${at + 1}`, later);
      return { name, lease, from_id: at === 2 ? 4 : 5, to_id: 6 + at };
    });
    const moved = await there.unitOfWork.run((tx) => tx.subscriptions.advanceAll(moves));
    assertEqual([...moved], [names[0]], 'the names that have moved');
    const found = [];
    for (const name of names) found.push(await find(here, name));
    assertEqual(
      found.map((row) => row?.after_id),
      [6, 5, 5, 5],
      'the positions',
    );
    assertEqual(found[0]?.lease_until_machine_ms, later + minute_ms, 'the extended lease');
    assertEqual([...(await here.unitOfWork.run((tx) => tx.subscriptions.advanceAll([])))], [], 'none');
  }),
  rule('a transaction that rolls back moves no position and keeps no lease', async (here) => {
    const { name } = await insert(here, { after_id: 5 });
    const rolled_back = here.unitOfWork.run(async ({ subscriptions }) => {
      await subscriptions.claim(name, every_event, leaseOf('one'));
      assertEqual(await subscriptions.advance(name, leaseOf('one'), { from_id: 5, to_id: 6 }), true, 'within');
      throw new Refusal('validation_failed', 'changed my mind');
    });
    await refusalOf(rolled_back, 'the transaction');
    assertEqual(await claim(here, name, leaseOf('two')), 5, 'the claim of another');
  }),
  rule('of racing claims one has the lease, and of racing moves from one position one succeeds', async (here) => {
    const there = await anotherOf(here);
    const { name } = await insert(here, { after_id: 5 });
    const tokens = ['one', 'two', 'three', 'four'];
    const claims = await Promise.all(tokens.map((token, at) => claim(at % 2 ? here : there, name, leaseOf(token))));
    assert(claims.filter((claimed) => claimed !== null).length <= 1, 'two tokens have the lease');
    const owner = tokens[claims.indexOf(5)] ?? 'five';
    assertEqual(await claim(here, name, leaseOf(owner)), 5, 'the owner');
    const moves = await Promise.all(
      [here, there, here, there].map((storage, at) => advance(storage, name, leaseOf(owner), 5, 10 + at)),
    );
    assertEqual(moves.filter(Boolean).length, 1, 'moves that succeeded');
    assertEqual((await find(here, name))?.after_id, 10 + moves.indexOf(true), 'the position');
  }),
  rule(
    'events are read in ascending order of id, those of the types and the company, at most the limit',
    async (here) => {
      const [own, other] = [await newCompany(here), await newCompany(here)];
      const [a, b] = ['virtualcard.created', 'virtualcard.deleted'];
      const from_id = await finalId(here);
      const ids = await appendOfTypes(here, own, [a, b, a, a]);
      const [foreign] = await appendOfTypes(here, other, [a]);
      const until_id = await finalId(here);
      const read = async (filter: Partial<SubscriptionFilter>, after_id: number, until: number, limit: number) => {
        const found = await here.unitOfWork.read((tx) =>
          tx.subscriptions.read({ ...every_event, ...filter }, after_id, until, limit),
        );
        return [idsOf(found.events), found.passed_id];
      };
      assertEqual(await read({}, from_id, until_id, 10), [[...ids, foreign], until_id], 'every event');
      assertEqual(await read({}, from_id, until_id, 2), [ids.slice(0, 2), ids[1]], 'the first two');
      assertEqual(await read({}, ids[0]!, ids[2]!, 10), [ids.slice(1, 3), ids[2]], 'between two ids');
      assertEqual(await read({ event_types: [b] }, from_id, until_id, 10), [[ids[1]], until_id], 'a type');
      assertEqual(await read({ company_id: other }, from_id, until_id, 10), [[foreign], until_id], 'a company');
      const own_a = { event_types: [a], company_id: own };
      assertEqual(await read(own_a, from_id, until_id, 3), [[ids[0], ids[2], ids[3]], ids[3]], 'both');
      assertEqual(await read(own_a, ids[3]!, until_id, 3), [[], until_id], 'after the last');
      assertEqual(await read({}, until_id, until_id - 1, 3), [[], until_id], 'until before the position');
      const { events } = await here.unitOfWork.read((tx) => tx.subscriptions.read(own_a, from_id, until_id, 1));
      assertEqual(events[0], await here.unitOfWork.read((tx) => tx.events.find(own, ids[0]!)), 'the whole event');
    },
  ),
  rule('one read passes over a bounded number of events, and the next continues there', async (here) => {
    const own = await newCompany(here);
    const from_id = await finalId(here);
    const common = Array.from({ length: subscription_window + 10 }, () => 'virtualcard.created');
    const ids = await appendOfTypes(here, own, [...common, 'virtualcard.deleted']);
    const until_id = await finalId(here);
    const rare = { event_types: ['virtualcard.deleted'], company_id: own };
    const read = (after_id: number) =>
      here.unitOfWork.read((tx) => tx.subscriptions.read(rare, after_id, until_id, 10));
    const first = await read(from_id);
    assertEqual([first.events.length, first.passed_id], [0, ids[subscription_window - 1]], 'the first read');
    const second = await read(first.passed_id);
    assertEqual([idsOf(second.events), second.passed_id], [[ids.at(-1)], until_id], 'the second read');
  }),
  rule('the lag counts the matching events after the position, and reports the age of the oldest', async (here) => {
    const own = await newCompany(here);
    const after_id = await finalId(here);
    const rare = 'virtualcard.deleted';
    const lag = (event_types: readonly string[] | null) =>
      here.unitOfWork.read((tx) => tx.subscriptions.lag({ after_id, event_types, company_id: own }));
    assertEqual(await lag(null), { waiting: 0, oldest_at_ms: null }, 'without events');
    await appendOfTypes(here, own, ['virtualcard.created', 'virtualcard.created']);
    await appendOfTypes(here, own, [rare], now_ms + 7);
    assertEqual(await lag(null), { waiting: 3, oldest_at_ms: now_ms }, 'every type');
    assertEqual(await lag([rare]), { waiting: 1, oldest_at_ms: now_ms + 7 }, 'one type');
    assertEqual(await lag(['ach.status']), { waiting: 0, oldest_at_ms: null }, 'a type without events');
    const many = Array.from({ length: lag_events_max }, () => 'virtualcard.created');
    await appendOfTypes(here, own, many, now_ms + 9);
    assertEqual(await lag(null), { waiting: lag_events_max, oldest_at_ms: now_ms }, 'more than are counted');
    const unknown = { waiting: 0, oldest_at_ms: now_ms + 9 };
    assertEqual(await lag(['ach.status']), unknown, 'when it is not known whether one waits');
  }),
  rule('the horizon contains every committed event, and later events are above its present', async (here) => {
    const there = await anotherOf(here);
    const company_id = await newCompany(here);
    const [earlier] = await appendOfTypes(here, company_id, ['virtualcard.created']);
    assert((await finalId(there)) >= earlier!, 'a committed event is above the horizon');
    const before = await there.event_horizon.now();
    assert(before >= earlier!, 'a committed event is above the present');
    const [later] = await appendOfTypes(here, company_id, ['virtualcard.created']);
    assert(later! > before, 'a later event is not above the present');
  }),
  rule('events that a subscription has not passed survive their retention time', async (here) => {
    const own = await newCompany(here);
    for (const { name } of await here.unitOfWork.read((tx) => tx.subscriptions.list())) {
      await here.unitOfWork.run((tx) => tx.subscriptions.delete(name));
    }
    const ids = await appendOfTypes(here, own, ['virtualcard.created', 'virtualcard.created', 'virtualcard.created']);
    await relayAll(here);
    const bounds = { before_ms: now_ms + 1, now_ms: now_ms + 1 };
    const due = async () => {
      const batch = await here.unitOfWork.read((tx) => tx.retention.due('events', bounds, ids[0]! - 1));
      return { batch, ids: batch.rows.map(({ id }) => id), left_id: batch.left_id };
    };
    assertEqual((await due()).ids, ids, 'without a subscription');
    const { batch } = await due();
    await insert(here, { after_id: ids[2]! });
    const { name } = await insert(here, { after_id: ids[0]! });
    const held = await due();
    assertEqual([held.ids, held.left_id], [[ids[0]], ids[1]], 'with one that has passed the first');
    const remove = () => here.unitOfWork.run((tx) => tx.retention.remove('events', bounds, batch.rows));
    assertEqual(await remove(), 1, 'removed of those that were due before');
    await here.unitOfWork.run((tx) => tx.subscriptions.delete(name));
    assertEqual(await remove(), 2, 'removed after it was deleted');
  }),
];
