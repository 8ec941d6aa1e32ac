import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { it } from 'node:test';
import type { Attempt, Delivery, Webhook } from '@tallystick/events';
import { machine_timers } from '@tallystick/kernel';
import { createMetrics, logOptions } from '@tallystick/koa';
import { pino } from 'pino';
import { deliveryObserver } from '../../src/background/delivery-observer.ts';

const webhook = { id: 7, company_id: 3 } as Webhook;

it('failed attempts are warnings, others are not; a fault of the database is one line', () => {
  const lines: { readonly level: number | string; readonly status?: number; readonly msg: string }[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const observer = deliveryObserver(
    createMetrics({ process_metrics: false }),
    pino(logOptions('info'), sink),
    machine_timers,
  );
  for (const [state, status] of [
    ['succeeded', 204],
    ['pending', 500],
    ['failed', 410],
  ] as const) {
    observer.attempted(webhook, { id: 1, state } as Delivery, { number: 1, status, duration_ms: 3 } as Attempt);
  }
  const levels = lines.map(({ level, status }) => [pino.levels.labels[Number(level)] ?? level, status]);
  assert.deepEqual(levels, [
    ['info', 204],
    ['warn', 500],
    ['warn', 410],
  ]);
  for (let second = 0; second < 5; second += 1) observer.faulted(new Error('the database is away'));
  assert.equal(lines.length, 4);
  assert.match(lines[3]!.msg, /could not be claimed or recorded/);
});
