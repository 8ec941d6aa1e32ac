import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { escapeXml, FileProblem, XmlTextReader } from '../../src/index.ts';
import { partsOf } from './xml-parts.ts';

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

describe('the encoding of an XML file', () => {
  const written = (encoding: string, name = 'Zoë £5'): string =>
    `<?xml version="1.0" encoding="${encoding}"?>\n<a>${name}</a>`;
  const nameIn = (bytes: Uint8Array, lengths?: readonly number[]): string | undefined => {
    const text = partsOf(bytes, lengths)
      .map((part) => part.text)
      .join('');
    return /<a>(.*)<\/a>$/.exec(text)?.[1];
  };
  const assertRefused = (bytes: Uint8Array, code: string, offset: number): void => {
    assert.throws(
      () => partsOf(bytes),
      (error) =>
        error instanceof FileProblem && error.status === 'refused' && error.code === code && error.offset === offset,
    );
  };

  test('is UTF-8, UTF-16 or Latin-1, whatever the chunks', () => {
    const utf16le = Buffer.from(written('UTF-16'), 'utf16le');
    const encoded = {
      utf8: Buffer.from(written('utf-8')),
      utf8_mark: Buffer.from(`\ufeff${written('UTF-8')}`),
      utf16le,
      utf16le_mark: Buffer.from(`\ufeff${written('UTF-16LE')}`, 'utf16le'),
      utf16be: Buffer.from(utf16le).swap16(),
      utf16be_mark: Buffer.from(`\ufeff${written('utf-16be')}`, 'utf16le').swap16(),
      latin1: Buffer.from(written('ISO-8859-1'), 'latin1'),
      windows: Buffer.from(written('windows-1252'), 'latin1'),
    };
    for (const [name, bytes] of Object.entries(encoded)) {
      for (const lengths of [[1], [2, 5], [999]]) {
        assert.equal(nameIn(bytes, lengths), 'Zoë £5', `${name} in chunks of ${lengths.join()}`);
      }
    }
  });

  test('of UTF-16 has other characters with the byte of >, which end no markup', () => {
    const name = '\u3e00 \u013e \u3e3e';
    for (const lengths of [[1], [999]]) {
      const utf16le = Buffer.from(written('UTF-16', name), 'utf16le');
      assert.equal(nameIn(utf16le, lengths), name);
      assert.equal(nameIn(utf16le.swap16(), lengths), name);
    }
  });

  test('has every name of the WHATWG', () => {
    for (const name of ['latin1', 'ISO_8859-1', 'us-ascii', 'cp1252', 'iso-8859-15', 'l9', 'windows-1254']) {
      assert.equal(nameIn(Buffer.from(written(name), 'latin1')), 'Zoë £5', name);
    }
    assert.equal(nameIn(Buffer.from(written('ISO-8859-15', '\xa4'), 'latin1')), '€');
    assert.equal(nameIn(Buffer.from(written('windows-1251', '\xd8\xf2\xb8\xb3'), 'latin1')), 'Штёі');
  });

  test('is the one of the bytes when the declaration does not fit them', () => {
    for (const name of ['ISO-8859-1', 'windows-1252', 'UTF-16', 'ascii']) {
      assert.equal(nameIn(Buffer.from(written(name))), 'Zoë £5', `${name} declared, in UTF-8`);
      assert.equal(nameIn(Buffer.from(`\ufeff${written(name)}`)), 'Zoë £5', `${name} declared, with a mark`);
    }
    assert.equal(nameIn(Buffer.from(written('UTF-8'), 'utf16le')), 'Zoë £5');
    for (const lengths of [[1], [40], [999]]) {
      assert.equal(nameIn(Buffer.from(written('UTF-8'), 'latin1'), lengths), 'Zoë £5');
      assert.equal(nameIn(Buffer.from(written('UTF-8', 'Zo\xeb \xc3\xab'), 'latin1'), lengths), 'Zoë ë');
    }
  });

  test('is refused when it is not known', () => {
    for (const name of ['UTF-7', 'iso-2022-jp']) assertRefused(Buffer.from(written(name)), 'encoding_unsupported', 0);
  });

  test('is refused when bytes are no text in it', () => {
    const halved = Buffer.from(written('UTF-16', 'Zo\ud800'), 'utf16le');
    assertRefused(halved, 'bytes_undecodable', 0);
    assertRefused(Buffer.from(written('euc-jp', 'Zo\xff'), 'latin1'), 'bytes_undecodable', 0);
  });

  test('may be declared after white space, which is left out of the text but counts in offsets', () => {
    for (const blanks of ['\n', ' \r\n\t']) {
      const text = blanks + written('UTF-16');
      for (const [bytes, skipped] of [
        [Buffer.from(text), blanks.length],
        [Buffer.from(`\ufeff${text}`), 3 + blanks.length],
        [Buffer.from(text, 'utf16le'), 2 * blanks.length],
        [Buffer.from(`\ufeff${text}`, 'utf16le'), 2 + 2 * blanks.length],
      ] as const) {
        const [first] = partsOf(bytes);
        assert.deepEqual([first?.text.slice(0, 5), first?.offset], ['<?xml', skipped]);
      }
    }
  });

  test('a file ends with its last markup, white space or the end-of-file mark of DOS', () => {
    for (const [rest, ends] of [
      ['', true],
      ['\r\n\x1a', true],
      ['x', false],
    ] as const) {
      const reader = new XmlTextReader();
      assert.equal([...reader.push(Buffer.from(written('utf-8') + rest))].length, 1);
      assert.equal(reader.finish(), ends);
    }
  });
});
