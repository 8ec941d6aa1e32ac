import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import {
  type Act,
  amountOf,
  type BreakKind,
  daysAfter,
  fingerprintOf,
  frozenRecordsOf,
  type ItemContent,
  itemIdOf,
  pairRecords,
  startOf,
} from '../../src/index.ts';
import {
  clearing,
  fee,
  itemOf,
  itemsOf,
  line,
  no_hands,
  nothing_frozen,
  purchase,
  reference,
} from '../reconciliation-world.ts';

const cleared = purchase({ status: 'cleared' });

test('a purchase whose authorization, clearing and line agree is matched', () => {
  const item = itemOf({ purchases: [cleared], clearings: [clearing()], lines: [line(), fee()] });
  assert.equal(item.status, 'matched');
  assert.equal(item.kind, null);
  assert.equal(item.id, itemIdOf({ kind: 'authorization', id: 1 }));
  assert.equal(item.sides, 3);
  assert.equal(item.rule, '3');
  assert.equal(item.class, 'exact');
  assert.deepEqual(
    [item.authorized, item.cleared, item.stated, item.fees, item.difference],
    [1_000, 1_000, 1_030, 30, 0],
  );
  assert.deepEqual([item.due_date, item.next_change_ms], [null, null]);
});

test('an item with two differences has the class of the later clearing, in any order of its lines', () => {
  const other = '74123456061000000000025';
  const clearings = [
    clearing(),
    clearing({ id: 2, class: 'over', settlement_date: '2026-03-04', acquirer_reference: other }),
  ];
  const lines = [line({ amount: money(900) }), line({ id: 2, amount: money(800), acquirer_reference: other })];
  for (const in_order of [lines, lines.toReversed()]) {
    const item = itemOf({ purchases: [cleared], clearings, lines: in_order });
    assert.deepEqual([item.kind, item.class], ['amount', 'over']);
  }
});

test('an item has the class of the clearing that its break is about, and without a break that of the newest', () => {
  const clearings = [clearing({ class: 'tip' }), clearing({ id: 2, settlement_date: '2026-03-04' })];
  const classOf = (amount: number) => {
    const lines = [line({ amount: money(amount) }), line({ id: 2, booking_date: '2026-03-04' })];
    const { kind, class: its_class } = itemOf({ purchases: [cleared], clearings, lines });
    return [kind, its_class];
  };
  assert.deepEqual(
    [classOf(900), classOf(1_000)],
    [
      ['amount', 'tip'],
      [null, 'exact'],
    ],
  );
});

test('a purchase that no statement covers has two sides', () => {
  const item = itemOf({ purchases: [cleared], clearings: [clearing()] }, { coverage: new Map() });
  assert.deepEqual([item.status, item.sides], ['matched', 2]);
});

test('a statement covers a clearing from the first date on', () => {
  const on = (date: string) =>
    itemOf({ purchases: [cleared], clearings: [clearing()] }, { coverage: new Map([['USD', date]]) }).status;
  assert.equal(on('2026-03-03'), 'awaiting');
  assert.equal(on('2026-03-04'), 'matched');
});

test('a clearing is awaited until the instant at which the hold ends', () => {
  const end_ms = startOf('2026-03-09') + 5_000;
  const at = (now_ms: number) => itemOf({ purchases: [purchase({ hold_end_ms: end_ms })] }, { now_ms });
  const before = at(end_ms - 1);
  assert.deepEqual([before.status, before.kind, before.due_date], ['awaiting', null, '2026-03-09']);
  assert.equal(before.next_change_ms, end_ms);
  const after = at(end_ms);
  assert.deepEqual([after.status, after.kind, after.due_date], ['break', 'uncleared', '2026-03-09']);
  assert.equal(after.next_change_ms, startOf('2026-03-11'));
});

test('two items of one company have no common record', () => {
  const items = itemsOf({ purchases: [cleared, purchase({ id: 2 })], clearings: [clearing()], lines: [line()] });
  assert.deepEqual(
    items.map(({ status, authorization_ids }) => [status, authorization_ids]),
    [
      ['matched', [1]],
      ['awaiting', [2]],
    ],
  );
});

