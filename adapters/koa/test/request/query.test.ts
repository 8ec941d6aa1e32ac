import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '@tallystick/kernel';
import type { QueryShape } from '@tallystick/operations';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import * as z from 'zod';
import { parseQuery } from '../../src/request/query.ts';

const shape: QueryShape = {
  paged: true,
  filter: z.object({ mcc: z.string(), status: z.string() }).partial(),
  flags: { deep: 'True: in depth' },
};

function read(query: string, prefer?: string) {
  return parseQuery('/things', query, prefer, shape);
}

function refusalOf(query: string, of = shape): Refusal {
  try {
    parseQuery('/things', query, undefined, of);
  } catch (error) {
    assert.ok(error instanceof Refusal);
    assert.equal(error.code, 'invalid_query');
    for (const { path } of error.fields) assert.ok(error.message.includes(path));
    return error;
  }
  assert.fail(`${query} was taken`);
}

/** The invalid paths, in order. */
function invalidPaths(query: string, of = shape): readonly string[] {
  return refusalOf(query, of).fields.map(({ path }) => path);
}

describe('a query', () => {
  it('names at most 50 problems, however many it has', () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `unknown_${at}`);
    assert.deepEqual(invalidPaths(names.join('&')), names.slice(0, 50));
  });

  it('has a page of 50 by default', () => {
    assert.deepEqual(read('').page, { limit: 50 });
  });

  it('accepts only page limits of 1 to 100 and offsets up to 10,000', () => {
    assert.deepEqual(read('page[limit]=1').page, { limit: 1 });
    assert.deepEqual(read('page[limit]=100&page[offset]=10000').page, { limit: 100, offset: 10_000 });
    for (const limit of ['0', '101', '-1', '1.5', 'x', '', '1e1', '٣']) {
      assert.deepEqual(invalidPaths(`page[limit]=${encodeURIComponent(limit)}`), ['page[limit]'], limit);
    }
    for (const offset of ['10001', '-1', 'x', ''])
      assert.deepEqual(invalidPaths(`page[offset]=${offset}`), ['page[offset]']);
  });

  it('accepts a cursor or an offset, not both', () => {
    assert.deepEqual(read('page[after]=abc').page, { limit: 50, after: 'abc' });
    assert.deepEqual(invalidPaths('page[after]=abc&page[offset]=3'), ['page[offset]']);
    assert.deepEqual(invalidPaths('page[after]='), ['page[after]']);
  });

  it('names every unknown, repeated and malformed filter and page parameter in one refusal', () => {
    assert.deepEqual(invalidPaths('filter[color]=red&filter[mcc]=1&filter[mcc]=2&page[size]=3&filter=4&page[limit=5'), [
      'filter[color]',
      'filter[mcc]',
      'page[size]',
      'filter',
      'page[limit',
    ]);
  });

  it('suggests a filter or page parameter whose name inside the brackets is near, else names all', () => {
    const messages = refusalOf('filter[mc]=1&filter[foo]=1&page[limt]=1&page[size]=3&page[limit]=500').fields;
    assert.deepEqual(
      messages.map(({ message }) => message),
      [
        'is not a filter of this path; did you mean filter[mcc]?',
        'is not a filter of this path; these are: filter[mcc], filter[status]',
        'is not a page parameter; did you mean page[limit]?',
        'is not a page parameter; these are: limit, after, offset',
        'must be an integer from 1 to 100, not "500"',
      ],
    );
  });

  it('refuses every filter and page parameter where there is no list', () => {
    assert.deepEqual(invalidPaths('filter[mcc]=1&page[limit]=2', {}), ['filter[mcc]', 'page[limit]']);
  });

  it('refuses values that a database cannot store', () => {
    assert.deepEqual(invalidPaths('filter[mcc]=a%00b'), ['filter[mcc]']);
    assert.deepEqual(invalidPaths('filter[mcc]=%ff'), ['filter[mcc]']);
    assert.deepEqual(invalidPaths('filter[mcc]=%ed%a0%80'), ['filter[mcc]'], 'half of a surrogate pair');
  });

  it('keeps any other text as it is, also U+FFFD and a percent sign', () => {
    for (const text of ['\u{FFFD}', '100 %', '%zz', '😀', '\u0001', 'e\u0301'])
      assert.deepEqual([...read(`filter[mcc]=${encodeURIComponent(text)}`).filters], [['mcc', text]]);
    assert.deepEqual([...read('filter[mcc]=100%').filters], [['mcc', '100%']]);
  });

  it('refuses other unknown parameters and names the nearest known one', () => {
    const refusal = refusalOf('color=red&limit=5&__proto__[x]=1&depe=true&mcc=1');
    assert.deepEqual(
      refusal.fields.map(({ path, message }) => [path, /mean (.*)\?$/.exec(message)?.[1] ?? null]),
      [
        ['color', null],
        ['limit', 'page[limit]'],
        ['__proto__[x]', null],
        ['depe', 'deep'],
        ['mcc', 'filter[mcc]'],
      ],
    );
  });

  it('ignores unknown parameters where networks add them', () => {
    const lenient = { ignores_unknown: true };
    assert.deepEqual([...parseQuery('/things', 'color=red&limit=5', undefined, shape, lenient).filters], []);
  });

  it('reads flags as true or false and nothing else', () => {
    assert.equal(read('deep=true').flag('deep'), true);
    assert.equal(read('deep=false').flag('deep'), false);
    assert.equal(read('').flag('deep'), false);
    assert.deepEqual(invalidPaths('deep=yes'), ['deep']);
  });

  it('refuses a repeated flag, whatever its values', () => {
    for (const values of ['deep=true&deep=false', 'deep=false&deep=true', 'deep=true&deep=1']) {
      assert.equal(refusalOf(values).message, 'deep is repeated', values);
    }
  });

  it('accepts both spellings of the preference for minimal items', () => {
    for (const prefer of [
      'return-minimal',
      'return=minimal',
      'wait=5, return=minimal',
      'respond-async;return-minimal',
    ]) {
      assert.equal(read('', prefer).prefers_minimal, true, prefer);
    }
    for (const prefer of ['', 'return=representation', 'noreturn-minimal', 'return-minimalist']) {
      assert.equal(read('', prefer).prefers_minimal, false, prefer);
    }
  });

  it('returns links that are parsed to the same filters, flags and limit', () => {
    // Broken percent-encoding is read as U+FFFD, which is therefore refused.
    const value = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\0\uFFFD]/.test(text));
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 100 }), fc.boolean(), (mcc, limit, deep) => {
        const asked = `filter[mcc]=${encodeURIComponent(mcc)}&page[limit]=${limit}&deep=${deep}`;
        const next = new URL(read(asked).link('a/b+c'), 'http://host');
        assert.equal(next.pathname, '/things');
        const again = read(next.search.slice(1));
        assert.equal(again.filters.get('mcc'), mcc);
        assert.equal(again.flag('deep'), deep);
        assert.deepEqual(again.page, { limit, after: 'a/b+c' });
        assert.deepEqual(read(new URL(read(asked).link(null), 'http://host').search.slice(1)).page, { limit });
      }),
      propertyParameters(),
    );
  });
});
