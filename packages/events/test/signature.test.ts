import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { deliverySignature, signatureHeaders } from '../src/index.ts';

const hmac = (secret: Uint8Array, message: Uint8Array) =>
  new Uint8Array(createHmac('sha256', secret).update(message).digest());

test('signs the published vector', () => {
  const signature = deliverySignature(hmac, 'FNAqNywCi0hmo845Ni43p06mx3l4ub7C', {
    timestamp: 1490041002,
    url: 'https://www.api-svb.com/svb-webhooks',
    body: '{"data":{}}',
  });
  assert.equal(signature, '1dc045e6c7f88861ba9bd87a34a5511308cd114dcfb1b5cfd6c9b7cf1ac9c4a9');
});

test('a change to any part changes the signature', () => {
  const input = { timestamp: 1, url: 'https://a.example/', body: '{}' };
  const signed = deliverySignature(hmac, 'a secret of some length', input);
  fc.assert(
    fc.property(fc.integer({ min: 2 }), fc.string({ minLength: 1 }), (timestamp, more) => {
      assert.notEqual(deliverySignature(hmac, 'a secret of some length', { ...input, timestamp }), signed);
      assert.notEqual(deliverySignature(hmac, 'a secret of some length', { ...input, url: input.url + more }), signed);
      assert.notEqual(
        deliverySignature(hmac, 'a secret of some length', { ...input, body: input.body + more }),
        signed,
      );
      assert.notEqual(deliverySignature(hmac, `a secret of some length${more}`, input), signed);
    }),
    propertyParameters(),
  );
});

test('after a rotation the secret before signs too, in headers of its own and as a second value', () => {
  const input = { id: '7', timestamp: 1, url: 'https://a.example/', body: '{}' };
  const alone = signatureHeaders(hmac, { current: 'the new secret 1', previous: null }, input);
  const before = signatureHeaders(hmac, { current: 'the old secret 1', previous: null }, input);
  const both = signatureHeaders(hmac, { current: 'the new secret 1', previous: 'the old secret 1' }, input);
  assert.equal(alone['x-signature-previous'], undefined);
  assert.equal(both['x-signature'], alone['x-signature']);
  assert.equal(both['x-signature-previous'], before['x-signature']);
  assert.equal(both['webhook-signature'], `${alone['webhook-signature']} ${before['webhook-signature']}`);
});
