import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  type Act,
  type ActKind,
  fingerprintOf,
  type ItemContent,
  permittedActs,
  type ReconciliationRecords,
  type StatementPair,
  standingActs,
  startOf,
} from '../../src/index.ts';
import { clearing, composeAll, fee, line, purchase } from '../reconciliation-world.ts';

fc.configureGlobal(propertyParameters());

function act(id: number, action: ActKind, pairs: readonly StatementPair[], fingerprint = 'one'): Act {
  return {
    id,
    company_id: 1,
    at_ms: id,
    actor: 'ann',
    action,
    item_id: 4,
    subject: {
      fingerprint,
      pairs,
      authorization: null,
      confirmed: [],
      rule: null,
      accepted: null,
      kept_line_id: null,
      approved: null,
    },
    note: 'seen',
    reason: null,
    request_id: null,
  };
}

const pair = { line_id: 1, clearing_id: 1 };

describe('what acts leave in force', () => {
  const after = (...actions: readonly ActKind[]) => {
    const { hands, decisions } = standingActs(actions.map((action, at) => act(at + 1, action, [pair])));
    return { pins: hands.pins.length, bars: hands.bars.length, decision: decisions.get('one')?.action ?? null };
  };

  test('is a pin of a match and a bar of its undoing', () => {
    assert.deepEqual(after('match'), { pins: 1, bars: 0, decision: null });
    assert.deepEqual(after('unmatch'), { pins: 0, bars: 1, decision: null });
  });

  test('is nothing of a match and its undoing, whichever came first', () => {
    assert.deepEqual(after('match', 'unmatch'), { pins: 0, bars: 0, decision: null });
    assert.deepEqual(after('unmatch', 'match'), { pins: 0, bars: 0, decision: null });
  });

  test('is a bar when a pair is undone twice: once the pin, once the pair of the rules', () => {
    assert.deepEqual(after('match', 'unmatch', 'unmatch'), { pins: 0, bars: 1, decision: null });
  });

  test('are the pairs of a confirmation until it is reopened', () => {
    assert.deepEqual(after('confirm'), { pins: 1, bars: 0, decision: 'confirm' });
    assert.deepEqual(after('confirm', 'reopen'), { pins: 0, bars: 0, decision: null });
    assert.deepEqual(after('confirm', 'unmatch'), { pins: 0, bars: 1, decision: 'confirm' });
    assert.deepEqual(after('confirm', 'unmatch', 'match'), { pins: 1, bars: 0, decision: 'confirm' });
  });

  test('is the newest decision, and the one before it once that is reopened', () => {
    assert.deepEqual(after('confirm', 'accept'), { pins: 1, bars: 0, decision: 'accept' });
    assert.deepEqual(after('confirm', 'accept', 'reopen'), { pins: 1, bars: 0, decision: 'confirm' });
    assert.equal(after('reopen').decision, null);
  });

  test('does not depend on the order in which acts are read', () => {
    const acts = [act(1, 'match', [pair]), act(2, 'unmatch', [pair]), act(3, 'unmatch', [pair]), act(4, 'ignore', [])];
    assert.deepEqual(standingActs(acts.toReversed()), standingActs(acts));
  });
});

type Step = StatementPair & { readonly action: ActKind; readonly fingerprint: string };

const step: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom<ActKind>('match', 'unmatch', 'ignore', 'accept', 'confirm'),
  line_id: fc.integer({ min: 1, max: 2 }),
  clearing_id: fc.integer({ min: 1, max: 2 }),
  fingerprint: fc.constantFrom('one', 'two'),
});

function undoing(action: ActKind): ActKind {
  if (action === 'match') return 'unmatch';
  return action === 'unmatch' ? 'match' : 'reopen';
}

test('any acts and their undoing in reverse leave what was there before', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), fc.array(step, { maxLength: 10 }), (before, steps) => {
      const first = permittedOf([], before);
      const made = permittedOf(first, steps);
      const undone = made
        .slice(first.length)
        .toReversed()
        .map((one, at) => ({ ...one, id: made.length + at + 1, action: undoing(one.action) }));
      assert.deepEqual(inForce([...made, ...undone]), inForce(first));
    }),
  );
});

/** The acts with those of the steps that are possible when their turn comes. */
function permittedOf(acts: readonly Act[], steps: readonly Step[]): readonly Act[] {
  const made = [...acts];
  for (const { action, fingerprint, ...its_pair } of steps) {
    const { pins, bars } = standingActs(made).hands;
    const isIn = (pairs: readonly StatementPair[]) => pairs.some((one) => textOf(one) === textOf(its_pair));
    const is_refused =
      (action === 'match' && isIn(pins)) ||
      (action === 'unmatch' && isIn(bars)) ||
      // Only what rules made can be confirmed.
      (action === 'confirm' && (isIn(pins) || isIn(bars)));
    if (!is_refused) made.push(act(made.length + 1, action, [its_pair], fingerprint));
  }
  return made;
}

function inForce(acts: readonly Act[]) {
  const { hands, decisions } = standingActs(acts);
  return {
    pins: hands.pins.map(textOf).sort(),
    bars: hands.bars.map(textOf).sort(),
    decisions: [...decisions].map(([seen, { action }]) => `${seen} ${action}`).sort(),
  };
}

