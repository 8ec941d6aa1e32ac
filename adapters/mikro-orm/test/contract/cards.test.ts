import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CardFilter, SealedNumber, VirtualCard } from '@tallystick/cards';
import { money, type Page, type PageRequest } from '@tallystick/kernel';
import { connect } from '../../src/connection/connection.ts';
import type { Persistence } from '../../src/index.ts';
import { makeCard, makeCompanyWithRealCard, newCard, noon_ms, onEveryDatabase, sealedNumber } from './fixture.ts';

onEveryDatabase('the store of virtual cards', (fixture, name) => {
  it('gives a card back as it was inserted, with its counters at zero', async () => {
    const { company_id, rcn_id } = await fixture().run(makeCompanyWithRealCard);
    const variants = [
      {},
      { emails: null, notified: false, network_data: null, metadata: null, supplier_id: 99, transactions_max: null },
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
      const card = await fixture().run((tx) => makeCard(tx, company_id, rcn_id, changes));
      assert.deepEqual(card, {
        ...newCard(company_id, rcn_id, changes),
        id: card.id,
        rcn_alias: 'Travel',
        billing_currency: 'USD',
        counters: { window_start_ms: 0, held: 0, cleared: 0, uses: 0, next_hold_end_ms: null },
      });
      assert.deepEqual(await fixture().run((tx) => tx.cards.find(company_id, card.id)), card);
    }
  });

  it('shows a company no card of another', async () => {
    const mine = await fixture().run(makeCompanyWithRealCard);
    const other = await fixture().run(makeCompanyWithRealCard);
    const card = await fixture().run((tx) => makeCard(tx, mine.company_id, mine.rcn_id));
    await fixture().run(async (tx) => {
      assert.equal(await tx.cards.find(other.company_id, card.id), null);
      assert.equal(await tx.cards.find(other.company_id, card.id, { for_update: true }), null);
      assert.deepEqual((await tx.cards.list(other.company_id, {}, { limit: 10 })).items, []);
      assert.deepEqual((await tx.cards.authorizations(other.company_id, card.id, { limit: 10 })).items, []);
      assert.deepEqual((await tx.cards.clearings(other.company_id, card.id, { limit: 10 })).items, []);
    });
  });

  it('answers null for a number that is taken, also when it is taken at the same time', async () => {
    const { company_id, rcn_id } = await fixture().run(makeCompanyWithRealCard);
    const other = await fixture().another();
    for (let round = 0; round < 5; round += 1) {
      const number = sealedNumber();
      const insert = (tx: Parameters<Parameters<typeof other.unitOfWork.run>[0]>[0]) =>
        tx.cards.insert(newCard(company_id, rcn_id), number, 0);
      const cards = await Promise.all([
        ...Array.from({ length: 4 }, () => fixture().run(insert)),
        ...Array.from({ length: 4 }, () => other.unitOfWork.run(insert)),
      ]);
      assert.equal(cards.filter((card) => card !== null).length, 1);
      assert.equal(await fixture().run(insert), null);
    }
  });

  it('writes what an update may change, and never the counters', async () => {
    const { company_id, rcn_id } = await fixture().run(makeCompanyWithRealCard);
    const card = await fixture().run((tx) => makeCard(tx, company_id, rcn_id));
    const changed: VirtualCard = {
      ...card,
      status: 'Canceled',
      canceled_at_ms: noon_ms + 1,
      template_id: 2,
      per_transaction_min: money(1),
      per_transaction_max: money(2),
      per_transaction_max_defaulted: false,
      total_card_amount: money(3),
      transactions_max: null,
      valid_starting_on: '2026-06-01',
      valid_ending_on: '2026-07-01',
      emails: null,
      notified: false,
      network_data: null,
      metadata: { other: true },
    };
    await fixture().run((tx) =>
      tx.cards.update({ ...changed, counters: { ...card.counters, held: money(1), uses: 7, window_start_ms: 5 } }),
    );
    assert.deepEqual(await fixture().run((tx) => tx.cards.find(company_id, card.id)), changed);
  });

  it('holds a card found for update until the end, so that two changes of it both last', async () => {
    const { company_id, rcn_id } = await fixture().run(makeCompanyWithRealCard);
    const card = await fixture().run((tx) => makeCard(tx, company_id, rcn_id, { total_card_amount: money(0) }));
    const processes = [fixture().persistence, await fixture().another()];
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        processes[at % 2]!.unitOfWork.run(async (tx) => {
          const held = await tx.cards.find(company_id, card.id, { for_update: true });
          await tx.cards.update({ ...held!, total_card_amount: money(held!.total_card_amount + 1) });
        }),
      ),
    );
    const after = await fixture().run((tx) => tx.cards.find(company_id, card.id));
    assert.equal(after?.total_card_amount, 20);
  });

  describe('lists', () => {
    it('the cards that meet every filter, newest first, on pages that leave none out', async () => {
      const { company_id, rcn_id } = await fixture().run(makeCompanyWithRealCard);
      const cards = await fixture().run(async (tx) => {
        const made: VirtualCard[] = [];
        for (let at = 0; at < 24; at += 1) {
          made.push(
            await makeCard(tx, company_id, rcn_id, {
              status: at % 2 === 0 ? 'Approved' : 'Canceled',
              template_id: 1 + (at % 3 === 0 ? 1 : 0),
              supplier_id: at % 4 === 0 ? null : at % 4,
              last4: `000${at % 5}`,
              metadata: { group: at % 2, name: `card ${at % 3}` },
            }),
          );
        }
        return made.toReversed();
      });
      const filters: readonly [CardFilter, (card: VirtualCard) => boolean][] = [
        [{}, () => true],
        [{ status: 'Canceled' }, ({ status }) => status === 'Canceled'],
        [{ status: 'canceled' }, () => false],
        [{ rcn_id }, () => true],
        [{ rcn_id: rcn_id + 1_000 }, () => false],
        [{ template_id: 2 }, ({ template_id }) => template_id === 2],
        [{ supplier_id: 3 }, ({ supplier_id }) => supplier_id === 3],
        [{ last4: '0004' }, ({ last4 }) => last4 === '0004'],
        [{ metadata: { group: '1' } }, ({ metadata }) => metadata?.group === 1],
        [
          { metadata: { name: 'card 2', group: '0' } },
          (card) => card.metadata?.group === 0 && card.metadata.name === 'card 2',
        ],
        [
          { status: 'Approved', last4: '0002', metadata: { group: '0' } },
          (card) => card.status === 'Approved' && card.last4 === '0002',
        ],
      ];
      const list = (filter: CardFilter, page: PageRequest) =>
        fixture().persistence.unitOfWork.read((tx) => tx.cards.list(company_id, filter, page));
      for (const [filter, meets] of filters) {
        const expected = cards.filter(meets);
        const found: VirtualCard[] = [];
        let page: Page<VirtualCard> = { items: [], next: null };
        do {
          page = await list(filter, { limit: 5, ...(page.next === null ? {} : { after: page.next }) });
          found.push(...page.items);
        } while (page.next !== null);
        assert.deepEqual(found, expected, JSON.stringify(filter));
        assert.deepEqual((await list(filter, { limit: 3, offset: 2 })).items, expected.slice(2, 5));
      }
    });

    it('by metadata as it stands, of any name and any length', async () => {
      const { company_id, rcn_id } = await fixture().run(makeCompanyWithRealCard);
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
      const card = await fixture().run((tx) => makeCard(tx, company_id, rcn_id, { metadata }));
      const count = async (filter: Readonly<Record<string, string>>) =>
        (await fixture().run((tx) => tx.cards.list(company_id, { metadata: filter }, { limit: 5 }))).items.length;
      const found = {
        [long]: 'v',
        text: long,
        flag: 'true',
        list: '[1,{"a":"b"}]',
        '"$.quoted"': "o'clock",
        n: '1e+21',
      };
      for (const [name, value] of Object.entries(found))
        assert.equal(await count({ [name]: value }), 1, name.slice(0, 20));
      assert.equal(await count(found), 1);
      for (const absent of [{ none: 'null' }, { flag: '1' }, { text: 'x' }, { missing: 'v' }]) {
        assert.equal(await count(absent), 0, JSON.stringify(absent).slice(0, 40));
      }
      await fixture().run((tx) => tx.cards.update({ ...card, metadata: { flag: false } }));
      assert.deepEqual([await count({ flag: 'true' }), await count({ flag: 'false' })], [0, 1]);
      await fixture().run((tx) => tx.cards.update({ ...card, metadata: null }));
      assert.equal(await count({ flag: 'false' }), 0);
    });
  });

  describe('keeps numbers', () => {
    const bytes = ({ number_sealed, number_key_id, number_index }: SealedNumber) => [
      Buffer.from(number_sealed).toString('hex'),
      number_key_id,
      Buffer.from(number_index).toString('hex'),
    ];

    it('and gives them back as they were sealed', async () => {
      const { company_id, rcn_id } = await fixture().run(makeCompanyWithRealCard);
      const [one, two] = [sealedNumber(), sealedNumber()];
      await fixture().run(async (tx) => {
        const first = await makeCard(tx, company_id, rcn_id, {}, one);
        const second = await makeCard(tx, company_id, rcn_id, {}, two);
        assert.deepEqual(bytes(await tx.cards.number(first.id)), bytes(one));
        const numbers = await tx.cards.numbers([second.id, first.id]);
        assert.deepEqual([bytes(numbers.get(first.id)!), bytes(numbers.get(second.id)!)], [bytes(one), bytes(two)]);
        assert.equal((await tx.cards.numbers([])).size, 0);
      });
    });

    it('and names those that other keys sealed, by rising card id, until none is left', async () => {
      const { company_id, rcn_id } = await fixture().run(makeCompanyWithRealCard);
      const keys = ['old-b', 'new', 'old-a', 'old-b', 'new', 'old-c', 'old-a'];
      const ids = await fixture().run(async (tx) => {
        const made: number[] = [];
        for (const key of keys) made.push((await makeCard(tx, company_id, rcn_id, {}, sealedNumber(key))).id);
        return made;
      });
      const resealed: number[] = [];
      for (let empty = false; !empty; ) {
        await fixture().run(async (tx) => {
          const batch = await tx.cards.sealedByOtherKeys('new', 2, { wait: true });
          assert(batch.length <= 2);
          const card_ids = batch.map(({ card_id }) => card_id);
          assert.deepEqual(
            card_ids,
            card_ids.toSorted((a, b) => a - b),
          );
          await tx.cards.reseal(
            batch.map(({ card_id, number }) => ({
              card_id,
              number: { ...number, number_sealed: new Uint8Array([0, card_id % 256, 255]), number_key_id: 'new' },
            })),
          );
          resealed.push(...card_ids);
          empty = batch.length === 0;
        });
      }
      for (const [at, id] of ids.entries()) {
        const { number_sealed, number_key_id } = await fixture().run((tx) => tx.cards.number(id));
        assert.equal(number_key_id, 'new');
        if (keys[at] !== 'new') {
          assert(resealed.includes(id));
          assert.deepEqual([...number_sealed], [0, id % 256, 255]);
        }
      }
    });

    // On SQLite the other transaction would hold the whole database.
    if (name === 'postgres') {
      it('and passes over those that another rotation holds, unless it is told to wait', async () => {
        const { company_id, rcn_id } = await fixture().run(makeCompanyWithRealCard);
        const card = await fixture().run((tx) => makeCard(tx, company_id, rcn_id, {}, sealedNumber('held')));
        const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const holder = fixture().run(async (tx) => {
          await tx.cards.sealedByOtherKeys('new', 100);
          started.resolve();
          await ended.promise;
        });
        await started.promise;
        const other = await fixture().another();
        assert.deepEqual(await other.unitOfWork.run((tx) => tx.cards.sealedByOtherKeys('new', 100)), []);
        const waiting = other.unitOfWork.run((tx) => tx.cards.sealedByOtherKeys('new', 100, { wait: true }));
        ended.resolve();
        await holder;
        assert((await waiting).some(({ card_id }) => card_id === card.id));
      });
    }

    it('so that of two rotations at once each number is sealed anew by one, and none is lost', async () => {
      const { company_id, rcn_id } = await fixture().run(makeCompanyWithRealCard);
      const ids = await fixture().run(async (tx) => {
        const made: number[] = [];
        for (let at = 0; at < 30; at += 1)
          made.push((await makeCard(tx, company_id, rcn_id, {}, sealedNumber('aged'))).id);
        return made;
      });
      const times = new Map<number, number>();
      const rotate = async (process: Persistence) => {
        for (let left = true; left; ) {
          const batch = await process.unitOfWork.run(async (tx) => {
            const found = await tx.cards.sealedByOtherKeys('fresh', 4, { wait: true });
            await tx.cards.reseal(
              found.map(({ card_id, number }) => ({ card_id, number: { ...number, number_key_id: 'fresh' } })),
            );
            return found.map(({ card_id }) => card_id);
          });
          for (const id of batch) times.set(id, (times.get(id) ?? 0) + 1);
          left = batch.length > 0;
        }
      };
      await Promise.all([rotate(fixture().persistence), rotate(await fixture().another())]);
      assert.deepEqual(
        ids.map((id) => times.get(id)),
        ids.map(() => 1),
      );
    });
  });

  describe('tells of what happened on cards', () => {
    /** Rows as a pass writes them, but for what these reads do not look at. */
    async function activity(
      card_id: number,
      company_id: number,
      rows: readonly Readonly<Record<string, string | number | boolean | null>>[],
    ) {
      const connection = await connect(fixture().database);
      const yes = connection.dialect === 'postgres';
      for (const row of rows) {
        const full = {
          company_id,
          card_id,
          message_type: '0100',
          incremental: yes ? false : 0,
          trace_id: `t${row.id}`,
          system_trace_audit_number: '1',
          transaction_date_time_ms: 1,
          decided_at_ms: 1,
          billing_amount: 1,
          merchant_amount: 1,
          merchant_currency: 'USD',
          mcc: '5812',
          window_start_ms: 0,
          status: 'open',
          authorized: 1,
          held: 1,
          cleared: 0,
          uses: 1,
          details: '{"mcc":"5812"}',
          ...row,
        };
        const text = `insert into authorizations (${Object.keys(full)}) values (${Object.values(full).map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))})`;
        if (connection.dialect === 'postgres') await connection.pool.query(text);
        else await connection.exclusively((database) => database.exec(text));
      }
      await connection.close();
    }

    it('the newest of each, with the status of the authorization that a message changed', async () => {
      const { company_id, rcn_id } = await fixture().run(makeCompanyWithRealCard);
      const [one, two, none] = await fixture().run(async (tx) => [
        await makeCard(tx, company_id, rcn_id),
        await makeCard(tx, company_id, rcn_id),
        await makeCard(tx, company_id, rcn_id),
      ]);
      await activity(one!.id, company_id, [
        { id: 1, root_id: 1, status: 'partially_cleared' },
        { id: 2, root_id: 1, message_type: '0400', status: 'reversed' },
        { id: 3, root_id: 1, status: 'declined', decline_code: 'F' },
        { id: 4, root_id: null, message_type: '0400', status: 'reversed' },
      ]);
      await activity(
        two!.id,
        company_id,
        [5, 6, 7, 8].map((id) => ({ id, root_id: id, hold_end_ms: noon_ms + id, held: 10 * id })),
      );
      await activity(two!.id, company_id, [
        { id: 9, root_id: 9, hold_end_ms: noon_ms, held: 1_000, status: 'expired' },
        { id: 10, root_id: 10, hold_end_ms: noon_ms, held: 3, status: 'partially_cleared' },
      ]);
      await fixture().run(async (tx) => {
        const newest = await tx.cards.newestAuthorizations([two!.id, one!.id, none!.id], 3);
        const told = (id: number) => newest.get(id)?.map((authorization) => [authorization.id, authorization.status]);
        assert.deepEqual(told(one!.id), [
          [4, 'reversed'],
          [3, 'declined'],
          [2, 'partially_cleared'],
        ]);
        assert.deepEqual(
          newest.get(two!.id)?.map(({ id }) => id),
          [10, 9, 8],
        );
        assert.deepEqual(newest.get(none!.id), []);
        assert.deepEqual(newest.get(one!.id)?.[0]?.details, { mcc: '5812' });
        assert.equal(newest.get(one!.id)?.[0]?.incremental, false);
        assert.deepEqual(await tx.cards.newestClearings([one!.id], 3), new Map([[one!.id, []]]));
        assert.equal((await tx.cards.newestAuthorizations([], 3)).size, 0);

        const first = await tx.cards.authorizations(company_id, two!.id, { limit: 4 });
        const second = await tx.cards.authorizations(company_id, two!.id, { limit: 4, after: first.next! });
        assert.deepEqual(
          [...first.items, ...second.items].map(({ id }) => id),
          [10, 9, 8, 7, 6, 5],
        );
        assert.equal(second.next, null);
        assert.deepEqual(
          (await tx.cards.authorizations(company_id, two!.id, { limit: 2, offset: 3 })).items.map(({ id }) => id),
          [7, 6],
        );

        const past_end = await tx.cards.heldPastEnd([one!.id, two!.id, none!.id], noon_ms + 6);
        assert.deepEqual(past_end, new Map([[two!.id, 50 + 60 + 3]]));
        assert.equal((await tx.cards.heldPastEnd([], noon_ms)).size, 0);
      });
    });
  });
});
