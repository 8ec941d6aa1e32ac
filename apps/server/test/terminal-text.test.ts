import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatTable, formatTerms, shortenText, widthOf, wrapText } from '../src/terminal-text.ts';

describe('text for a terminal', () => {
  it('is broken between words only, and loses none', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[^\s]{1,12}$/u), { minLength: 1 }), fc.nat(8), (words, indent) => {
        const lines = wrapText(words.join(' '), ' '.repeat(indent), '  ', 40).split('\n');
        assert.deepEqual(lines.join(' ').trim().split(/ +/), words);
        for (const line of lines) assert.ok(widthOf(line) <= 40, line);
      }),
    );
  });

  it('counts the columns that a terminal takes', () => {
    const widths = [
      ['', 0],
      ['a b', 3],
      ['é', 1],
      ['e\u0301', 1],
      ['咖啡', 4],
      ['ｶﾌｪ', 3],
      ['Ａ', 2],
      ['😀', 2],
      ['👩‍👩‍👧', 2],
      ['한국', 4],
      ['\u200b', 0],
    ] as const;
    for (const [text, width] of widths) assert.equal(widthOf(text), width, text);
    assert.equal(shortenText('咖啡店', 5), '咖啡…');
    assert.equal(shortenText('咖啡店', 6), '咖啡店');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, width) => {
        assert.ok(widthOf(shortenText(text, width)) <= width);
      }),
    );
  });

  it('puts the meaning of a name into lines of its own column', () => {
    const lines = formatTerms([
      ['--note <text>', 'why the import may be released, for the audit log, which keeps it for good'],
      ['--json', 'answer in JSON'],
    ]);
    assert.deepEqual(lines.join('\n').split('\n'), [
      '  --note <text>  why the import may be released, for the audit log, which keeps',
      '                 it for good',
      '  --json         answer in JSON',
    ]);
  });

  it('names below a row of a table what does not fit into its width', () => {
    const columns = ['kind', { head: 'cleared', is_number: true }, { head: 'card', is_number: true }, 'merchant'];
    const rows = [
      ['amount', '1,250.00', '7', 'Corner Grocer'],
      ['missing', '-', '12', ''],
    ];
    assert.equal(
      formatTable(columns, rows, { width: 24 }),
      [
        'kind      cleared  card',
        'amount   1,250.00     7',
        '    merchant: Corner',
        '    Grocer',
        'missing         -    12',
      ].join('\n'),
    );
    assert.equal(formatTable(columns, rows, { width: 80 }).split('\n').length, 3);
  });
});
