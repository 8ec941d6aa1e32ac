import assert from 'node:assert/strict';
import { it } from 'node:test';
import { row, type Target } from './measure.ts';
import { againstFigures, figuresOf } from './smoke.ts';

const more: Target = { kind: 'at_least', ratio: 0.8 };
const less: Target = { kind: 'at_most', ratio: 0.45 };

function rowOf(name: string, ratio: number, target: Target | null, unit = '/s') {
  return row(name, unit, { ours: ratio * 100, baseline: 100, baseline_name: 'by hand' }, target);
}

it('fails a ratio that fell by more than half, or rose to more than twice where less is better', () => {
  const figures = { decisions: 0.9, bytes: 0.4 };
  const verdict = (decisions: number, bytes: number) =>
    againstFigures([rowOf('decisions', decisions, more), rowOf('bytes', bytes, less)], figures).map(({ ok }) => ok);
  assert.deepEqual(verdict(0.46, 0.79), [true, true]);
  assert.deepEqual(verdict(0.44, 0.79), [false, true]);
  assert.deepEqual(verdict(0.46, 0.81), [true, false]);
});

it('a missed target fails no smoke run', () => {
  const [missed] = againstFigures([rowOf('decisions', 0.5, more)], { decisions: 0.5 });
  assert.equal(missed?.ok, true);
});

it('a row without a figure is shown without a verdict', () => {
  const [added] = againstFigures([rowOf('added', 0.01, more)], { decisions: 0.9 });
  assert.equal(added?.target, null);
  assert.equal(added.ok, null);
});

it('figures are the ratios of rows with a target, without latencies', () => {
  const rows = [
    rowOf('decisions', 0.912, more),
    rowOf('p99', 3, less, 'ms'),
    rowOf('shown only', 1, null),
    rowOf('bytes', 0.4, less, 'B'),
  ];
  assert.deepEqual(figuresOf(rows), { decisions: 0.91, bytes: 0.4 });
});

it('refuses figures of two rows with one name', () => {
  assert.throws(
    () => figuresOf([rowOf('decisions', 1, more), rowOf('decisions', 2, more)]),
    /two rows are named decisions/,
  );
});
