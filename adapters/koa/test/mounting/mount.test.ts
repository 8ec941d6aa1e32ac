import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { createPlaceFinder, type MountOptions } from '../../src/mounting/mount.ts';

function place(options: MountOptions, url: string, original_url?: string) {
  const found = createPlaceFinder(options)({ url, original_url });
  return found && [found.prefix, found.url, found.target];
}

const segment = fc.stringMatching(/^[a-z0-9~%_-]{1,8}$/).map((text) => encodeURIComponent(text));
const segments = (minLength: number) =>
  fc.array(segment, { minLength, maxLength: 4 }).map((parts) => parts.map((part) => `/${part}`).join(''));
const query = fc.constantFrom('', '?', '?page[limit]=2', '?a=/b?c');

describe('a mounted request', () => {
  it('has the same place whether its prefix is stripped or not', () => {
    fc.assert(
      fc.property(segments(1), segments(1), query, (prefix, path, query) => {
        const sent = prefix + path + query;
        const expected = [prefix, path + query, sent];
        assert.deepEqual(place({ prefix }, sent), expected, 'left in the URL');
        assert.deepEqual(place({ prefix: `${prefix}/` }, sent, sent), expected, 'left in the URL by a framework');
        assert.deepEqual(place({}, path + query, sent), expected, 'stripped by a framework');
        assert.deepEqual(place({ prefix, is_stripped: true }, path + query), expected, 'stripped without a trace');
      }),
      propertyParameters(),
    );
  });

  it('has the path / when only the prefix was sent', () => {
    assert.deepEqual(place({ prefix: '/cards' }, '/cards'), ['/cards', '/', '/cards']);
    assert.deepEqual(place({ prefix: '/cards' }, '/cards/'), ['/cards', '/', '/cards/']);
    assert.deepEqual(place({}, '/', '/cards'), ['/cards', '/', '/cards']);
    assert.deepEqual(place({}, '/?a=1', '/cards?a=1'), ['/cards', '/?a=1', '/cards?a=1']);
    assert.deepEqual(place({ prefix: '/' }, '/v1'), ['', '/v1', '/v1']);
  });

  it('has the prefix as it was configured, without decoding', () => {
    for (const [prefix, sent] of [
      ['/karten/ä', '/karten/%C3%A4'],
      ['/k%61rten', '/k%61rten'],
      ['/%c3%a4', '/%c3%a4'],
    ] as const) {
      assert.deepEqual(place({ prefix }, `${sent}/v1`), [sent, '/v1', `${sent}/v1`]);
      assert.deepEqual(place({ prefix }, '/v1', `${sent}/v1`), [sent, '/v1', `${sent}/v1`]);
      assert.deepEqual(place({ prefix, is_stripped: true }, '/v1'), [sent, '/v1', `${sent}/v1`]);
    }
    for (const [prefix, sent] of [
      ['/karten', '/k%61rten'],
      ['/k%61rten', '/karten'],
      ['/ä', '/%c3%a4'],
      ['/%c3%a4', '/%C3%A4'],
      ['/karten', '/KARTEN'],
    ] as const) {
      assert.equal(place({ prefix }, `${sent}/v1`), null, `${sent} is not ${prefix}`);
      assert.equal(place({ prefix }, '/v1', `${sent}/v1`), null, `${sent} is not ${prefix}`);
    }
  });

  it('has what a framework removed as its prefix when none is configured', () => {
    assert.deepEqual(place({}, '/v1', '/CARDS/v1'), ['/CARDS', '/v1', '/CARDS/v1']);
  });

  it('is named once when the framework strips the prefix that the handler also has', () => {
    assert.deepEqual(place({ prefix: '/cards' }, '/v1', '/cards/v1'), ['/cards', '/v1', '/cards/v1']);
    assert.deepEqual(place({ prefix: '/cards' }, '/cards/v1', '/bank/cards/v1'), [
      '/bank/cards',
      '/v1',
      '/bank/cards/v1',
    ]);
  });

  it('has no place outside of the prefix', () => {
    for (const url of ['/', '/card', '/cards2/v1', '/other/cards/v1', '/%', '/cards%2Fv1', '/cards;/v1']) {
      assert.equal(place({ prefix: '/cards' }, url), null, url);
    }
    assert.equal(place({ prefix: '/bank/cards' }, '/bank'), null);
    assert.equal(place({ prefix: '/cards' }, '/v1', '/other/v1'), null);
  });

  it('has no place where a link would lead to another host', () => {
    assert.equal(place({}, '/v1', '//evil.example/v1'), null);
  });

  it('has no place when its target is not a path', () => {
    for (const url of ['*', 'http://host/cards/v1', 'HTTP://host/cards', '']) {
      for (const prefix of ['/cards', '/']) assert.equal(place({ prefix }, url), null, url);
    }
  });

  it('is refused a prefix that is no path', () => {
    for (const prefix of [
      'cards',
      '/a//b',
      '//',
      '/a/../b',
      '/.',
      '/%2e%2E/x',
      '/a?b',
      '/a#b',
      '/a b',
      '/%',
      'http://host/',
    ]) {
      assert.throws(
        () => createPlaceFinder({ prefix }),
        { name: 'TypeError', message: /must be a path such as \/cards/ },
        prefix,
      );
    }
  });

  it('refuses an unknown option with the nearest one, and one of the wrong type', () => {
    for (const [options, message] of [
      [{ prefx: '/cards' }, '"prefx" is not an option of a mount: did you mean prefix?'],
      [{ stripped: true }, '"stripped" is not an option of a mount: did you mean is_stripped?'],
      [{ path: '/cards' }, '"path" is not an option of a mount: the options are prefix and is_stripped'],
      [{ toString: true }, '"toString" is not an option of a mount: the options are prefix and is_stripped'],
      [{ prefix: 5 }, 'the option prefix of a mount must be a path such as /cards, not 5'],
      [{ prefix: null }, 'the option prefix of a mount must be a path such as /cards, not null'],
      [{ is_stripped: 'yes' }, 'the option is_stripped of a mount must be true or false, not "yes"'],
      ['/cards', 'the options of a mount must be an object such as { prefix: \'/cards\' }, not "/cards"'],
      [null, "the options of a mount must be an object such as { prefix: '/cards' }, not null"],
    ]) {
      assert.throws(() => createPlaceFinder(options as MountOptions), { name: 'TypeError', message });
    }
    assert.deepEqual(place({ prefix: undefined, is_stripped: undefined }, '/v1'), ['', '/v1', '/v1']);
  });
});
