import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { escapeXml } from '../../src/index.ts';

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** Reads text as an XML parser does: line ends become one newline, then references are replaced. */
function parsed(written: string): string {
  return written
    .replace(/\r\n?/g, '\n')
    .replace(/&(?:#(\d+)|(\w+));/g, (_, digits, name) =>
      digits === undefined ? named[name]! : String.fromCodePoint(Number(digits)),
    );
}

describe('text written into XML', () => {
  it('has references for markup and for white space that a parser changes', () => {
    assert.equal(escapeXml('a<b>&"c"\r\n\td'), 'a&lt;b&gt;&amp;&quot;c&quot;&#13;&#10;&#9;d');
  });

  it('is read as it was, and has no character that ends a text or an attribute', () => {
    const characters = fc.constantFrom('<', '>', '&', '"', "'", '\r', '\n', '\t', ' ', ';', '#', 'a', 'é', '😀');
    fc.assert(
      fc.property(fc.string({ unit: characters }), (text) => {
        const written = escapeXml(text);
        assert.equal(parsed(written), text);
        assert.doesNotMatch(written, /[<>"\r\n\t]/);
      }),
      propertyParameters({ short: 200, full: 1_000 }),
    );
  });

  it('is refused with a character that XML cannot contain', () => {
    for (const text of ['a\0b', '\u000b', '\uffff', '\ud800']) assert.throws(() => escapeXml(text), RangeError);
  });
});
