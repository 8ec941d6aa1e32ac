import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { it } from 'node:test';
import { machine_timers } from '@tallystick/kernel';
import { createMetrics, logOptions } from '@tallystick/koa';
import { pino } from 'pino';
import { createJobs, jobObserver } from '../../src/background/jobs.ts';

it('failed runs are counted by job from 0 on, and logged once a minute', async () => {
  const metrics = createMetrics({ process_metrics: false });
  let logged = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged += chunk;
      done();
    },
  });
  const observer = jobObserver(metrics, pino(logOptions('info'), sink), machine_timers);
  const job = (name: string) => ({ name, every_ms: 1_000, run: async () => {} });
  createJobs([job('hold sweep'), job('mails')], observer, machine_timers);
  assert.match(await metrics.read(), /^tallystick_job_failures_total{job="mails"} 0$/m);
  for (let run = 0; run < 3; run += 1) observer.failed(job('hold sweep'), new Error('the database is away'));
  const read = await metrics.read();
  assert.match(read, /^tallystick_job_failures_total{job="hold sweep"} 3$/m);
  assert.match(read, /^tallystick_job_failures_total{job="mails"} 0$/m);
  assert.equal(logged.trim().split('\n').length, 1);
  const { job: name, msg, err } = JSON.parse(logged);
  assert.deepEqual([name, msg], ['hold sweep', 'a job failed; it runs again at its next turn']);
  assert.match(err.message, /the database is away/);
});
