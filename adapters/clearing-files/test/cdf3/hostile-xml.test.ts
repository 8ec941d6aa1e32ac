import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FileProblem } from '@tallystick/imports';
import { cdf3 } from '../../src/cdf3/cdf3.ts';
import { badRecordsOf, clearingsOf, rawOf, readItems, readProblem } from '../reading.ts';
import { documentOf, posted, transaction } from './document.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

/** A document with XML in the place of its transaction. */
function containing(content: string): Buffer {
  return documentOf({ content });
}

describe('what a CDF3 file may not contain', () => {
  const laughs = Array.from({ length: 20 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
  const refused: readonly (readonly [code: string, what: string, bytes: Buffer])[] = [
    ['doctype_present', 'a document type', documentOf({ declaration: `${declaration}<!DOCTYPE CDFTransmissionFile>` })],
    [
      'doctype_present',
      'an external document type',
      documentOf({ declaration: `${declaration}<!DOCTYPE a SYSTEM "file:///etc/passwd">` }),
    ],
    [
      'doctype_present',
      'entities that multiply',
      documentOf({ declaration: `${declaration}<!DOCTYPE a [<!ENTITY l0 "ha">${laughs}]>`, content: '&l20;' }),
    ],
    ['xml_malformed', 'an entity that is not declared', containing('<a>&secret;</a>')],
    ['xml_malformed', 'a reference to the character 0', containing(transaction({ CardAcceptorName: '&#0;' }))],
    ['xml_malformed', 'a reference to no character', containing('<a>&#x110000;</a>')],
    ['xml_malformed', 'a zero byte', containing('<a>\0</a>')],
    ['xml_malformed', 'elements that cross', containing('<a><b></a></b>')],
    ['xml_malformed', 'an attribute twice', containing('<a b="1" b="2"/>')],
    ['xml_malformed', 'an attribute without quotes', containing('<a b=1/>')],
    ['xml_malformed', 'a second declaration', containing(declaration)],
    ['xml_malformed', 'text before the root', Buffer.concat([Buffer.from('x'), documentOf()])],
    ['depth_exceeded', 'elements nested deeper than 32', containing('<a>'.repeat(29) + '</a>'.repeat(29))],
    ['text_too_long', 'a text above 4,096 characters', containing(`<a>${'x'.repeat(4_097)}</a>`)],
    [
      'text_too_long',
      'a text in many parts above 4,096 characters',
      containing(transaction({ CustomIdentifier: `<![CDATA[${'x'.repeat(1_000)}]]>`.repeat(5) })),
    ],
    ['markup_too_long', 'a markup without an end', containing(`<a ${' '.repeat(70_000)}/>`)],
    ['markup_too_long', 'a comment above 64 KiB', containing(`<!--${' > '.repeat(22_000)}-->`)],
    ['markup_too_long', 'an instruction above 64 KiB', containing(`<?a ${' > '.repeat(22_000)}?>`)],
    ['record_too_long', 'a record above 64 KiB', containing(transaction({}, posted + '<x>y</x>'.repeat(9_000)))],
  ];
  for (const [code, what, bytes] of refused) {
    test(`refuses ${what}`, async () => {
      for (const lengths of [[1_000_000], [1_000], [17]]) {
        const problem = await readProblem(cdf3, bytes, lengths);
        assert.equal(`${problem.status}: ${problem.code}`, `refused: ${code}`, problem.message);
        assert.ok(problem.offset !== null && problem.offset <= bytes.length);
      }
    });
  }

  test('accepts what is just within the bounds', async () => {
    const attributes = Array.from({ length: 64 }, (_, n) => `a${n}="1"`).join(' ');
    const content = `${'<a>'.repeat(28)}${'</a>'.repeat(28)}<b>${'x'.repeat(4_096)}</b><c ${attributes}/><!-- a > b -->`;
    assert.equal(clearingsOf(await readItems(cdf3, containing(content + transaction()))).length, 1);
  });

  test('skips processing instructions', async () => {
    const styled = documentOf({
      declaration: `${declaration}<?xml-stylesheet type="text/xsl" href="a.xsl"?>`,
      content: `<?php echo "<a>" ?>${transaction()}`,
    });
    assert.equal(clearingsOf(await readItems(cdf3, styled)).length, 1);
  });

  test('reads text in CDATA sections and references as text', async () => {
    const content = transaction({}, undefined, { CardAcceptorName: 'A<![CDATA[ <b> & ]]>&#x42;&lt;' });
    assert.equal(clearingsOf(await readItems(cdf3, containing(content)))[0]?.input.merchant_name, 'A <b> & B<');
  });

  test('keeps no more of an endless markup than its bound', async () => {
    for (const [open, piece] of [
      ['<!--', ' > '],
      ['<a>', ' > '],
      ['<a b="', ' > '],
      ['<![CDATA[', ' > '],
      ['<?a ', ' > '],
      ['<a ', 'b '],
    ] as const) {
      let sent = 0;
      const endless = async function* (): AsyncGenerator<Uint8Array> {
        yield documentOf().subarray(0, documentOf().indexOf('<AccountEntity'));
        yield Buffer.from(open);
        for (; sent < 10_000_000; sent += 3_000) yield Buffer.from(piece.repeat(1_000));
      };
      await assert.rejects(async () => {
        for await (const _ of cdf3.read(endless()));
      }, FileProblem);
      assert.ok(sent < 200_000, `${open} was refused after ${sent} bytes`);
    }
  });

  test('a message repeats no card number of the file', async () => {
    const number = '4111111111111111';
    for (const bytes of [
      containing(`<a></n${number}>`),
      containing(`<n${number}_4111>${transaction()}</n${number}_4111>`),
      documentOf({ trailer: { RecordCount: number } }),
      documentOf({ declaration: `<?xml version="1.0" encoding="${number}"?>` }),
      documentOf({ declaration: `<?xml version="1.0" encoding="x-${number}"?>` }),
    ]) {
      const { message } = await readProblem(cdf3, bytes);
      assert.doesNotMatch(message, /\d{13}/);
    }
  });
});

describe('the encoding of a CDF3 file', () => {
  const text = (encoding: string): string =>
    documentOf({
      declaration: `<?xml version="1.0" encoding="${encoding}"?>`,
      content: transaction({}, undefined, { CardAcceptorName: 'Zoë £5' }),
    }).toString();
  const nameIn = async (bytes: Uint8Array, lengths?: readonly number[]): Promise<unknown> =>
    clearingsOf(await readItems(cdf3, bytes, lengths))[0]?.input.merchant_name;

  test('reads UTF-8, UTF-16 and Latin-1, whatever the chunks', async () => {
    const utf16le = Buffer.from(text('UTF-16'), 'utf16le');
    const encoded = {
      utf8: Buffer.from(text('utf-8')),
      utf8_mark: Buffer.from(`\ufeff${text('UTF-8')}`),
      utf16le,
      utf16le_mark: Buffer.from(`\ufeff${text('UTF-16LE')}`, 'utf16le'),
      utf16be: Buffer.from(utf16le).swap16(),
      utf16be_mark: Buffer.from(`\ufeff${text('utf-16be')}`, 'utf16le').swap16(),
      latin1: Buffer.from(text('ISO-8859-1'), 'latin1'),
      windows: Buffer.from(text('windows-1252'), 'latin1'),
    };
    for (const [name, bytes] of Object.entries(encoded)) {
      for (const lengths of [[1], [2, 5], [999], [1_000_000]]) {
        assert.equal(await nameIn(bytes, lengths), 'Zoë £5', `${name} in chunks of ${lengths.join()}`);
      }
    }
  });

  test('counts offsets in bytes of the encoding', async () => {
    const bytes = Buffer.from(`\ufeff${text('UTF-16')}`, 'utf16le');
    const [clearing] = clearingsOf(await readItems(cdf3, bytes, [333]));
    assert.equal(clearing?.offset, bytes.indexOf(Buffer.from('<FinancialTransactionEntity', 'utf16le')));
  });
});

test('a bad record of a file in another encoding is kept as UTF-8', async () => {
  const content = transaction({ PostingDate: 'Zoë' });
  const bytes = documentOf({ declaration: '<?xml version="1.0" encoding="latin1"?>', content });
  const [bad] = badRecordsOf(await readItems(cdf3, Buffer.from(bytes.toString(), 'latin1'), [50]));
  assert.ok(rawOf(bad).includes(content));
});
