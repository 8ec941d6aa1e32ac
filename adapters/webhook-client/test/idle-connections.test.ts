import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loopbackCertificate, tlsReceiver } from '@tallystick/test-support';
import { addressGuard, loopback_networks, webhookClient } from '../src/index.ts';

test('closes an idle connection before a receiver without a stated time closes it after five seconds', async () => {
  const ended = Promise.withResolvers<number>();
  const receiver = await tlsReceiver((_, response, socket) => {
    const answered_ms = performance.now();
    socket.once('end', () => ended.resolve(performance.now() - answered_ms));
    // If the receiver itself sets the header, Node's server does not state how long it keeps the
    // connection.
    response.setHeader('Connection', 'keep-alive').end();
  });
  const { cert } = await loopbackCertificate();
  const sender = webhookClient({ guard: addressGuard(loopback_networks), extra_authorities: [cert] });
  try {
    const answer = await sender.send({ callback_url: receiver.origin, headers: {}, body: '{}' });
    assert.equal(answer.kind === 'answered' && answer.status, 200);
    const deadline = AbortSignal.timeout(4_900);
    deadline.addEventListener('abort', () => ended.reject(new Error('the connection is still open after 4.9 s')));
    assert.ok((await ended.promise) > 1_000, 'it stays open for deliveries that follow soon');
  } finally {
    await sender.close();
    await receiver.close();
  }
});
