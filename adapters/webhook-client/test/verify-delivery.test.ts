import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { signatureHeaders } from '@tallystick/events';
import { Webhook } from 'standardwebhooks';
import { verifyDelivery } from '../src/index.ts';

const hmac = (secret: Uint8Array, message: Uint8Array) =>
  new Uint8Array(createHmac('sha256', secret).update(message).digest());
const secret = 'FNAqNywCi0hmo845Ni43p06mx3l4ub7C';
const callback_url = 'https://hooks.example/a?b=c';
const now_s = 1_490_041_002;
const body = '{"data":{}}';
const input = { id: '17', timestamp: now_s, url: callback_url, body };
const headers = signatureHeaders(hmac, { current: secret, previous: null }, input);
const options = { secrets: secret, callback_url, now_s };

test('a delivery verifies with its secret, its URL and its body, within five minutes', () => {
  assert.equal(verifyDelivery({ headers, body }, options), true);
  assert.equal(verifyDelivery({ headers, body }, { ...options, now_s: now_s + 300 }), true);
  assert.equal(verifyDelivery({ headers, body }, { ...options, now_s: now_s + 301 }), false);
  assert.equal(verifyDelivery({ headers, body }, { ...options, now_s: now_s - 301 }), false);
});

test('a change to anything is refused', () => {
  const wrong = [
    verifyDelivery({ headers, body: `${body} ` }, options),
    verifyDelivery({ headers, body }, { ...options, callback_url: `${callback_url}&d=e` }),
    verifyDelivery({ headers, body }, { ...options, secrets: 'another secret' }),
    verifyDelivery({ headers: { ...headers, 'x-timestamp': String(now_s + 1) }, body }, options),
    verifyDelivery({ headers: { ...headers, 'x-timestamp': 'soon' }, body }, options),
    verifyDelivery({ headers: { ...headers, 'x-signature': headers['x-signature']!.toUpperCase() }, body }, options),
    verifyDelivery({ headers: {}, body }, options),
  ];
  assert.deepEqual(
    wrong,
    wrong.map(() => false),
  );
});

test('while a secret is rotated the old one and the new one verify', () => {
  const both = signatureHeaders(hmac, { current: 'the new secret 1', previous: secret }, input);
  for (const secrets of [secret, 'the new secret 1', ['something else', 'the new secret 1']]) {
    assert.equal(verifyDelivery({ headers: both, body }, { ...options, secrets }), true);
  }
});

test('the standardwebhooks library verifies a delivery, before and after a rotation', () => {
  const timestamp = Math.floor(Date.now() / 1_000);
  for (const secrets of [
    { current: secret, previous: null },
    { current: 'the new secret 1', previous: secret },
  ]) {
    const fresh = signatureHeaders(hmac, secrets, { ...input, timestamp });
    const library = new Webhook(secret, { format: 'raw' });
    assert.deepEqual(library.verify(body, { ...fresh }), { data: {} });
    assert.throws(() => library.verify(`${body} `, { ...fresh }));
  }
});
