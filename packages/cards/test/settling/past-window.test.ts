import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pastWindowsOf } from '../../src/index.ts';
import { NetworkWorld } from '../network-world.ts';

test('a pass loads each past window of each of its cards once, and not the present one', () => {
  const world = new NetworkWorld('2026-11-21T12:00:00Z', { recurring: 'Daily' });
  const root = world.row(world.authorize().id!);
  const [first, second, present] = [1, 2, 3];
  const rows = [first, second, first, present].flatMap((window_start_ms) =>
    [1, 2, 3].map((card_id) => ({ ...root, card_id, window_start_ms })),
  );
  const windowOf = (card_id: number) =>
    card_id === 3 ? undefined : ({ recurring: 'Daily', window_start_ms: present } as const);
  assert.deepEqual(
    pastWindowsOf(rows, [], windowOf).map(({ card_id, window_start_ms }) => [card_id, window_start_ms]),
    [
      [1, first],
      [2, first],
      [1, second],
      [2, second],
    ],
  );
});
