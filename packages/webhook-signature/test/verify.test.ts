import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type DeliveryHeaders,
  type RefusedReason,
  type Verification,
  verifyDelivery,
  verifyStandardWebhook,
} from '../src/index.ts';
import { checkRuntime } from './runtime-check.ts';
import { vectors } from './vectors.ts';

const [published, rotated] = [vectors[0]!, vectors[1]!];
const { headers } = published;
const { body, url: callback_url, timestamp: now_s } = published.delivery;
const options = { secrets: published.secrets.current, callback_url, now_s };

function reasonOf(verification: Verification): [RefusedReason, string] | null {
  return verification.verified ? null : [verification.reason, verification.header];
}

async function refused(changed: DeliveryHeaders, more: Partial<typeof options> = {}) {
  return reasonOf(await verifyDelivery({ headers: changed, body }, { ...options, ...more }));
}

async function refusedStandard(changed: DeliveryHeaders, more: Partial<typeof options> = {}) {
  return reasonOf(await verifyStandardWebhook({ headers: changed, body }, { ...options, ...more }));
}

it('signs and verifies the golden vectors on this runtime', async () => {
  const { checked, failed } = await checkRuntime(await import('../src/index.ts'), vectors);
  assert.deepEqual(failed, []);
  assert.equal(checked, 52);
});

describe('a delivery', () => {
  it('verifies, and the result states when it was signed and by which secret', async () => {
    assert.deepEqual(await verifyDelivery({ headers, body }, options), {
      verified: true,
      timestamp: 1_490_041_002,
      secret_index: 0,
    });
  });

  it('verifies within the tolerance, to the second', async () => {
    const at = (seconds: number, tolerance_s?: number) =>
      refused(headers, { now_s: now_s + seconds, ...(tolerance_s === undefined ? {} : { tolerance_s }) });
    for (const seconds of [-300, 0, 300]) assert.equal(await at(seconds), null);
    assert.deepEqual(await at(301), ['timestamp_too_old', 'x-timestamp']);
    assert.deepEqual(await at(-301), ['timestamp_in_future', 'x-timestamp']);
    assert.equal(await at(10, 10), null);
    assert.deepEqual(await at(11, 10), ['timestamp_too_old', 'x-timestamp']);
    assert.deepEqual(await at(1, 0), ['timestamp_too_old', 'x-timestamp']);
  });

  it('is refused for a header that is missing or malformed, and the header is named', async () => {
    const { 'x-timestamp': _, ...untimed } = headers;
    const { 'x-signature': __, ...unsigned } = headers;
    assert.deepEqual(await refused(untimed), ['missing_header', 'x-timestamp']);
    assert.deepEqual(await refused(unsigned), ['missing_header', 'x-signature']);
    assert.deepEqual(await refused({}), ['missing_header', 'x-timestamp']);
    for (const text of ['', 'soon', '1490041002.0', ' 1490041002', '01490041002', '-1', '9'.repeat(13)])
      assert.deepEqual(await refused({ ...headers, 'x-timestamp': text }), ['malformed_header', 'x-timestamp'], text);
    const signature = headers['x-signature']!;
    for (const text of ['', 'zz', signature.toUpperCase(), signature.slice(1), `${signature}, ${signature}`])
      assert.deepEqual(await refused({ ...headers, 'x-signature': text }), ['malformed_header', 'x-signature'], text);
    assert.deepEqual(await refused({ ...headers, 'x-signature': [signature, signature] }), [
      'malformed_header',
      'x-signature',
    ]);
    assert.deepEqual(await refused({ ...headers, 'x-signature-previous': 'zz' }), [
      'malformed_header',
      'x-signature-previous',
    ]);
  });

  it('is refused for another body, URL, time or secret', async () => {
    const mismatch = ['signature_mismatch', 'x-signature'];
    assert.deepEqual(await refused(headers, { callback_url: `${callback_url}/` }), mismatch);
    assert.deepEqual(await refused(headers, { secrets: 'another secret of 16' }), mismatch);
    assert.deepEqual(await refused({ ...headers, 'x-timestamp': String(now_s + 1) }), mismatch);
    const changed = await verifyDelivery({ headers, body: `${body} ` }, options);
    assert.deepEqual(reasonOf(changed), mismatch);
  });

  it('verifies with the old secret or the new one during a rotation', async () => {
    const { current, previous } = rotated.secrets;
    const indexWith = async (secrets: string | string[]) => {
      const result = await verifyDelivery({ headers: rotated.headers, body }, { ...options, secrets });
      const standard = await verifyStandardWebhook({ headers: rotated.headers, body }, { ...options, secrets });
      assert.equal(result.verified, standard.verified);
      return result.verified && standard.verified && [result.secret_index, standard.secret_index];
    };
    assert.deepEqual(await indexWith(current), [0, 0]);
    assert.deepEqual(await indexWith(previous!), [0, 0]);
    assert.deepEqual(await indexWith([previous!, current]), [0, 0]);
    assert.deepEqual(await indexWith(['another secret of 16', current]), [1, 1]);
    assert.deepEqual(await indexWith('another secret of 16'), false);
  });

  it('takes headers in the forms of different servers', async () => {
    const { 'x-signature': signature, ...others } = headers;
    for (const form of [
      new Headers(headers),
      { ...others, 'X-Signature': signature },
      { ...others, 'x-signature': [signature!], cookie: undefined },
    ])
      assert.equal(await refused(form), null);
  });

  it('contains no secret and no signature in any message', async () => {
    const results = await Promise.all([
      verifyDelivery({ headers, body: '' }, options),
      verifyDelivery({ headers: { ...headers, 'x-signature': 'zz' }, body }, options),
      verifyDelivery({ headers, body }, { ...options, now_s: now_s + 400 }),
    ]);
    const messages = results.map((result) => (result.verified ? 'verified' : result.message));
    assert.deepEqual(messages, [
      'x-signature was made with another secret, another body, another URL or another time',
      'x-signature must be 64 lower-case hex digits',
      'x-timestamp is 400 seconds old; 300 are allowed',
    ]);
  });

  it('throws a TypeError when an option is unusable', async () => {
    const wrong: object[] = [
      { secrets: '' },
      { secrets: [] },
      { secrets: ['a secret', ''] },
      { secrets: undefined },
      { secrets: [undefined] },
      { callback_url: '' },
      { callback_url: undefined },
      { tolerance_s: -1 },
      { tolerance_s: Number.NaN },
      { now_s: Number.NaN },
    ];
    for (const change of wrong)
      await assert.rejects(
        verifyDelivery({ headers, body }, { ...options, ...change }),
        TypeError,
        JSON.stringify(change),
      );
    await assert.rejects(verifyStandardWebhook({ headers, body }, { secrets: '' }), TypeError);
  });

  it('throws a TypeError for a body that was parsed', async () => {
    for (const parsed of [{}, [], null, undefined, 17, new ArrayBuffer(2)] as unknown[] as string[]) {
      await assert.rejects(verifyDelivery({ headers, body: parsed }, options), /TypeError: body must be the text/);
      await assert.rejects(verifyStandardWebhook({ headers, body: parsed }, options), TypeError);
    }
  });

  it('refuses a header that is no text', async () => {
    for (const value of [null, 17, true, {}] as unknown[] as string[]) {
      const result = await verifyDelivery({ headers: { ...headers, 'x-signature': value }, body }, options);
      assert.equal(result.verified, false, String(value));
    }
  });
});