describe('awaiting', () => {
  test('a hold that never ends lasts 35 days from the authorization', () => {
    const endless = purchase({ hold_end_ms: null });
    const on = (date: string) => itemOf({ purchases: [endless] }, { now_ms: startOf(date) }).status;
    assert.equal(on('2026-04-05'), 'awaiting');
    assert.equal(on('2026-04-06'), 'break');
  });

  test('a hold that was released by hand awaits nothing', () => {
    const item = itemOf({ purchases: [purchase({ status: 'released' })] }, { on: '2026-08-01' });
    assert.deepEqual([item.status, item.sides, item.due_date, item.next_change_ms], ['matched', 1, null, null]);
  });

  test('a partial clearing awaits the next one until the hold ends, and then needs no more', () => {
    const partial = clearing({ class: 'partial', partial: true, amount: money(400) });
    const records = { purchases: [purchase({ status: 'partially_cleared' })], clearings: [partial] };
    const lines = [line({ amount: money(400) })];
    const before = itemOf({ ...records, lines }, { on: '2026-03-08' });
    assert.deepEqual([before.status, before.due_date], ['awaiting', '2026-03-09']);
    const after = itemOf({ ...records, lines }, { on: '2026-03-09' });
    assert.deepEqual([after.status, after.class, after.difference], ['matched', 'partial', -600]);
  });

  test('a statement line is awaited until the end of the third day after settlement', () => {
    const records = { purchases: [cleared], clearings: [clearing()] };
    const last_ms = startOf('2026-03-07') - 1;
    const before = itemOf(records, { now_ms: last_ms });
    assert.deepEqual([before.status, before.due_date], ['awaiting', '2026-03-06']);
    assert.equal(before.next_change_ms, last_ms + 1);
    const after = itemOf(records, { now_ms: last_ms + 1 });
    assert.deepEqual([after.status, after.kind, after.due_date], ['break', 'unstated', '2026-03-06']);
  });

  test('the clearing of a lone card line is awaited until the end of the third day after booking', () => {
    const on = (date: string) => itemOf({ lines: [line()] }, { on: date });
    assert.deepEqual([on('2026-03-06').status, on('2026-03-06').kind], ['awaiting', null]);
    const late = on('2026-03-07');
    assert.deepEqual([late.status, late.kind, late.due_date], ['break', 'unexplained_line', '2026-03-06']);
    assert.deepEqual([late.stated, late.difference, late.period_date], [1_000, 1_000, '2026-03-03']);
  });

  test('a fee alone is an unexplained line with its own amount', () => {
    const item = itemOf({ lines: [fee()] }, { on: '2026-03-09' });
    assert.deepEqual([item.kind, item.stated, item.fees, item.difference], ['unexplained_line', 30, 30, 0]);
    assert.equal(amountOf(item), 30);
  });

  test('a refund of a fee alone states a negative fee', () => {
    const item = itemOf({ lines: [fee({ bai_code: '826', amount: money(-30) })] }, { on: '2026-03-09' });
    assert.deepEqual([item.stated, item.fees, item.difference, amountOf(item)], [-30, -30, 0, -30]);
  });

  test('a fee beside a clearing that has no other line states nothing of it', () => {
    const item = itemOf({ purchases: [cleared], clearings: [clearing()], lines: [fee()] }, { on: '2026-03-09' });
    assert.deepEqual([item.kind, item.stated, item.fees, amountOf(item)], ['unstated', null, 30, 1_000]);
  });
});

