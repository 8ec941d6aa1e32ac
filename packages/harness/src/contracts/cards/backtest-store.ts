import {
  type Backtest,
  type BacktestStore,
  backtest_lease_ms,
  backtests_kept_max,
  backtests_max,
  type CardAct,
  type Difference,
  no_changes,
} from '@tallystick/cards';
import { assert, type Lease, money } from '@tallystick/kernel';
import { assertEqual } from '../assertions.ts';
import { CardUnderTest } from '../ledger/card-under-test.ts';
import { releaseMessage } from '../ledger/network-messages.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import {
  everyPage,
  idsOf,
  makeCard,
  makeOwner,
  newCompany,
  type StorageUnderTest,
  sealedNumber,
} from '../storage/storage.ts';
import { uniqueNumber } from '../unique.ts';

const created_at_ms = 1_779_278_400_000;

function newBacktest(company_id: number, fields: Partial<Backtest> = {}): Omit<Backtest, 'id'> {
  return {
    company_id,
    vcn_id: null,
    change: { total_card_amount: money(500), currency: null },
    from_ms: 0,
    to_ms: created_at_ms,
    status: 'pending',
    error: null,
    last_card_id: 0,
    cards_done: 0,
    cards_total: 3,
    messages: 0,
    card_messages: 0,
    differences: 0,
    sums: [],
    created_at_ms,
    finished_at_ms: null,
    ...fields,
  };
}

function differenceOn(card_id: number, authorization_id: number): Difference {
  return {
    card_id,
    authorization_id,
    kind: 'declined',
    decided_at_ms: created_at_ms,
    message_type: '0100',
    amount: 10,
    currency: 'USD',
    merchant_id: 'M1',
    mcc: '5812',
    recorded: { code: 'V', broken_reason: null, facts: [{ name: 'amount', value: 10 }] },
    replayed: null,
  };
}

/** A lease that begins at this machine time. Each has a token of its own. */
function leaseAt(machine_ms: number): Lease {
  return { token: `lease-${uniqueNumber()}`, machine_ms, until_machine_ms: machine_ms + backtest_lease_ms };
}

type Within = Pick<StorageUnderTest, 'unitOfWork'>;

async function insert({ unitOfWork }: Within, backtest: Omit<Backtest, 'id'>): Promise<Backtest> {
  const inserted = await unitOfWork.run(({ backtests }) => backtests.insert(backtest));
  assert(inserted !== null, 'a backtest was refused');
  return inserted;
}

function claim({ unitOfWork }: Within, lease: Lease, id?: number): Promise<Backtest | null> {
  return unitOfWork.run(({ backtests }) => backtests.claim(lease, id));
}

function save({ unitOfWork }: Within, ...given: Parameters<BacktestStore['save']>): Promise<boolean> {
  return unitOfWork.run(({ backtests }) => backtests.save(...given));
}

/** Ends a backtest as the process that runs it. */
async function finish(storage: Within, { id }: Backtest): Promise<void> {
  const lease = leaseAt(0);
  const claimed = await claim(storage, lease, id);
  assert(claimed !== null, `backtest ${id} cannot be claimed`);
  const done = { ...claimed, status: 'completed', finished_at_ms: created_at_ms + 1 } as const;
  assert(await save(storage, done, lease.token, null, []), `backtest ${id} cannot be ended`);
}

async function foundOn({ unitOfWork }: Within, backtest_id: number): Promise<readonly number[]> {
  const list = (page: Parameters<BacktestStore['differences']>[1]) =>
    unitOfWork.read(({ backtests }) => backtests.differences(backtest_id, page));
  return (await everyPage(list, 2)).map(({ authorization_id }) => authorization_id);
}

async function newCards(storage: StorageUnderTest, count: number): Promise<readonly CardUnderTest[]> {
  return await storage.unitOfWork.run(async (tx) => {
    const owner = await makeOwner(tx);
    const cards: CardUnderTest[] = [];
    for (let made = 0; made < count; made += 1) {
      const number = sealedNumber();
      cards.push(new CardUnderTest(storage, await makeCard(tx, owner, {}, number), number.number_index));
    }
    return cards;
  });
}

