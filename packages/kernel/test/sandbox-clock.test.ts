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

  it('advances by weeks, days of 24 hours, times and fractions of a second', () => {
    for (const [advance, seconds] of [
      ['P1W', 7 * 86_400],
      ['P1D', 86_400],
      ['P1DT2H', 26 * 3_600],
      ['P1W2DT3H4M5S', 9 * 86_400 + 3 * 3_600 + 4 * 60 + 5],
      ['PT36H', 36 * 3_600],
      ['PT90M', 5_400],
      ['PT0.5S', 0.5],
      ['PT1,25S', 1.25],
      ['P0D', 0],
    ] as const) {
      const moved = moveSandboxClock(untouched_clock, machine_ms, { advance });
      assert.equal(sandboxNow(moved, machine_ms) - machine_ms, seconds * 1_000, advance);
    }
  });

  it('refuses a duration with months or years, whose length varies', () => {
    for (const advance of ['P1M', 'P1Y', 'P1Y2M', 'P1MT5M', 'p1m', 'P0M', 'P1Y1W'])
      assert.throws(
        () => moveSandboxClock(untouched_clock, machine_ms, { advance }),
        refused('advance', /without years and months/),
      );
  });

  it('stays frozen through moves that do not name frozen, until frozen is false', () => {
    const frozen = moveSandboxClock(untouched_clock, machine_ms, { set: '2031-01-01T00:00:00Z', frozen: true });
    assert.equal(at(frozen, machine_ms + 60_000), '2031-01-01T00:00:00.000Z');
    const advanced = moveSandboxClock(frozen, machine_ms + 60_000, { advance: 'PT1H' });
    assert.equal(at(advanced, machine_ms + 90_000), '2031-01-01T01:00:00.000Z');
    const set = moveSandboxClock(advanced, machine_ms + 90_000, { set: '2031-01-02T00:00:00Z', frozen: null });
    assert.equal(at(set, machine_ms + 95_000), '2031-01-02T00:00:00.000Z');
    const released = moveSandboxClock(set, machine_ms + 95_000, { advance: 'PT0S', frozen: false });
    assert.equal(at(released, machine_ms + 96_000), '2031-01-02T00:00:01.000Z');
  });

  it('freezes and runs again at its present time when only frozen is sent', () => {
    const running = moveSandboxClock(untouched_clock, machine_ms, { advance: 'PT10M' });
    const frozen = moveSandboxClock(running, machine_ms + 1_000, { frozen: true });
    assert.equal(at(frozen, machine_ms + 60_000), '2030-01-31T12:10:01.000Z');
    const released = moveSandboxClock(frozen, machine_ms + 60_000, { frozen: false });
    assert.equal(at(released, machine_ms + 61_000), '2030-01-31T12:10:02.000Z');
    assert.deepEqual(moveSandboxClock(running, machine_ms + 1_000, { frozen: false }), running);
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
      assert.throws(() => moveSandboxClock(untouched_clock, machine_ms, { advance }), refused('advance', /P1DT2H/));
    assert.throws(
      () => moveSandboxClock(untouched_clock, machine_ms, { set: '2031-01-01' }),
      refused('set', /instant/),
    );
    for (const advance of ['P3000000D', 'P999999999D'])
      assert.throws(() => moveSandboxClock(untouched_clock, machine_ms, { advance }), refused('advance', /past 9997/));
  });

  it('refuses times at which a new card would outlast the years of four digits', () => {
    const set = (set: string) => () => moveSandboxClock(untouched_clock, machine_ms, { set });
    assert.doesNotThrow(set('9997-12-31T23:59:59.999Z'));
    assert.throws(set('9998-01-01T00:00:00Z'), refused('set', /past 9997-12-31T23:59:59.999Z/));
  });

  it('refuses advance and set together, and a move that names nothing', () => {
    const both = { advance: 'PT1S', set: '2031-01-01T00:00:00Z' };
    assert.throws(() => moveSandboxClock(untouched_clock, machine_ms, both), refused('advance', /together with set/));
    for (const nothing of [{}, { advance: null, set: null, frozen: null }])
      assert.throws(() => moveSandboxClock(untouched_clock, machine_ms, nothing), refused('advance', /is required/));
  });
});
