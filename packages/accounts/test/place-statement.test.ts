import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { money, sum_max } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  type ChainAround,
  completeBalances,
  lastPosition,
  mayCover,
  oldestFirst,
  type PlacedStatement,
  placeStatement,
} from '../src/index.ts';

type Plain = readonly [as_of: string, opening: number, closing: number, reference?: string | null];

function statement([as_of, opening, closing, reference = null]: Plain, position = 0): PlacedStatement {
  return { as_of, opening_balance: money(opening), closing_balance: money(closing), reference, position };
}

function inChain(a: PlacedStatement, b: PlacedStatement): number {
  return a.as_of === b.as_of ? a.position - b.position : a.as_of < b.as_of ? -1 : 1;
}

/** The chain around a date, in a list of statements. */
function around(chain: readonly PlacedStatement[], as_of: string): ChainAround<PlacedStatement> {
  const ordered = chain.toSorted(inChain);
  return {
    before: ordered.findLast((one) => one.as_of < as_of) ?? null,
    of_date: ordered.filter((one) => one.as_of === as_of),
    after: ordered.find((one) => one.as_of > as_of) ?? null,
  };
}

function place(chain: readonly PlacedStatement[], stated: PlacedStatement) {
  const { as_of, opening_balance } = stated;
  const its = around(chain, as_of);
  if (!mayCover(stated, its)) return placeStatement(stated, its);
  const opening = chain
    .filter((one) => one.as_of < as_of && one.opening_balance === opening_balance)
    .toSorted(inChain)
    .at(-1);
  return placeStatement(stated, its, opening ?? null);
}

function placeIn(chain: readonly Plain[], stated: Plain) {
  return place(
    chain.map((one, at) => statement(one, at)),
    statement(stated),
  );
}

