import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { barredOf, chosenOf, type MatchChoice, type MatchChoices } from '../../src/index.ts';
import { chooseAlso, isSameChoices } from '../../src/records/match-choice.ts';

const belongs = (authorization_id: number): MatchChoice => ({ authorization_id, is_match: true });
const not = (authorization_id: number): MatchChoice => ({ authorization_id, is_match: false });

/** What the clearing is matched to when the rules prefer these authorizations, the best first. */
function matchedBy(preferred: readonly number[]): (choices: MatchChoices) => number | null {
  return (choices) => {
    const barred = barredOf(choices);
    return chosenOf(choices) ?? preferred.find((id) => !barred.includes(id)) ?? null;
  };
}

describe('a choice', () => {
  const cases: readonly [string, readonly number[], MatchChoices, MatchChoice, MatchChoices][] = [
    ['is kept', [], null, belongs(1), [belongs(1)]],
    ['takes a match back: the rules decide again', [2], [belongs(1)], not(1), null],
    ['takes a clearing from what a rule found', [1], null, not(1), [not(1)]],
    ['takes a bar back when the rule makes the match again', [1], [not(1)], belongs(1), null],
    ['stays above a bar when no rule would make the match', [2], [not(1)], belongs(1), [not(1), belongs(1)]],
    ['bars what was confirmed', [1], [belongs(1)], not(1), [belongs(1), not(1)]],
    ['restores what was confirmed', [1], [belongs(1), not(1)], belongs(1), [belongs(1)]],
  ];
  for (const [name, preferred, before, choice, after] of cases) {
    test(name, () => {
      assert.deepEqual(chooseAlso(before, choice, matchedBy(preferred)), after);
    });
  }

  test('is undone by its opposite, whatever was chosen before and whatever the rules find', () => {
    const choices = fc.array(fc.record({ authorization_id: fc.integer({ min: 1, max: 3 }), is_match: fc.boolean() }));
    const preferences = fc.shuffledSubarray([1, 2, 3]);
    fc.assert(
      fc.property(fc.array(fc.tuple(choices, preferences)), preferences, (steps, preferred) => {
        // Choices that people made one after another, while the preferences of the rules changed.
        let made: MatchChoices = null;
        const choose = (wanted: MatchChoice, matchUnder: (under: MatchChoices) => number | null) => {
          const present = matchUnder(made);
          const is_possible = wanted.is_match
            ? present !== wanted.authorization_id && chosenOf(made) === null
            : present === wanted.authorization_id;
          if (!is_possible) return;
          const before = made;
          made = chooseAlso(made, wanted, matchUnder);
          assert.equal(matchUnder(made) === wanted.authorization_id, wanted.is_match);
          const undone = chooseAlso(made, { ...wanted, is_match: !wanted.is_match }, matchUnder);
          assert.ok(isSameChoices(undone, before), JSON.stringify([before, wanted, made, undone]));
        };
        for (const [wanted, order] of steps) for (const one of wanted) choose(one, matchedBy(order));
        for (const id of [1, 2, 3])
          for (const is_match of [true, false]) {
            choose({ authorization_id: id, is_match }, matchedBy(preferred));
          }
      }),
      propertyParameters({ short: 1_000, full: 3_000 }),
    );
  });
});
