import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { boundElement, SourceText, xml_bounds } from '../../src/index.ts';
import { partsOf } from './xml-parts.ts';

const encoders = {
  utf8: (text: string) => Buffer.from(text),
  utf16le: (text: string) => Buffer.from(text, 'utf16le'),
  utf16be: (text: string) => Buffer.from(text, 'utf16le').swap16(),
};
const pieces = fc.array(fc.constantFrom('<a>', '</a>', '<b c="1>2>3">', '\n', 'x', '>', 'é', '€', '😀'));

describe('the text of an XML file that is parsed part by part', () => {
  test('has the place of each tag in bytes, and the raw text from one tag to another, whatever the chunks', () => {
    fc.assert(
      fc.property(
        pieces,
        fc.constantFrom(...Object.values(encoders)),
        fc.integer({ min: 1, max: 20 }),
        (drawn, encode, length) => {
          const tags: { readonly start: number; readonly end: number }[] = [];
          let text = '';
          for (const piece of ['<r>', ...drawn, '</r>']) {
            if (piece.startsWith('<')) tags.push({ start: text.length, end: text.length + piece.length });
            text += piece;
          }
          const source = new SourceText();
          const offsets: number[] = [];
          const raws: string[] = [];
          let next = 0;
          for (const part of partsOf(encode(text), [length])) {
            source.beginPart(part);
            for (; next < tags.length && tags[next]!.end <= source.endPosition; next += 1) {
              const { end } = tags[next]!;
              const tag = source.tagStart(end);
              offsets.push(tag.offset);
              if (next % 2 === 0) source.beginRaw(tag);
              else raws.push(source.endRaw(end));
            }
            source.endPart();
          }
          assert.deepEqual(
            offsets,
            tags.map(({ start }) => encode(text.slice(0, start)).length),
          );
          const pairs = tags.flatMap(({ end }, at) => (at % 2 === 0 ? [] : [[tags[at - 1]!.start, end] as const]));
          assert.deepEqual(
            raws,
            pairs.map(([start, end]) => text.slice(start, end)),
          );
        },
      ),
      propertyParameters({ short: 200, full: 2_000 }),
    );
  });
});

describe('an element of an XML file', () => {
  const { depth, text_length, attributes, name_length } = xml_bounds;
  const refusalOf = (name: string, own: Readonly<Record<string, string>>, at: number): string | null => {
    let refused: string | null = null;
    const refuse = (code: string): never => {
      refused = code;
      throw new RangeError(code);
    };
    try {
      boundElement({ name, attributes: own }, at, refuse);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    return refused;
  };
  const manyAttributes = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, '1']));

  test('is refused above the bounds of its depth, its name and its attributes, and accepted at them', () => {
    const cases: readonly (readonly [code: string, bound: number, of: (size: number) => string | null])[] = [
      ['depth_exceeded', depth, (size) => refusalOf('a', {}, size)],
      ['name_too_long', name_length, (size) => refusalOf('a'.repeat(size), {}, 1)],
      ['name_too_long', name_length, (size) => refusalOf('a', { ['b'.repeat(size)]: '1' }, 1)],
      ['text_too_long', text_length, (size) => refusalOf('a', { b: 'x'.repeat(size) }, 1)],
      ['attributes_exceeded', attributes, (size) => refusalOf('a', manyAttributes(size), 1)],
    ];
    for (const [code, bound, of] of cases) assert.deepEqual([of(bound), of(bound + 1)], [null, code]);
  });
});