describe('the place of a statement', () => {
  const [monday, tuesday, thursday]: readonly Plain[] = [
    ['2026-05-18', 100, 70],
    ['2026-05-19', 70, 70],
    ['2026-05-21', 70, 20],
  ];
  const chain = [monday!, tuesday!, thursday!];

  it('is the end, the beginning, or any date for the first', () => {
    assert.equal(placeIn([], monday!).kind, 'new');
    assert.equal(placeIn(chain, ['2026-05-22', 20, 90]).kind, 'new');
    assert.equal(placeIn(chain, ['2026-05-17', 3, 100]).kind, 'new');
  });

  it('is on the date of another, after or before it, when the balances say so', () => {
    const after = placeIn(chain, ['2026-05-21', 20, 10]);
    const before = placeIn(chain, ['2026-05-18', 5, 100]);
    assert.deepEqual(
      [after, before],
      [
        { kind: 'new', position: 3 },
        { kind: 'new', position: -1 },
      ],
    );
  });

  it('is within the chain when its lines amount to nothing', () => {
    assert.deepEqual(placeIn(chain.slice(1), ['2026-05-20', 70, 70]), {
      kind: 'covers',
      from: statement(tuesday!),
      to: statement(tuesday!),
      or_position: 0,
    });
    assert.equal(placeIn([monday!, thursday!], ['2026-05-20', 70, 70]).kind, 'new');
    assert.equal(placeIn(chain, ['2026-05-20', 70, 60]).kind, 'gap');
    assert.equal(placeIn(chain, ['2026-05-19', 70, 60, 'other']).kind, 'differs');
  });

  it('is that of a known one with its date and balances, whatever its reference', () => {
    assert.equal(placeIn(chain, monday!).kind, 'repeat');
    assert.equal(placeIn(chain, [...monday!.slice(0, 3), 'other'] as unknown as Plain).kind, 'repeat');
  });

  it('differs from a known one of its date, and its reference, that opens or closes with another balance', () => {
    const named: readonly Plain[] = [['2026-05-18', 100, 70, 'A']];
    assert.equal(placeIn(named, ['2026-05-18', 100, 60, 'A']).kind, 'differs');
    assert.equal(placeIn(named, ['2026-05-18', 90, 70, 'A']).kind, 'differs');
    assert.equal(placeIn([monday!], ['2026-05-18', 100, 60]).kind, 'differs');
  });

  it('is after or before a known one of its date and reference when it is a further page of it', () => {
    const named: readonly Plain[] = [['2026-05-18', 100, 70, 'A']];
    assert.deepEqual(placeIn(named, ['2026-05-18', 70, 60, 'A']), { kind: 'new', position: 1 });
    assert.deepEqual(placeIn(named, ['2026-05-18', 130, 100, 'A']), { kind: 'new', position: -1 });
    assert.equal(placeIn(named, ['2026-05-18', 60, 50, 'A']).kind, 'gap', 'a page between is missing');
    const others: readonly Plain[] = [...named, ['2026-05-18', 70, 20, 'B']];
    assert.equal(placeIn(others, ['2026-05-18', 20, 10, 'A']).kind, 'gap', 'another statement is between');
    const next: readonly Plain[] = [['2026-05-17', 130, 100], ...named, ['2026-05-19', 70, 20, 'A']];
    assert.equal(placeIn(next, ['2026-05-18', 70, 60, 'A']).kind, 'differs', 'the chain goes on without it');
  });

  it('can be another one than that with its balances if it has a reference of its own and is the last of its date', () => {
    const day: readonly Plain[] = [
      ['2026-05-18', 100, 110, 'A'],
      ['2026-05-18', 110, 100, 'B'],
    ];
    const kindOf = (chain: readonly Plain[], stated: Plain) => {
      const found = placeIn(chain, stated);
      return found.kind === 'repeat' && [found.known.reference, found.or_position];
    };
    assert.deepEqual(kindOf(day, ['2026-05-18', 100, 110, 'C']), ['A', 2]);
    assert.deepEqual(kindOf(day, ['2026-05-18', 100, 110, 'A']), ['A', null], 'its reference is known');
    assert.deepEqual(kindOf(day, ['2026-05-18', 100, 110]), ['A', null], 'it has no reference');
    assert.deepEqual(kindOf(day.slice(0, 1), ['2026-05-18', 100, 110, 'C']), ['A', null], 'it does not continue');
    const next: readonly Plain[] = [...day, ['2026-05-19', 100, 90, 'D']];
    assert.deepEqual(kindOf(next, ['2026-05-18', 100, 110, 'C']), ['A', null], 'the chain goes on without it');
    assert.deepEqual(kindOf([['2026-05-18', 5, 5, 'A']], ['2026-05-18', 5, 5, 'B']), ['A', 1], 'without a change');
  });

  it('covers known days that lead from its opening to its closing balance', () => {
    const covered = (chain: readonly Plain[], stated: Plain) => {
      const found = placeIn(chain, stated);
      return found.kind === 'covers' && [found.from.as_of, found.to.as_of, found.or_position];
    };
    const month: readonly Plain[] = [monday!, tuesday!, thursday!, ['2026-05-22', 20, 15]];
    assert.deepEqual(covered(month, ['2026-05-21', 100, 20, 'M']), ['2026-05-18', '2026-05-21', null]);
    assert.deepEqual(covered(month, ['2026-05-31', 100, 15, 'M']), ['2026-05-18', '2026-05-22', null]);
    assert.deepEqual(covered(month, ['2026-05-19', 100, 70, 'M']), ['2026-05-18', '2026-05-19', null]);
    assert.deepEqual(covered(month, ['2026-05-23', 20, 15]), ['2026-05-22', '2026-05-22', null], 'under another date');
    assert.deepEqual(covered(month, ['2026-05-31', 99, 15, 'M']), false, 'it opens with no known balance');
    assert.deepEqual(covered(month, ['2026-05-31', 100, 14, 'M']), false, 'it does not close with the last balance');
    assert.deepEqual(covered(month, ['2026-05-31', 15, 100, 'M']), false, 'it leads the other way');
    const same: readonly Plain[] = [...month, ['2026-05-23', 15, 100]];
    assert.deepEqual(covered(same, ['2026-05-31', 100, 100, 'M']), ['2026-05-18', '2026-05-23', 0], 'or it is new');
  });

  it('is behind a gap at either end, and in a hole that a release left', () => {
    const late = placeIn(chain, ['2026-05-25', 21, 20]);
    const early = placeIn(chain, ['2026-05-10', 1, 2]);
    assert.deepEqual(
      [late, early].map((place) => place.kind === 'gap' && [place.is_after, place.neighbour.as_of]),
      [
        [true, '2026-05-21'],
        [false, '2026-05-18'],
      ],
    );
    const with_hole: readonly Plain[] = [monday!, ['2026-05-25', 40, 30]];
    assert.equal(placeIn(with_hole, ['2026-05-20', 70, 50]).kind, 'new');
    assert.equal(placeIn(with_hole, ['2026-05-20', 50, 40]).kind, 'new');
    assert.equal(placeIn(with_hole, ['2026-05-20', 60, 50]).kind, 'gap');
  });

  it('leads to one chain in any order, when those behind a gap are tried again', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 1, max: 3 })), {
      minLength: 1,
      maxLength: 8,
    });
    const stated = steps.map((all) => {
      let [day, balance] = [1, 10];
      return all.map(([days, change], at): Plain => {
        day += days;
        const opening = balance;
        balance += change;
        return [`2026-05-${String(day).padStart(2, '0')}`, opening, balance, `S${at}`];
      });
    });
    const worlds = stated.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(worlds, ([all, arriving]) => {
        const chain: PlacedStatement[] = [];
        let waiting = [...arriving];
        for (let is_any = true; is_any; ) {
          const before = waiting.length;
          waiting = waiting.filter((one) => {
            const place = placeStatement(statement(one), around(chain, one[0]));
            if (place.kind === 'new') chain.push(statement(one, place.position));
            return place.kind === 'gap';
          });
          is_any = waiting.length < before;
        }
        const references = chain.toSorted(inChain).map(({ reference }) => reference);
        assert.deepEqual(
          references,
          all.map(([, , , reference]) => reference),
        );
      }),
      propertyParameters(),
    );
  });

  it('is at the end for each statement or page of one day, whatever its balances, when its lines are new', () => {
    const changes = fc.array(fc.tuple(fc.integer({ min: -1, max: 1 }), fc.boolean()), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(changes, (all) => {
        const chain: PlacedStatement[] = [];
        let balance = 10;
        for (const [at, [change]] of all.entries()) {
          const stated = statement(['2026-05-18', balance, balance + change, `S${at}`]);
          const found = place(chain, stated);
          const position = found.kind === 'new' ? found.position : 'or_position' in found ? found.or_position : null;
          assert.equal(position, at, found.kind);
          chain.push({ ...stated, position: at });
          balance += change;
        }
      }),
      propertyParameters(),
    );
  });

  it('is at the end for each statement of one day that a file lists, the oldest or the newest first', () => {
    const changes = fc.array(fc.integer({ min: -1, max: 1 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(changes, fc.boolean(), (all, is_newest_first) => {
        let balance = 10;
        const day = all.map((change, at) => {
          balance += change;
          return statement(['2026-05-18', balance - change, balance, `S${at}`]);
        });
        const ordered = oldestFirst(is_newest_first ? day.toReversed() : day);
        for (const [at, one] of ordered.slice(1).entries()) {
          assert.equal(one.opening_balance, ordered[at]!.closing_balance);
        }
      }),
      propertyParameters(),
    );
    const one_day = [100, 110, 100, 90].flatMap((closing, at, all): PlacedStatement[] =>
      at === 0 ? [] : [statement(['2026-05-18', all[at - 1]!, closing, `S${at}`])],
    );
    assert.deepEqual(oldestFirst(one_day.toReversed()), one_day);
    assert.deepEqual(oldestFirst(one_day), one_day);
  });

  it('is among the known days, and never new alone, for every statement over days of a chain', () => {
    const worlds = fc
      .array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: -2, max: 2 })), { minLength: 1, maxLength: 9 })
      .chain((days) => fc.tuple(fc.constant(days), fc.nat(days.length - 1), fc.nat(days.length - 1), fc.nat(3)));
    fc.assert(
      fc.property(worlds, ([days, one, other, later]) => {
        let [day, balance] = [1, 10];
        const dateOf = (of: number) => `2026-05-${String(of).padStart(2, '0')}`;
        const chain = days.map(([after, change], at) => {
          day += after;
          balance += change;
          return statement([dateOf(day), balance - change, balance, `S${at}`], at);
        });
        const [from, to] = [chain[Math.min(one, other)]!, chain[Math.max(one, other)]!];
        const next = chain[Math.max(one, other) + 1];
        // Also on a later date on which the chain has no statement.
        const as_of = next === undefined ? dateOf(day + later) : to.as_of;
        const stated = statement([as_of, from.opening_balance, to.closing_balance, 'M']);
        const found = place(chain, stated);
        if (found.kind === 'repeat') return;
        assert.ok(found.kind === 'covers', found.kind);
        assert.ok(inChain(found.from, found.to) <= 0);
        assert.equal(found.from.opening_balance, stated.opening_balance);
        assert.equal(found.to.closing_balance, stated.closing_balance);
      }),
      propertyParameters(),
    );
  });

  it('is the last of its date when a person releases it over a gap', () => {
    assert.equal(lastPosition({ of_date: [] }), 0);
    assert.equal(lastPosition({ of_date: [statement(monday!, -2), statement(monday!, 4)] }), 5);
  });
});