describe('a clearing that a message reversal undid', () => {
  const reversal = (of: number, change: Parameters<typeof clearing>[0] = {}) =>
    clearing({
      id: 3,
      clearing_id: of,
      cycle: 'reversal',
      class: 'reversal',
      match_rule: 1,
      amount: money(-1_000),
      settlement_date: '2026-03-05',
      ...change,
    });
  const twice = [clearing(), clearing({ id: 2, class: 'suspected_duplicate', settlement_date: '2026-03-04' })];
  const on = { on: '2026-04-20' };

  test('needs no line, and neither does its reversal, when the bank booked none of them', () => {
    const item = itemOf({ purchases: [cleared], clearings: [clearing(), reversal(1)] }, on);
    assert.deepEqual([item.status, item.sides, item.due_date, item.next_change_ms], ['matched', 2, null, null]);
  });

  test('needs its line when the bank booked the reversal, and the reversal when it booked that', () => {
    for (const booked of [money(1_000), money(-1_000)]) {
      const lines = [line({ amount: booked, booking_date: '2026-03-04' })];
      const item = itemOf({ purchases: [cleared], clearings: [clearing(), reversal(1)], lines }, on);
      assert.deepEqual(
        [item.status, item.kind, item.due_date],
        ['break', 'unstated', booked > 0 ? '2026-03-08' : '2026-03-06'],
      );
    }
  });

  test('resolves one suspected duplicate, and no second one', () => {
    const third = clearing({ id: 4, class: 'suspected_duplicate', settlement_date: '2026-03-06' });
    for (const undone of [1, 2, 4]) {
      const clearings = [...twice, third, reversal(undone)];
      const item = itemOf({ purchases: [cleared], clearings, lines: [line()] }, on);
      assert.deepEqual([item.status, item.kind, item.class], ['break', 'suspected_duplicate', 'suspected_duplicate']);
    }
  });

  test('needs its line when it was undone in part', () => {
    const part = reversal(1, { amount: money(-400) });
    const item = itemOf({ purchases: [cleared], clearings: [clearing(), part] }, on);
    assert.deepEqual([item.status, item.kind], ['break', 'unstated']);
  });

  test('leaves the one line to the clearing that stands, whichever was undone and booked nearer', () => {
    for (const undone of [1, 2]) {
      for (const booking_date of ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06']) {
        const records = {
          purchases: [cleared],
          clearings: [...twice, reversal(undone)],
          lines: [line({ booking_date })],
        };
        const item = itemOf(records, on);
        assert.deepEqual([item.status, item.kind, item.difference], ['matched', null, 0]);
        assert.deepEqual(
          pairRecords(records, no_hands).map(({ clearing_id }) => clearing_id),
          [3 - undone],
        );
      }
    }
  });

  test('leaves a distant line to the clearing that stands, as a proposal', () => {
    const late = [
      clearing(),
      { ...twice[1]!, settlement_date: '2026-03-12' },
      reversal(2, { settlement_date: '2026-03-13' }),
    ];
    const lines = [line({ booking_date: '2026-03-12' })];
    const item = itemOf({ purchases: [cleared], clearings: late, lines }, on);
    assert.deepEqual([item.status, item.line_ids], ['proposed', [1]]);
  });

  test('keeps the line that a person matched with it', () => {
    const records = { purchases: [cleared], clearings: [...twice, reversal(2)], lines: [line()] };
    const pins = [{ line_id: 1, clearing_id: 2 }];
    const item = itemOf({ ...records }, { ...on, pairings: pairRecords(records, { pins, bars: [] }) });
    assert.deepEqual([item.status, item.kind], ['break', 'unstated']);
  });

  test('has its line and that of its reversal when the bank booked all three', () => {
    const lines = [
      line(),
      line({ id: 2, booking_date: '2026-03-04' }),
      line({ id: 3, booking_date: '2026-03-05', amount: money(-1_000) }),
    ];
    const item = itemOf({ purchases: [cleared], clearings: [...twice, reversal(2)], lines }, on);
    assert.deepEqual([item.status, item.sides, item.stated], ['matched', 3, 1_000]);
  });
});

