import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';
import { monotonicNow, row } from './measure.ts';

it('the clock of measurements is the same in all processes', () => {
  const module = new URL('./measure.ts', import.meta.url).href;
  const script = `import { monotonicNow } from '${module}'; console.log(monotonicNow());`;
  for (let run = 0; run < 3; run += 1) {
    const before_ms = monotonicNow();
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    const there_ms = Number(printed);
    assert.ok(before_ms < there_ms && there_ms < monotonicNow(), `${there_ms} is not after ${before_ms}`);
  }
});

it('a row whose figures have no ratio is an error that names it', () => {
  for (const [ours, baseline] of [
    [1, 0],
    [0, 1],
    [1, -0.2],
    [Number.NaN, 1],
    [1, Number.POSITIVE_INFINITY],
  ] as const) {
    assert.throws(
      () => row('deliveries', 'ms', { ours, baseline, baseline_name: 'a POST' }, null),
      /^RangeError: deliveries/,
    );
  }
  assert.equal(row('deliveries', 'ms', { ours: 3, baseline: 2, baseline_name: 'a POST' }, null).ratio, 1.5);
});