describe('the balances of a statement that states only one of them, or none', () => {
  const chain = [statement(['2026-05-18', 100, 70, 'A']), statement(['2026-05-20', 70, 20, 'B'])];
  const complete = (as_of: string, opening: number | null, closing: number | null, sum: number, reference?: string) => {
    const stated = {
      opening_balance: opening === null ? null : money(opening),
      closing_balance: closing === null ? null : money(closing),
      reference: reference ?? null,
    };
    const found = completeBalances(stated, money(sum), around(chain, as_of), 'USD');
    return found === null ? null : [found.opening_balance, found.closing_balance];
  };

  it('follow from the one that it states and from its lines', () => {
    assert.deepEqual(complete('2026-05-25', 7, null, -3), [7, 4]);
    assert.deepEqual(complete('2026-05-25', null, 7, -3), [10, 7]);
    assert.deepEqual(complete('2026-05-25', 7, 8, -3), [7, 8], 'both are stated');
  });

  it('follow from the chain when it states none', () => {
    assert.deepEqual(complete('2026-05-25', null, null, -3), [20, 17], 'after its end');
    assert.deepEqual(complete('2026-05-20', null, null, -3), [20, 17], 'after the last one of the date');
    assert.deepEqual(complete('2026-05-20', null, null, -50, 'B'), [70, 20], 'as the known one of its reference');
    assert.deepEqual(complete('2026-05-20', null, null, -50, 'C'), [20, -30], 'after that of another reference');
    assert.deepEqual(complete('2026-05-17', null, null, -3), [103, 100], 'before its beginning');
    assert.equal(
      completeBalances(
        { opening_balance: null, closing_balance: null, reference: null },
        money(1),
        around([], ''),
        'USD',
      ),
      null,
    );
  });

  it('are not known beyond the largest balance', () => {
    assert.equal(complete('2026-05-25', sum_max, null, 1), null);
    assert.equal(complete('2026-05-25', null, -sum_max, 1), null);
  });
});