describe('a break', () => {
  const itemOfClass = (its_class: 'over' | 'force_post' | 'suspected_duplicate') => {
    const alone = its_class === 'force_post';
    return itemOf({
      purchases: alone ? [] : [cleared],
      clearings: [clearing({ class: its_class, authorization_id: alone ? null : 1, match_rule: alone ? 8 : 3 })],
      lines: [line()],
    });
  };

  test('is there at once for over, force_post and suspected_duplicate, due on the settlement date', () => {
    const kinds: [Parameters<typeof itemOfClass>[0], BreakKind][] = [
      ['over', 'amount'],
      ['force_post', 'unauthorized'],
      ['suspected_duplicate', 'suspected_duplicate'],
    ];
    for (const [its_class, kind] of kinds) {
      const item = itemOfClass(its_class);
      assert.deepEqual([item.status, item.kind, item.due_date], ['break', kind, '2026-03-03']);
      assert.equal(item.class, its_class);
    }
  });

  test('is no late, partial, tip, under, fx_drift, refund or reversal', () => {
    for (const its_class of ['late', 'tip', 'under', 'fx_drift', 'refund_linked'] as const) {
      const item = itemOf({ purchases: [cleared], clearings: [clearing({ class: its_class })], lines: [line()] });
      assert.equal(item.status, 'matched', its_class);
    }
    const refund = { class: 'refund_unlinked', authorization_id: null, match_rule: 7, amount: money(-300) } as const;
    const alone = itemOf({ clearings: [clearing(refund)], lines: [line({ amount: money(-300), bai_code: '822' })] });
    assert.deepEqual([alone.status, alone.cleared, alone.difference], ['matched', -300, 0]);
  });

  test('of its class ends when a reversal undoes the clearing', () => {
    const first = clearing({ class: 'force_post', authorization_id: null, match_rule: 8 });
    const reversal = clearing({
      id: 2,
      cycle: 'reversal',
      class: 'reversal',
      match_rule: 1,
      authorization_id: null,
      clearing_id: 1,
      amount: money(-1_000),
    });
    const item = itemOf({ clearings: [first, reversal], lines: [line(), line({ id: 2, amount: money(-1_000) })] });
    assert.deepEqual([item.status, item.cleared, item.stated, item.class], ['matched', 0, 0, 'force_post']);
  });

  test('of a suspected duplicate ends when a reversal undoes it, or the clearing that it repeats', () => {
    const twice = clearing({ id: 2, class: 'suspected_duplicate' });
    const undo = { cycle: 'reversal', class: 'reversal', match_rule: 1, amount: money(-1_000) } as const;
    const records = { purchases: [cleared], lines: [line()] };
    const reversed = (clearing_id: number) => [clearing(), twice, clearing({ id: 3, ...undo, clearing_id })];
    assert.equal(itemOf({ ...records, clearings: reversed(2) }).kind, null);
    assert.equal(itemOf({ ...records, clearings: reversed(1) }).kind, null);
    assert.equal(itemOf({ ...records, clearings: [clearing(), twice] }).kind, 'suspected_duplicate');
  });

  test('is a line with the reference of a clearing and another amount', () => {
    const item = itemOf({ purchases: [cleared], clearings: [clearing()], lines: [line({ amount: money(1_005) })] });
    assert.deepEqual([item.status, item.kind, item.due_date, item.difference], ['break', 'amount', '2026-03-03', 5]);
  });

  test('is a second line for a clearing that has its line', () => {
    const item = itemOf({ purchases: [cleared], clearings: [clearing()], lines: [line(), line({ id: 2 })] });
    assert.deepEqual([item.kind, item.stated, item.difference], ['amount', 2_000, 1_000]);
  });

  test('enters the next age bucket at the beginning of a day', () => {
    const records = { purchases: [cleared], clearings: [clearing()] };
    const next = (date: string) => itemOf(records, { on: date }).next_change_ms;
    const starts = [2, 4, 8, 31].map((days) => startOf(daysAfter('2026-03-06', days)));
    assert.deepEqual(
      ['2026-03-07', '2026-03-08', '2026-03-10', '2026-03-14', '2026-04-06'].map((date) => next(date)),
      [...starts, null],
    );
  });
});

