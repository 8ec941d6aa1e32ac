import assert from 'node:assert/strict';
import { checkOnStorages } from '@tallystick/test-support';
import fc from 'fast-check';
import { closePeriod, daysAfter, explainItem, itemIdOf, type RecordKey, type Suggestion } from '../../src/index.ts';
import { ActWorld, authorization, clearing, line } from '../acts/world.ts';

const day = '2026-05-20';

async function suggested(world: ActWorld, record: RecordKey): Promise<readonly Suggestion[]> {
  await world.catchUp();
  const found = await world.storage.unitOfWork.read((tx) => explainItem(tx, world.call(), itemIdOf(record)));
  return found.suggestions;
}

/** The ids of suggested records, in their order. */
function idsOf(suggestions: readonly Suggestion[]) {
  return suggestions.map(({ authorization_id, clearing_ids, line_ids }) => [
    ...(authorization_id === null ? [] : [authorization_id]),
    ...clearing_ids,
    ...line_ids,
  ]);
}

checkOnStorages('the suggestions of a break', [
  {
    rule: 'a line and a clearing that lack each other are suggested to each other, with what differs',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const purchase = { approval_code: 'S00001', merchant_id: 'S1' };
      await world.authorize(purchase);
      const clearing_id = await world.clear({ ...purchase, settlement_date: day });
      const line_id = await world.line({ amount: 998, date: daysAfter(day, 5), text: 'PAPER AND INK 20MAY' });
      const [of_clearing, ...others] = await suggested(world, clearing(clearing_id));
      assert.deepEqual(others, [], 'other suggestions');
      assert.deepEqual(of_clearing, {
        number: 1,
        item_id: itemIdOf(line(line_id)),
        authorization_id: null,
        clearing_ids: [],
        line_ids: [line_id],
        amount: 998,
        date: '2026-05-25',
        differs: { amount: -2, days: 5, reference: 'missing', merchant: 'same' },
        reason: '0.02 less, same merchant, booked 5 days later',
      });
      const [of_line] = await suggested(world, line(line_id));
      assert.deepEqual(of_line!.clearing_ids, [clearing_id], 'the clearing');
      assert.deepEqual(of_line!.differs, { amount: 2, days: -5, reference: 'missing', merchant: 'same' });
      assert.equal(of_line!.reason, '0.02 more, same merchant, settled 5 days earlier');
    },
  },
  {
    rule: 'an authorization and a clearing of one card that lack each other are suggested to each other',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const authorization_id = await world.authorize({ merchant_id: 'S2' });
      const clearing_id = await world.clear({ merchant_id: 'S3', details: { merchant_name: 'Diner' } });
      const other_card = await world.addCard();
      await world.authorize({ ...other_card, merchant_id: 'S2' });
      const of_clearing = await suggested(world, clearing(clearing_id));
      assert.deepEqual(idsOf(of_clearing), [[authorization_id]]);
      const { differs, reason } = of_clearing[0]!;
      assert.deepEqual(differs, { amount: 0, days: 0, reference: 'missing', merchant: 'other' });
      assert.equal(reason, 'same amount, another merchant, authorized on the same day');
      assert.deepEqual(idsOf(await suggested(world, authorization(authorization_id))), [[clearing_id]]);
      const matched = await world.act(clearing(clearing_id), 'match', { with: { authorization_id } });
      assert.deepEqual(matched.authorization_ids, [authorization_id], 'the match');
      assert.deepEqual(idsOf(await suggested(world, clearing(clearing_id))), [], 'after the match');
      await world.act(clearing(clearing_id), 'unmatch', { side: 'authorization' });
      assert.deepEqual(idsOf(await suggested(world, clearing(clearing_id))), [[authorization_id]], 'after its undoing');
    },
  },
  {
    rule: 'what agrees most comes first, and at most five are listed',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const clearing_id = await world.clear({ amount: 5_000, settlement_date: day });
      const booked = async (amount: number, days: number, text?: string) =>
        await world.line({ amount, date: daysAfter(day, days), ...(text === undefined ? {} : { text }) });
      const far = await booked(5_000, 30);
      await booked(4_900, 0);
      const named = await booked(5_900, 2, 'Sale at PAPER-AND INK');
      await booked(7_000, 2, 'Sale at PAPER-AND INK');
      const more = await booked(5_050, -1);
      await booked(6_001, 0);
      await booked(5_000, 36);
      const near_and_named = await booked(5_010, 3, 'PAPER AND INK');
      const earlier = await booked(5_000, -34);
      assert.deepEqual(
        idsOf(await suggested(world, clearing(clearing_id))),
        [[near_and_named], [named], [far], [earlier], [more]],
        'the order',
      );
    },
  },
  {
    rule: 'an amount that is far off needs the reference, or clears a part of a purchase, and comes last',
    async check(open) {
      const world = await ActWorld.on(await open());
      const purchase_id = await world.authorize({ amount: 10_000, merchant_id: 'S4' });
      const cleared = async (amount: number, other: object = {}) =>
        await world.clear({ amount, merchant_id: 'S4', settlement_date: '2026-05-29', ...other });
      const elsewhere = { merchant_id: 'S5', details: { merchant_name: 'Diner' } };
      const part = await cleared(2_500);
      const more = await cleared(15_000);
      const unlike = await cleared(9_900, elsewhere);
      await cleared(2_600, elsewhere);
      const of_purchase = idsOf(await suggested(world, authorization(purchase_id)));
      assert.deepEqual(of_purchase, [[unlike], [part]], 'of the purchase');
      const ofClearing = async (id: number) =>
        (await suggested(world, clearing(id))).map((one) => one.authorization_id).includes(purchase_id);
      assert.deepEqual([await ofClearing(part), await ofClearing(more)], [true, false], 'of the clearings');
    },
  },
  {
    rule: 'lines that together make up a clearing are suggested only while all of them are open',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const record = clearing(await world.clear({ amount: 64_300, settlement_date: day }));
      const lines: number[] = [];
      for (const amount of [20_010, 44_290, 20_020, 44_280]) lines.push(await world.line({ amount, date: day }));
      const [first, second, third, fourth] = lines as [number, number, number, number];
      assert.deepEqual(idsOf(await suggested(world, record)), [
        [first, second],
        [third, fourth],
      ]);
      await world.act(line(first), 'accept');
      assert.deepEqual(idsOf(await suggested(world, record)), [[third, fourth]]);
      await world.act(line(first), 'reopen');
      assert.equal((await suggested(world, record)).length, 2, 'after reopening');
    },
  },
  {
    rule: 'a credit with the reference of a purchase is not suggested for its clearings',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const reference = '74123456061000000000108';
      const record = clearing(await world.clear({ amount: 61, acquirer_reference_data: reference }));
      // With two clearings no line of another amount joins one by itself.
      await world.clear({ amount: 61, acquirer_reference_data: reference });
      const purchase = await world.line({ amount: 70, reference });
      await world.line({ amount: -50, reference });
      assert.deepEqual(idsOf(await suggested(world, record)), [[purchase]]);
    },
  },
  {
    rule: 'what a person undid, ignored or accepted is not suggested, nor what another account currency or sign has',
    async check(open) {
      const world = await ActWorld.on(await open());
      const clearing_id = await world.clear({ amount: 700, settlement_date: day });
      const [undone, ignored] = [
        await world.line({ amount: 700, date: daysAfter(day, 9) }),
        await world.line({ amount: 690 }),
      ];
      await world.line({ amount: -700 });
      await world.act(clearing(clearing_id), 'match', { with: { line_ids: [undone] } });
      await world.act(clearing(clearing_id), 'unmatch', { side: 'statement' });
      // The undoing of a match leaves nothing, so the pair may be made again.
      assert.deepEqual(idsOf(await suggested(world, clearing(clearing_id))), [[undone], [ignored]]);
      await world.act(line(ignored), 'ignore');
      assert.deepEqual(idsOf(await suggested(world, clearing(clearing_id))), [[undone]]);
      const reference = '74123456061000000000091';
      const [barred_clearing, barred_line] = [
        await world.clear({ amount: 9_100, acquirer_reference_data: reference }),
        await world.line({ amount: 9_100, reference }),
      ];
      await world.act(clearing(barred_clearing), 'unmatch', { side: 'statement' });
      assert.deepEqual(idsOf(await suggested(world, clearing(barred_clearing))), [], 'of the barred clearing');
      assert.deepEqual(idsOf(await suggested(world, line(barred_line))), [], 'of the barred line');
      const purchase = { amount: 9_300, approval_code: 'S00093', merchant_id: 'S93' };
      const authorization_id = await world.authorize(purchase);
      const cleared_id = await world.clear(purchase);
      await world.act(clearing(cleared_id), 'unmatch', { side: 'authorization' });
      const { item } = await world.read(clearing(cleared_id));
      assert.deepEqual([item.kind, item.authorization_ids], ['unauthorized', []], 'after the unmatch');
      const of_purchase = (await suggested(world, clearing(cleared_id))).map((one) => one.authorization_id);
      assert.deepEqual(of_purchase.includes(authorization_id), false, 'of the barred purchase');
      const of_authorization = idsOf(await suggested(world, authorization(authorization_id))).flat();
      assert.deepEqual(of_authorization.includes(cleared_id), false, 'of its authorization');
    },
  },
  {
    rule: 'a frozen clearing or line is not suggested to what came late with its reference',
    async check(open) {
      const world = await ActWorld.on(await open());
      const bookedLate = async (reference: string) => await world.line({ amount: 700, reference, date: '2026-06-03' });
      const references = ['74123456074000000000171', '74123456074000000000189'] as const;
      const [stated, unstated] = [
        await world.clear({ amount: 700, settlement_date: day, acquirer_reference_data: references[0] }),
        await world.clear({ amount: 710, settlement_date: day, acquirer_reference_data: references[1] }),
      ];
      await world.line({ amount: 700, reference: references[0], date: day });
      for (const id of [stated, unstated]) await world.act(clearing(id), 'accept');
      await closePeriod(world.ports(), world.call(), { closed_through: '2026-05-31' });
      for (const reference of references) {
        const line_id = await bookedLate(reference);
        assert.deepEqual(idsOf(await suggested(world, line(line_id))), [], reference);
        const { item } = await world.read(line(line_id));
        assert.deepEqual(item.kind, 'late_change', reference);
      }
    },
  },
  {
    rule: 'several lines that together make up a clearing are one suggestion',
    async check(open) {
      const world = await ActWorld.on(await open());
      const clearing_id = await world.clear({ amount: 3_000, settlement_date: day });
      const lines = [];
      for (const amount of [1_000, 2_000, 1_300, 1_700]) lines.push(await world.line({ amount }));
      const found = await suggested(world, clearing(clearing_id));
      assert.deepEqual(idsOf(found), [
        [lines[0], lines[1]],
        [lines[2], lines[3]],
      ]);
      assert.equal(found[0]!.reason, '2 lines that together make up the clearing, within 3 days');
      const matched = await world.act(clearing(clearing_id), 'match', { with: { line_ids: found[1]!.line_ids } });
      assert.deepEqual(matched.line_ids, [lines[2], lines[3]]);
    },
  },
  {
    rule: 'several clearings that together make up a line without a reference are one suggestion',
    async check(open) {
      const world = await ActWorld.on(await open());
      const line_id = await world.line({ amount: 3_000, date: day });
      const clearings = [];
      for (const amount of [1_000, 2_000, 1_300, 1_700]) {
        clearings.push(await world.clear({ amount, settlement_date: day }));
      }
      const found = await suggested(world, line(line_id));
      const sets = found.map(({ clearing_ids }) => clearing_ids).filter((ids) => ids.length > 1);
      assert.deepEqual(sets, [clearings.slice(0, 2), clearings.slice(2)]);
      const matched = await world.act(line(line_id), 'match', { with: { clearing_ids: sets[1] } });
      assert.deepEqual(matched.clearing_ids, clearings.slice(2));
    },
  },
  {
    rule: 'the order of arrival changes no suggestion, and each of the same amount can be matched',
    async check(open) {
      const storage = await open();
      const amount = fc.integer({ min: 96, max: 104 }).map((drawn) => drawn * 10);
      const days = fc.integer({ min: -20, max: 20 });
      const drawn = fc.uniqueArray(fc.record({ is_line: fc.boolean(), amount, days }), {
        minLength: 2,
        maxLength: 12,
        selector: ({ amount: its, days: away }) => `${its} ${away}`,
      });
      const alike = [
        { is_line: false, amount: 1_020, days: 16 },
        { is_line: false, amount: 1_040, days: 16 },
        { is_line: true, amount: 1_030, days: 0 },
      ];
      await fc.assert(
        fc.asyncProperty(drawn, async (records) => {
          const shown: string[][] = [];
          for (const in_order of [records, records.toReversed()]) {
            const world = await ActWorld.on(storage);
            const added = new Map<string, RecordKey>();
            for (const { is_line, amount: its, days: away } of in_order) {
              const date = daysAfter(day, away);
              const key = is_line
                ? line(await world.line({ amount: its, date }))
                : clearing(await world.clear({ amount: its, settlement_date: date }));
              added.set(`${is_line} ${its} ${date}`, key);
            }
            const texts: string[] = [];
            let tried = false;
            for (const [name, key] of [...added].sort(([a], [b]) => (a < b ? -1 : 1))) {
              const found = (await suggested(world, key)).filter((one) => one.authorization_id === null);
              texts.push(`${name}: ${found.map((one) => `${one.amount} ${one.date} ${one.reason}`).join('; ')}`);
              const { item } = await world.read(key);
              const exact = found.find(({ differs }) => differs.amount === 0);
              if (exact === undefined || tried) continue;
              tried = true;
              const { clearing_ids, line_ids } = exact;
              await world.actOn(item.id, 'match', { with: key.kind === 'line' ? { clearing_ids } : { line_ids } });
              const after = await world.read(key);
              assert.equal(after.item.line_ids.length > 0 && after.item.clearing_ids.length > 0, true, 'the match');
              await world.act(key, 'unmatch', { side: 'statement' });
            }
            shown.push(texts);
          }
          assert.deepEqual(shown[1], shown[0]);
        }),
        { numRuns: 12, examples: [[alike]] },
      );
    },
  },
]);
