import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import type { ImportProgress } from '@tallystick/imports';
import { createPace } from '../src/pace.ts';
import { createProgressDisplay, type ProgressStream } from '../src/progress-display.ts';

const staging: ImportProgress = {
  phase: 'staging',
  bytes: 0,
  bytes_total: 80_000_000,
  records: 0,
  records_total: null,
};
const applying: ImportProgress = { phase: 'applying', bytes: 0, bytes_total: null, records: 0, records_total: 10_000 };

/** A stream that keeps what is written to it. */
function collecting(properties: object = {}): { readonly stream: ProgressStream; written(): string } {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  return { stream: Object.assign(stream, properties), written: () => text };
}

describe('the pace of an import', () => {
  it('is measured over the last ten seconds, and by records when they are applied', () => {
    let now_ms = 0;
    const pace = createPace(() => now_ms);
    assert.deepEqual(pace(staging), { records_per_s: null, left_ms: null });
    now_ms = 1_000;
    assert.deepEqual(pace({ ...staging, bytes: 20_000_000, records: 5_000 }), { records_per_s: 5_000, left_ms: 3_000 });
    now_ms = 2_000;
    assert.deepEqual(pace(applying), { records_per_s: null, left_ms: null });
    now_ms = 4_000;
    assert.deepEqual(pace({ ...applying, records: 4_000 }), { records_per_s: 2_000, left_ms: 3_000 });
  });

  it('counts nothing that an earlier process has done', () => {
    let now_ms = 0;
    const pace = createPace(() => now_ms);
    pace({ ...staging, is_repeated: true });
    now_ms = 100;
    pace({ ...staging, bytes: 40_000_000, records: 50_000, is_repeated: true });
    now_ms = 1_100;
    const { records_per_s, left_ms } = pace({ ...staging, bytes: 50_000_000, records: 52_000 });
    assert.deepEqual([records_per_s, left_ms], [2_000, 3_000]);
  });

  it('shows no end of a stream, and none while nothing moves', () => {
    let now_ms = 0;
    const pace = createPace(() => now_ms);
    pace({ ...staging, bytes_total: null });
    now_ms = 1_000;
    assert.equal(pace({ ...staging, bytes_total: null, bytes: 10 }).left_ms, null);
    pace(applying);
    now_ms = 2_000;
    assert.equal(pace(applying).left_ms, null);
  });
});

describe('the display of an import', () => {
  it('writes at most one line a second without a terminal', () => {
    let now_ms = 0;
    const { stream, written } = collecting();
    const display = createProgressDisplay(stream, 'a.ipm', () => now_ms);
    for (let batch = 1; batch <= 30; batch += 1) {
      now_ms = batch * 100;
      display.show({ ...staging, bytes: batch * 1_000_000, records: batch * 1_000 });
    }
    display.say('continues');
    display.end();
    assert.deepEqual(written().split('\n'), [
      'a.ipm: staging 10.0 of 80.0 MB, 10,000 records, 10,000 a second, 7 s left',
      'a.ipm: staging 20.0 of 80.0 MB, 20,000 records, 10,000 a second, 6 s left',
      'a.ipm: staging 30.0 of 80.0 MB, 30,000 records, 10,000 a second, 5 s left',
      'a.ipm: continues',
      '',
    ]);
  });

  it('draws a bar on a terminal, and removes it', () => {
    const { stream, written } = collecting({ isTTY: true, columns: 120 });
    const display = createProgressDisplay(stream, 'a.ipm', () => performance.now());
    display.show(staging);
    display.show({ ...applying, records: 5_000 });
    display.show({ ...applying, records: 7_500 });
    const shown_length = written().length;
    display.end();
    const text = written();
    // The bar is erased, and the cursor is shown again at the start of its line.
    const ended = text.slice(shown_length);
    assert.ok(ended.includes('\u001b[?25h') && ended.endsWith('\u001b[1G\u001b[2K'), JSON.stringify(ended));
    assert.match(text, /\[\.{24}\] 0% staging 0\.0 of 80\.0 MB/);
    assert.match(text, /\[#{12}\.{12}\] 50% applying 5,000 of 10,000 records/);
  });
});
