import assert from 'node:assert/strict';
import { refusalOf } from '@tallystick/harness';
import { checkOnStorages } from '@tallystick/test-support';
import { closePeriod, itemIdOf, listPeriods, reopenPeriod } from '../src/index.ts';
import { ActWorld, assertRebuilt, assertSameState, authorization, clearing, done, line } from './acts/world.ts';

const reference = '74123456061000000000017';
const references = { net_reference_number: 'MCCCCCCCC0520', approval_code: 'A55555', merchant_id: 'M5' };

/** A purchase with its clearing and its line, all of which agree. */
async function matchedPurchase(world: ActWorld) {
  const root_id = await world.authorize(references);
  const clearing_id = await world.clear({ ...references, acquirer_reference_data: reference });
  const line_id = await world.line({ reference });
  const { item } = await world.read(clearing(clearing_id));
  assert.deepEqual(item.status, 'matched', 'the purchase');
  return { root_id, clearing_id, line_id };
}

checkOnStorages('closed periods', [
  {
    rule: 'closing freezes finished items and counts open breaks, and reopening frees them',
    async check(open) {
      const world = await ActWorld.on(await open());
      const { clearing_id } = await matchedPurchase(world);
      const ignored_id = await world.line({ amount: 70 });
      const break_id = await world.line({ amount: 80 });
      await world.line({ amount: 90, date: '2026-06-20' });
      await world.act(line(ignored_id), 'ignore');
      const before = await world.state();
      const period = await done(closePeriod(world.ports(), world.call(), { closed_through: '2026-05-31' }));
      assert.deepEqual([period.status, period.frozen, period.open_breaks], ['closed', 2, 1], 'the closed period');
      const again = await closePeriod(world.ports(), world.call(), { closed_through: '2026-05-31' });
      assert.deepEqual(again, period, 'the same request again');
      for (const [record, action] of [
        [clearing(clearing_id), 'unmatch'],
        [line(ignored_id), 'reopen'],
      ] as const) {
        const refusal = await refusalOf(world.act(record, action), action);
        assert.deepEqual(refusal.code, 'conflict', action);
        assert.deepEqual(
          /closed through 2026-05-31, .* reopen the period first/.test(refusal.message),
          true,
          refusal.message,
        );
      }
      const taken = await refusalOf(
        world.act(line(break_id), 'match', { with: { clearing_ids: [clearing_id] } }),
        'a match with a frozen clearing',
      );
      assert.deepEqual(/reopen the period first/.test(taken.message), true, taken.message);
      await world.act(line(break_id), 'accept');
      await world.act(line(break_id), 'reopen');
      const page = await world.storage.unitOfWork.read((tx) => listPeriods(tx, world.call(), { limit: 10 }));
      assert.deepEqual(page.items, [period], 'the list of periods');
      const why = { note: ' The bank corrected its statement ', reason: 'late file' };
      const reopened = await done(reopenPeriod(world.ports(), world.call('key:9'), period.id, why));
      const { status, reopened_by, reopened_note, reopened_reason } = reopened;
      const kept = [status, reopened_by, reopened_note, reopened_reason];
      assert.deepEqual(kept, ['reopened', 'key:9', why.note.trim(), why.reason], 'the reopened period');
      const listed = await world.storage.unitOfWork.read((tx) => listPeriods(tx, world.call(), { limit: 1 }));
      assert.deepEqual(listed.items, [reopened], 'the list of periods');
      assertSameState(await world.state(), before, 'everything after closing and reopening');
    },
  },
  {
    rule: 'what comes late for a frozen item moves the card in an item of its own, until the period is reopened',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const { root_id, clearing_id } = await matchedPurchase(world);
      const period = await done(closePeriod(world.ports(), world.call(), { closed_through: '2026-05-31' }));
      const { item: frozen } = await world.read(authorization(root_id));
      const late_id = await world.clear({ ...references, amount: 50, settlement_date: '2026-06-02' });
      const { item: late } = await world.read(clearing(late_id));
      assert.deepEqual(
        [late.id, late.status, late.kind],
        [itemIdOf(clearing(late_id)), 'break', 'late_change'],
        'the late item',
      );
      const { item: kept } = await world.read(clearing(clearing_id));
      assert.deepEqual(kept, frozen, 'the frozen item');
      const line_id = await world.line({ reference, code: '825', amount: 7, date: '2026-06-03' });
      const { item: fee } = await world.read(line(line_id));
      const named = [late.frozen_item_id, fee.kind, fee.frozen_item_id];
      assert.deepEqual(named, [frozen.id, 'late_change', frozen.id], 'the frozen item that late changes name');
      const ids = (await world.items()).map(({ id }) => id).length;
      assert.deepEqual(ids, 3, 'how many items there are');
      await reopenPeriod(world.ports(), world.call(), period.id);
      const { item: merged } = await world.read(clearing(late_id));
      assert.deepEqual(merged.clearing_ids, [clearing_id, late_id], 'the item after reopening');
      assert.deepEqual([merged.frozen_item_id, merged.fees], [null, 7], 'the item after reopening');
      await assertRebuilt(world, 'after reopening');
    },
  },
  {
    rule: 'a closing that was interrupted keeps others from it until it is completed, and counts all that it froze',
    async check(open) {
      const world = await ActWorld.on(await open());
      await matchedPurchase(world);
      const failing = world.interrupted(async () => {
        const [item] = await world.items();
        if (item!.period_id !== null) throw new Error('the process ends');
      });
      const request = { closed_through: '2026-05-31' };
      await assert.rejects(closePeriod(failing.ports(), world.call(), request), /the process ends/);
      const other = await refusalOf(
        closePeriod(world.ports(), world.call(), { closed_through: '2026-06-30' }),
        'closing another period meanwhile',
      );
      assert.match(other.message, /through 2026-05-31, is closing: send that request again to complete it/);
      const closed = await done(closePeriod(world.ports(), world.call(), request));
      assert.deepEqual([closed.status, closed.frozen], ['closed', 1]);
    },
  },
  {
    rule: 'an item that gets a later date during a closing is counted once',
    async check(open) {
      const world = await ActWorld.on(await open());
      const parts = ['74123456061000000000025', '74123456061000000000033'] as const;
      await world.authorize({ ...references, amount: 2_000 });
      await world.clear({ ...references, acquirer_reference_data: parts[0], partial: true });
      for (const part of parts) await world.line({ reference: part, date: '2026-05-20' });
      // More than a batch.
      for (let at = 0; at < 50; at += 1) {
        await world.act(line(await world.line({ amount: 70 + at, date: '2026-05-21' })), 'ignore');
      }
      let is_cleared = false;
      const beside = world.interrupted(async () => {
        const begun = await world.storage.unitOfWork.read((tx) => tx.reconciliation.newestPeriod(world.company_id));
        if (begun === null || is_cleared) return;
        is_cleared = true;
        await world.clear({ ...references, acquirer_reference_data: parts[1], settlement_date: '2026-05-23' });
      });
      const period = await done(closePeriod(beside.ports(), world.call(), { closed_through: '2026-05-31' }));
      const frozen = (await world.items()).filter(({ period_id }) => period_id === period.id);
      assert.deepEqual([period.frozen, frozen.length, frozen[0]!.clearing_ids.length], [51, 51, 2]);
    },
  },
  {
    rule: 'a period that cannot be closed or reopened is refused with what would be right',
    async check(open) {
      const world = await ActWorld.on(await open());
      const close = (closed_through: unknown) => closePeriod(world.ports(), world.call(), { closed_through });
      const first = await close('2026-05-31');
      const second = await close('2026-06-30');
      const cases: readonly (readonly [() => Promise<unknown>, string, RegExp])[] = [
        [() => close('2026-07-20'), 'validation_failed', /must be 2026-07-18 or earlier, not "2026-07-20"/],
        [() => close('2026-07-19'), 'validation_failed', /must be 2026-07-18 or earlier, .*is not over in UTC/],
        [() => close('2026-02-30'), 'validation_failed', /a date that exists/],
        [() => close(undefined), 'validation_failed', /is required/],
        [
          () => close('2026-06-15'),
          'conflict',
          /period \d+ is closed through 2026-06-30: closed_through must be later/,
        ],
        [
          () => reopenPeriod(world.ports(), world.call(), first.id),
          'conflict',
          /only the newest period can be reopened/,
        ],
        [() => reopenPeriod(world.ports(), world.call(), 999_999), 'not_found', /no period/],
        [
          () => reopenPeriod(world.ports(), world.call(), second.id, { note: ' ' }),
          'validation_failed',
          /text of 1 to 1000 characters/,
        ],
        [
          () => reopenPeriod(world.ports(), { ...world.call(), company_id: world.company_id + 99_999 }, second.id),
          'not_found',
          /no period/,
        ],
      ];
      for (const [refused, code, message] of cases) {
        const refusal = await refusalOf(refused(), String(message));
        assert.deepEqual([refusal.code, message.test(refusal.message)], [code, true], refusal.message);
      }
      assert.deepEqual((await close('2026-07-18')).status, 'closed', 'a period through the last day that is over');
      const newest = await close('2026-07-18');
      await reopenPeriod(world.ports(), world.call(), newest.id);
      await reopenPeriod(world.ports(), world.call(), second.id);
      const twice = await refusalOf(reopenPeriod(world.ports(), world.call(), second.id), 'reopening twice');
      assert.deepEqual(/was reopened by key:1 already/.test(twice.message), true, twice.message);
      await reopenPeriod(world.ports(), world.call(), first.id);
    },
  },
]);
