import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  deliverySigner,
  type SignedDelivery,
  signDelivery,
  verifyDelivery,
  verifyStandardWebhook,
} from '../src/index.ts';
import { vectors } from './vectors.ts';

const hmac = (secret: Uint8Array, message: Uint8Array) => createHmac('sha256', secret).update(message).digest();

/**
 * HMAC pads a short secret with zero bytes, so a secret that ends in zero bytes equals the same
 * secret without them.
 */
const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 64 }).filter((one) => !one.endsWith('\0'));
const standard = fc
  .uint8Array({ minLength: 1, maxLength: 64 })
  .filter((bytes) => bytes.at(-1) !== 0)
  .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
const secret = fc.oneof(text, standard);
const delivery: fc.Arbitrary<SignedDelivery> = fc.record({
  id: fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/),
  timestamp: fc.integer({ min: 0, max: 999_999_999_999 }),
  url: fc.webUrl({ withQueryParameters: true }),
  body: fc.oneof(fc.json(), fc.string({ unit: 'binary' }), fc.uint8Array()),
});

it('a signed delivery verifies in both schemes with either secret, and with no other', async () => {
  await fc.assert(
    fc.asyncProperty(delivery, secret, secret, secret, async (signed, current, previous, other) => {
      fc.pre(other !== current && other !== previous);
      const headers = await signDelivery({ current, previous }, signed);
      const options = { callback_url: signed.url, now_s: signed.timestamp };
      for (const [secrets, verifies] of [
        [current, true],
        [previous, true],
        [other, false],
      ] as const) {
        const received = { headers, body: signed.body };
        assert.equal((await verifyDelivery(received, { ...options, secrets })).verified, verifies);
        assert.equal((await verifyStandardWebhook(received, { ...options, secrets })).verified, verifies);
      }
    }),
    propertyParameters(),
  );
});

it('a secret that only begins like one of Standard Webhooks signs with its text in both schemes', async () => {
  const { delivery: signed } = vectors[0]!;
  for (const current of [
    'whsec_',
    'whsec_not base64 at all',
    'whsec_MfKQ9r8',
    'whsec_MfKQ9r8_KYo=',
    'WHSEC_MfKQ9r8=',
  ]) {
    const headers = await signDelivery({ current, previous: null }, signed);
    const message = `${signed.id}.${signed.timestamp}.${signed.body}`;
    const expected = createHmac('sha256', current).update(message).digest('base64');
    assert.equal(headers['webhook-signature'], `v1,${expected}`, current);
  }
});

it('a change to any signed part does not verify', async () => {
  await fc.assert(
    fc.asyncProperty(delivery, secret, fc.string({ minLength: 1 }), async (signed, current, more) => {
      const headers = await signDelivery({ current, previous: null }, signed);
      const body = typeof signed.body === 'string' ? signed.body : Buffer.from(signed.body).toString('latin1');
      const options = { secrets: current, callback_url: signed.url, now_s: signed.timestamp };
      const received = { headers, body: signed.body };
      const later = {
        ...headers,
        'x-timestamp': String(signed.timestamp + 1),
        'webhook-timestamp': String(signed.timestamp + 1),
      };
      const changed = [
        await verifyDelivery(received, { ...options, callback_url: signed.url + more }),
        await verifyDelivery({ headers, body: `${body}${more}\u0100` }, options),
        await verifyDelivery({ headers: later, body: signed.body }, options),
        await verifyStandardWebhook({ headers, body: `${body}${more}\u0100` }, options),
        await verifyStandardWebhook({ headers: later, body: signed.body }, options),
        await verifyStandardWebhook(
          { headers: { ...headers, 'webhook-id': `${signed.id}x` }, body: signed.body },
          options,
        ),
      ];
      // The largest time has one digit too many after one more second.
      const reasons = changed.map((result) => (result.verified ? 'verified' : result.reason));
      assert.deepEqual(
        reasons.filter((reason) => reason !== 'signature_mismatch' && reason !== 'malformed_header'),
        [],
      );
    }),
    propertyParameters(),
  );
});

it('signs the same with an HMAC that the caller supplies', async () => {
  for (const { secrets, delivery: signed, headers } of vectors)
    assert.deepEqual(deliverySigner(hmac, secrets)(signed), headers);
  await fc.assert(
    fc.asyncProperty(delivery, secret, fc.option(secret), async (signed, current, previous) => {
      const secrets = { current, previous };
      assert.deepEqual(deliverySigner(hmac, secrets)(signed), await signDelivery(secrets, signed));
    }),
    propertyParameters(),
  );
});

it('refuses to sign a delivery that could not be verified', async () => {
  const { secrets, delivery: signed } = vectors[0]!;
  const wrong: [typeof secrets, SignedDelivery][] = [
    [{ current: '', previous: null }, signed],
    [{ ...secrets, previous: '' }, signed],
    [secrets, { ...signed, id: '' }],
    [secrets, { ...signed, id: '1.7' }],
    [secrets, { ...signed, timestamp: -1 }],
    [secrets, { ...signed, timestamp: 1.5 }],
    [secrets, { ...signed, timestamp: 1_000_000_000_000 }],
    [secrets, { ...signed, url: '' }],
  ];
  for (const [by, what] of wrong) {
    assert.throws(() => deliverySigner(hmac, by)(what), TypeError);
    await assert.rejects(signDelivery(by, what), TypeError);
  }
});
