import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { fromBase64, fromBase64Url, fromHex, toBase64, toBase64Url, toHex } from '../src/index.ts';

const bytes = fc.uint8Array({ maxLength: 100 });

describe('bytes as text', () => {
  it('are written as Node writes them, and read back', () => {
    fc.assert(
      fc.property(bytes, (given) => {
        const buffer = Buffer.from(given);
        assert.equal(toHex(given), buffer.toString('hex'));
        assert.equal(toBase64(given), buffer.toString('base64'));
        assert.equal(toBase64Url(given), buffer.toString('base64url'));
        assert.deepEqual(fromHex(toHex(given)), given);
        assert.deepEqual(fromHex(toHex(given).toUpperCase()), given);
        assert.deepEqual(fromBase64(toBase64(given)), given);
        assert.deepEqual(fromBase64Url(toBase64Url(given)), given);
      }),
      propertyParameters(),
    );
  });

  it('are refused as the methods of the language refuse them', { skip: !('fromHex' in Uint8Array) }, () => {
    const language = Uint8Array as unknown as {
      fromHex(text: string): Uint8Array;
      fromBase64(text: string, options?: { readonly alphabet: 'base64url' }): Uint8Array;
    };
    const outcome = (read: () => Uint8Array): string => {
      try {
        return [...read()].join(' ');
      } catch (error) {
        return (error as Error).name;
      }
    };
    const characters = fc.constantFrom(...'aA0fgZ9+/-_= \n!é');
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 9 }), (text) => {
        assert.equal(
          outcome(() => fromHex(text)),
          outcome(() => language.fromHex(text)),
        );
        assert.equal(
          outcome(() => fromBase64(text)),
          outcome(() => language.fromBase64(text)),
        );
        assert.equal(
          outcome(() => fromBase64Url(text)),
          outcome(() => language.fromBase64(text, { alphabet: 'base64url' })),
        );
      }),
      propertyParameters(),
    );
  });
});
