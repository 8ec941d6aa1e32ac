import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { moveSandboxClock, Refusal, type SandboxClockState, sandboxNow, untouched_clock } from '../src/index.ts';

const machine_ms = Date.UTC(2030, 0, 31, 12);

function refused(path: string, words: RegExp) {
  return (error: unknown) => error instanceof Refusal && error.fields[0]?.path === path && words.test(error.message);
}

function at(state: SandboxClockState, ms: number): string {
  return new Date(sandboxNow(state, ms)).toISOString();
}

describe("the sandbox's clock", () => {
  it('shows machine time until it is moved', () => {
    assert.equal(sandboxNow(untouched_clock, machine_ms), machine_ms);
  });

  it('continues from the time to which it was moved', () => {
    const moved = moveSandboxClock(untouched_clock, machine_ms, { advance: 'PT10M' });
    assert.equal(at(moved, machine_ms), '2030-01-31T12:10:00.000Z');
    assert.equal(at(moved, machine_ms + 1000), '2030-01-31T12:10:01.000Z');
  });

  it('counts a day as 24 hours and a month as in the calendar', () => {
    const day = moveSandboxClock(untouched_clock, machine_ms, { advance: 'P1D' });
    assert.equal(at(day, machine_ms), '2030-02-01T12:00:00.000Z');
    const month = moveSandboxClock(untouched_clock, machine_ms, { advance: 'P1M' });
    assert.equal(at(month, machine_ms), '2030-02-28T12:00:00.000Z');
  });

  it('stops when frozen, and runs again after a move that does not freeze', () => {
    const frozen = moveSandboxClock(untouched_clock, machine_ms, { set: '2031-01-01T00:00:00Z', frozen: true });
    assert.equal(at(frozen, machine_ms + 60_000), '2031-01-01T00:00:00.000Z');
    const released = moveSandboxClock(frozen, machine_ms + 60_000, { advance: 'PT0S' });
    assert.equal(at(released, machine_ms + 61_000), '2031-01-01T00:00:01.000Z');
  });

  it('advances from its own time, not from machine time', () => {
    const frozen = moveSandboxClock(untouched_clock, machine_ms, { set: '2031-01-01T00:00:00Z', frozen: true });
    const moved = moveSandboxClock(frozen, machine_ms + 60_000, { advance: 'PT1H', frozen: true });
    assert.equal(at(moved, machine_ms + 90_000), '2031-01-01T01:00:00.000Z');
  });

  it('refuses to go backwards, even by one millisecond', () => {
    const set = (set: string) => () => moveSandboxClock(untouched_clock, machine_ms, { set });
    assert.throws(set('2030-01-31T11:59:59.999Z'), refused('set', /backwards: it is 2030-01-31T12:00:00Z/));
    assert.doesNotThrow(set('2030-01-31T12:00:00Z'));
    assert.throws(
      () => moveSandboxClock(untouched_clock, machine_ms, { advance: '-PT1S' }),
      refused('advance', /backwards/),
    );
  });

  it('refuses values that are not a duration or instant, and a year of five digits', () => {
    for (const advance of ['10 minutes', '', 'P'])
      assert.throws(() => moveSandboxClock(untouched_clock, machine_ms, { advance }), refused('advance', /PT10M/));
    assert.throws(
      () => moveSandboxClock(untouched_clock, machine_ms, { set: '2031-01-01' }),
      refused('set', /instant/),
    );
    for (const advance of ['P8000Y', 'P9999999Y'])
      assert.throws(() => moveSandboxClock(untouched_clock, machine_ms, { advance }), refused('advance', /past 9997/));
  });

  it('refuses times at which a new card would outlast the years of four digits', () => {
    const set = (set: string) => () => moveSandboxClock(untouched_clock, machine_ms, { set });
    assert.doesNotThrow(set('9997-12-31T23:59:59.999Z'));
    assert.throws(set('9998-01-01T00:00:00Z'), refused('set', /past 9997-12-31T23:59:59.999Z/));
  });

  it('refuses advance and set together, and neither', () => {
    const both = { advance: 'PT1S', set: '2031-01-01T00:00:00Z' };
    assert.throws(
      () => moveSandboxClock(untouched_clock, machine_ms, both),
      /advance or set must be given, and not both/,
    );
    assert.throws(
      () => moveSandboxClock(untouched_clock, machine_ms, { frozen: true }),
      /advance or set must be given, and not both/,
    );
  });
});
