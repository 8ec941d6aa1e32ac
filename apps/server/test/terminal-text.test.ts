import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatTable, formatTerms, wrapText } from '../src/terminal-text.ts';

describe('text for a terminal', () => {
  it('is broken between words only, and loses none', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[^\s]{1,12}$/u), { minLength: 1 }), fc.nat(8), (words, indent) => {
        const lines = wrapText(words.join(' '), ' '.repeat(indent), '  ', 40).split('\n');
        assert.deepEqual(lines.join(' ').trim().split(/ +/), words);
        for (const line of lines) assert.ok([...line].length <= 40, line);
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