describe('of several kinds', () => {
  const unauthorized = clearing({ class: 'force_post', authorization_id: null, match_rule: 8 });

  test('an unauthorized clearing without its line is unauthorized', () => {
    const item = itemOf({ clearings: [unauthorized] }, { on: '2026-03-20' });
    assert.deepEqual([item.kind, item.due_date], ['unauthorized', '2026-03-03']);
  });

  test('the first counts: late_change, suspected_duplicate, unauthorized, amount, uncleared, unstated', () => {
    const frozen = { ...nothing_frozen, authorizations: new Map([[1, 4]]) };
    const duplicate = clearing({ class: 'suspected_duplicate' });
    const other = clearing({ id: 2, class: 'over', acquirer_reference: '74123456061000000000025' });
    const purchases = [purchase({ status: 'open' })];
    const kindOf = (clearings: readonly ReturnType<typeof clearing>[], is_frozen = false) =>
      itemOf({ purchases, clearings }, { on: '2026-05-01', ...(is_frozen ? { frozen } : {}) }).kind;
    assert.equal(kindOf([duplicate, other], true), 'late_change');
    assert.equal(kindOf([duplicate, other]), 'suspected_duplicate');
    assert.equal(kindOf([other]), 'amount');
    assert.equal(kindOf([{ ...other, class: 'refund_linked', amount: money(-10) }]), 'uncleared');
  });
});

describe('a proposal', () => {
  const by = (match_rule: number, change: Partial<ReturnType<typeof clearing>> = {}) =>
    itemOf({ purchases: [cleared], clearings: [clearing({ match_rule, ...change })], lines: [line()] });

  test('is a match by one of the rules 5 to 7, and says why', () => {
    for (const rule of [5, 6, 7]) {
      const item = by(rule);
      assert.deepEqual([item.status, item.kind, item.rule], ['proposed', null, String(rule)]);
      assert.deepEqual(item.alternatives, [], 'a match is no alternative to itself');
      assert.deepEqual(item.matches[0]?.values, {
        acquirer_reference: reference,
        amount: 1_000,
        settlement_date: '2026-03-03',
        earlier_clearing_id: null,
        cleared: 1_000,
        authorized: 1_000,
        currency: 'USD',
        approval_code: 'A1B2C3',
        merchant_id: 'M1',
        network_reference: 'MCCAAAAAA0302',
        authorization_date: '2026-03-02',
        days: 1,
      });
    }
    assert.equal(by(4).status, 'matched');
  });

  test('is an uncertain match of another rule', () => {
    assert.equal(by(3, { review: true }).status, 'proposed');
  });

  test('is a clearing that several authorizations fit: no unauthorized one', () => {
    const tie = clearing({ class: 'force_post', authorization_id: null, match_rule: 8, review: true, is_tie: true });
    const item = itemOf({ clearings: [tie], lines: [line()] });
    assert.deepEqual([item.status, item.kind], ['proposed', null]);
    assert.match(item.alternatives[0]!.reason, /several/);
  });

  test('is none once a person confirmed or chose the match', () => {
    const item = by(9, { is_chosen: true, review: true });
    assert.deepEqual([item.status, item.rule], ['matched', 'person']);
  });

  test('is a line of the amount that was booked more than 3 days away, and says how many', () => {
    const booked = (days: number, change: Parameters<typeof line>[0] = {}) =>
      itemOf({
        purchases: [cleared],
        clearings: [clearing()],
        lines: [line({ booking_date: daysAfter('2026-03-03', days), ...change })],
      });
    for (const days of [4, -4, 35]) {
      const item = booked(days);
      assert.deepEqual([item.status, item.kind, item.rule, item.due_date], ['proposed', null, 'ard', null]);
      const when = days < 0 ? 'before' : 'after';
      assert.match(String(item.matches[1]?.values.reason), new RegExp(`^booked ${Math.abs(days)} days ${when} the`));
    }
    const near = booked(3);
    assert.deepEqual([near.status, near.rule, near.matches[1]?.values.reason], ['matched', '3', undefined]);
    assert.deepEqual(booked(5, { amount: money(900) }).kind, 'amount');
  });

  test('that lacks its line is a break once that is overdue', () => {
    const records = { purchases: [cleared], clearings: [clearing({ match_rule: 6 })] };
    const before = itemOf(records, { on: '2026-03-05' });
    assert.deepEqual([before.status, before.due_date], ['proposed', '2026-03-06']);
    assert.deepEqual(itemOf(records, { on: '2026-03-07' }).kind, 'unstated');
  });
});

