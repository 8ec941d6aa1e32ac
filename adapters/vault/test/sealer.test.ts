import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import { createVault, KeyRing, parseKeyRing } from '@tallystick/vault';
import fc from 'fast-check';
import { purpose, ringKeys } from './arbitraries.ts';

const bytes = fc.uint8Array({ maxLength: 200 });

function isFault(error: unknown): boolean {
  return error instanceof Fault && !error.retryable;
}

test('opens a sealed value to the same bytes, for any bytes and purpose', () => {
  fc.assert(
    fc.property(ringKeys, purpose, bytes, (keys, purpose, clear) => {
      const { sealer } = createVault(new KeyRing(keys));
      assert.deepEqual([...sealer.open(purpose, sealer.seal(purpose, clear))], [...clear]);
    }),
    propertyParameters(),
  );
});

test('does not open a value for another purpose', () => {
  fc.assert(
    fc.property(ringKeys, purpose, purpose, bytes, (keys, purpose, other, clear) => {
      fc.pre(purpose !== other);
      const { sealer } = createVault(new KeyRing(keys));
      const sealed = sealer.seal(purpose, clear);
      assert.throws(() => sealer.open(other, sealed), isFault);
    }),
    propertyParameters(),
  );
});

test('does not open a value with an altered byte', () => {
  fc.assert(
    fc.property(ringKeys, bytes, fc.integer({ min: 1, max: 255 }), (keys, clear, change) => {
      const { sealer } = createVault(new KeyRing(keys));
      const sealed = sealer.seal('secret', clear);
      for (const at of sealed.keys()) {
        const altered = Uint8Array.from(sealed);
        altered[at] = altered[at]! ^ change;
        assert.throws(() => sealer.open('secret', altered), isFault, `byte ${at}`);
      }
    }),
    propertyParameters({ short: 20, full: 200 }),
  );
});

test('does not open a shortened or lengthened value', () => {
  const { sealer } = createVault(parseKeyRing(Buffer.alloc(32, 'a').toString('base64')));
  const sealed = sealer.seal('secret', Buffer.from('clear'));
  for (let length = 0; length < sealed.length; length += 1) {
    assert.throws(() => sealer.open('secret', sealed.subarray(0, length)), isFault, `${length} bytes`);
  }
  assert.throws(() => sealer.open('secret', Buffer.concat([sealed, Buffer.alloc(1)])), isFault);
});

test('throws a fault for arbitrary bytes, never another error', () => {
  const { sealer } = createVault(parseKeyRing(Buffer.alloc(32, 'a').toString('base64')));
  const header = Buffer.from([1, 2, ...Buffer.from('k1')]);
  const like_sealed = fc.uint8Array({ maxLength: 80 }).map((rest) => Buffer.concat([header, rest]));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }), like_sealed), (sealed) => {
      assert.throws(() => sealer.open('secret', sealed), isFault);
      assert.equal(typeof sealer.isCurrent(sealed), 'boolean');
    }),
    propertyParameters(),
  );
});

test('the newest key seals, older keys still open, and a removed key is named', () => {
  fc.assert(
    fc.property(ringKeys, bytes, (keys, clear) => {
      const before = new KeyRing(keys);
      const after = before.withNewKey();
      const old_vault = createVault(before);
      const vault = createVault(after);
      const sealed = old_vault.sealer.seal('secret', clear);

      assert.deepEqual([...vault.sealer.open('secret', sealed)], [...clear]);
      assert.equal(old_vault.sealer.isCurrent(sealed), true);
      assert.equal(vault.sealer.isCurrent(sealed), false);
      assert.equal(vault.sealer.isCurrent(vault.sealer.seal('secret', clear)), true);

      const newest = after.keys[0]!;
      const only_new = createVault(new KeyRing([newest, { id: 'index', material: after.index_material }]));
      assert.throws(
        () => only_new.sealer.open('secret', sealed),
        (error) =>
          isFault(error) && (error as Fault).message.includes(`key ${before.newest_key_id} is not in the ring`),
      );
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
