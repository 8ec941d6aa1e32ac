import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { machine_timers } from '@tallystick/kernel';
import { mockableAfter } from '@tallystick/test-support';
import { createJobs, type Job, type JobObserver } from '../../src/background/jobs.ts';

/** A job whose runs end when the test decides. */
function gatedJob(): Job & { runs: number; running: number; finish(): void } {
  let waiting: (() => void)[] = [];
  return {
    name: 'gated',
    every_ms: 1_000,
    runs: 0,
    running: 0,
    finish() {
      const finished = waiting;
      waiting = [];
      for (const resolve of finished) resolve();
    },
    async run() {
      this.runs += 1;
      this.running += 1;
      assert.equal(this.running, 1, 'a job ran twice at once');
      await new Promise<void>((resolve) => waiting.push(resolve));
      this.running -= 1;
    },
  };
}

const unexpected: JobObserver = { known() {}, failed: (_job, error) => assert.ifError(error) };

describe('jobs', () => {
  it('waits for the current run and then does the work that became due in the meantime', async () => {
    const job = gatedJob();
    const jobs = createJobs([job], unexpected, machine_timers);
    const first = jobs.runDue();
    await turn();
    const second = jobs.runDue();
    await turn();
    assert.equal(job.runs, 1);
    job.finish();
    await first;
    await turn();
    assert.equal(job.runs, 2);
    job.finish();
    await second;
  });

  it('begins nothing after stop, and stop waits for the current run', async () => {
    const job = gatedJob();
    const jobs = createJobs([job], unexpected, machine_timers);
    const run = jobs.runDue();
    const queued = jobs.runDue();
    await turn();
    let stopped = false;
    const stopping = jobs.stop().then(() => {
      stopped = true;
    });
    await turn();
    assert.equal(stopped, false);
    job.finish();
    await Promise.all([run, queued, stopping]);
    assert.equal(job.runs, 1);
  });

  it('runs immediately and again after its pause, even if a run fails', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const failures: unknown[] = [];
      let runs = 0;
      const job: Job = {
        name: 'failing',
        every_ms: 1_000,
        async run() {
          runs += 1;
          throw new Error(`run ${runs}`);
        },
      };
      const jobs = createJobs(
        [job],
        { known() {}, failed: (_job, error) => void failures.push(error) },
        { ...machine_timers, after: mockableAfter },
      );
      jobs.start();
      for (let settled = 0; settled < 3; settled++) await turn();
      assert.equal(runs, 1);
      mock.timers.tick(999);
      await turn();
      assert.equal(runs, 1);
      mock.timers.tick(1);
      for (let settled = 0; settled < 3; settled++) await turn();
      assert.equal(runs, 2);
      assert.deepEqual(failures.map(String), ['Error: run 1', 'Error: run 2']);
      await jobs.stop();
      mock.timers.tick(10_000);
      await turn();
      assert.equal(runs, 2);
    } finally {
      mock.timers.reset();
    }
  });

  it('rejects runDue with a failure', async () => {
    const job: Job = { name: 'failing', every_ms: 1, run: () => Promise.reject(new Error('no')) };
    await assert.rejects(createJobs([job], unexpected, machine_timers).runDue(), /no/);
  });
});
