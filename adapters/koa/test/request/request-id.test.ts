import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters, repeatableRandom } from '@tallystick/test-support';
import fc from 'fast-check';
import { readRequestId } from '../../src/request/request-id.ts';

const random = repeatableRandom(1);
const idOf = (header: string | string[] | undefined) => readRequestId(header, random);

describe('the id of a request', () => {
  it('is the caller’s if it is valid', () => {
    for (const id of ['a', 'trace-1.2~x', '3f2b:/+=@_', 'x'.repeat(128)]) assert.equal(idOf(id), id);
  });

  it('is a new one when the caller sent none, or one that is empty, too long, not plain or a card number', () => {
    const made = [undefined, '', 'x'.repeat(129), 'a b', 'a\tb', 'ä', '{"a":1}', ['a', 'b'], '4111111111111111'].map(
      idOf,
    );
    for (const id of made) assert.match(id, /^[0-9a-f-]{36}$/);
    assert.equal(new Set(made).size, made.length);
  });

  it('is the caller’s for every UUID, and for dates and counters, whose digits only look like a card number', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => assert.equal(idOf(id), id)),
      propertyParameters(),
    );
    for (const id of ['job/2026-11-21/000123', '2026-11-21-000128']) assert.equal(idOf(id), id);
  });

  it('is a new one when the caller wrote a card number in groups', () => {
    for (const number of ['4111-1111-1111-1111', '4111.1111.1111.1111', '3782-822463-10005']) {
      for (const id of [number, `card:${number}`, `${number}/1`]) assert.match(idOf(id), /^[0-9a-f-]{36}$/, id);
    }
  });
});
