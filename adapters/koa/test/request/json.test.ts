import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nesting_max, values_max } from '@tallystick/operations';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { HttpProblem } from '../../src/answer/error-answer.ts';
import { parseJson } from '../../src/request/json.ts';

function refused(code: string) {
  return (error: unknown) => error instanceof HttpProblem && error.code === code;
}

describe('the JSON of a body', () => {
  it('has the value that JSON.parse returns', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        assert.deepEqual(parseJson(Buffer.from(text)), JSON.parse(text));
      }),
      propertyParameters(),
    );
  });

  it('that is not JSON is refused, and the refusal repeats none of it', () => {
    for (const text of [
      '',
      '{',
      '{"a":}',
      "{'a':1}",
      '{"a":1}}',
      '\ufeff{}',
      'NaN',
      '{"card_number":4111111111111111x}',
    ]) {
      assert.throws(
        () => parseJson(Buffer.from(text)),
        (error: unknown) => refused('malformed_json')(error) && !/4111/.test((error as Error).message),
        text,
      );
    }
  });

  it('that is not UTF-8 is refused', () => {
    assert.throws(() => parseJson(Buffer.from([0x22, 0xff, 0x22])), refused('malformed_json'));
    assert.throws(() => parseJson(Buffer.from([0x22, 0xc0, 0x80, 0x22])), refused('malformed_json'));
  });

  it('nests 64 levels and no more, and brackets within strings do not count', () => {
    const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
    assert.doesNotThrow(() => parseJson(nested(nesting_max)));
    assert.throws(() => parseJson(nested(nesting_max + 1)), refused('malformed_json'));
    assert.throws(() => parseJson(Buffer.from('{"a":'.repeat(200_000))), refused('malformed_json'));
    assert.doesNotThrow(() => parseJson(Buffer.from(JSON.stringify('[{\\"['.repeat(1000)))));
  });

  it('has at most 10,000 values, and commas within strings do not count', () => {
    const items = (count: number) => Buffer.from(JSON.stringify(Array.from({ length: count }, () => 0)));
    const members = (count: number) =>
      Buffer.from(JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`name ${at}`, 0]))));
    for (const make of [items, members]) {
      assert.doesNotThrow(() => parseJson(make(values_max - 2)));
      assert.throws(() => parseJson(make(values_max)), refused('malformed_json'));
    }
    assert.throws(() => parseJson(Buffer.from(`[${'{},'.repeat(values_max)}{}]`)), refused('malformed_json'));
    assert.doesNotThrow(() => parseJson(Buffer.from(JSON.stringify(',[{'.repeat(values_max)))));
  });

  it('with text that a database cannot store is refused with the name of the field', () => {
    for (const text of ['{"a":{"b":["x","\\u0000"]}}', '{"a":{"b":["x","\\ud800"]}}']) {
      assert.throws(
        () => parseJson(Buffer.from(text)),
        (error: unknown) =>
          error instanceof HttpProblem &&
          error.fields[0]?.path === 'a.b[1]' &&
          error.message.startsWith('a.b[1] contains'),
      );
    }
    assert.throws(() => parseJson(Buffer.from('{"\\u0000":1}')), refused('malformed_json'));
    assert.deepEqual(parseJson(Buffer.from('"\\ud83d\\ude00"')), '😀');
  });

  it('with __proto__ as a name changes only itself', () => {
    const value = parseJson(Buffer.from('{"__proto__":{"admin":true},"constructor":1}')) as Record<string, unknown>;
    assert.equal(value.admin, undefined);
    assert.equal(({} as Record<string, unknown>).admin, undefined);
  });
});
