import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { isStorable, Refusal, Temporal } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { toPlainJson } from '../../src/calls/plain-json.ts';

class Money {
  toJSON(): number {
    return 1;
  }
}

const endless: unknown[] = [];
endless.push(endless);

describe('a value of a host', () => {
  it('is what JSON makes of it', () => {
    const json = fc
      .jsonValue({ maxDepth: 6 })
      .filter((value) => isStorable(JSON.stringify(value).replaceAll('\\u0000', '\0')));
    fc.assert(
      fc.property(json, (value) => {
        assert.deepEqual(toPlainJson(value, 'data'), JSON.parse(JSON.stringify(value)));
      }),
      propertyParameters(),
    );
  });

  it('is copied, without members that are undefined', () => {
    const metadata = { trip: 'Oslo', unset: undefined };
    const copied = toPlainJson({ metadata, note: undefined }, 'data') as { metadata: object };
    metadata.trip = 'Bergen';
    assert.deepEqual(Object.entries(copied), [['metadata', { trip: 'Oslo' }]]);
  });

  it('may be of another realm, have no prototype, or have a member with the name of one', () => {
    assert.deepEqual(toPlainJson(runInNewContext('({ a: [1] })'), 'data'), { a: [1] });
    assert.deepEqual(toPlainJson(Object.assign(Object.create(null), { a: 1 }), 'data'), { a: 1 });
    const polluted = toPlainJson(JSON.parse('{"__proto__":{"role":"operator"}}'), 'data') as { role?: string };
    assert.deepEqual([Object.keys(polluted), polluted.role], [['__proto__'], undefined]);
  });

  const refused: readonly (readonly [string, unknown, string, RegExp])[] = [
    ['a Date', { until: new Date(0) }, 'until', /not an object of the class Date$/],
    ['a Map', { metadata: new Map() }, 'metadata', /class Map$/],
    ['an object of a class with toJSON', { amount: new Money() }, 'amount', /class Money$/],
    ['an instant', { at: Temporal.Instant.fromEpochMilliseconds(0) }, 'at', /class Instant$/],
    ['bytes', { file: new Uint8Array(2) }, 'file', /class Uint8Array$/],
    ['a bigint', { amounts: [1, 2n] }, 'amounts[1]', /not a bigint$/],
    ['a function', { emails: { first: () => 1 } }, 'emails.first', /not a function$/],
    ['a symbol', Symbol('x'), 'data', /not a symbol$/],
    ['a hole in an array', { emails: [undefined] }, 'emails[0]', /not undefined$/],
    ['a number that is none', { amount: Number.NaN }, 'amount', /must be a finite number/],
    ['an infinite number', { amount: Number.NEGATIVE_INFINITY }, 'amount', /must be a finite number/],
    ['half of a surrogate pair', { name: '\ud800' }, 'name', /not text/],
    ['a NUL', { name: 'a\0' }, 'name', /not text/],
    ['a name with a NUL', { metadata: { 'a\0': 1 } }, 'metadata', /not text/],
  ];
  for (const [name, value, path, says] of refused) {
    it(`is refused with ${name}`, () => {
      assert.throws(
        () => toPlainJson(value, 'data'),
        (error) => error instanceof Refusal && error.fields[0]?.path === path && says.test(error.fields[0].message),
      );
    });
  }

  it('is refused when it nests without end', () => {
    assert.throws(() => toPlainJson(endless, 'data'), /nests deeper than 64 levels$/);
  });
});
