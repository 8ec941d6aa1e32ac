import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it, mock } from 'node:test';
import { createListener } from '../../src/devtools/listener.ts';
import type { VerifiedDelivery } from '../../src/devtools/loopback-webhook.ts';

function delivery(sequence: number): VerifiedDelivery {
  const data = { date: '2026-01-15T12:00:00.000Z', 'event-id': 100 + sequence, payload: {}, previous: null, type: 'x' };
  return { headers: {}, body: JSON.stringify({ data }), sequence, delivery_id: String(sequence), data };
}

describe('a listener', () => {
  it('reports a gap once if a number stays missing, and none if a delivery is only overtaken', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const stream = new PassThrough();
      let printed = '';
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
      const listener = createListener({
        stream: stream as unknown as NodeJS.WriteStream,
        json: false,
        forward_url: null,
      });
      for (const sequence of [2, 1, 5, 3])
        assert.deepEqual(await listener.received(delivery(sequence)), { status: 200 });
      mock.timers.tick(1_999);
      await listener.received(delivery(6));
      assert.doesNotMatch(printed, /Gap/);
      mock.timers.tick(1);
      await listener.received(delivery(7));
      mock.timers.tick(10_000);
      await listener.received(delivery(4));
      await listener.received(delivery(4));
      listener.stop();
      assert.deepEqual(printed.match(/^Gap: .* not received/gm), ['Gap: #4 not received']);
      assert.match(printed, /#4 +x .*\n.*#4 again/);
      assert.equal(listener.count(), 7);
    } finally {
      mock.timers.reset();
    }
  });
});
