import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '@tallystick/kernel';
import { harmlessText, plainText, toCsvRow } from '@tallystick/reconciliation';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { tableSource } from '../../src/index.ts';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function rowsOf(table: string | Uint8Array, size = 7): Promise<readonly Readonly<Record<string, string>>[]> {
  const bytes = typeof table === 'string' ? Buffer.from(table) : table;
  const rows = [];
  for await (const batch of tableSource(() => inPieces(bytes, size)).rows(() => {})) rows.push(...batch);
  return rows.map(({ number, cells }) => ({ '#': String(number), ...Object.fromEntries(cells) }));
}

function refusalOf(table: string | Uint8Array): Promise<Refusal> {
  return rowsOf(table).then(
    () => assert.fail('the table was read'),
    (error) => {
      assert(error instanceof Refusal, String(error));
      return error;
    },
  );
}

describe('a table of a spreadsheet', () => {
  const expected = [
    { '#': '2', id: '7', note: 'a "b", c' },
    { '#': '3', id: '8', note: '' },
  ];

  it('is read with commas, semicolons or tabs, a byte order mark, and either line break', async () => {
    for (const table of [
      'id,note\r\n7,"a ""b"", c"\r\n8,\r\n',
      '\uFEFFid,note\n7,"a ""b"", c"\n8',
      'id;note\n7;"a ""b"", c"\n8;""\n\n',
      '\uFEFFsep=;\r\nid;note\r\n7;"a ""b"", c"\r\n8;',
      'id\tnote\n"7"\t"a ""b"", c"\n8\t\t\t\n',
      ' id , note \n7,"a ""b"", c"\n8,\n',
    ]) {
      assert.deepEqual(await rowsOf(table), expected, JSON.stringify(table));
    }
  });

  it('is read the same in pieces of any size, and twice', async () => {
    const source = tableSource(() => inPieces(Buffer.from('id,note\r\n7,"é😀\r\nb"\r\n'), 1));
    for (let reading = 0; reading < 2; reading += 1) {
      const rows = [];
      for await (const batch of source.rows(() => {})) rows.push(...batch);
      assert.deepEqual(
        rows.map(({ cells }) => cells.get('note')),
        ['é😀\r\nb'],
      );
    }
  });

  it('is refused with what would be right', async () => {
    const cases: readonly (readonly [string | Uint8Array, RegExp])[] = [
      ['', /columns must be named in the first row, and the table is empty/],
      ['id,id\n1,2', /columns must be named once each, and "id" is there twice/],
      ['id,note\n1,a,b\n', /row 2 has 3 cells, and the first row names 2: a text with a delimiter needs quotes/],
      ['id,note\n1,"a\n', /table cannot be read: the file ends within the quotes/],
      ['id,note\n1,a"b"\n', /table cannot be read: the row at offset 8 has a quote within a text/],
      [Buffer.from('id,note\n1,\xe9\n', 'latin1'), /table must be UTF-8, and has bytes that are not/],
      [Buffer.from('\uFEFFid', 'utf16le'), /table must be UTF-8, and it is UTF-16/],
      ['id,note\r7,a\r', /table must have LF or CRLF at the end of each row, and has CR alone/],
      ['\uFEFF"id";"note"\r7;a\r', /table must have LF or CRLF/],
      ['sep=;\rid;note\r7;a\r', /table must have LF or CRLF/],
    ];
    for (const [table, message] of cases) {
      const refusal = await refusalOf(table);
      assert.equal(refusal.code, 'validation_failed');
      assert.match(refusal.message, message);
    }
  });

  it('holds the texts that were written into it', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((value) => value.replaceAll('\r', ' '));
    const cell = fc.oneof(text, fc.constantFrom('=1+1', '+1', '-1', '@a', "'=x", ' a ', 'a;b', 'a\tb', '"', 'a\nb'));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 9 }), async (rows) => {
        const table = [['one', 'two'], ...rows].map(([one, two]) => toCsvRow([{ text: one! }, { text: two! }]));
        // A row of two empty cells would be written as a line with a comma, which is a row.
        const read = await rowsOf(Buffer.from(table.join('')), 3);
        assert.deepEqual(
          read.map(({ one, two }) => [plainText(one!), plainText(two!)]),
          rows.map(([one, two]) => [one, two]),
        );
        assert(read.every(({ one }) => !/^[=+@-]/.test(one!)));
        assert.equal(harmlessText('=1'), "'=1");
      }),
      propertyParameters({ short: 60, full: 180 }),
    );
  });
});