export const backtest_store_contract: readonly ContractRule<StorageUnderTest>[] = [
  rule('a backtest is read as it was inserted and saved, by its company only, newest first', async (here) => {
    const there = await anotherOf(here);
    const [own, other] = [await newCompany(here), await newCompany(here)];
    const first = await insert(here, newBacktest(own));
    const second = await insert(here, newBacktest(own, { vcn_id: 7, from_ms: 5, change: { template_id: 3 } }));
    const find = (company_id: number) => there.unitOfWork.read((tx) => tx.backtests.find(company_id, first.id));
    assertEqual(await find(own), { ...newBacktest(own), id: first.id }, 'the backtest');
    assertEqual(await find(other), null, 'the backtest of another company');
    const list = (page: Parameters<BacktestStore['list']>[1]) =>
      there.unitOfWork.read((tx) => tx.backtests.list(own, page));
    assertEqual(await everyPage(list, 1), [second, first], 'the list');
    const lease = leaseAt(0);
    await claim(here, lease, first.id);
    const sum = { kind: 'declined', recorded: 'V', replayed: 'F', currency: 'USD', count: 2, amount: 30 } as const;
    const counted = { last_card_id: 9, cards_done: 2, messages: 70, card_messages: 5, differences: 2, sums: [sum] };
    const state = { ...first, ...counted, status: 'running' } as const;
    assert(await save(here, state, lease.token, lease.until_machine_ms, []), 'the lease holds');
    assertEqual(await find(own), state, 'the saved backtest');
  }),
  rule('a company has only a few that wait or run, also when many are asked for at the same time', async (here) => {
    const there = await anotherOf(here);
    const company_id = await newCompany(here);
    const asked = Array.from({ length: backtests_max + 4 }, (_, place) =>
      (place % 2 === 0 ? here : there).unitOfWork.run(({ backtests }) => backtests.insert(newBacktest(company_id))),
    );
    const made = (await Promise.all(asked)).flatMap((one) => one ?? []);
    assertEqual(made.length, backtests_max, 'how many were inserted');
    await finish(here, made[0]!);
    await here.unitOfWork.run(({ backtests }) => backtests.remove(company_id, made[1]!.id));
    await insert(here, newBacktest(company_id));
    await insert(there, newBacktest(company_id));
    const refused = await here.unitOfWork.run(({ backtests }) => backtests.insert(newBacktest(company_id)));
    assertEqual(refused, null, 'one more');
  }),
  rule('of those that have ended the oldest make room, and those that wait stay', async (here) => {
    const company_id = await newCompany(here);
    const waiting = await insert(here, newBacktest(company_id));
    const ended: number[] = [];
    for (let made = 1; made <= backtests_kept_max + 2; made += 1) {
      const one = await insert(here, newBacktest(company_id));
      await finish(here, one);
      ended.push(one.id);
    }
    const page = { limit: 100 };
    const { items } = await here.unitOfWork.read(({ backtests }) => backtests.list(company_id, page));
    assertEqual(idsOf(items), [...ended.slice(1).reverse(), waiting.id], 'the backtests that are kept');
  }),
  rule('of racing processes one claims a backtest, and others when its lease is over', async (here) => {
    const there = await anotherOf(here);
    for (let round = 0; round < 5; round += 1) {
      const { id } = await insert(here, newBacktest(await newCompany(here)));
      const leases = Array.from({ length: 6 }, () => leaseAt(1_000));
      const claims = await Promise.all(leases.map((lease, at) => claim(at % 2 === 0 ? here : there, lease, id)));
      assertEqual(
        claims.flatMap((one) => one?.status ?? []),
        ['running'],
        'the claims',
      );
      const token = leases[claims.findIndex((one) => one !== null)]!.token;
      const state = claims.find((one) => one !== null)!;
      assert(await save(there, state, token, 2_000 + backtest_lease_ms, []), 'the lease holds');
      assertEqual(await claim(there, leaseAt(1_000 + backtest_lease_ms), id), null, 'a claim after an extension');
      assertEqual((await claim(there, leaseAt(2_000 + backtest_lease_ms), id))?.id, id, 'a claim after the lease');
      assert(!(await save(here, state, token, null, [differenceOn(1, 1)])), 'the first lease is over');
      assertEqual(await foundOn(here, id), [], 'what the first process wrote afterwards');
    }
  }),
  rule('a claim continues after the last card that is done, without what was found on others', async (here) => {
    const company_id = await newCompany(here);
    const { id } = await insert(here, newBacktest(company_id));
    const lease = leaseAt(0);
    const claimed = (await claim(here, lease, id))!;
    const done = { ...claimed, last_card_id: 4, cards_done: 2, messages: 30, differences: 3 };
    const found = [differenceOn(3, 31), differenceOn(4, 41), differenceOn(4, 42), differenceOn(5, 51)];
    await save(here, { ...done, card_messages: 8 }, lease.token, lease.until_machine_ms, found.slice(0, 2));
    await save(here, { ...done, card_messages: 9 }, lease.token, lease.until_machine_ms, found.slice(2));
    assertEqual(await foundOn(here, id), [31, 41, 42, 51], 'what is found');
    const there = await anotherOf(here);
    assertEqual(await claim(there, leaseAt(backtest_lease_ms), id), done, 'the state that is continued');
    assertEqual(await foundOn(there, id), [31, 41, 42], 'what is left');
    const read = await there.unitOfWork.read(({ backtests }) => backtests.find(company_id, id));
    assertEqual(read, done, 'the stored state');
  }),
  rule('the one whose last turn was longest ago is claimed first', async (here) => {
    const made: number[] = [];
    for (let count = 0; count < 3; count += 1) made.push((await insert(here, newBacktest(await newCompany(here)))).id);
    const takeTurns = async (machine_ms: number) => {
      const order: number[] = [];
      for (;;) {
        const lease = leaseAt(machine_ms + order.length);
        const claimed = await claim(here, lease);
        if (claimed === null) return order;
        // Others are of other rules, and keep their leases.
        if (!made.includes(claimed.id)) continue;
        order.push(claimed.id);
        if (order.length === 1) await save(here, claimed, lease.token, lease.until_machine_ms + 10, []);
        if (order.length === made.length) return order;
      }
    };
    assertEqual(await takeTurns(10), made, 'the first turns');
    const [first, second, third] = made;
    assertEqual(await takeTurns(backtest_lease_ms + 100), [second, third, first], 'the next turns');
  }),
  rule('a removed backtest is not found, and the process that runs it loses its lease', async (here) => {
    const there = await anotherOf(here);
    const [company_id, other] = [await newCompany(here), await newCompany(here)];
    const { id } = await insert(here, newBacktest(company_id));
    const lease = leaseAt(0);
    const claimed = (await claim(there, lease, id))!;
    const remove = (company: number) => here.unitOfWork.run(({ backtests }) => backtests.remove(company, id));
    assertEqual(
      [await remove(other), await remove(company_id), await remove(company_id)],
      [false, true, false],
      'removals',
    );
    assertEqual(await save(there, claimed, lease.token, null, [differenceOn(1, 1)]), false, 'a save afterwards');
    const found = await there.unitOfWork.read(({ backtests }) => backtests.find(company_id, id));
    assertEqual([found, await foundOn(there, id)], [null, []], 'what is left');
    assertEqual(await claim(there, leaseAt(backtest_lease_ms), id), null, 'a claim afterwards');
  }),
  rule('a purge removes old and removed backtests in steps, and none that waits or runs', async (here) => {
    const { unitOfWork } = here;
    const company_id = await newCompany(here);
    const old = { created_at_ms: 1_000 };
    const [ended, running] = [
      await insert(here, newBacktest(company_id, old)),
      await insert(here, newBacktest(company_id, old)),
    ];
    const lease = leaseAt(0);
    const claimed = (await claim(here, lease, ended.id))!;
    const done = { ...claimed, status: 'completed', finished_at_ms: 1_001 } as const;
    await save(
      here,
      done,
      lease.token,
      null,
      [1, 2, 3, 4, 5].map((id) => differenceOn(1, id)),
    );
    const purge = (before_ms: number) => unitOfWork.run(({ backtests }) => backtests.purge(before_ms, 2));
    const purgeAll = async (before_ms: number) => {
      for (let removed = 1; removed > 0; ) {
        removed = await purge(before_ms);
        assert(removed <= 2, `a purge of 2 rows removed ${removed}`);
      }
    };
    await purgeAll(1_000);
    assertEqual((await foundOn(here, ended.id)).length, 5, 'what is kept of one that is not old');
    await purgeAll(1_001);
    const kept = await unitOfWork.read(({ backtests }) => backtests.list(company_id, { limit: 10 }));
    assertEqual([idsOf(kept.items), await foundOn(here, ended.id)], [[running.id], []], 'what is kept');
    await unitOfWork.run(({ backtests }) => backtests.remove(company_id, running.id));
    await purgeAll(0);
    assertEqual(await purge(0), 0, 'what is left to remove');
  }),
  rule('the cards of a company are read by rising id, with the rules of their templates', async (storage) => {
    const cards = await newCards(storage, 3);
    const { company_id } = cards[0]!;
    const read = (after_id: number, limit: number) =>
      storage.unitOfWork.read(({ backtests }) => backtests.cardsAfter(company_id, after_id, limit));
    const ids = async (...given: Parameters<typeof read>) => (await read(...given)).map(({ card }) => card.id);
    assertEqual(await ids(0, 2), idsOf(cards.slice(0, 2)), 'the first page');
    assertEqual(await ids(cards[1]!.id, 2), [cards[2]!.id], 'the second page');
    assertEqual(await ids(cards[2]!.id, 2), [], 'the page after the last one');
    assertEqual(await storage.unitOfWork.read((tx) => tx.backtests.countCards(company_id)), 3, 'their number');
    const [first] = await read(0, 1);
    const state = await cards[0]!.look(cards[0]!.authorization());
    assertEqual(
      [first!.card.template, first!.card.total_card_amount, first!.created_at_ms],
      [state.cards[0]!.template, 1_000, 0],
      'the first card',
    );
    const { template_id } = first!.card;
    const template = await storage.unitOfWork.read(({ backtests }) => backtests.replayedTemplate(template_id));
    assertEqual(template?.mcc_rule, first!.card.template.mcc_rule, 'its template');
    const unknown = await storage.unitOfWork.read(({ backtests }) => backtests.replayedTemplate(987_654_321));
    assertEqual(unknown, null, 'a template that does not exist');
  }),
  rule('the histories of several cards are read in pages, each from its place', async (storage) => {
    const [one, two, silent] = await newCards(storage, 3);
    const messages = { one: [] as number[], two: [] as number[] };
    for (const name of ['T1', 'T2', 'T3']) {
      messages.one.push((await one!.recordAuthorization(name)).id);
      messages.two.push((await two!.recordAuthorization(name)).id);
    }
    const clearings = { one: idsOf(await one!.recordClearings(3, {})), two: idsOf(await two!.recordClearings(2, {})) };
    const acts: CardAct[] = [];
    for (const id of messages.one) {
      await storage.ledger.pass([releaseMessage(one!.id, id)], (state) => {
        const act = { kind: 'release', authorization_id: id } as const;
        acts.push({ card_id: one!.id, event_id: state.event_ids[0]! + acts.length, at_ms: state.now_ms, act });
        return { changes: { ...no_changes, card_acts: acts.slice(-1) }, result: null };
      });
    }
    const there = await anotherOf(storage);
    type Place = { readonly card_id: number; readonly after_id: number };
    const places = (ones: number, twos: number): readonly Place[] => [
      { card_id: two!.id, after_id: twos },
      { card_id: silent!.id, after_id: 0 },
      { card_id: one!.id, after_id: ones },
    ];
    const pageOf = <Row extends { readonly card_id: number }>(rows: readonly Row[], idOf: (row: Row) => number) =>
      [one!, two!, silent!].map((card) => rows.filter(({ card_id }) => card_id === card.id).map(idOf));
    await there.unitOfWork.read(async ({ backtests }) => {
      const authorizations = async (at: readonly Place[]) =>
        pageOf(await backtests.authorizationsAfter(at, 2), ({ id }) => id);
      assertEqual(
        await authorizations(places(0, 0)),
        [messages.one.slice(0, 2), messages.two.slice(0, 2), []],
        'the first messages',
      );
      assertEqual(
        await authorizations(places(messages.one[1]!, messages.two[2]!)),
        [messages.one.slice(2), [], []],
        'the next messages',
      );
      const cleared = pageOf(await backtests.clearingsAfter(places(clearings.one[0]!, 0), 2), ({ id }) => id);
      assertEqual(cleared, [clearings.one.slice(1), clearings.two, []], 'the clearings');
      assertEqual(await backtests.actsAfter(places(0, 0), 2), acts.slice(0, 2), 'the first acts');
      assertEqual(await backtests.actsAfter(places(acts[1]!.event_id, 0), 2), acts.slice(2), 'the next acts');
    });
  }),
];