describe('no item', () => {
  test('is made of a declined, a fully reversed or a zero authorization', () => {
    const none = [
      purchase({ status: 'declined' }),
      purchase({ id: 2, status: 'reversed', authorized: money(0) }),
      purchase({ id: 3, authorized: money(0) }),
    ];
    assert.deepEqual(itemsOf({ purchases: none }), []);
  });

  test('but a clearing of an authorization of 0 has one', () => {
    const verification = purchase({ authorized: money(0), status: 'cleared' });
    const item = itemOf({ purchases: [verification], clearings: [clearing({ class: 'over' })], lines: [line()] });
    assert.deepEqual([item.authorized, item.kind, item.difference], [0, 'amount', 1_000]);
  });
});

describe('after a closing', () => {
  const matched = itemOf({ purchases: [cleared], clearings: [clearing()], lines: [line()] });
  const frozenOf = (
    items: readonly ItemContent[],
    clearings: readonly ReturnType<typeof clearing>[],
    lines: readonly ReturnType<typeof line>[] = [],
  ) =>
    frozenRecordsOf(
      items.map((item) => ({ ...item, version: 1, period_id: 1, assignee: null })),
      new Map(clearings.map((one) => [one.id, one])),
      new Map(lines.map((one) => [one.id, one])),
      new Map([[1, { last_clearing_id: 1, last_line_id: 1 }]]),
    );
  const frozen = frozenOf([matched], [clearing()], [line()]);
  const on = '2026-04-02';

  test('a clearing of a frozen purchase has an item of its own that names the frozen one', () => {
    const refund = clearing({ id: 2, class: 'refund_linked', amount: money(-200), settlement_date: on });
    const item = itemOf({ purchases: [cleared], clearings: [refund] }, { frozen, on });
    assert.deepEqual([item.status, item.kind, item.due_date], ['break', 'late_change', on]);
    assert.deepEqual([item.authorization_ids, item.clearing_ids], [[], [2]]);
    assert.deepEqual([item.id, item.frozen_item_id], [itemIdOf({ kind: 'clearing', id: 2 }), matched.id]);
  });

  test('a clearing that refers to a clearing of a late change names that', () => {
    const late = itemOf({ clearings: [clearing({ id: 2 })] }, { frozen, on });
    const refund = clearing({ id: 3, clearing_id: 2, class: 'refund_linked', amount: money(-200) });
    const again = frozenOf([matched, late], [clearing(), clearing({ id: 2 })]);
    assert.equal(itemOf({ clearings: [refund] }, { frozen: again, on }).frozen_item_id, late.id);
  });

  test('a clearing of a frozen purchase that a reversal undid is no break', () => {
    const duplicate = clearing({ id: 2, class: 'suspected_duplicate' });
    const undo = { cycle: 'reversal', class: 'reversal', match_rule: 1, amount: money(-1_000) } as const;
    const reversal = clearing({ id: 3, ...undo, clearing_id: 2 });
    const item = itemOf({ purchases: [cleared], clearings: [duplicate, reversal] }, { frozen, on });
    assert.deepEqual([item.status, item.frozen_item_id], ['matched', matched.id]);
    const booked = [line({ id: 2 }), line({ id: 3, amount: money(-1_000), booking_date: '2026-03-04' })];
    const stated = itemOf({ purchases: [cleared], clearings: [duplicate, reversal], lines: booked }, { frozen, on });
    assert.equal(stated.kind, 'late_change');
  });

  test('a line or fee with the key of a frozen clearing is late, also when that had no line', () => {
    const unstated = itemOf({ purchases: [cleared], clearings: [clearing()] });
    for (const its_frozen of [frozen, frozenOf([unstated], [clearing()])]) {
      for (const booked of [line, fee]) {
        const late = booked({ id: 2, booking_date: on });
        const item = itemOf({ lines: [late] }, { frozen: its_frozen, on });
        assert.deepEqual([item.kind, item.due_date, item.frozen_item_id], ['late_change', on, matched.id]);
      }
    }
  });

  test('of several frozen items with the key the nearest is named', () => {
    const purchases = [cleared, purchase({ id: 2, status: 'cleared' })];
    const clearings = [clearing(), clearing({ id: 2, authorization_id: 2, settlement_date: '2026-03-10' })];
    const items = itemsOf({ purchases, clearings });
    const named = (booking_date: string) =>
      itemOf({ lines: [fee({ booking_date })] }, { frozen: frozenOf(items, clearings), on });
    assert.deepEqual(
      ['2026-03-06', '2026-03-07', '2026-04-14', '2026-04-15'].map((date) => named(date).frozen_item_id),
      [items[0]!.id, items[1]!.id, items[1]!.id, null],
    );
  });

  test('a clearing for a line that was frozen without one names it, unless it has a line', () => {
    const lone = itemOf({ lines: [line()] });
    const its_frozen = frozenOf([lone], [], [line()]);
    const late = clearing({ id: 2 });
    const item = itemOf({ purchases: [cleared], clearings: [late] }, { frozen: its_frozen, on });
    assert.deepEqual([item.kind, item.frozen_item_id], ['late_change', lone.id]);
    const stated = itemOf(
      { purchases: [cleared], clearings: [late], lines: [line({ id: 2 })] },
      { frozen: its_frozen, on },
    );
    assert.deepEqual([stated.status, stated.frozen_item_id], ['matched', null]);
  });

  test('what was open before carries forward', () => {
    const open = itemOf({ lines: [fee({ id: 1, booking_date: on })] }, { frozen, on });
    assert.deepEqual([open.status, open.kind, open.frozen_item_id], ['awaiting', null, null]);
  });
});

