import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { money } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { type ChainAround, lastPosition, type PlacedStatement, placeStatement } from '../src/index.ts';

type Plain = readonly [as_of: string, opening: number, closing: number, reference?: string | null];

function statement([as_of, opening, closing, reference = null]: Plain, position = 0): PlacedStatement {
  return { as_of, opening_balance: money(opening), closing_balance: money(closing), reference, position };
}

/** The chain around a date, in a list of statements. */
function around(chain: readonly PlacedStatement[], as_of: string): ChainAround<PlacedStatement> {
  const ordered = chain.toSorted((a, b) =>
    a.as_of === b.as_of ? a.position - b.position : a.as_of < b.as_of ? -1 : 1,
  );
  return {
    before: ordered.findLast((one) => one.as_of < as_of) ?? null,
    of_date: ordered.filter((one) => one.as_of === as_of),
    after: ordered.find((one) => one.as_of > as_of) ?? null,
  };
}

function placeIn(chain: readonly Plain[], stated: Plain) {
  const known = chain.map((one, at) => statement(one, at));
  return placeStatement(statement(stated), around(known, stated[0]));
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
    assert.equal(placeIn(chain, ['2026-05-20', 70, 70]).kind, 'new');
    assert.equal(placeIn(chain, ['2026-05-20', 70, 60]).kind, 'gap');
    assert.equal(placeIn(chain, ['2026-05-19', 70, 60, 'other']).kind, 'differs');
  });

  it('is that of a known one with its date and balances, whatever its reference', () => {
    assert.equal(placeIn(chain, monday!).kind, 'repeat');
    assert.equal(placeIn(chain, [...monday!.slice(0, 3), 'other'] as unknown as Plain).kind, 'repeat');
  });

  it('differs from a known one with its reference and other balances, also where it would join the chain', () => {
    const named: readonly Plain[] = [['2026-05-18', 100, 70, 'A']];
    assert.equal(placeIn(named, ['2026-05-18', 70, 60, 'A']).kind, 'differs');
    assert.equal(placeIn(named, ['2026-05-18', 70, 60, 'B']).kind, 'new');
    assert.equal(placeIn([monday!], ['2026-05-18', 100, 60]).kind, 'differs');
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
        const ordered = chain.toSorted((a, b) =>
          a.as_of === b.as_of ? a.position - b.position : a.as_of < b.as_of ? -1 : 1,
        );
        const references = ordered.map(({ reference }) => reference);
        assert.deepEqual(
          references,
          all.map(([, , , reference]) => reference),
        );
      }),
      propertyParameters(),
    );
  });

  it('is the last of its date when a person releases it over a gap', () => {
    assert.equal(lastPosition({ of_date: [] }), 0);
    assert.equal(lastPosition({ of_date: [statement(monday!, -2), statement(monday!, 4)] }), 5);
  });
});
