import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FileProblem } from '@tallystick/imports';
import { camt053 } from '../../src/index.ts';
import { assertProblem, itemsOf, linesIn } from '../reading.ts';
import { detailsOf, documentOf, entryOf } from './document.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
const containing = (content: string): Buffer => documentOf({ entries: content });

describe('what a camt.053 file may not contain', () => {
  const laughs = Array.from({ length: 20 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
  const refused: readonly (readonly [code: string, what: string, bytes: Buffer])[] = [
    ['doctype_present', 'a document type', documentOf({ declaration: `${declaration}<!DOCTYPE Document>` })],
    [
      'doctype_present',
      'entities that multiply',
      documentOf({ declaration: `${declaration}<!DOCTYPE a [<!ENTITY l0 "ha">${laughs}]>`, entries: '&l20;' }),
    ],
    [
      'doctype_present',
      'an external document type',
      documentOf({ declaration: `${declaration}<!DOCTYPE a SYSTEM "file:///etc/passwd">` }),
    ],
    ['xml_malformed', 'an entity that is not declared', containing('<a>&secret;</a>')],
    ['xml_malformed', 'elements that cross', containing('<a><b></a></b>')],
    ['xml_malformed', 'a zero byte', containing('<a>\0</a>')],
    ['depth_exceeded', 'elements nested deeper than 32', containing('<a>'.repeat(30) + '</a>'.repeat(30))],
    ['text_too_long', 'a text above 4,096 characters', containing(`<a>${'x'.repeat(4_097)}</a>`)],
    ['markup_too_long', 'a comment above 64 KiB', containing(`<!--${' > '.repeat(22_000)}-->`)],
    ['markup_too_long', 'an instruction above 64 KiB', containing(`<?a ${' > '.repeat(22_000)}?>`)],
  ];
  for (const [code, what, bytes] of refused) {
    test(`refuses ${what}`, async () => {
      await assertProblem(camt053, bytes, `refused: ${code}`);
    });
  }

  test('skips processing instructions, wherever they are', async () => {
    const document = documentOf({
      declaration: `${declaration}<?xml-stylesheet type="text/xsl" href="statement.xsl"?><!-- > -->`,
      entries: `<?php echo "</Stmt>" ?>${entryOf({ more: '<?a b?>' })}`,
    });
    assert.equal(linesIn(await itemsOf(camt053, Buffer.concat([document, Buffer.from('<?end?>')]))).length, 1);
  });

  test('reads text in CDATA sections and references as text, and a > in an attribute', async () => {
    const more = `<AcctSvcrRef x="a>b">B<![CDATA[&1]]>&#x42;</AcctSvcrRef>`;
    const entries = entryOf({ more }).replace('<Ntry>', '<Ntry a="1>2">');
    const document = documentOf({ entries });
    const [line] = linesIn(await itemsOf(camt053, document));
    assert.equal(line?.line.bank_reference, 'B&1B');
    assert.equal(line?.offset, document.indexOf('<Ntry'));
  });

  test('keeps no more of an endless file than its bounds', async () => {
    const head = documentOf().toString().split('<Ntry>')[0]!;
    for (const [open, piece] of [
      ['<!--', ' > '],
      ['<?a ', ' > '],
      ['<a>', ' x> '],
      ['<a b="', ' > '],
      ['<a ', 'b '],
    ] as const) {
      let sent = 0;
      const endless = async function* (): AsyncGenerator<Uint8Array> {
        yield Buffer.from(head + open);
        for (; sent < 10_000_000; sent += 3_000) yield Buffer.from(piece.repeat(1_000));
      };
      await assert.rejects(async () => {
        for await (const _ of camt053.read(endless()));
      }, FileProblem);
      assert.ok(sent < 200_000, `${open} was refused after ${sent} bytes`);
    }
  });

  test('keeps a bounded part of an entry with a million transactions', async () => {
    const document = documentOf({ entries: '@' }).toString();
    const [start, end] = document.split('@') as [string, string];
    const [before, after] = entryOf({ more: detailsOf('@') }).split('<TxDtls>@</TxDtls>') as [string, string];
    const piece = Buffer.from('<TxDtls><RmtInf><Ustrd>text</Ustrd></RmtInf></TxDtls>'.repeat(1_000));
    const many = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(start + before);
      for (let sent = 0; sent < 1_000; sent += 1) yield piece;
      yield Buffer.from(after + end);
    };
    let lines = 0;
    const heap_before = process.memoryUsage().heapUsed;
    for await (const { items } of camt053.read(many())) lines += linesIn(items).length;
    assert.equal(lines, 1);
    assert.ok(process.memoryUsage().heapUsed - heap_before < 200_000_000);
  });
});