describe('a delivery by Standard Webhooks', () => {
  it('verifies among signatures of versions and secrets that the receiver does not know', async () => {
    const signature = headers['webhook-signature']!;
    const others = `v1a,${'A'.repeat(86)}== v1,${'A'.repeat(43)}= v2,xyz`;
    assert.equal(await refusedStandard({ ...headers, 'webhook-signature': `${others} ${signature}` }), null);
    assert.deepEqual(await refusedStandard({ ...headers, 'webhook-signature': others }), [
      'signature_mismatch',
      'webhook-signature',
    ]);
  });

  it('is refused for a header that is missing or malformed, and the header is named', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const { [name]: _, ...without } = headers;
      assert.deepEqual(await refusedStandard(without), ['missing_header', name]);
      for (const text of ['', name === 'webhook-id' ? '17.1' : 'v1,short'])
        assert.deepEqual(await refusedStandard({ ...headers, [name]: text }), ['malformed_header', name], text);
    }
  });

  it('is refused for another id, body, time or secret, and outside the tolerance', async () => {
    const mismatch = ['signature_mismatch', 'webhook-signature'];
    assert.deepEqual(await refusedStandard({ ...headers, 'webhook-id': '18' }), mismatch);
    assert.deepEqual(await refusedStandard({ ...headers, 'webhook-timestamp': String(now_s + 1) }), mismatch);
    assert.deepEqual(await refusedStandard(headers, { secrets: 'another secret of 16' }), mismatch);
    const late = ['timestamp_too_old', 'webhook-timestamp'];
    assert.deepEqual(await refusedStandard(headers, { now_s: now_s + 301 }), late);
  });
});
