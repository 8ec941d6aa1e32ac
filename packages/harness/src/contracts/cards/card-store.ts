import {
  type Authorization,
  type CardFilter,
  endCardVersion,
  type LedgerCard,
  no_changes,
  no_details,
  type VirtualCard,
} from '@tallystick/cards';
import { assert, money } from '@tallystick/kernel';
import { assertEqual } from '../assertions.ts';
import { freshCards } from '../ledger/card-under-test.ts';
import {
  authorizationMessage,
  clearingMessage,
  recordedAuthorization,
  recordOnce,
} from '../ledger/network-messages.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import {
  type CardStorage,
  type CardStores,
  everyPage,
  idsOf,
  makeCard,
  makeOwner,
  newCard,
  rising,
  sealedNumber,
} from '../storage/storage.ts';
import { uniqueNumber } from '../unique.ts';

/** Changes a card whose row is locked, as an update locks it. */
async function changeCard(tx: Pick<CardStores, 'cards'>, card: VirtualCard, changes: Partial<VirtualCard>) {
  const held = await tx.cards.find(card.company_id, card.id, { for_update: true });
  assert(held !== null, 'a card was not found for update');
  await tx.cards.update({ ...held, ...changes });
}

/**
 * Records authorizations on a card, as a pass does. `root` is the index of the root among them.
 * Null: no root. Absent: the authorization itself.
 */
async function recordOn(
  { ledger, unitOfWork }: CardStorage,
  card: VirtualCard,
  rows: readonly (Partial<Authorization> & { readonly root?: number | null })[],
): Promise<readonly number[]> {
  const { number_index } = await unitOfWork.read((tx) => tx.cards.number(card.id));
  const messages = rows.map((_, at) => authorizationMessage(number_index, { trace_id: `T${at}` }));
  return await ledger.pass(messages, (state) => {
    const ids = state.authorization_ids;
    const inserted = rows.map(({ root, ...fields }, at) => ({
      ...recordedAuthorization(state, state.cards[0]!, messages[at]!, { id: ids[at]!, is_approved: true }),
      root_id: root === null ? null : ids[root ?? at]!,
      ...fields,
    }));
    return { changes: { ...no_changes, authorizations_inserted: inserted }, result: ids };
  });
}

