import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createFaultReporter, type RepeatedFault } from '../../src/background/repeated-faults.ts';

it('writes the first fault of a kind, and then one a minute with the number of the others', () => {
  const written: (RepeatedFault & { readonly kind: string })[] = [];
  let now_ms = 0;
  const report = createFaultReporter<'a' | 'b'>(
    (fault, kind) => written.push({ ...fault, kind }),
    () => now_ms,
  );
  for (now_ms = 0; now_ms < 60_000; now_ms += 1_000) report('away', 'a');
  report('late', 'b');
  assert.deepEqual(written, [
    { err: 'away', kind: 'a' },
    { err: 'late', kind: 'b' },
  ]);
  report('still away', 'a');
  assert.deepEqual(written.slice(2), [{ err: 'still away', suppressed: 59, kind: 'a' }]);
  now_ms += 60_000;
  report('away again', 'a');
  assert.deepEqual(written.slice(3), [{ err: 'away again', kind: 'a' }]);
});
