import type { Authorization } from './authorization.ts';
import type { Clearing } from './clearing.ts';
import { isStandingRoot } from './hold.ts';
import type { PastWindow } from './ledger.ts';

/** Names a window of a card. */
export type WindowKey = Pick<PastWindow, 'card_id' | 'window_start_ms'>;

/**
 * The past windows whose counters a pass must load, each once: those in which a loaded
 * authorization or clearing counts, if it is not the window of the card's counters. `windowOf`
 * returns the start of that window, and undefined for a card that the pass has not loaded. Cards
 * with one window for ever have no past windows.
 */
export function pastWindowsOf(
  authorizations: Iterable<Authorization>,
  clearings: Iterable<Clearing>,
  windowOf: (card_id: number) => number | undefined,
): readonly WindowKey[] {
  const keys: WindowKey[] = [];
  const add = ({ card_id, window_start_ms }: WindowKey) => {
    const present_ms = windowOf(card_id);
    if (present_ms === undefined || present_ms === window_start_ms) return;
    if (keys.some((key) => key.card_id === card_id && key.window_start_ms === window_start_ms)) return;
    keys.push({ card_id, window_start_ms });
  };
  for (const authorization of authorizations) if (isStandingRoot(authorization)) add(authorization);
  for (const clearing of clearings) add(clearing);
  return keys;
}
