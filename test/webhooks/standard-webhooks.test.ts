import assert from 'node:assert/strict';
import { it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import { signDelivery } from '@tallystick/webhook-signature';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';

/** HMAC pads a short key with zero bytes, so a key that ends in zero bytes equals a shorter one. */
const text = fc.string({ unit: 'binary', minLength: 16, maxLength: 64 }).filter((one) => !one.endsWith('\0'));
const standard = fc
  .uint8Array({ minLength: 16, maxLength: 64 })
  .filter((bytes) => bytes.at(-1) !== 0)
  .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
const body = fc.dictionary(fc.string({ unit: 'binary' }), fc.json()).map((value) => JSON.stringify(value));

it('the standardwebhooks library verifies a whsec_ secret by default and any other text as raw bytes, also during a rotation', async () => {
  // The library compares the timestamp with the machine's time.
  const delivery = { id: '17', timestamp: Math.floor(Date.now() / 1_000), url: 'https://hooks.example/a' };
  await fc.assert(
    fc.asyncProperty(standard, text, fc.boolean(), body, async (by_bytes, by_text, is_text_first, sent) => {
      const receivers = [new Webhook(by_bytes), new Webhook(Buffer.from(by_text), { format: 'raw' })];
      const [current, previous] = is_text_first ? [by_text, by_bytes] : [by_bytes, by_text];
      const rotating = await signDelivery({ current, previous }, { ...delivery, body: sent });
      for (const receiver of receivers) assert.ok(receiver.verify(sent, { ...rotating }));
      const after = await signDelivery({ current, previous: null }, { ...delivery, body: sent });
      const verifies = receivers.map((receiver) => {
        try {
          return Boolean(receiver.verify(sent, { ...after }));
        } catch {
          return false;
        }
      });
      assert.deepEqual(verifies, [!is_text_first, is_text_first]);
    }),
    propertyParameters(),
  );
});
