import type { PastWindow, WindowKey } from '@tallystick/cards';
import { money } from '@tallystick/kernel';
import type { State } from './state.ts';

/** The key of a row of `card_windows`. */
export function windowKey({ card_id, window_start_ms }: WindowKey): string {
  return JSON.stringify([card_id, window_start_ms]);
}

/** Returns the counters of a window as the sums of the rows that count in it. */
export function sumWindow({ authorizations, clearings }: State, { card_id, window_start_ms }: WindowKey): PastWindow {
  let held = 0;
  let cleared = 0;
  let uses = 0;
  const counts = (row: WindowKey) => row.card_id === card_id && row.window_start_ms === window_start_ms;
  for (const row of authorizations.values().filter(counts)) {
    held += row.held;
    uses += row.uses;
  }
  for (const row of clearings.values().filter(counts)) {
    cleared += row.cleared_effect;
    uses += row.uses;
  }
  return { card_id, window_start_ms, held: money(held), cleared: money(cleared), uses };
}
