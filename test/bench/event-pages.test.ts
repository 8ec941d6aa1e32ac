import assert from 'node:assert/strict';
import { test } from 'node:test';
import { full_run } from '@tallystick/test-support';
import { filledDatabase } from './filled-database.ts';

const started_ms = 1_700_000_000_000;
/** In the long run, more of them match than a call has arguments. */
const events = full_run ? 300_000 : 20_000;

test('a page of all events before a date has the newest of them', async (t) => {
  const database = await filledDatabase('sqlite', { cards: 10, authorizations: 0, events });
  t.after(() => database.dispose());
  const to = started_ms + (events / 2) * 1_000;
  const { items } = await database.persistence.unitOfWork.read((tx) =>
    tx.events.list(1, [{ name: 'created_at', kind: 'range', to }], { limit: 50 }),
  );
  const times = items.map(({ created_at_ms }) => created_at_ms);
  assert.equal(times.length, 50);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  );
  assert.ok(times[0]! <= to && times.at(-1)! > to - 1_000_000);
});
