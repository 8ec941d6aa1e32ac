import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type CellValue, harmlessText, plainText, toCsvRow } from '../src/index.ts';

/** The cells of one row of CSV, read by RFC 4180 alone. */
function readRow(text: string): readonly string[] {
  assert.ok(text.endsWith('\r\n'));
  const row = text.slice(0, -2);
  const cells: string[] = [];
  for (let at = 0; at <= row.length; ) {
    const quoted = /"((?:[^"]|"")*)"(?=,|$)/y;
    const bare = /[^",\r\n]*(?=,|$)/y;
    quoted.lastIndex = at;
    bare.lastIndex = at;
    const [whole, inner] = quoted.exec(row) ?? bare.exec(row) ?? [];
    assert.ok(whole !== undefined, `there is no cell at ${at}`);
    cells.push(inner === undefined ? whole : inner.replaceAll('""', '"'));
    at += whole.length + 1;
  }
  return cells;
}

/** Texts that begin as formulas do are as frequent as others. */
const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .tuple(fc.constantFrom("'", "''", '=', '+', '-', '@', '\t', '\r', '\n', '＝', ' '), fc.string())
    .map((parts) => parts.join('')),
);

describe('a cell of a table', () => {
  it('with a text that begins like a formula has an apostrophe before it', () => {
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', "'=1", '＝1']) {
      assert.equal(harmlessText(text), `'${text}`);
    }
    for (const text of ['', 'Café', "'quoted'", "O'Neill", '1-1', 'a=b', ' ']) assert.equal(harmlessText(text), text);
  });

  it('returns every text as it was', () => {
    fc.assert(fc.property(texts, (text) => assert.equal(plainText(harmlessText(text)), text)));
  });

  it('never begins with what runs as a formula', () => {
    fc.assert(fc.property(texts, (text) => assert.doesNotMatch(harmlessText(text), /^[=+\-@\t\r\n＝＋－＠]/)));
  });

  it('keeps its place in the row, whatever it contains', () => {
    const values = fc.array(
      fc.oneof(
        fc.integer(),
        fc.constant(null),
        texts.map((text) => ({ text })),
      ),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(values, (row: readonly CellValue[]) => {
        const expected = row.map((value) =>
          value === null ? '' : typeof value === 'object' ? harmlessText(value.text) : String(value),
        );
        assert.deepEqual(readRow(toCsvRow(row)), expected);
      }),
    );
  });
});
