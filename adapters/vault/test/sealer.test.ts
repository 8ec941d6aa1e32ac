import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import { createVault, KeyRing, parseKeyRing } from '@tallystick/vault';
import fc from 'fast-check';
import { ringKeys } from './arbitraries.ts';

function isFault(error: unknown): boolean {
  return error instanceof Fault && !error.retryable;
}

test('the fault names the removed key', () => {
  fc.assert(
    fc.property(ringKeys, (keys) => {
      const before = new KeyRing(keys);
      const after = before.withNewKey();
      const sealed = createVault(before).sealer.seal('secret', Buffer.from('clear'));
      const newest_only = new KeyRing([after.keys[0]!, { id: 'index', material: after.index_material }]);
      assert.throws(
        () => createVault(newest_only).sealer.open('secret', sealed),
        (error) =>
          isFault(error) && (error as Fault).message.includes(`key ${before.newest_key_id} is not in the ring`),
      );
    }),
    propertyParameters(),
  );
});

test('throws a fault for bytes with the header of a sealed value', () => {
  const { sealer } = createVault(parseKeyRing(Buffer.alloc(32, 'a').toString('base64')));
  const header = Buffer.from([1, 2, ...Buffer.from('k1')]);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (rest) => {
      const sealed = Buffer.concat([header, rest]);
      assert.throws(() => sealer.open('secret', sealed), isFault);
      assert.equal(typeof sealer.isCurrent(sealed), 'boolean');
    }),
    propertyParameters(),
  );
});

test('does not open a value with the same key material under another id', () => {
  const material = Buffer.alloc(32, 'a').toString('base64');
  const one = createVault(parseKeyRing(`one:${material}`));
  const two = createVault(parseKeyRing(`two:${material}`));
  const sealed = Uint8Array.from(one.sealer.seal('secret', Buffer.from('clear')));
  sealed.set(Buffer.from('two'), 2);
  assert.throws(() => two.sealer.open('secret', sealed), isFault);
});

test('uses a new nonce and ciphertext each time for the same bytes', () => {
  const { sealer } = createVault(parseKeyRing(Buffer.alloc(32, 'a').toString('base64')));
  const sealed = Array.from({ length: 100 }, () => Buffer.from(sealer.seal('secret', Buffer.alloc(16))));
  assert.equal(new Set(sealed.map((value) => value.subarray(4, 16).toString('hex'))).size, 100);
  assert.equal(new Set(sealed.map((value) => value.subarray(16, 32).toString('hex'))).size, 100);
});