describe('decisions', () => {
  const over = { purchases: [cleared], clearings: [clearing({ class: 'over' })], lines: [line()] };
  const seen = fingerprintOf(itemOf(over));
  const under = (action: 'ignore' | 'accept' | 'confirm', records: Parameters<typeof itemOf>[0]) =>
    itemOf(records, { decisions: new Map([[seen, { action } as Act]]) });

  test('to ignore or accept hold while the item has the members and amounts that the person saw', () => {
    for (const [action, status] of [
      ['ignore', 'ignored'],
      ['accept', 'accepted'],
    ] as const) {
      const item = under(action, over);
      assert.deepEqual([item.status, item.kind, item.due_date], [status, 'amount', '2026-03-03']);
      const more = under(action, { ...over, lines: [line(), fee()] });
      assert.deepEqual([more.status, more.kind], ['break', 'amount']);
    }
  });

  test('to accept concern breaks only', () => {
    assert.equal(under('accept', { ...over, clearings: [clearing()] }).status, 'matched');
  });

  test('to confirm end a proposal', () => {
    assert.equal(under('confirm', { ...over, clearings: [clearing({ match_rule: 7 })] }).status, 'matched');
    assert.equal(under('confirm', over).status, 'break');
  });
});

test('one line for clearings of two purchases makes one item of both', () => {
  const second = clearing({ id: 2, authorization_id: 2, acquirer_reference: null });
  const both = { purchases: [cleared, purchase({ id: 2, status: 'cleared' })], clearings: [clearing(), second] };
  const pins = [
    { line_id: 1, clearing_id: 1 },
    { line_id: 1, clearing_id: 2 },
  ];
  const records = { ...both, lines: [line({ amount: money(2_000) })] };
  const item = itemOf(records, { pairings: pairRecords(records, { pins, bars: [] }) });
  assert.deepEqual([item.status, item.authorization_ids, item.difference], ['matched', [1, 2], 0]);
});
