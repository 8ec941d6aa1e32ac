import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it, mock } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { createListener, createSequenceWatch } from '../../src/devtools/listener.ts';
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

describe('a sequence that is watched', () => {
  it('reports exactly the missing numbers below the highest, in any order of arrival', () => {
    const numbers = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 80 });
    fc.assert(
      fc.property(numbers, (came) => {
        const watch = createSequenceWatch();
        const seen = new Set<number>();
        for (const sequence of came) {
          assert.equal(watch.record(sequence), !seen.has(sequence));
          seen.add(sequence);
        }
        const highest = Math.max(0, ...came);
        assert.equal(watch.highest(), highest);
        const all = Array.from({ length: highest }, (_, index) => index + 1);
        assert.deepEqual(
          watch.missing(),
          all.filter((sequence) => !seen.has(sequence)),
        );
      }),
      propertyParameters(),
    );
  });
});