function textOf({ line_id, clearing_id }: StatementPair): string {
  return `${line_id} ${clearing_id}`;
}

describe('items under acts', () => {
  const cleared = purchase({ status: 'cleared' });
  const unreferenced = (id: number, amount: number) => line({ id, amount: money(amount), acquirer_reference: null });
  const itemsAfter = (records: ReconciliationRecords, acts: readonly Act[]): readonly ItemContent[] =>
    composeAll({ records, acts, coverage: new Map([['USD', '2026-01-01']]), now_ms: startOf('2026-03-20') });
  const records = { purchases: [cleared], clearings: [clearing()], lines: [line()] };

  test('a pair that a person undid is two items, and one again when it is matched again', () => {
    const apart = itemsAfter(records, [act(1, 'unmatch', [pair])]);
    assert.deepEqual(
      apart.map(({ kind }) => kind),
      ['unstated', 'unexplained_line'],
    );
    const again = itemsAfter(records, [act(1, 'unmatch', [pair]), act(2, 'match', [pair])]);
    const untouched = again.map((item) => ({ ...item, is_touched: false }));
    assert.deepEqual(untouched, itemsAfter(records, []));
  });

  test('a pair that a person made stays when a better line arrives, which joins it with a difference', () => {
    const by_hand = { ...records, lines: [unreferenced(1, 1_000), line({ id: 2 })] };
    const [item, ...others] = itemsAfter(by_hand, [act(1, 'match', [pair])]);
    assert.deepEqual([item?.line_ids, item?.kind, item?.difference, others], [[1, 2], 'amount', 1_000, []]);
    assert.equal(item?.rule, 'person');
  });

  test('a confirmed covering set stays when another set would do as well', () => {
    const lines = [unreferenced(1, 400), unreferenced(2, 600)];
    const [proposed] = itemsAfter({ ...records, lines }, []);
    assert.deepEqual([proposed?.status, proposed?.rule], ['proposed', 'covering_set']);
    const pairs = lines.map(({ id }) => ({ line_id: id, clearing_id: 1 }));
    const confirm = act(1, 'confirm', pairs, fingerprintOf(proposed!));
    const [confirmed] = itemsAfter({ ...records, lines }, [confirm]);
    assert.deepEqual([confirmed?.status, confirmed?.rule], ['matched', 'person']);
    const more = { ...records, lines: [...lines, unreferenced(3, 1_000)] };
    assert.equal(itemsAfter(more, [])[0]?.status, 'break');
    assert.equal(itemsAfter(more, [confirm])[0]?.status, 'matched');
  });

  test('a decision lapses when a fee arrives, and holds again when the person takes the fee away', () => {
    const over = { ...records, clearings: [clearing({ class: 'over' })] };
    const accept = act(1, 'accept', [], fingerprintOf(itemsAfter(over, [])[0]!));
    const with_fee = { ...over, lines: [line(), fee()] };
    assert.equal(itemsAfter(over, [accept])[0]?.status, 'accepted');
    assert.equal(itemsAfter(with_fee, [accept])[0]?.status, 'break');
    const apart = act(2, 'unmatch', [{ line_id: 2, clearing_id: 1 }]);
    assert.equal(itemsAfter(with_fee, [accept, apart])[0]?.status, 'accepted');
  });
});

describe('an item permits', () => {
  const base = composeAll({
    records: { purchases: [purchase({ status: 'cleared' })], clearings: [clearing()], lines: [line()] },
    acts: [],
    coverage: new Map(),
    now_ms: startOf('2026-03-20'),
  })[0]!;
  const permitted = (
    change: Partial<ItemContent>,
    period_id: number | null = null,
    decision: Pick<Act, 'action'> | null = null,
  ) => permittedActs({ ...base, ...change, period_id }, decision);

  test('nothing in a closed period', () => {
    assert.deepEqual(permitted({ status: 'break', kind: 'amount' }, 1), []);
  });

  test('only reopening while a decision has it ignored or accepted', () => {
    assert.deepEqual(permitted({ status: 'ignored' }), ['reopen']);
    assert.deepEqual(permitted({ status: 'accepted' }, null, { action: 'accept' }), ['reopen']);
  });

  test('taking apart and matching with more while a match has accepted its difference', () => {
    assert.deepEqual(permitted({ status: 'accepted', kind: 'amount' }), ['match', 'ignore', 'unmatch']);
  });

  test('only taking apart when it is matched', () => {
    assert.deepEqual(permitted({}), ['unmatch']);
    assert.deepEqual(permittedActs({ ...base, period_id: null }, { action: 'confirm' }), ['reopen', 'unmatch']);
  });

  test('accepting a break, and confirming a proposal that joins records', () => {
    assert.deepEqual(permitted({ status: 'break', kind: 'amount' }), ['match', 'ignore', 'unmatch', 'accept']);
    assert.deepEqual(permitted({ status: 'proposed' }), ['match', 'ignore', 'unmatch', 'confirm']);
    assert.deepEqual(permitted({ status: 'proposed', matches: [] }), ['match', 'ignore']);
  });
});