export const card_store_contract: readonly ContractRule<CardStorage>[] = [
  rule('a card is read as it was inserted, with its counters at zero', async ({ unitOfWork }) => {
    const owner = await unitOfWork.run(makeOwner);
    const variants: readonly Partial<VirtualCard>[] = [
      {},
      { ...no_details, notified: false, supplier_id: 99, transactions_max: null },
      {
        metadata: {},
        recurring: null,
        authorization_hold_days: 3,
        aging_velocity_time_zone: 'Europe/Paris',
        template_id: 2,
      },
      { currency: 'EUR', per_transaction_max_defaulted: false, per_transaction_max: money(1_000_000_000_000) },
    ];
    for (const changes of variants) {
      const card = await unitOfWork.run((tx) => makeCard(tx, owner, changes));
      const expected = {
        ...newCard(owner, changes),
        id: card.id,
        rcn_alias: 'Travel',
        billing_currency: 'USD',
        counters: {
          window_start_ms: 0,
          held: 0,
          cleared: 0,
          uses: 0,
          next_hold_end_ms: null,
          code_failures: 0,
          code_failures_on: null,
        },
      };
      assertEqual(card, expected, 'what was inserted');
      assertEqual(await unitOfWork.run((tx) => tx.cards.find(owner.company_id, card.id)), expected, 'what is found');
    }
  }),
  rule('a company finds neither the cards of another company nor their activity', async (storage) => {
    const { unitOfWork } = storage;
    const [mine, other] = [await unitOfWork.run(makeOwner), await unitOfWork.run(makeOwner)];
    const card = await unitOfWork.run((tx) => makeCard(tx, mine));
    await recordOn(storage, card, [{}]);
    await unitOfWork.run(async (tx) => {
      const { company_id } = other;
      assertEqual(await tx.cards.find(company_id, card.id), null, 'the card');
      assertEqual(await tx.cards.find(company_id, card.id, { for_update: true }), null, 'the card, for update');
      assertEqual((await tx.cards.list(company_id, {}, { limit: 10 })).items, [], 'the list');
      const authorizations = await tx.cards.authorizations(company_id, card.id, { limit: 10 });
      assertEqual(authorizations.items, [], 'the authorizations');
      assertEqual((await tx.cards.clearings(company_id, card.id, { limit: 10 })).items, [], 'the clearings');
    });
  }),
  rule('one insert of a number succeeds, also when inserts race; the others return null', async (storage) => {
    const other = await anotherOf(storage);
    const owner = await storage.unitOfWork.run(makeOwner);
    for (let round = 0; round < 5; round += 1) {
      const number = sealedNumber();
      const insert = (tx: CardStores) => tx.cards.insert(newCard(owner), number, 0);
      const cards = await Promise.all([
        ...Array.from({ length: 4 }, () => storage.unitOfWork.run(insert)),
        ...Array.from({ length: 4 }, () => other.unitOfWork.run(insert)),
      ]);
      assertEqual(cards.filter((card) => card !== null).length, 1, 'how many succeed');
      assertEqual(await storage.unitOfWork.run(insert), null, 'one more insert');
    }
  }),
  rule('an update writes the fields that it may change, and never the counters', async ({ unitOfWork }) => {
    const owner = await unitOfWork.run(makeOwner);
    const card = await unitOfWork.run((tx) => makeCard(tx, owner));
    const changes: Partial<VirtualCard> = {
      status: 'Canceled',
      canceled_at_ms: 8_001,
      template_id: 2,
      per_transaction_min: money(1),
      per_transaction_max: money(2),
      per_transaction_max_defaulted: false,
      total_card_amount: money(3),
      transactions_max: null,
      valid_starting_on: '2026-06-01',
      valid_ending_on: '2026-07-01',
      merchant_controls: null,
      ...no_details,
      notified: false,
      metadata: { other: true },
    };
    const counters = { ...card.counters, held: money(1), uses: 7, window_start_ms: 5 };
    await unitOfWork.run((tx) => changeCard(tx, card, { ...changes, counters }));
    const found = await unitOfWork.run((tx) => tx.cards.find(owner.company_id, card.id));
    assertEqual(found, { ...card, ...changes }, 'the card');
  }),
  rule(
    'a reset sets the wrong codes of a card of any company to none and changes nothing else',
    async ({ ledger, unitOfWork }) => {
      const card = await unitOfWork.run(async (tx) => makeCard(tx, await makeOwner(tx)));
      const other = await unitOfWork.run(async (tx) => makeCard(tx, await makeOwner(tx)));
      const numbers = await unitOfWork.read((tx) => tx.cards.numbers([card.id, other.id]));
      const messages = [...numbers.values()].map(({ number_index }) => authorizationMessage(number_index));
      const counters = {
        window_start_ms: 7,
        held: money(1),
        cleared: money(2),
        uses: 3,
        next_hold_end_ms: null,
        code_failures: 9,
        code_failures_on: '2026-05-20',
      };
      await ledger.pass(messages, ({ cards }) => ({
        changes: { ...no_changes, counters: cards.map(({ id }) => ({ card_id: id, counters })) },
        result: null,
      }));
      const find = ({ company_id, id }: VirtualCard) => unitOfWork.read((tx) => tx.cards.find(company_id, id));
      assertEqual(await unitOfWork.run((tx) => tx.cards.resetCodeFailures(card.id)), { ...card, counters }, 'before');
      const reset = { ...counters, code_failures: 0, code_failures_on: null };
      assertEqual(await find(card), { ...card, counters: reset }, 'after');
      assertEqual(await find(other), { ...other, counters }, 'another card');
      assertEqual(await unitOfWork.run((tx) => tx.cards.resetCodeFailures(999_999_999)), null, 'an unknown card');
    },
  ),
  rule('a reset of wrong codes locks the card until the end, so no concurrent pass is lost', async (storage) => {
    const other = await anotherOf(storage);
    const card = await storage.unitOfWork.run(async (tx) => makeCard(tx, await makeOwner(tx)));
    const { number_index } = await storage.unitOfWork.read((tx) => tx.cards.number(card.id));
    const useOnce = () => {
      const message = authorizationMessage(number_index);
      return other.ledger.pass([message], ({ cards }) => {
        const [{ id, counters }] = cards as [LedgerCard];
        const used = { ...counters, uses: counters.uses + 1 };
        return { changes: { ...no_changes, counters: [{ card_id: id, counters: used }] }, result: null };
      });
    };
    await Promise.all([
      ...Array.from({ length: 10 }, useOnce),
      ...Array.from({ length: 10 }, () => storage.unitOfWork.run((tx) => tx.cards.resetCodeFailures(card.id))),
    ]);
    const after = await storage.unitOfWork.read((tx) => tx.cards.find(card.company_id, card.id));
    assertEqual(after?.counters.uses, 10, 'the uses');
  }),
  rule('a card that is found for update is locked until the end, so no concurrent change is lost', async (storage) => {
    const processes = [storage, await anotherOf(storage)];
    const owner = await storage.unitOfWork.run(makeOwner);
    const card = await storage.unitOfWork.run((tx) => makeCard(tx, owner, { total_card_amount: money(0) }));
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        processes[at % 2]!.unitOfWork.run(async (tx) => {
          const held = await tx.cards.find(owner.company_id, card.id, { for_update: true });
          await tx.cards.update({ ...held!, total_card_amount: money(held!.total_card_amount + 1) });
        }),
      ),
    );
    const after = await storage.unitOfWork.run((tx) => tx.cards.find(owner.company_id, card.id));
    assertEqual(after?.total_card_amount, 20, 'the sum of 20 additions');
  }),
  rule(
    'a list contains the cards that meet every filter, newest first, on pages of any size',
    async ({ unitOfWork }) => {
      const owner = await unitOfWork.run(makeOwner);
      const { company_id, rcn_id } = owner;
      const cards = await unitOfWork.run(async (tx) => {
        const made: VirtualCard[] = [];
        for (let at = 0; at < 24; at += 1) {
          const details = {
            status: at % 2 === 0 ? 'Approved' : 'Canceled',
            template_id: 1 + (at % 3 === 0 ? 1 : 0),
            supplier_id: at % 4 === 0 ? null : at % 4,
            last4: `000${at % 5}`,
            metadata: { group: at % 2, name: `card ${at % 3}`, same: `card ${at % 3}` },
          } as const;
          made.unshift(await makeCard(tx, owner, details));
        }
        return made;
      });
      const filters: readonly (readonly [CardFilter, (card: VirtualCard) => boolean])[] = [
        [{}, () => true],
        [{ status: 'Canceled' }, ({ status }) => status === 'Canceled'],
        [{ status: 'canceled' }, () => false],
        [{ rcn_id }, () => true],
        [{ rcn_id: rcn_id + 1_000 }, () => false],
        [{ template_id: 2 }, ({ template_id }) => template_id === 2],
        [{ supplier_id: 3 }, ({ supplier_id }) => supplier_id === 3],
        [{ last4: '0004' }, ({ last4 }) => last4 === '0004'],
        [{ metadata: { group: '1' } }, ({ metadata }) => metadata?.group === 1],
        [{ metadata_value: '1' }, ({ metadata }) => metadata?.group === 1],
        [
          { metadata_value: 'card 2', status: 'Approved' },
          ({ metadata, status }) => metadata?.name === 'card 2' && status === 'Approved',
        ],
        [
          { metadata: { name: 'card 2', group: '0' } },
          ({ metadata }) => metadata?.group === 0 && metadata.name === 'card 2',
        ],
        [
          { status: 'Approved', last4: '0002', metadata: { group: '0' } },
          ({ status, last4, metadata }) => status === 'Approved' && last4 === '0002' && metadata?.group === 0,
        ],
      ];
      for (const [filter, meets] of filters) {
        const expected = cards.filter(meets);
        const what = JSON.stringify(filter);
        const found = await everyPage((page) => unitOfWork.read((tx) => tx.cards.list(company_id, filter, page)), 5);
        assertEqual(found, expected, what);
        const skipped = await unitOfWork.read((tx) => tx.cards.list(company_id, filter, { limit: 3, offset: 2 }));
        assertEqual(skipped.items, expected.slice(2, 5), `${what} after an offset`);
      }
    },
  ),
  rule('a list contains the cards that are frozen, or those that are not, on pages of any size', async (storage) => {
    const cards = (await freshCards(storage, 12)).toReversed();
    const { company_id } = cards[0]!;
    const frozen = cards.filter((_, at) => at % 3 === 0);
    for (const card of frozen) await card.setFrozen(5_000);
    await frozen.at(-1)!.setFrozen(null);
    const expected = {
      true: idsOf(frozen.slice(0, -1)),
      false: idsOf(cards.filter((card) => !frozen.slice(0, -1).includes(card))),
    };
    for (const is_frozen of [true, false]) {
      for (const others of [{}, { status: 'Approved' }]) {
        const filter = { ...others, frozen: is_frozen };
        const found = await everyPage(
          (page) => storage.unitOfWork.read((tx) => tx.cards.list(company_id, filter, page)),
          2,
        );
        assertEqual(idsOf(found), expected[`${is_frozen}`], JSON.stringify(filter));
      }
      const none = { frozen: is_frozen, status: 'Canceled' };
      assertEqual(
        (await storage.unitOfWork.read((tx) => tx.cards.list(company_id, none, { limit: 5 }))).items,
        [],
        'none',
      );
    }
  }),
  rule('cards of all companies are found by digits, metadata and id, newest first', async ({ unitOfWork }) => {
    const metadata = { order: `O ${uniqueNumber()}` };
    const [one, two, other] = await unitOfWork.run(async (tx) => {
      const owners = [await makeOwner(tx), await makeOwner(tx)] as const;
      const of_one = await makeCard(tx, owners[0], { last4: '7171', metadata });
      const of_two = await makeCard(tx, owners[1], { last4: '7171', metadata });
      return [of_one, of_two, await makeCard(tx, owners[0], { last4: '7272', metadata: null })];
    });
    await unitOfWork.read(async (tx) => {
      const find = async (filter: CardFilter) =>
        idsOf(
          await everyPage(
            (page) => tx.cards.list(null, { ...filter, metadata: { ...metadata, ...filter.metadata } }, page),
            1,
          ),
        );
      assertEqual(await find({}), [two.id, one.id], 'by metadata');
      assertEqual(await find({ last4: '7171' }), [two.id, one.id], 'by digits, too');
      assertEqual(await find({ last4: '7272' }), [], 'by other digits');
      assertEqual(await find({ ids: [one.id, other.id] }), [one.id], 'by id, too');
      assertEqual(
        idsOf((await tx.cards.list(null, { ids: [other.id, two.id] }, { limit: 5 })).items),
        [other.id, two.id],
        'by id',
      );
      assertEqual(
        idsOf((await tx.cards.list(one.company_id, { ids: [two.id] }, { limit: 5 })).items),
        [],
        'of another company',
      );
      assertEqual((await tx.cards.find(null, two.id))?.company_id, two.company_id, 'the card');
    });
    await unitOfWork.run((tx) => changeCard(tx, one, { metadata: null }));
    const { items } = await unitOfWork.read((tx) => tx.cards.list(null, { metadata }, { limit: 5 }));
    assertEqual(idsOf(items), [two.id], 'after its metadata was removed');
  }),
  rule('metadata is found by any name and any length, as the last update wrote it', async ({ unitOfWork }) => {
    const owner = await unitOfWork.run(makeOwner);
    const long = 'x'.repeat(8_000);
    const metadata = {
      [long]: 'v',
      text: long,
      flag: true,
      list: [1, { a: 'b' }],
      none: null,
      '"$.quoted"': "o'clock",
      n: 1e21,
    };
    const card = await unitOfWork.run((tx) => makeCard(tx, owner, { metadata }));
    const count = (filter: Readonly<Record<string, string>>) =>
      unitOfWork.read(
        async (tx) => (await tx.cards.list(owner.company_id, { metadata: filter }, { limit: 5 })).items.length,
      );
    const found = {
      [long]: 'v',
      text: long,
      flag: 'true',
      list: '[1,{"a":"b"}]',
      '"$.quoted"': "o'clock",
      n: '1e+21',
    };
    for (const [name, value] of Object.entries(found)) {
      assertEqual(await count({ [name]: value }), 1, name.slice(0, 20));
    }
    assertEqual(await count(found), 1, 'all of them');
    for (const absent of [{ none: 'null' }, { flag: '1' }, { text: 'x' }, { missing: 'v' }, { toString: 'v' }]) {
      assertEqual(await count(absent as Record<string, string>), 0, JSON.stringify(absent).slice(0, 40));
    }
    await unitOfWork.run((tx) => changeCard(tx, card, { metadata: { flag: false } }));
    assertEqual([await count({ flag: 'true' }), await count({ flag: 'false' })], [0, 1], 'after an update');
    await unitOfWork.run((tx) => changeCard(tx, card, { metadata: null }));
    assertEqual(await count({ flag: 'false' }), 0, 'after the metadata was removed');
  }),
  rule('numbers are read as they were sealed', async ({ unitOfWork }) => {
    const [one, two] = [sealedNumber(), sealedNumber()];
    await unitOfWork.run(async (tx) => {
      const owner = await makeOwner(tx);
      const first = await makeCard(tx, owner, {}, one);
      const second = await makeCard(tx, owner, {}, two);
      assertEqual(await tx.cards.number(first.id), one, 'one number');
      const numbers = await tx.cards.numbers([second.id, first.id]);
      assertEqual([numbers.size, numbers.get(first.id), numbers.get(second.id)], [2, one, two], 'two numbers');
      assertEqual((await tx.cards.numbers([])).size, 0, 'no numbers');
      const strange = sealedNumber().number_index;
      const known = await tx.cards.knownNumbers([two.number_index, strange, one.number_index]);
      const hex = known.map((index) => Buffer.from(index).toString('hex')).toSorted();
      const expected = [one, two].map(({ number_index }) => Buffer.from(number_index).toString('hex')).toSorted();
      assertEqual(hex, expected, 'the indexes that belong to a card');
      assertEqual(await tx.cards.knownNumbers([]), [], 'of no indexes');
    });
  }),
  rule(
    'numbers that other keys sealed are found in ascending order of card id, until none is left',
    async ({ unitOfWork }) => {
      const keys = ['old-b', 'new', 'old-a', 'old-b', 'new', 'old-c', 'old-a'];
      const made = await unitOfWork.run(async (tx) => {
        const owner = await makeOwner(tx);
        const cards = [];
        for (const key of keys) {
          const number = sealedNumber(key);
          cards.push({ id: (await makeCard(tx, owner, {}, number)).id, key, number });
        }
        return cards;
      });
      const resealed: number[] = [];
      for (let is_done = false; !is_done; ) {
        await unitOfWork.run(async (tx) => {
          const batch = await tx.cards.sealedByOtherKeys('new', 2, { wait: true });
          assert(batch.length <= 2, 'more numbers were returned than the limit');
          const card_ids = batch.map(({ card_id }) => card_id);
          assertEqual(card_ids, rising(card_ids), 'the order of the card ids');
          const sealed = (card_id: number) => new Uint8Array([0, card_id % 256, 255]);
          await tx.cards.reseal(
            batch.map(({ card_id, number }) => ({
              card_id,
              number: { ...number, number_sealed: sealed(card_id), number_key_id: 'new' },
            })),
          );
          resealed.push(...card_ids);
          is_done = batch.length === 0;
        });
      }
      for (const { id, key, number } of made) {
        const expected =
          key === 'new'
            ? number
            : { ...number, number_sealed: new Uint8Array([0, id % 256, 255]), number_key_id: 'new' };
        assertEqual(await unitOfWork.run((tx) => tx.cards.number(id)), expected, `a number that ${key} sealed`);
        assertEqual(resealed.includes(id), key !== 'new', `whether a number of ${key} was resealed`);
      }
    },
  ),
  rule('two concurrent rotations reseal each number once and omit none', async (storage) => {
    const ids = await storage.unitOfWork.run(async (tx) => {
      const owner = await makeOwner(tx);
      const made: number[] = [];
      for (let at = 0; at < 30; at += 1) made.push((await makeCard(tx, owner, {}, sealedNumber('aged'))).id);
      return made;
    });
    const times = new Map<number, number>();
    const rotate = async ({ unitOfWork }: CardStorage) => {
      for (let is_done = false; !is_done; ) {
        const batch = await unitOfWork.run(async (tx) => {
          const found = await tx.cards.sealedByOtherKeys('fresh', 4, { wait: true });
          await tx.cards.reseal(
            found.map(({ card_id, number }) => ({ card_id, number: { ...number, number_key_id: 'fresh' } })),
          );
          return found.map(({ card_id }) => card_id);
        });
        for (const id of batch) times.set(id, (times.get(id) ?? 0) + 1);
        is_done = batch.length === 0;
      }
    };
    await Promise.all([rotate(storage), rotate(await anotherOf(storage))]);
    assertEqual(
      ids.map((id) => times.get(id)),
      ids.map(() => 1),
      'how often each number was resealed',
    );
  }),
  rule(
    'the newest authorizations of each card are listed newest first, with the status of their root',
    async (storage) => {
      const { unitOfWork } = storage;
      const owner = await unitOfWork.run(makeOwner);
      const [one, two, none] = await unitOfWork.run(async (tx) => [
        await makeCard(tx, owner),
        await makeCard(tx, owner),
        await makeCard(tx, owner),
      ]);
      const of_one = await recordOn(storage, one!, [
        { status: 'partially_cleared' },
        { root: 0, message_type: '0400', status: 'reversed' },
        { root: 0, status: 'declined', decline_code: 'F' },
        { root: null, message_type: '0400', status: 'reversed', details: { mcc: '5812' } },
      ]);
      const of_two = await recordOn(storage, two!, [{}, {}, {}, {}]);
      await unitOfWork.read(async (tx) => {
        const newest = await tx.cards.newestAuthorizations([two!.id, one!.id, none!.id], 3);
        assertEqual(
          newest.get(one!.id)?.map(({ id, status }) => [id, status]),
          [
            [of_one[3], 'reversed'],
            [of_one[2], 'declined'],
            [of_one[1], 'partially_cleared'],
          ],
          'the newest of one card',
        );
        assertEqual(idsOf(newest.get(two!.id) ?? []), of_two.slice(1).toReversed(), 'the newest of another card');
        assertEqual(newest.get(none!.id), [], 'the newest of a card without any');
        assertEqual(newest.get(one!.id)?.[0]?.details, { mcc: '5812' }, 'the details');
        assertEqual(newest.get(one!.id)?.[0]?.incremental, false, 'a flag');
        assertEqual((await tx.cards.newestAuthorizations([], 3)).size, 0, 'the newest of no card');

        const found = await everyPage((page) => tx.cards.authorizations(owner.company_id, one!.id, page), 3);
        assertEqual(idsOf(found), of_one.toReversed(), 'all pages');
        assertEqual(found[2]?.status, 'partially_cleared', 'the status of a child in a list');
        const page = { limit: 2, offset: 1 };
        const skipped = await tx.cards.authorizations(owner.company_id, two!.id, page);
        assertEqual(idsOf(skipped.items), [of_two[2], of_two[1]], 'a page after an offset');

        const one_message = await tx.cards.findAuthorization(owner.company_id, of_one[1]!);
        assertEqual(one_message, found[2], 'a message by its id');
        assertEqual(await tx.cards.findAuthorization(owner.company_id + 1, of_one[1]!), null, 'of another company');
        assertEqual(await tx.cards.findAuthorization(owner.company_id, 999_999_999), null, 'an unknown id');
      });
    },
  ),
  rule('the newest clearings of each card are listed newest first', async (storage) => {
    const { unitOfWork } = storage;
    const owner = await unitOfWork.run(makeOwner);
    const [card, none] = await unitOfWork.run(async (tx) => [await makeCard(tx, owner), await makeCard(tx, owner)]);
    const { number_index } = await unitOfWork.read((tx) => tx.cards.number(card!.id));
    for (let at = 0; at < 4; at += 1) {
      const id = `F-newest-${card!.id}-${at}`;
      const message = clearingMessage(number_index, { network_financial_transaction_id: id });
      await storage.ledger.pass([message], recordOnce(message));
    }
    await unitOfWork.read(async (tx) => {
      const all = await everyPage((page) => tx.cards.clearings(owner.company_id, card!.id, page), 3);
      const names = all.map(({ network_financial_transaction_id }) => network_financial_transaction_id.at(-1));
      assertEqual(names, ['3', '2', '1', '0'], 'all pages');
      const newest = await tx.cards.newestClearings([none!.id, card!.id], 3);
      assertEqual(newest.get(card!.id), all.slice(0, 3), 'the newest');
      assertEqual(newest.get(none!.id), [], 'the newest of a card without any');
      assertEqual((await tx.cards.newestClearings([], 3)).size, 0, 'the newest of no card');
      const [latest, , , first] = all;
      const wanted = [latest!.id, 999_999_999, first!.id, latest!.id];
      assertEqual(await tx.cards.findClearings(wanted), [first, latest], 'by id');
      assertEqual(await tx.cards.findClearings([]), [], 'by no id');
    });
  }),
  rule(
    'ended holds of open authorizations in the window of the counters are summed, and the next end is found, by card',
    async (storage) => {
      const { unitOfWork } = storage;
      const owner = await unitOfWork.run(makeOwner);
      const [one, none] = await unitOfWork.run(async (tx) => [await makeCard(tx, owner), await makeCard(tx, owner)]);
      await recordOn(storage, one!, [
        { hold_end_ms: 5_000, held: money(50) },
        { hold_end_ms: 6_000, held: money(60) },
        { hold_end_ms: 7_000, held: money(70) },
        { hold_end_ms: 1_000, held: money(1_000), status: 'expired' },
        { hold_end_ms: 1_000, held: money(3), status: 'partially_cleared' },
        { hold_end_ms: null, held: money(9) },
        { hold_end_ms: 1_000, held: money(2_000), window_start_ms: -1 },
        { hold_end_ms: 6_500, held: money(5), window_start_ms: -1 },
        { hold_end_ms: 6_500, held: money(0) },
        { hold_end_ms: 6_500, held: money(5), status: 'reversed' },
      ]);
      await recordOn(storage, none!, [{ hold_end_ms: null, held: money(9) }]);
      await unitOfWork.read(async (tx) => {
        const at = async (now_ms: number) => {
          const ends = await tx.cards.holdEnds([one!.id, none!.id], now_ms);
          assertEqual(ends.get(none!.id), { held_past_end: 0, next_hold_end_ms: null }, 'holds without an end');
          return ends.get(one!.id);
        };
        assertEqual(await at(6_000), { held_past_end: 50 + 60 + 3, next_hold_end_ms: 7_000 }, 'at the end of two');
        assertEqual(await at(5_999), { held_past_end: 50 + 3, next_hold_end_ms: 6_000 }, 'before an end');
        assertEqual(await at(7_000), { held_past_end: 50 + 60 + 3 + 70, next_hold_end_ms: null }, 'after all ends');
        assertEqual((await tx.cards.holdEnds([], 6_000)).size, 0, 'the ends of no card');
      });
    },
  ),
  rule('the versions of a card, of a change or of a pass, are read newest first, below a number', async (storage) => {
    const { ledger, unitOfWork } = storage;
    const owner = await unitOfWork.run(makeOwner);
    const [card, other] = await unitOfWork.run(async (tx) => [await makeCard(tx, owner), await makeCard(tx, owner)]);
    const by = { now_ms: 8_000, actor: 'key:1', request_id: 'r-1' };
    const ended = [1, 2, 3].map((controls_version) => endCardVersion({ ...card!, controls_version }, by));
    await unitOfWork.run(async (tx) => {
      const held = await tx.cards.find(card!.company_id, card!.id, { for_update: true });
      await tx.cards.keepVersion(ended[0]!);
      await tx.cards.update({ ...held!, controls_version: 2 });
      await tx.cards.find(other!.company_id, other!.id, { for_update: true });
      await tx.cards.keepVersion(endCardVersion(other!, by));
    });
    const { number_index } = await unitOfWork.read((tx) => tx.cards.number(card!.id));
    const number = await ledger.pass([authorizationMessage(number_index)], (state) => ({
      changes: { ...no_changes, card_versions: ended.slice(1) },
      result: state.cards[0]!.controls_version,
    }));
    assertEqual(number, 2, 'the number that the pass loads');
    await unitOfWork.read(async (tx) => {
      assertEqual((await tx.cards.find(card!.company_id, card!.id))?.controls_version, 4, 'the number after the pass');
      assertEqual((await tx.cards.find(other!.company_id, other!.id))?.controls_version, 1, 'that of the other card');
      assertEqual(await tx.cards.versionsBelow(card!.id, 4, 2), [ended[2], ended[1]], 'the newest two');
      assertEqual(await tx.cards.versionsBelow(card!.id, 3, 5), [ended[1], ended[0]], 'those below 3');
      assertEqual(await tx.cards.versionsBelow(card!.id, 1, 5), [], 'those below the first');
    });
  }),
];
